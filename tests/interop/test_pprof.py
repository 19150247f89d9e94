"""google pprof shows of bobbin's files what is in them."""
import gzip
import re

from oracle import rbt_wire as wire
from support import clients, fixtures, outputs, pprof, tach, truth
from support.case import each, expect, write_file

ROW = re.compile(r'\s*(\S+)\s+\S+%\s+\S+%\s+(\S+)\s+\S+%  (.*)')
TAG = re.compile(r'\s*(\d+) \(\s*\S+%\): (.*)')
TAG_HEAD = re.compile(r'\s*(\S+): Total (\d+) of (\d+)')

INPUTS = [
    ('php', fixtures.rbt_path('multi-segment')),
    ('native', fixtures.rbt_path('native-mixed')),
    ('python', tach.path('real_threads')),
    ('async', tach.path('real_async')),
    ('phpspy', fixtures.PHPSPY + '/laravel-request-info.txt'),
]
NAMES = [b'<module>', b'<main>', b'<lambda>', b'<listcomp>', b'{closure}',
         b'App\\K::f', b'App\\K::{closure}(int $x)', b'a<b>::c', b'f[0]',
         b'operator new(unsigned long)', b'f.f', b'\xe6\x97\xa5\xe6\x9c\xac']


def shown(name):
    """pprof calls what has no name by its mapping."""
    return name or '[php]'


def ask(path, *args):
    # Numbers in one unit; every row; no network, no browser.
    return clients.output([clients.pprof(), '-symbolize=none'] + list(args)
                          + [path]).decode('utf-8')


def table(text):
    """{name: (flat, cum)} of -top, summed over equal names."""
    rows = {}
    for line in text.split('\n'):
        found = ROW.fullmatch(line)
        if found:
            flat, cum = (int(re.sub('[a-z]+$', '', n))
                         for n in found.groups()[:2])
            old = rows.get(found.group(3), (0, 0))
            rows[found.group(3)] = old[0] + flat, old[1] + cum
    return rows


def top(path, index, unit=None):
    args = ['-top', '-nodecount=0', '-nodefraction=0', '-edgefraction=0',
            '-sample_index=' + index]
    return table(ask(path, *args + (['-unit=' + unit] if unit else [])))


@each(INPUTS)
def test_samples(which):
    path = outputs.converted('pprof', which[1], name='p.pb.gz')
    want = {shown(name): (cost.self, cost.total)
            for name, cost in truth.Truth(which[1]).names().items()}
    got = top(path, 'samples')
    expect(got == want, 'rows differ: %r',
           sorted(set(got.items()) ^ set(want.items()))[:6])


@each(INPUTS)
def test_time(which):
    path = outputs.converted('pprof', which[1], name='p.pb.gz')
    known = truth.Truth(which[1])
    got = top(path, 'wall', 'us')
    want = {shown(name): (cost.self_us, cost.total_us)
            for name, cost in known.names().items()}
    expect(got == want, 'rows differ: %r',
           sorted(set(got.items()) ^ set(want.items()))[:6])
    head = ask(path, '-top', '-unit=us')
    expect('Type: wall' in head, 'other default type: %r', head[:200])
    expect('of %dus total' % known.us in head, 'total: %r', head[:300])


@each([('pids', fixtures.rbt_path('pid-bundled'), 'pid'),
       ('tids', tach.path('real_threads'), 'tid')])
def test_tags(which):
    path = outputs.converted('pprof', which[1], name='p.pb.gz')
    known = truth.Truth(which[1])
    got, key = {}, None
    for line in ask(path, '-tags', '-sample_index=samples').split('\n'):
        head, row = TAG_HEAD.match(line), TAG.fullmatch(line)
        if head:
            key = head.group(1)
        elif row:
            got.setdefault(key, {})[row.group(2)] = int(row.group(1))
    want = {}
    for e in known.entries:
        value = str(getattr(e.track, which[2]))
        want[value] = want.get(value, 0) + e.samples
    want.pop('None', None)
    expect(got.get(which[2]) == want, '%s: %s, not %s', which[2],
           got.get(which[2]), want)


def named_trace():
    out = [wire.header(1000), wire.string(0, b''), wire.string(1, b'/a.php')]
    for i, name in enumerate(NAMES):
        out += [wire.string(10 + i, name),
                wire.frame(i, 0, 0, 10 + i, 1, 5 + i), wire.stack(i, [i]),
                wire.compact(i), wire.repeat(i)]
    return b''.join(out + [wire.end()])


def test_names_survive():
    path = outputs.converted('pprof', write_file(named_trace()),
                             name='p.pb.gz')
    got = top(path, 'samples')
    want = {name.decode(): (i + 1, i + 1) for i, name in enumerate(NAMES)}
    expect(got == want, 'rows differ: %r',
           sorted(set(got.items()) ^ set(want.items()))[:6])


@each(INPUTS)
def test_raw(which):
    """Everything in the file, as pprof read it: a line per location."""
    path = outputs.converted('pprof', which[1], name='p.pb.gz')
    text = ask(path, '-raw')
    with open(path, 'rb') as file:
        profile = pprof.Profile(file.read())
    head, _, rest = text.partition('\nSamples:\n')
    samples, _, places = rest.partition('\nLocations\n')
    expect('PeriodType: wall nanoseconds' in head, 'head %r', head[:200])
    expect('Period: %d' % profile.period in head, 'head %r', head[:200])
    expect(len(re.findall(r'^ *\d+ +\d+: ', samples, re.M)) ==
           len(profile.samples), 'samples')
    expect(len(re.findall(r'^ *\d+: 0x0 M=1 ', places, re.M)) ==
           len(profile.locations), 'locations')
    for lines in profile.locations.values():
        (function, line), = lines
        name, file = profile.functions[function]
        expect('M=1 %s %s:%d:0 s=0' % (name, file, line) in places
               or 'M=1 %s %s:%d s=0' % (name, file, line) in places,
               'no location %r %r:%d', name, file, line)


@each(INPUTS)
def test_lines(which):
    """One location per line: -lines tells them apart."""
    path = outputs.converted('pprof', which[1], name='p.pb.gz')
    text = ask(path, '-top', '-lines', '-nodefraction=0', '-nodecount=0',
               '-sample_index=samples')
    known = truth.Truth(which[1]).by(lambda f: f)
    expect(sum(flat for flat, _ in table(text).values()) ==
           sum(cost.self for cost in known.values()), 'flat samples')


@each(INPUTS)
def test_protoc(which):
    """Decodes without a word of the description, so nothing is malformed."""
    protoc = clients.command('protoc', 'protoc')
    data = gzip.decompress(outputs.content('pprof', which[1]))
    text = clients.output([protoc, '--decode_raw'], data).decode()
    expect(text.count('\n2 {') + text.startswith('2 {') ==
           len(pprof.Profile(gzip.compress(data)).samples), 'samples')
