"""Perfetto's traces, taken apart without the viewer."""
import collections
import shutil
import subprocess

from oracle import rbt_wire as wire, tach_wire
from support import bobbin, fixtures, listing, memory, outputs, perfetto
from support import tach, truth
from support.case import Skip, each, expect, write_file

RBT = [(n, fixtures.rbt_path(n)) for n in fixtures.intact_names()]
TACH = [(n, tach.path(n)) for n in tach.listed_names()]
MADE_UP = 2000000000
BASE = 3600 * 10**9     # where times begin, when unix time is not known


def convert(path, *args):
    return perfetto.Trace(outputs.content('perfetto', path, *args))


def notes(path):
    return bobbin.run('convert', '-t', 'perfetto', '-o', '/dev/null',
                      path).err.decode()


def line_of(frame):
    return frame.line if frame.line < 1 << 32 else 0


def sampled(known):
    """(frames, weight) of each sample in its order."""
    for e in known.entries:
        frames = tuple((f.name, f.file, line_of(f)) for f in e.frames)
        for _ in range(e.samples):
            yield frames, 1000 * e.us // e.samples


def got(trace):
    for sample in trace.samples:
        yield tuple(f[:3] for f in sample.frames), sample.weight


# ---- what is in it ---------------------------------------------------------

@each(RBT + TACH)
def test_every_sample(which):
    known = truth.Truth(which[1])
    trace = convert(which[1])
    expect(trace.source == 'bobbin' and trace.counter == ('time', 1),
           'source %s, counter %s', trace.source, trace.counter)
    expect(len(trace.samples) == known.samples, '%d samples, not %d',
           len(trace.samples), known.samples)
    for i, (a, b) in enumerate(zip(sampled(known), got(trace))):
        expect(a == b, 'sample %d is %s, not %s', i, b, a)


@each(RBT + TACH)
def test_times_never_go_back(which):
    last = {}
    for sample in convert(which[1]).samples:
        key = sample.pid, sample.tid
        expect(sample.time >= last.get(key, 0), 'thread %s goes back', key)
        last[key] = sample.time


@each([('pids', fixtures.rbt_path('pid-bundled-ts')),
       ('annotations', fixtures.rbt_path('annotations-ts')),
       ('threads', tach.path('real_threads'))])
def test_real_times(which):
    """In files of one segment, times are as the listing has them."""
    path = which[1]
    runs = listing.parse(bobbin.run('dump', path).out)
    want = [int(f[listing.TIME]) for n, f in runs for _ in range(n)]
    trace = convert(path)
    expect([s.time for s in trace.samples] ==
           [BASE + 1000 * (t - want[0]) for t in want], 'other times')
    expect(not trace.clocks, 'unix time out of nothing')


def test_times_without_times():
    """A period apart within a thread, however they are interleaved."""
    data = wire.header(2000) + wire.one_frame()
    for pid, more in ((7, 2), (8, 0), (7, 0), (8, 3)):
        data += wire.pid_sample(0, pid) + wire.repeat(more)
    times = collections.defaultdict(list)
    for sample in convert(write_file(data + wire.end())).samples:
        times[sample.pid].append((sample.time - BASE) // 2000000)
    expect(times == {7: [0, 1, 2, 3], 8: [0, 1, 2, 3, 4]}, '%s', times)


def test_segments_follow_each_other():
    one = wire.one_frame() + wire.compact(0) + wire.repeat(3) + wire.end()
    path = write_file(wire.header(1000) + one + wire.header(5000) + one)
    found = [(s.time - BASE, s.weight) for s in convert(path).samples]
    expect(found == [(i * 10**6, 10**6) for i in range(4)] +
           [(4 * 10**6 + i * 5 * 10**6, 5 * 10**6) for i in range(4)],
           '%s', found)


def test_moved_samples_are_told():
    """Its clocks jump by centuries and back."""
    expect('since time went back' in notes(tach.path('ids_status_time')),
           'nobody says so')
    expect('went back' not in notes(tach.path('real_threads')), 'a false note')


def test_empty_stacks_count():
    data = (wire.header(1000) + wire.string(0, b'') + wire.stack(0, []) +
            wire.compact(0) + wire.end())
    found = convert(write_file(data)).samples
    expect([(s.frames, s.weight) for s in found] == [((), 10**6)], '%s',
           found)


def test_trace_without_samples():
    trace = convert(fixtures.rbt_path('header-only'))
    expect(not trace.samples and not trace.threads, 'samples')


def test_kinds_of_frames():
    data = (wire.header() + wire.string(0, b'') + wire.string(1, b'f') +
            wire.frame(0, 0, 0, 1, 0, -1) + wire.native(1, 1, 1, 9) +
            wire.stack(0, [1, 0]) + wire.compact(0) + wire.end())
    sample, = convert(write_file(data)).samples
    expect(sample.frames == (('f', '', 0, 3), ('f', 'f', 0, 1)), '%s',
           sample.frames)


# ---- processes and threads -------------------------------------------------

def threads(*places):
    """A sample of each (thread, interpreter)."""
    records = [tach_wire.full(p + ('<',), (1000, 0), [0]) for p in places]
    data = tach_wire.build('1b', records, [tach_wire.string(b'f')],
                           [tach_wire.frame('1b', 0, 0, (1, 1, 0, 1))],
                           samples=len(places), threads=len(places))
    return convert(write_file(data, 'in.tach')).threads


def test_threads_of_no_process():
    expect(threads((11, 0), (12, 0)) == {(MADE_UP, 11): '',
                                         (MADE_UP, 12): ''}, 'threads')


def test_threads_that_do_not_fit():
    found = threads((0, 0), (1 << 40, 0), (7, 0), (MADE_UP, 0))
    expect(found == {(MADE_UP, MADE_UP + 1): 'thread 0',
                     (MADE_UP, MADE_UP + 2): 'thread 1099511627776',
                     (MADE_UP, 7): '',
                     (MADE_UP, MADE_UP + 3): 'thread 2000000000'},
           '%s', found)


def test_interpreters_of_one_thread():
    found = threads((7, 0), (7, 3))
    expect(found == {(MADE_UP, 7): '',
                     (MADE_UP, MADE_UP + 1): 'thread 7 (interpreter 3)'},
           '%s', found)


def test_processes_that_do_not_fit():
    pids = [0, 5, 1 << 40, 5, (1 << 64) - 1]
    data = wire.header() + wire.one_frame() + b''.join(
        wire.pid_sample(0, pid) for pid in pids) + wire.end()
    trace = convert(write_file(data))
    expect(trace.processes == {
        MADE_UP + 1: 'php-0', 5: 'php', MADE_UP + 2: 'php-1099511627776',
        MADE_UP + 3: 'php-18446744073709551615'}, '%s', trace.processes)
    expect([s.pid for s in trace.samples] ==
           [MADE_UP + 1, 5, MADE_UP + 2, 5, MADE_UP + 3], 'samples')


# ---- sizes -----------------------------------------------------------------

def sample_bytes(weight):
    """A packet from its timestamp on: of the first thread and stack."""
    body = b'\x10\x01\x30\x01\x58' + wire.varint(weight)
    return b'\x50\x01\x68\x02\xba\x08' + bytes([len(body)]) + body


def test_endless_repeats_share_packets():
    """Too many to be decoded here: 3333333 packets of 3 ms, one of 1 ms."""
    data = (wire.header(1000) + wire.one_frame() + wire.compact(0) +
            wire.repeat(9999999) + wire.end())
    path = write_file(data)
    found = outputs.content('perfetto', path)
    counts = [found.count(sample_bytes(ms * 10**6)) for ms in (3, 1)]
    expect(counts == [3333333, 1], '%s', counts)
    last = b'\x40' + wire.varint(BASE + 9999999 * 10**6)
    expect(found.endswith(last + sample_bytes(10**6)), 'the last one')
    expect('share a packet' in notes(path), 'nobody says so')


def test_memory_does_not_grow_with_samples():
    data = wire.header(1000) + wire.one_frame() + wire.stack(1, [0, 0])
    path = write_file(data + (wire.compact(0) + wire.compact(1)) * 1000000 +
                      wire.end())
    memory.run('convert', '-q', '-t', 'perfetto', '-o', '/dev/null', path,
               resident=24 << 20)


# ---- another decoder -------------------------------------------------------

@each(RBT[:4] + TACH[:4])
def test_protoc_decodes(which):
    if not shutil.which('protoc'):
        raise Skip('no protoc: install protobuf-compiler')
    data = outputs.content('perfetto', which[1])
    done = subprocess.run(['protoc', '--decode_raw'], input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=bobbin.TIMEOUT)
    expect(done.returncode == 0, 'protoc: %s', done.stdout[-200:])
    lines = done.stdout.split(b'\n')
    expect(lines.count(b'  135 {') == truth.Truth(which[1]).samples,
           'other samples')
