"""Trace Event JSON, compared with slices made from the listing."""
import collections
import json
import math

from oracle import rbt_wire as wire
from support import bobbin, fixtures, listing, memory, outputs, tach, truth
from support.case import each, expect, write_file

RBT = [(n, fixtures.rbt_path(n)) for n in fixtures.intact_names()]
TACH = [(n, tach.path(n)) for n in tach.listed_names()]
GAP = 10    # periods of silence that end everything


class Trace:
    """slices: {(pid, tid): [(start, end, name, file)]} as they stand."""

    def __init__(self, data):
        file = json.loads(data)
        self.other = file['otherData']
        self.names = {}
        self.slices = collections.defaultdict(list)
        for event in file['traceEvents']:
            key = event['pid'], event['tid']
            if event['ph'] == 'M':
                self.names[event['name'], key] = event['args']['name']
                continue
            expect(event['ph'] == 'X', 'an event %s', event['ph'])
            expect(set(event) <= {'ph', 'pid', 'tid', 'ts', 'dur', 'name',
                                  'cat'}, 'fields %s', set(event))
            expect(event['dur'] >= 0, 'dur %s', event['dur'])
            self.slices[key].append((event['ts'], event['ts'] + event['dur'],
                                     event['name'], event.get('cat', '')))


def convert(path, *args):
    return Trace(outputs.content('chrome', path, *args))


def nested(slices):
    """As viewers sort them: by begin, the longer first, else as they come.
    Each must end within the one it begins in."""
    open_until = []
    for start, end, *_ in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_until and open_until[-1] <= start:
            open_until.pop()
        expect(not open_until or end <= open_until[-1],
               'slice %d to %d sticks out', start, end)
        open_until.append(end)


@each(RBT + TACH)
def test_strictly_nested(which):
    known = truth.Truth(which[1])
    trace = convert(which[1])
    for slices in trace.slices.values():
        nested(slices)
    expect(int(trace.other['samples']) == known.samples and
           int(trace.other['time_us']) == known.us, 'totals %s', trace.other)
    expect({kind for kind, _ in trace.names} <=
           {'process_name', 'thread_name'}, 'names')


# ---- slices ----------------------------------------------------------------

def sliced(samples, period):
    """[(start, end, name)] by the rule; samples are (time, frames)."""
    done, is_open = [], []      # [start, name]
    last = None

    def close(depth, end):
        while len(is_open) > depth:
            start, name = is_open.pop()
            done.append((start, end, name))

    for time, frames in samples:
        if last is not None and time - last > GAP * period:
            close(0, last + period)
        same = 0
        while same < min(len(frames), len(is_open)) and \
                is_open[same][1] == frames[same]:
            same += 1
        close(same, time)
        is_open += [[time, f] for f in frames[same:]]
        last = time
    if last is not None:
        close(0, last + period)
    return sorted(done)


def listed(path, period):
    """{(pid, tid): samples} of a file with times and one segment."""
    tracks = collections.defaultdict(list)
    first = None
    for count, fields in listing.parse(bobbin.run('dump', path).out):
        time = int(fields[listing.TIME])
        first = time if first is None else first
        frames = [truth.frame(f)[:2] for f in
                  reversed(fields[listing.FRAMES:])]
        tracks[fields[listing.PID], fields[listing.TID]] += [
            (time - first, frames)] * count
    return {key: sliced(samples, period) for key, samples in tracks.items()}


def test_ends_and_beginnings_of_one_name_do_not_touch():
    """A viewer that meets both at one time cannot tell which is first: half
    a microsecond for all that end there."""
    found = slices_of(wire.header(1000) + frames('abc', 'c', 'cab') +
                      b''.join(map(wire.compact, (0, 1, 0, 2))))
    expect(found == [(0, 999.5, 'a'), (0, 999.5, 'b'), (0, 999.5, 'c'),
                     (1000, 2000, 'c'),
                     (2000, 2999.5, 'a'), (2000, 2999.5, 'b'),
                     (2000, 2999.5, 'c'), (3000, 4000, 'c'),
                     (3000, 4000, 'a'), (3000, 4000, 'b')], '%s', found)


def test_slices_without_length_do_not_stick_out():
    found = slices_of(wire.header(1000, flags=1) + frames('a', 'ab', 'ba') +
                      wire.sample(0, 0) + wire.sample(1, 1000) +
                      wire.sample(2, 0))
    nested([(a, b) for a, b, _ in found])
    expect((0, 1000, 'a') in found and (1000, 1000, 'b') in found, '%s',
           found)


@each([('pids', fixtures.rbt_path('pid-bundled-ts')),
       ('annotations', fixtures.rbt_path('annotations-ts')),
       ('threads', tach.path('real_threads')),
       ('async', tach.path('real_async'))])
def test_slices_are_those_of_the_rule(which):
    segment, = truth.Truth(which[1]).info['segments']
    want = listed(which[1], segment['period_us'])
    trace = convert(which[1])
    got = [sorted((a, math.ceil(b), (name, file))
                  for a, b, name, file in slices)
           for slices in trace.slices.values()]
    expect(sorted(got) == sorted(s for s in want.values() if s),
           'other slices')


def frames(*stacks):
    """Definitions of stacks of the functions a, b, c, ..., root first."""
    out = wire.string(0, b'')
    for i in range(8):
        out += wire.string(i + 1, b'abcdefgh'[i:i + 1])
        out += wire.frame(i, 0, 0, i + 1, 0, -1)
    for i, stack in enumerate(stacks):
        out += wire.stack(i, ['abcdefgh'.index(f) for f in reversed(stack)])
    return out


def slices_of(data):
    trace = convert(write_file(data + wire.end()))
    slices, = trace.slices.values() or [[]]
    return [(a, b, name) for a, b, name, _ in slices]


def test_a_frame_stays_while_it_is_there():
    found = slices_of(wire.header(1000) + frames('abc', 'abd', 'a') +
                      b''.join(map(wire.compact, (0, 0, 1, 2, 0))))
    expect(found == [(0, 2000, 'c'), (0, 3000, 'b'), (2000, 3000, 'd'),
                     (0, 5000, 'a'), (4000, 5000, 'b'), (4000, 5000, 'c')],
           '%s', found)


def test_another_root_ends_everything():
    found = slices_of(wire.header(1000) + frames('abc', 'dbc') +
                      wire.compact(0) + wire.compact(1))
    expect(found == [(0, 1000, 'a'), (0, 1000, 'b'), (0, 1000, 'c'),
                     (1000, 2000, 'd'), (1000, 2000, 'b'),
                     (1000, 2000, 'c')], '%s', found)


def test_an_empty_stack_ends_everything():
    found = slices_of(wire.header(1000) + frames('ab', '') +
                      wire.compact(0) + wire.compact(1) + wire.compact(0))
    expect(found == [(0, 1000, 'a'), (0, 1000, 'b'),
                     (2000, 3000, 'a'), (2000, 3000, 'b')], '%s', found)


@each([('short', 10000, [(0, 11000, 'a')]),
       ('long', 10001, [(0, 1000, 'a'), (10001, 11001, 'a')])])
def test_silence(which):
    """Ten periods may pass; more end a slice, a period after its last
    sample."""
    found = slices_of(wire.header(1000, flags=1) + frames('a') +
                      wire.sample(0, 5) + wire.sample(0, which[1]))
    expect(found == which[2], '%s', found)


def test_endless_repeats_are_one_slice():
    found = slices_of(wire.header(1000) + frames('a') + wire.compact(0) +
                      wire.repeat(10**12 - 1))
    expect(found == [(0, 10**15, 'a')], '%s', found)


def test_lines_do_not_matter():
    data = wire.header(1000) + wire.string(0, b'') + wire.string(1, b'f')
    for line in (1, 2):
        data += wire.frame(line, 0, 0, 1, 1, line) + wire.stack(line, [line])
    found = slices_of(data + wire.compact(1) + wire.compact(2))
    expect(found == [(0, 2000, 'f')], '%s', found)


def test_trace_without_samples():
    trace = convert(fixtures.rbt_path('header-only'))
    expect(not trace.slices and trace.other['samples'] == '0', 'slices')


def test_names_of_tasks():
    names = convert(tach.path('real_threads')).names
    expect(list(names.values()).count('python') == 1, '%s', names)


def test_memory_does_not_grow_with_samples():
    data = wire.header(1000) + frames('abc', 'abd')
    path = write_file(data + (wire.compact(0) + wire.compact(1)) * 500000 +
                      wire.end())
    memory.run('convert', '-q', '-t', 'chrome', '-o', '/dev/null', path,
               resident=24 << 20)
