"""All outputs of one input add up to the same, whatever its names are.

Each output is read by a parser of its own format, so one that a name has
broken does not parse, or has other sums or names.
"""
import collections
import json
import math

from oracle import rbt_gen, tach_wire
from oracle import rbt_wire as wire
from support import (bobbin, callgrind, case, chars, fixtures, flame, outputs,
                     pages, pprof, seeds, tach, truth)
from support.case import each, expect

AGGREGATED = sorted(outputs.READERS)

INPUTS = [
    ('periods', fixtures.rbt_path('multi-segment')),
    ('native', fixtures.rbt_path('native-mixed')),
    ('pids', fixtures.rbt_path('pid-bundled-ts')),
    ('empty', fixtures.rbt_path('header-only')),
    ('rotated', fixtures.rbt_path('segmented-rotation')),
    ('threads', tach.path('real_threads')),
    ('times', tach.path('ids_status_time')),
    ('deep', tach.path('deep')),
    ('phpspy', fixtures.PHPSPY + '/laravel-request-info.txt'),
]

# What breaks files: separators and comments of every format, and of what they
# are embedded in.
NASTY = (
    [bytes([byte]) for byte in range(256)]
    + [b'a' + bytes([byte]) + b'z' for byte in range(256)]
    + [b'', b' ', b'  two  ', b'\t', b'\r\n', b'f 123', b'f 1 2', b'f:12',
       b'12', b'-1', b'+1', b'*', b'(1)', b'(1) f', b'(root)', b'???',
       b'(unnamed)', b'~', b'</script>', b'<!--', b'-->', b'<![CDATA[',
       b']]>', b'<script>alert(1)</script>', b'&lt;', b'&#0;', b'&amp', b'"',
       b"'", b'\\', b'\\u0000', b'\\"', b'\\n', b'%0A', b'%', b'%%s%n',
       b'{closure}', b'<module>', b'<main>', b'<lambda>', b'App\\K::f',
       b'App\\K::{closure}(int $x)', b'fn=(1) x', b'calls=1 0', b'# comment',
       b'__sampled__', b'__proto__', b'constructor', b'toString', b'{}',
       b'a;b', b';', b';;', b'caf\xc3\xa9', b'\xe2\x80\xae evil \xe2\x80\xac',
       b'\xe2\x80\x8f', b'\xe2\x81\xa6x\xe2\x81\xa9', b'\xe2\x80\xa8',
       b'\xe2\x80\xa9', b'\xef\xbb\xbfbom', b'\xef\xbf\xbe', b'\xef\xbf\xbd',
       b'\xed\xa0\x80', b'\xc0\x80', b'\xf4\x90\x80\x80', b'\xf0\x9f\x90',
       b'\xf0\x9f\x90\x98', b'\xc2\x85', b'\xc2\x9b31m', b'\x1b[31m',
       b'x' * 10000, b'\xff' * 10000, b'\xe2\x80\xae' * 3334,
       b'"\\\n' * 3334])


# ---- inputs ----------------------------------------------------------------

def nasty_rbt():
    """Every name as function, class, file, thread of calls, annotation and
    metadata; samples of two periods."""
    out = [wire.header(1000), wire.string(0, b''), wire.string(1, b'/a.php')]
    for i, name in enumerate(NASTY):
        ident = 10 + i
        out += [wire.string(ident, name),
                wire.frame(4 * i, 0, 0, ident, 1, i),
                wire.frame(4 * i + 1, 0, 0, 1, ident, 7),
                wire.frame(4 * i + 2, ident, ident, ident, ident, -1),
                wire.native(4 * i + 3, ident, ident, 17),
                wire.stack(i, [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]),
                wire.pid_sample(i, 100 + i % 3)]
        if i % 7 == 0:
            out += [wire.annotation((ident, ident))]
        out += [wire.repeat(i % 5), wire.metadata(name[:100], name)]
    out += [wire.end(), wire.header(1500), wire.stack(0, []),
            wire.compact(0), wire.repeat(2), wire.end()]
    return b''.join(out)


def nasty_tach():
    """The same for Python; in threads."""
    strings = [wire.varint(len(name)) + name for name in NASTY]
    frames, records = [], []
    for i in range(len(NASTY)):
        frames += [tach_wire.frame('1b', 0, i, (i + 1, i + 1, 0, 1)),
                   tach_wire.frame('1b', i, 0, (-1, -1, -1, -1))]
        records.append(tach_wire.full((100 + i % 3, 0, '<'), (1000, 0),
                                      [2 * i, 2 * i + 1]))
    return tach_wire.build('1b', records, strings, frames,
                           samples=len(records), threads=3)


def nasty_path(kind):
    if kind == 'rbt':
        return case.write_file(nasty_rbt(), 'nasty.rbt')
    return case.write_file(nasty_tach(), 'nasty.tach')


# ---- sums ------------------------------------------------------------------

def folded_weight(known):
    """What folded counts: samples, or units of time when periods differ."""
    if known.samples == 0:
        return 0
    periods = {s['period_us'] or truth.DEFAULT_PERIOD
               for s in known.info['segments'] if s['samples']}
    if len(periods) == 1:
        return known.samples
    return known.us // math.gcd(*periods)


def expect_sums(to, source, known, *args):
    if to == 'flamegraph':
        args += ('--idle',)
    samples, us = outputs.sums(to, outputs.content(to, source, *args))
    want = folded_weight(known) if to == 'folded' else known.samples
    expect(samples in (None, want), '%s has %s samples, not %d', to, samples,
           want)
    expect(us in (None, known.us), '%s has %s us, not %d', to, us, known.us)


@each(INPUTS)
def test_totals_agree(which):
    known = truth.Truth(which[1])
    expect(known.info['samples'] == known.samples, 'dump has %d samples',
           known.samples)
    for to in AGGREGATED:
        expect_sums(to, which[1], known)


def test_totals_with_lines():
    known = truth.Truth(fixtures.rbt_path('multi-segment'))
    for to in ('speedscope', 'flamegraph'):
        expect_sums(to, fixtures.rbt_path('multi-segment'), known, '--lines')


@each(seeds.blocks(1 / 4))
def test_totals_of_generated(first):
    def check(seed):
        path = case.write_file(rbt_gen.generate(seed, rbt_gen.FLAT))
        known = truth.Truth(path)
        for to in AGGREGATED:
            expect_sums(to, path, known)
    seeds.for_block(first, check)


# ---- names -----------------------------------------------------------------

@each(['rbt', 'tach'])
def test_nasty_totals(kind):
    path = nasty_path(kind)
    known = truth.Truth(path)
    expect(known.samples > len(NASTY) - 1, '%d samples', known.samples)
    for to in AGGREGATED:
        expect_sums(to, path, known)


@each(['rbt', 'tach'])
def test_nasty_pprof(kind):
    path = nasty_path(kind)
    profile = pprof.Profile(outputs.content('pprof', path))
    got = collections.defaultdict(lambda: [0, 0])
    for sample in profile.samples:
        one = got[tuple(f[:2] for f in profile.frames(sample))]
        one[0] += sample.values[0]
        one[1] += sample.values[1] // 1000
    expect(got == truth.Truth(path).stacks(), 'other stacks')


@each(['rbt', 'tach'])
def test_nasty_speedscope(kind):
    path = nasty_path(kind)
    file = json.loads(outputs.content('speedscope', path))
    frames = [(f['name'], f.get('file', '')) for f in file['shared']['frames']]
    got = collections.Counter()
    for stack, weight in zip(file['profiles'][0]['samples'],
                             file['profiles'][0]['weights']):
        got[tuple(frames[i] for i in stack)] += weight
    want = {frames: us for frames, (_, us) in
            truth.Truth(path).stacks().items()}
    expect(got == want, 'other stacks')


@each(['rbt', 'tach'])
def test_nasty_jsonl(kind):
    path = nasty_path(kind)
    frames, stacks, got = {}, {}, collections.Counter()
    for line in outputs.content('jsonl', path).decode('utf-8').split('\n'):
        fact = json.loads(line) if line else {'type': ''}
        if fact['type'] == 'frame':
            frames[fact['id']] = fact['function'], fact.get('file', '')
        elif fact['type'] == 'stack':
            stacks[fact['id']] = tuple(frames[i] for i in
                                       reversed(fact['frames']))
        elif fact['type'] == 'samples':
            got[stacks[fact['stack']]] += fact['count']
    want = {frames: samples for frames, (samples, _) in
            truth.Truth(path).stacks().items()}
    expect(got == want, 'other stacks')


def shown_in_callgrind(text, empty, also=''):
    """As the file must have it: what would break a line is escaped."""
    text = chars.percent(text, also)
    return (text.replace(' ', '%20') if text[:1] == ' ' else text) or empty


@each(['rbt', 'tach'])
def test_nasty_callgrind(kind):
    path = nasty_path(kind)
    profile = callgrind.Profile(outputs.content('callgrind', path))
    known = truth.Truth(path)
    want = known.by(lambda f: (shown_in_callgrind(f.name, '(unnamed)'),
                               shown_in_callgrind(f.file, '???', ':')))
    for key, cost in want.items():
        own = profile.own.get(key, {}).values()
        expect((sum(c[1] for c in own), sum(c[0] for c in own)) ==
               (cost.self, cost.self_us), 'own cost of %r', key)
    expect(profile.inclusive() == {
        key: (cost.total, cost.total_us) for key, cost in want.items()},
        'other totals')


@each(['rbt', 'tach'])
def test_nasty_pstats(kind):
    path = nasty_path(kind)
    stats = outputs.unmarshalled(outputs.content('pstats', path))
    known = truth.Truth(path)
    want = known.by(lambda f: (f.file or '~', f.line, f.name))
    samples, us = known.empty()
    if samples:
        want[('~', 0, '(root)')] = cost = truth.Cost()
        cost.self = cost.total = samples
        cost.self_us = cost.total_us = us
    expect(set(stats) == set(want), 'other places: %r',
           list(set(stats) ^ set(want))[:5])
    for key, cost in want.items():
        cc, nc, tt, ct, _ = stats[key]
        got = cc, nc, round(tt * 1e6), round(ct * 1e6)
        expect(got == (cost.self, cost.total, cost.self_us, cost.total_us),
               '%r: %s, not %s', key, got, cost)


@each(['rbt', 'tach'])
def test_nasty_flame(kind):
    """What a picture shows is what a page carries."""
    path = nasty_path(kind)
    picture = flame.Picture(outputs.content('flamegraph', path))
    carried, = pages.carried(outputs.content('html', path))
    want = flame.expected_stacks(bobbin.run('dump', case.write_file(
        carried, 'carried.rbt')).out)
    expect(flame.stacks(picture.data) == want, 'other stacks')


@each(['rbt', 'tach'])
def test_same_bytes_again(kind):
    path = nasty_path(kind)
    for to in AGGREGATED:
        expect(outputs.content(to, path) == outputs.content(to, path, '-j1'),
               '%s differs', to)
