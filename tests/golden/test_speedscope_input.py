"""Reading speedscope's JSON: our own, and what other tools may write."""
import json
import os

from support import bobbin, case, fixtures
from support.case import each, expect, write_file

SCHEMA = 'https://www.speedscope.app/file-format-schema.json'
PATH = os.path.join(fixtures.DATA, 'speedscope', 'evented.speedscope.json')
MAIN = 'Y;<module>;/srv/a.py;3;-;-;-;-'
RUN = 'Y;run;/srv/a.py;12;-;-;-;-'
QUERY = 'P;App\\K::query;/srv/K.php;7;-'
IDLE = 'P;%F0%9F%98%80%20"idle"%0A;;-;-'

WANT = [
    # 250 us are the greatest common divisor of all times.
    ['5', '0', '-', '-', RUN, MAIN],
    ['11', '0', '-', '-', QUERY, RUN, MAIN],
    ['8', '0', '-', '-', RUN, MAIN],
    # Nothing was open in between.
    ['4', '0', '-', '-', IDLE],
    ['2', '0', '-', '-', IDLE, IDLE],
    ['4', '0', '-', '-', IDLE],
    ['40', '0', '7', '9', RUN, MAIN],
    ['80', '0', '7', '9', QUERY, RUN, MAIN],
    ['80', '0', '7', '9'],
    ['40', '0', '7', '9', MAIN],
    ['3', '1', '-', '-', MAIN],
    ['2', '1', '-', '-', IDLE],
]


def rows(path, *args):
    """[count, segment, pid, tid, frames...], leaf first."""
    out = bobbin.run('dump', '-q', *args, path).out.decode('ascii')
    fields = [line.split('\t') for line in out.splitlines()]
    return [f[:4] + f[8:] for f in fields]


def file_of(profiles, frames=('f', 'g'), **more):
    doc = {'$schema': SCHEMA, 'profiles': profiles,
           'shared': {'frames': [{'name': f} for f in frames]}}
    doc.update(more)
    return write_file(json.dumps(doc).encode(), 'x.json')


def sampled(samples, weights, unit='none', name='t'):
    return {'type': 'sampled', 'name': name, 'unit': unit,
            'startValue': 0, 'endValue': 9, 'samples': samples,
            'weights': weights}


def evented(*events, unit='microseconds', end=0):
    return {'type': 'evented', 'name': 't', 'unit': unit, 'startValue': 0,
            'endValue': end,
            'events': [{'type': e[0], 'frame': int(e[1]), 'at': at}
                       for e, at in events]}


def counts(path):
    return [int(row[0]) for row in rows(path)]


def failure(path):
    return bobbin.run('dump', path, ok=(bobbin.FAILED,)).err


def recovered(path):
    out = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run('recover', '-f', 'speedscope', path, '-o', out,
                        ok=(bobbin.PARTIAL,))
    return result, rows(out)


# --- what is read ---

def test_all_kinds_of_profiles():
    got = rows(PATH)
    for want, row in zip(WANT, got):
        expect(want == row, 'want %r, got %r', want, row)
    expect(len(got) == len(WANT), '%d rows', len(got))


def test_a_pipe():
    with open(PATH, 'rb') as file:
        content = file.read()
    expect(bobbin.run('dump', '-', stdin=content, chunk=7).out ==
           bobbin.run('dump', PATH).out, 'not the same')


def test_names_of_threads():
    out = bobbin.run('convert', '-q', '-t', 'jsonl', PATH).out
    for name in ('"main"', '"w\\u00e9b"', '"objects"'):
        name = json.loads(name).encode()
        expect(name in out or json.dumps(name.decode()).encode() in out,
               'no %r', name)


@each([('nanoseconds', [2000, 4000], [1, 2], 2),
       ('microseconds', [10000, 30000], [1, 3], 10000),
       ('milliseconds', [1.5, 3], [1, 2], 1500),
       ('seconds', [0.01, 0.02], [1, 2], 10000),
       ('none', [4, 8], [4, 8], 0),
       ('bytes', [4096, 10], [4096, 10], 0)])
def test_units(which):
    unit, weights, want, period = which
    path = file_of([sampled([[0], [1]], weights, unit)])
    expect(counts(path) == want, '%r', counts(path))
    facts = bobbin.run('info', '--json', path).out
    if period:
        expect(b'"sampled_us":%d' % (period * sum(want)) in facts, '%r',
               facts)


def test_the_divisor_is_of_all_profiles():
    path = file_of([sampled([[0]], [20000], 'microseconds', 'a'),
                    sampled([[1]], [0.03], 'seconds', 'b')])
    expect(counts(path) == [2, 3], '%r', counts(path))


def test_fractions_add_up():
    path = file_of([sampled([[0]] * 10, [0.4] * 10)])
    expect(sum(counts(path)) == 4, '%r', counts(path))
    path = file_of([sampled([[0]], [0.6])])
    expect(counts(path) == [1], '%r', counts(path))


def test_the_sum_of_our_own_is_not_counted_twice():
    profiles = [sampled([[0], [1]], [3, 2], name='all together'),
                sampled([[0]], [3], name='pid 1'),
                sampled([[1]], [2], name='thread 4 interpreter 2')]
    path = file_of(profiles, exporter='bobbin@1')
    expect(rows(path) == [['3', '0', '1', '-', 'P;f;;-;-'],
                          ['2', '0', '-', '4', 'P;g;;-;-']], '%r',
           rows(path))
    # Others may call a thread like that.
    path = file_of(profiles, exporter='other@1')
    expect(sum(counts(path)) == 10, '%r', counts(path))
    path = file_of(profiles[:1], exporter='bobbin@1')
    expect(sum(counts(path)) == 5, '%r', counts(path))


def test_events_that_stay_open_run_to_the_end():
    # Samples of 2 us: the time before the first event is nobody's.
    path = file_of([evented(('O0', 5), ('O1', 7), end=11)])
    expect([row[:1] + row[4:] for row in rows(path)] ==
           [['1', 'P;f;;-;-'], ['2', 'P;g;;-;-', 'P;f;;-;-']], '%r',
           rows(path))


@each(['escaped slashes', 'spaces in front', 'schema behind'])
def test_found_by_content(how):
    doc = {'$schema': SCHEMA, 'profiles': [sampled([[0]], [1])],
           'shared': {'frames': [{'name': 'f'}]}}
    if how == 'schema behind':
        doc['$schema'] = doc.pop('$schema')
    text = json.dumps(doc)
    if how == 'escaped slashes':
        text = text.replace('/', '\\/')
    if how == 'spaces in front':
        text = '\n \t' + text
    path = write_file(text.encode(), 'x.json')
    expect(counts(path) == [1], '%r', counts(path))


# --- what is wrong ---

@each(['frame', 'negative', 'string', 'weights', 'samples', 'order', 'close',
       'event', 'nothing'])
def test_damage(how):
    profile = {
        'frame': sampled([[0, 2]], [1]),
        'negative': sampled([[-1]], [1]),
        'string': sampled([['f']], [1]),
        'weights': sampled([[0]], [1, 2]),
        'samples': sampled([[0], [1]], [1]),
        'order': evented(('O0', 5), ('C0', 3)),
        'close': evented(('O0', 5), ('O1', 6), ('C0', 7)),
        'event': evented(('X0', 5)),
        'nothing': {'type': 'sampled', 'samples': []},
    }[how]
    path = file_of([profile, sampled([[1]], [7])])
    expect(b'speedscope: byte ' in failure(path), '%r', bobbin.last.err)
    result, got = recovered(path)
    expect(b'passed over' in result.err, '%r', result.err)
    expect(got[-1][0] == '7', '%r', got)


def test_a_frame_that_is_missing_leaves_its_number():
    _, got = recovered(file_of([sampled([[0, 12]], [1])]))
    names = [frame.split(';')[1] for frame in got[0][4:]]
    expect(names == ['frame%2012', 'f'], '%r', names)


def test_negative_weights_are_left_out_aloud():
    path = file_of([sampled([[0], [1]], [-3, 4])])
    result = bobbin.run('dump', path)
    expect(result.out.count(b'\n') == 1 and b'left out' in result.err,
           '%r', result.err)


def test_a_cut_file_keeps_whole_profiles():
    path = file_of([sampled([[0]], [5]), sampled([[1]], [6])])
    with open(path, 'rb') as file:
        content = file.read()
    end = content.rindex(b'"weights"') + 8
    cut = write_file(content[:end], 'cut.json')
    expect(b'ends too early' in failure(cut), '%r', bobbin.last.err)
    result, got = recovered(cut)
    expect([row[0] for row in got] == ['5'], '%r', got)
    second = content.rindex(b'{"type"')
    expect(b'%d bytes from byte %d passed' % (end - second, second) in
           result.err, '%r', result.err)


def test_every_prefix():
    with open(PATH, 'rb') as file:
        content = file.read()
    for n in range(0, len(content), 17):
        path = write_file(content[:n], 'x.json')
        bobbin.run('dump', '-f', 'speedscope', path,
                   ok=(bobbin.OK, bobbin.FAILED))
        bobbin.run('recover', '-f', 'speedscope', path, '-o',
                   os.path.join(case.scratch, 'out.rbt'),
                   ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))


def test_nested_too_deeply():
    path = write_file(b'{"$schema":"%s","x":%s' % (
        SCHEMA.encode(), b'[' * 100000), 'x.json')
    expect(b'nested too deeply' in failure(path), '%r', bobbin.last.err)


# --- other people's, and there and back ---

@each(['multi-segment', 'names-and-lines', 'native-mixed', 'tiny',
       'utf8-and-binary'])
def test_reli(name):
    source = fixtures.rbt_path(name)
    theirs = os.path.join(os.path.splitext(source)[0] + '.out',
                          'speedscope.json')
    expect(sum(counts(theirs)) == sum(counts(source)),
           'not as many samples')


@each(['multi-segment', 'pid-bundled-ts', 'rle-runs', 'timestamps', 'tiny'])
def test_round_trip(name):
    source = fixtures.rbt_path(name)
    path = os.path.join(case.scratch, 'x.speedscope.json')
    bobbin.run('convert', '-q', '--lines', '-o', path, source)

    def folded(file):
        # Weights are microseconds where periods differ.
        out = bobbin.run('convert', '-q', '-t', 'folded', file).out
        weights = [line.rpartition(b' ') for line in out.splitlines()]
        total = sum(int(w[2]) for w in weights)
        return sorted((w[0], int(w[2]) / total) for w in weights)

    def facts(file):
        info = json.loads(bobbin.run('info', '--json', file).out)
        return find(info, 'sampled_us')
    got, want = folded(path), folded(source)
    expect([g[0] for g in got] == [w[0] for w in want], 'other stacks')
    expect(all(abs(g[1] - w[1]) < 1e-9 for g, w in zip(got, want)),
           'other weights')
    expect(facts(path) == facts(source), 'time %s, not %s', facts(path),
           facts(source))


def find(value, key):
    """The first member of that name, wherever it is."""
    if isinstance(value, dict):
        if key in value:
            return value[key]
        value = list(value.values())
    if isinstance(value, list):
        for v in value:
            found = find(v, key)
            if found is not None:
                return found
    return None
