"""Firefox Profiler's files, taken apart without the viewer."""
import collections
import gzip
import json
import os

from oracle import rbt_gen, rbt_oracle, rbt_wire as wire, tach_wire
from oracle.tach_writer import Writer
from support import bobbin, fixtures, gecko, listing, memory, seeds, tach
from support.case import each, expect, read_file, write_file

RBT = [(n, fixtures.rbt_path(n)) for n in fixtures.intact_names()]
TACH = [(n, tach.path(n)) for n in tach.listed_names()]
# Its clocks jump by centuries and back.
ODD_CLOCKS = ('ids_status_time',)
HAS_GIL, ON_CPU, UNKNOWN, WANTS_GIL, EXCEPTION, MAIN = (
    1 << bit for bit in range(6))


def convert(*args):
    return gecko.Profile(bobbin.run('convert', '-q', '-t', 'gecko',
                                    *args).out)


def dump(*args):
    return listing.parse(bobbin.run('dump', *args).out)


def info(path):
    return json.loads(bobbin.run('info', '--json', path).out)


def threads_of(profile):
    return {(t.pid, t.name): t for t in profile.threads}


# ---- CPython's own converter -----------------------------------------------

def cpython_threads(name):
    """{tid: (samples, markers)} of what CPython made of the recording."""
    path = os.path.join(tach.TACH, name + '.gecko.json.gz')
    with gzip.open(path) as file:
        raw = json.load(file)
    strings = raw['shared']['stringArray']
    return {t['tid']: (list(cpython_samples(t, strings)),
                       cpython_markers(t, strings)) for t in raw['threads']}


def cpython_samples(thread, strings):
    stacks, frames = thread['stackTable'], thread['frameTable']
    paths = []
    for frame, prefix in zip(stacks['frame'], stacks['prefix']):
        func = frames['func'][frame]
        place = (strings[thread['funcTable']['name'][func]],
                 frames['line'][frame])
        paths.append((() if prefix is None else paths[prefix]) + (place,))
    samples = thread['samples']
    for time, stack in zip(samples['time'], samples['stack']):
        yield gecko.micro(time), paths[stack]


def cpython_markers(thread, strings):
    markers = thread['markers']
    return collections.Counter(
        (strings[name], gecko.micro(begin), gecko.micro(end))
        for name, begin, end in zip(markers['name'], markers['startTime'],
                                    markers['endTime']))


def without_coordinator(stack):
    return tuple((function, line) for function, file, line in stack
                 if not file.endswith('_sync_coordinator.py'))


@each(['real_async', 'real_threads'])
def test_samples_as_cpython(name):
    want = cpython_threads(name)
    threads = convert(tach.path(name)).threads
    expect(sorted(want) == sorted(t.tid for t in threads), 'threads')
    # CPython counts from the first sample in the file, not the earliest.
    shifts = {t.rows()[0].time - want[t.tid][0][0][0] for t in threads}
    expect(len(shifts) == 1, 'threads are shifted by %s', shifts)
    shift = shifts.pop()
    for thread in threads:
        rows = [(row.time - shift, without_coordinator(row.stack))
                for row in thread.rows()]
        samples, _ = want[thread.tid]
        expect(len(rows) == len(samples), '%d samples of %d, not %d',
               len(rows), thread.tid, len(samples))
        for index, (a, b) in enumerate(zip(samples, rows)):
            expect(a == b, 'thread %d, sample %d: want %s, got %s',
                   thread.tid, index, a, b)
        expect({row.weight for row in thread.rows()} == {1}, 'weights')


def same_markers(want, shift, thread, mine, theirs):
    """Compares intervals of one kind.  CPython ends what goes on with the last
    sample, and so what begins with it has no length."""
    samples, markers = want
    end = samples[-1][0]
    got = collections.Counter(
        (m.begin - shift, min(end, m.end - shift))
        for m in thread.markers_named(mine) if m.begin - shift < end)
    kept = collections.Counter()
    for (name, begin, end), count in markers.items():
        if name == theirs and begin < end:
            kept[begin, end] += count
    expect(got == kept, 'thread %d, %s: missing %s, extra %s', thread.tid,
           mine, str(kept - got)[:200], str(got - kept)[:200])
    return len(got)


@each(['real_async', 'real_threads'])
def test_markers_as_cpython(name):
    want = cpython_threads(name)
    threads = convert(tach.path(name)).threads
    shift = threads[0].rows()[0].time - want[threads[0].tid][0][0][0]
    compared = sum(same_markers(want[thread.tid], shift, thread, *names)
                   for thread in threads for names in (
                       ('GIL held', 'Has GIL'),
                       ('Waiting for GIL', 'Waiting for GIL'),
                       ('GC', 'GC Collecting')))
    expect(compared > 100, 'only %d markers', compared)


# ---- samples and totals ----------------------------------------------------

def expect_samples(runs, profile, unit=None):
    """The same samples per thread, in order; unit: microseconds per sample by
    segment, when weights are times."""
    threads = threads_of(profile)
    want = gecko.by_thread(runs)
    expect(set(want) == set(threads), 'threads: want %s, got %s',
           sorted(want)[:5], sorted(threads)[:5])
    for key, samples in want.items():
        weights = gecko.merged(
            (gecko.wanted_stack(fields), count * (
                unit[int(fields[listing.SEGMENT])] if unit else 1))
            for count, fields in samples)
        got = gecko.merged(
            (row.stack, gecko.micro(row.weight) if unit else row.weight)
            for row in threads[key].rows())
        for index, (a, b) in enumerate(zip(weights, got)):
            expect(a == b, '%s, stack %d: want %s, got %s', key, index, a, b)
        expect(len(weights) == len(got), '%s: %d stacks, not %d', key,
               len(got), len(weights))


def periods_of(path):
    return [s['period_us'] or 10000 for s in info(path)['segments']]


def is_empty(runs):
    return listing.total(runs) == 0


@each(RBT + TACH)
def test_samples(source):
    _, path = source
    runs, profile = dump(path), convert(path)
    if is_empty(runs):
        expect([t.weight() for t in profile.threads] == [0], 'empty')
        return
    periods = periods_of(path)
    used = {periods[int(fields[listing.SEGMENT])] for _, fields in runs}
    expect({t.unit for t in profile.threads} ==
           {'samples' if len(used) == 1 else 'tracing-ms'}, 'unit')
    expect_samples(runs, profile, periods if len(used) > 1 else None)


@each(RBT + TACH)
def test_totals_are_those_of_info(source):
    _, path = source
    facts, profile = info(path), convert(path)
    total = sum(t.weight() for t in profile.threads)
    if profile.threads[0].unit == 'samples':
        expect(total == facts['samples'], '%d samples, not %d', total,
               facts['samples'])
    else:
        want = sum(s['samples'] * (s['period_us'] or 10000)
                   for s in facts['segments'])
        expect(total == want, '%d us, not %d', total, want)


@each(seeds.blocks(1 / 4))
def test_generated(first):
    seeds.for_block(first, expect_generated)


def expect_generated(seed):
    data = rbt_gen.generate(seed, rbt_gen.FLAT)
    path = write_file(data)
    runs, profile = list(rbt_oracle.runs(data)), convert(path)
    if is_empty(runs):
        return
    unit = None
    if profile.threads[0].unit != 'samples':
        unit = [events[0].values[1] or 10000
                for events in rbt_oracle.segments(data)]
    expect_samples(runs, profile, unit)


# ---- times -----------------------------------------------------------------

@each([s for s in TACH if s[0] not in ODD_CLOCKS])
def test_times(source):
    """Each sample's own, from the earliest on."""
    _, path = source
    runs, profile = dump(path), convert(path)
    if is_empty(runs):
        return
    origin = min(int(fields[listing.TIME]) for _, fields in runs)
    threads = threads_of(profile)
    for key, samples in gecko.by_thread(runs).items():
        want, last = [], 0
        for fields in listing.expanded(samples):
            last = max(last, int(fields[listing.TIME]) - origin)
            want.append(last)
        expect(want == [row.time for row in threads[key].rows()],
               'times of %s', key)


@each(ODD_CLOCKS)
def test_odd_clocks(name):
    """Whatever clocks do, rows stay in order (which every file is checked
    for), none is lost, and it is said."""
    result = bobbin.run('convert', '-t', 'gecko', tach.path(name))
    gecko.Profile(result.out)
    expect(b'time went back' in result.err, 'not said: %s', result.err)


def test_times_without_timestamps():
    """A period each; a run is a row for its last sample, and one before."""
    data = (wire.header(2500) + wire.one_frame() + wire.stack(0, [0])
            + wire.stack(1, [0, 0]) + wire.compact(0) + wire.repeat(9)
            + wire.compact(1) + wire.compact(0) + wire.repeat(1) + wire.end())
    thread, = convert(write_file(data)).threads
    expect([(r.time, len(r.stack), r.weight) for r in thread.rows()] ==
           [(0, 1, 9), (22500, 1, 1), (25000, 2, 1), (27500, 1, 1),
            (30000, 1, 1)], 'rows: %s', thread.rows())


def test_no_weights_without_need():
    data = (wire.header() + wire.one_frame() + wire.stack(0, [0])
            + wire.compact(0) + wire.end())
    thread, = convert(write_file(data)).threads
    expect(thread.raw['samples']['weight'] is None, 'weights')


def test_segments_follow_each_other():
    part = (wire.header(1000) + wire.one_frame() + wire.stack(0, [0])
            + wire.compact(0) + wire.repeat(2) + wire.end())
    other = part.replace(wire.header(1000), wire.header(4000))
    thread, = convert(write_file(part + other)).threads
    expect([(r.time, r.weight) for r in thread.rows()] ==
           [(0, 2), (2000, 1), (3000, 8), (11000, 4)], '%s', thread.rows())
    expect(thread.unit == 'tracing-ms', thread.unit)


def test_files_follow_each_other():
    path = tach.path('tiny')
    thread, = convert(path, path).threads
    period = periods_of(path)[0]
    expect([r.time for r in thread.rows()] == [0, period], '%s',
           thread.rows())


# ---- markers ---------------------------------------------------------------

FRAME = tach_wire.Frame(b'/a.py', b'f', (1, 1, 0, 0),
                        tach_wire.NO_OPCODE)
GC = tach_wire.Frame(b'~', b'<GC>', (0, 0, 0, 0),
                     tach_wire.NO_OPCODE)


def statuses(*values, thread=7, stacks=None):
    """A profile of one thread, a sample per millisecond."""
    writer = Writer('1b', interval=1000, python=(3, 16, 0))
    for index, value in enumerate(values):
        writer.add(thread, 0, 1000 * index, value,
                   stacks[index] if stacks else [FRAME])
    return write_file(writer.finish(), 'in.tach')


def spans(thread, name):
    return [(m.begin // 1000, m.end // 1000)
            for m in thread.markers_named(name)]


@each([('GIL held', HAS_GIL, 'GIL'), ('Waiting for GIL', WANTS_GIL, 'GIL'),
       ('On CPU', ON_CPU, 'CPU'), ('Exception', EXCEPTION, 'Exception')])
def test_status(what):
    name, bit, category = what
    thread, = convert(statuses(0, bit, bit, 0, bit)).threads
    expect(spans(thread, name) == [(1, 3), (4, 5)], '%s', thread.markers())
    expect({m.category for m in thread.markers()} == {category}, 'category')
    expect(len(thread.markers()) == 2, 'others: %s', thread.markers())


def test_status_bits_are_apart():
    thread, = convert(statuses(HAS_GIL, HAS_GIL | ON_CPU, ON_CPU)).threads
    expect(spans(thread, 'GIL held') == [(0, 2)], 'GIL')
    expect(spans(thread, 'On CPU') == [(1, 3)], 'CPU')


def test_status_ends_with_the_segment():
    """One thread was gone before the next file began."""
    writer = Writer('1b', interval=1000, python=(3, 16, 0))
    writer.add(7, 0, 0, HAS_GIL, [FRAME])
    for tick in range(10):
        writer.add(8, 0, 1000 * tick, 0, [FRAME])
    path = write_file(writer.finish(), 'in.tach')
    gone, _ = convert(path, path).threads
    expect(spans(gone, 'GIL held') == [(0, 1), (10, 11)], '%s',
           gone.markers())


def test_unknown_is_not_on_a_cpu():
    thread, = convert(statuses(UNKNOWN | ON_CPU, UNKNOWN)).threads
    expect(thread.markers() == [], '%s', thread.markers())


def test_main_thread():
    """Once is enough."""
    threads = [convert(statuses(*pair)).threads[0]
               for pair in ((0, 0), (MAIN, 0), (0, MAIN))]
    expect([t.is_main for t in threads] == [False, True, True],
           'main thread')


def test_gc():
    stacks = [[FRAME], [GC, FRAME], [FRAME, GC, FRAME], [FRAME]]
    profile = convert(statuses(0, 0, 0, 0, stacks=stacks))
    thread, = profile.threads
    expect(spans(thread, 'GC') == [(1, 3)], '%s', thread.markers())
    expect(profile.category_of('<GC>') == {'GC'}, 'category')


def annotated(*sets):
    """A trace of one sample per set of pairs, each 10 ms long."""
    strings, out = {}, [wire.header(), wire.one_frame(), wire.stack(0, [0])]
    for pairs in sets:
        for word in sum(pairs, ()):
            if word not in strings:
                strings[word] = 100 + len(strings)
                out.append(wire.string(strings[word], word))
        out.append(wire.compact(0))
        if pairs:
            out.append(wire.annotation(*((strings[k], strings[v])
                                         for k, v in pairs)))
    return write_file(b''.join(out) + wire.end())


def notes(path):
    thread, = convert(path).threads
    return sorted((m.name, m.value, m.begin // 10000, m.end // 10000)
                  for m in thread.markers())


def test_annotations():
    uri, one, two = (b'uri', b'/a'), (b'sql', b'SELECT 1'), (b'sql', b'?')
    got = notes(annotated([uri], [uri, one], [uri, one], [uri, two], [],
                          [uri]))
    expect(got == [('sql', '?', 3, 4), ('sql', 'SELECT 1', 1, 3),
                   ('uri', '/a', 0, 4), ('uri', '/a', 5, 6)], '%s', got)


def test_annotation_twice_in_a_set():
    pair = (b'k', b'v')
    expect(notes(annotated([pair, pair], [pair])) ==
           [('k', 'v', 0, 1), ('k', 'v', 0, 2)], 'markers')


def test_many_annotations():
    """Too many to be compared; all are there."""
    pairs = [(b'k%d' % i, b'v') for i in range(100)]
    got = notes(annotated(pairs, pairs[:99], pairs[:99]))
    expect(len(got) == 199, '%d markers', len(got))


@each([('annotations',), ('annotations-ts',)])
def test_annotations_cover_samples(source):
    """As much time of each pair as samples that carry it."""
    path = fixtures.rbt_path(source[0])
    want = collections.Counter()
    for count, fields in dump(path):
        if fields[listing.ANNOTATIONS] in ('-', '{}'):
            continue
        for pair in fields[listing.ANNOTATIONS].split(','):
            want[pair.split('=')[0]] += count
    profile = convert(path)
    names = {m.name for t in profile.threads for m in t.markers()}
    expect(names == set(want), 'names %s', names)
    if source[0] == 'annotations':      # a sample is 10 ms there
        got = collections.Counter()
        for thread in profile.threads:
            for marker in thread.markers():
                got[marker.name] += (marker.end - marker.begin) // 10000
        expect(got == want, 'want %s, got %s', want, got)


# ---- the head --------------------------------------------------------------

def test_metadata():
    data = (wire.header() + wire.one_frame() + wire.stack(0, [0])
            + wire.metadata(b'host', b'web1 </script>') * 2
            + wire.compact(0) + wire.end())
    raw = bobbin.run('convert', '-q', '-t', 'gecko', write_file(data)).out
    meta = gecko.Profile(raw).meta
    entries = meta['extra'][0]['entries']
    expect(entries == [{'label': 'host', 'format': 'string',
                        'value': 'web1 </script>'}], '%s', entries)
    expect(b'</script' not in raw, 'not safe in a script')
    expect(meta['product'] == 'PHP' and meta['interval'] == 10, '%s', meta)


@each([('native-mixed', 'PHP'), ('pid-bundled', 'PHP')])
def test_processes(source):
    name, product = source
    profile = convert(fixtures.rbt_path(name))
    expect(profile.meta['product'] == product, profile.meta['product'])
    expect({t.process for t in profile.threads} == {'php'}, 'process')
    expect(all(t.is_main for t in profile.threads), 'main threads')


def test_large_thread_ids():
    """What JavaScript cannot count to is text."""
    ids = [t.tid for t in convert(tach.path('ids_status_time')).threads]
    expect(str(2 ** 64 - 1) in ids and 1 in ids, '%s', ids)
    expect(all(type(i) is str or i <= 2 ** 53 for i in ids), '%s', ids)


def test_categories():
    profile = convert(fixtures.rbt_path('native-mixed'))
    used = {profile.categories[c] for c in
            profile.raw['shared']['frameTable']['category']}
    expect(used == {'PHP', 'Native'}, '%s', used)


# ---- much of it ------------------------------------------------------------

def test_many_threads():
    """Thousands, in one temporary file and little memory."""
    writer, many = Writer('1b', interval=1000, python=(3, 16, 0)), 5000
    frames = [FRAME._replace(function=b'f%d' % i) for i in range(7)]
    for tick in range(4):
        for thread in range(many):
            writer.add(thread, 0, 1000 * tick, HAS_GIL * (thread == tick),
                       frames[:1 + (thread + tick) % 7])
    path = write_file(writer.finish(), 'in.tach')
    result = memory.run('convert', '-q', '-t', 'gecko', path,
                        resident=64 * memory.MIB)
    profile = gecko.Profile(result.out)
    expect(len(profile.threads) == many, '%d threads', len(profile.threads))
    for thread in profile.threads:
        expect([(r.time, len(r.stack)) for r in thread.rows()] ==
               [(1000 * tick, 1 + (thread.tid + tick) % 7)
                for tick in range(4)], 'thread %s', thread.tid)
        held = [(thread.tid, thread.tid + 1)] if thread.tid < 4 else []
        expect(spans(thread, 'GIL held') == held, 'thread %s', thread.tid)


def test_spilled():
    """More than is kept in memory: nothing is lost, little is used."""
    path, copies = tach.path(tach.BIG), 8
    out = bobbin.run('info', '--json', path).out
    samples = json.loads(out)['samples']
    target = write_file(b'', 'out.json')
    memory.run('convert', '-q', '-t', 'gecko', '-o', target,
               *([path] * copies), resident=28 * memory.MIB)
    count = collections.Counter()
    with open(target, 'rb') as file:
        for row in file:
            for key in (b'"stack":[', b'"time":['):
                if row.startswith(key):
                    count[key] += row.count(b',', 0, row.rindex(b']')) + 1
    expect(set(count.values()) == {samples * copies}, '%s, not %d', count,
           samples * copies)


@each(['real_threads', 'names'])
def test_same_bytes_again(name):
    runs = {bobbin.run('convert', '-q', '-t', 'gecko', tach.path(name)).out
            for _ in range(2)}
    expect(len(runs) == 1, 'outputs differ')


def test_by_suffix():
    path = write_file(b'', 'x.gecko.json')
    bobbin.run('convert', '-q', '-o', path, tach.path('tiny'))
    gecko.Profile(read_file(path))
