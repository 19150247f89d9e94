"""JSON lines hold everything: the listing can be made from them."""
import collections
import gzip
import json
import os

from support import bobbin, case, fixtures, listing, outputs, tach
from support.case import each, expect

NAMES = [('rbt', fixtures.rbt_path(name)) for name in (
    'annotations', 'annotations-ts', 'multi-segment', 'names-and-lines',
    'native-mixed', 'opcodes', 'pid-bundled-ts', 'rle-runs', 'timestamps')]
FILES = [(path.rsplit('/', 1)[1], path) for _, path in NAMES] + [
    (name, tach.path(name)) for name in (
        'encodings', 'ids_status_time', 'locations', 'real_opcodes',
        'real_threads', 'threads64')]


def lines(data):
    return [json.loads(line) for line in data.decode('utf-8').split('\n')[:-1]]


def escaped(text):
    return ''.join(chr(byte) if 0x21 <= byte <= 0x7e and byte not in b'%,;='
                   else '%%%02X' % byte for byte in text.encode())


def frame(fact):
    """A field of the listing."""
    name, file = escaped(fact['function']), escaped(fact.get('file', ''))
    if fact['language'] == 'native':
        return 'N;%s;%s;%s' % (name, file, fact.get('offset', '-'))
    line = str(fact.get('line', '-'))
    if fact['language'] == 'python':
        where = [line] + [str(fact.get(key, '-')) for key in (
            'end_line', 'column', 'end_column')]
        return 'Y;%s;%s;%s;%s' % (name, file, ';'.join(where),
                                  fact.get('opcode', '-'))
    opcode = escaped(fact['opname']) if 'opname' in fact else '-'
    return 'P;%s;%s;%s;%s' % (name, file, line, opcode)


def times(fact):
    """One per sample, modulo 2^64; None without."""
    if 't' not in fact:
        return [None] * fact['count']
    t, result = fact['t'], [fact['t']]
    for dt in fact.get('dt', [0] * (fact['count'] - 1)):
        t = (t + dt) % (1 << 64)
        result.append(t)
    return result


def as_listing(facts):
    """Runs as the listing would have them."""
    known = {kind: {} for kind in ('frame', 'stack', 'track', 'annotations')}
    segment, runs = None, []
    for fact in facts:
        kind = fact['type']
        if kind == 'segment':
            segment = str(fact['index'])
        elif kind in known:
            expect(fact['id'] not in known[kind], '%s %d twice', kind,
                   fact['id'])
            known[kind][fact['id']] = fact
        elif kind == 'samples':
            runs += samples(fact, known, segment)
    return runs


def samples(fact, known, segment):
    track = known['track'][fact['track']] if 'track' in fact else {}
    pairs = '-'
    if 'annotations' in fact:
        pairs = ','.join('%s=%s' % (escaped(k), escaped(v)) for k, v in
                         known['annotations'][fact['annotations']]['pairs'])
    frames = [frame(known['frame'][i])
              for i in known['stack'][fact['stack']]['frames']]
    for t in times(fact):
        yield 1, [segment] + [str(track.get(key, '-')) for key in (
            'pid', 'tid', 'interpreter')] + [
            str(fact.get('status', '-')), '-' if t is None else str(t),
            pairs or '{}'] + frames


@each(FILES)
def test_as_listing(which):
    facts = lines(outputs.content('jsonl', which[1]))
    listing.expect_same(listing.parse(bobbin.run('dump', which[1]).out),
                        as_listing(facts))


def test_frame_of_lines():
    facts = lines(outputs.content('jsonl', fixtures.rbt_path('tiny')))
    expect(facts[0]['type'] == 'trace' and facts[0]['version'] == 1,
           '%s', facts[0])
    expect(facts[-1] == {'type': 'end'}, '%s', facts[-1])


def test_segments_and_metadata():
    facts = lines(outputs.content('jsonl',
                                  fixtures.rbt_path('multi-segment')))
    periods = [f.get('period_us') for f in facts if f['type'] == 'segment']
    expect(periods == [10000, 1000, 2000, 7777, 250], '%s', periods)
    expect({'type': 'metadata', 'key': 'pid', 'value': '5150'} in facts,
           'no metadata')


def test_gaps():
    name = 'corrupt-middle'
    path = case.scratch + '/out.jsonl'
    bobbin.run('convert', '-q', '--recover', '-t', 'jsonl', '-o', path,
               fixtures.rbt_path(name), ok=(bobbin.PARTIAL,))
    gaps = [f for f in lines(case.read_file(path)) if f['type'] == 'gap']
    expect([g['offset'] for g in gaps] and
           gaps[0]['offset'] in fixtures.damage_offsets(name), '%s', gaps)


def test_all_is_ascii_safe():
    """No line can end early, in a file or in a script."""
    data = outputs.content('jsonl', fixtures.rbt_path('utf8-and-binary'))
    for bad in (b'<', b'>', b'\r', b'\xe2\x80\xa8', b'\0'):
        expect(bad not in data, '%r is in it', bad)


# ---- CPython's own lines ---------------------------------------------------

PLACE = 'line', 'end_line', 'col', 'end_col'
OUR_PLACE = 'line', 'end_line', 'column', 'end_column'


def cpython_costs(name):
    """{frame: (self, cumulative)}, and how many samples there are."""
    path = os.path.join(tach.TACH, name + '.jsonl.gz')
    with gzip.open(path) as file:
        facts = {}
        for fact in map(json.loads, file):
            expect(fact['type'] not in facts, '%s twice', fact['type'])
            facts[fact['type']] = fact
    strings = {s['str_id']: s['value']
               for s in facts['string_table']['strings']}
    frames = {f['frame_id']: (strings[f['func_str_id']],
                              strings[f['path_str_id']]) +
              tuple(f.get(key) for key in PLACE)
              for f in facts['frame_table']['frames']}
    costs = {frames[e['frame_id']]: (e['self'], e['cumulative'])
             for e in facts['agg']['entries']}
    expect(len(costs) == len(facts['agg']['entries']), 'a frame twice')
    return costs, facts['end']['samples_total']


def costs_of(facts):
    """The same from ours, without the frames that CPython leaves out; it
    writes a line that is not known as 0, and nothing for columns."""
    known = {kind: {f['id']: f for f in facts if f['type'] == kind}
             for kind in ('frame', 'stack')}
    own, total = collections.Counter(), collections.Counter()
    for fact in facts:
        if fact['type'] != 'samples':
            continue
        frames = [known['frame'][i]
                  for i in known['stack'][fact['stack']]['frames']]
        stack = [(f['function'], f['file']) + tuple(map(f.get, OUR_PLACE))
                 for f in frames
                 if not f['file'].endswith('_sync_coordinator.py')]
        stack = [(name, file, 0 if line is None else line) + tuple(
                     None if number == -1 else number for number in rest)
                 for name, file, line, *rest in stack]
        for frame in set(stack):
            total[frame] += fact['count']
        if stack:
            own[stack[0]] += fact['count']
    return {frame: (own[frame], n) for frame, n in total.items()}


@each(['real_threads', 'real_async'])
def test_frames_as_in_cpythons_lines(name):
    facts = lines(outputs.content('jsonl', tach.path(name)))
    want, samples = cpython_costs(name)
    got = costs_of(facts)
    for frame in set(got) | set(want):
        expect(got.get(frame) == want.get(frame), '%r: %s, not %s', frame,
               got.get(frame), want.get(frame))
    count = sum(f['count'] for f in facts if f['type'] == 'samples')
    expect(count == samples, '%d samples, not %d', count, samples)
