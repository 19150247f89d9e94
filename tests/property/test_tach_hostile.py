"""TACH files made to hurt: the right answer or a clear error, in little
memory."""
import struct

from oracle import tach_oracle, tach_wire as wire, tach_zstd
from oracle.tach_oracle import U32, U64
from support import bobbin, listing, memory, tach
from support.case import each, expect, write_file

WHERE = (1, 0, '<')
STRINGS = [wire.string(b'a.py'), wire.string(b'f')]
FRAMES = [wire.frame('1b', 0, 1, (1, 1, 0, 5))]
FIRST = wire.full(WHERE, (10, 1), [0])


def build(records, strings=STRINGS, frames=FRAMES, samples=1, threads=1,
          **more):
    return wire.build('1b', records, strings, frames, samples=samples,
                      threads=threads, **more)


def dump(data, ok=(bobbin.OK,), args=()):
    result = memory.run('dump', *args, write_file(data, 'in.bin'), ok=ok)
    return listing.parse(result.out)


def refused(data, samples=1):
    """An error after this many samples; recovery finds at least those."""
    got = listing.total(dump(data, ok=(bobbin.FAILED,)))
    expect(got == samples, '%d samples, not %d', got, samples)
    got = listing.total(dump(data, (bobbin.OK, bobbin.PARTIAL),
                             ['--recover']))
    expect(got >= samples, 'recovery: %d samples, not %d', got, samples)


# ---- counts that promise more than there is --------------------------------

HUGE = [1000, 1 << 20, 1 << 31, U32]


@each(HUGE)
def test_string_count(count):
    refused(build([FIRST], n_strings=count), 0)


@each(HUGE)
def test_frame_count(count):
    refused(build([FIRST], n_frames=count), 0)


@each(HUGE)
def test_thread_count(count):
    """Too many are only a warning: nothing is stored for them."""
    expect(listing.total(dump(build([FIRST], threads=count))) == 1,
           'the sample is missing')


@each(HUGE + [1 << 40, U64])
def test_sample_count(count):
    refused(build([FIRST], samples=count))


@each(HUGE + [1 << 40, U64])
def test_depth(count):
    record = wire.place(1, 0, 1) + b'\x05\0' + wire.varint(count) + b'\0'
    refused(build([FIRST, record]))


@each(HUGE + [1 << 40, U64])
def test_new_frames(count):
    for kind in (2, 3):
        record = wire.place(1, 0, kind) + b'\x05\0\0' + wire.varint(count)
        refused(build([FIRST, record]))


@each(HUGE + [1 << 40, U64])
def test_shared_frames(count):
    record = wire.place(1, 0, 2) + b'\x05\0' + wire.varint(count) + b'\0'
    refused(build([FIRST, record]))


@each(HUGE + [1 << 40, U64])
def test_run(count):
    record = wire.place(1, 0, 0) + wire.varint(count) + b'\x05\0'
    data = build([FIRST, record])
    got = listing.total(dump(data, ok=(bobbin.FAILED,)))
    expect(got in (1, 2), '%d samples', got)


@each(HUGE + [1 << 40, U64])
def test_string_length(count):
    refused(build([FIRST], [wire.string(b'a.py'), wire.varint(count)]), 0)


@each(HUGE + [U64])
def test_frame_index(count):
    refused(build([FIRST, wire.full(WHERE, (5, 0), [count])], samples=2))


@each(HUGE)
def test_string_index(count):
    bad = wire.frame('1b', count, 1, (1, 1, 0, 5))
    refused(build([FIRST, wire.full(WHERE, (5, 0), [1])],
                  frames=FRAMES + [bad], samples=2))


@each([1 << 20, 1 << 40, 1 << 63, U64, U64 - 31])
def test_table_offset(offset):
    data = bytearray(build([FIRST]))
    for at in (40, 48):
        copy = bytearray(data)
        struct.pack_into('<Q', copy, at, offset)
        dump(bytes(copy), (bobbin.FAILED,))
        got = dump(bytes(copy), (bobbin.OK, bobbin.PARTIAL), ['--recover'])
        expect(listing.total(got) == 1, '%d samples', listing.total(got))


# ---- much of everything ----------------------------------------------------

def same_as_oracle(data):
    listing.expect_same(tach_oracle.runs(data), dump(data))


def test_many_threads():
    """A record for each of 20,000 threads, three times: no search through
    all of them."""
    records = [wire.full((n << 32 | n, n & 3, '<'), (k, 3), [0])
               for k in range(3) for n in range(20000)]
    same_as_oracle(build(records, samples=60000, threads=20000))


def test_deep_stack():
    depth = 1 << 20
    record = wire.full(WHERE, (5, 0), [0] * depth)
    data = build([FIRST, record], samples=2)
    runs = dump(data)
    expect(len(runs[1][1]) - listing.FRAMES == depth, '%d frames',
           len(runs[1][1]) - listing.FRAMES)


def test_stack_that_is_too_deep():
    record = wire.full(WHERE, (5, 0), [0] * ((1 << 20) + 1))
    refused(build([FIRST, record], samples=2))


def test_stack_that_grows_too_deep():
    """Past the limit with no record that holds more than it."""
    records, depth = [FIRST], 1
    while depth <= 1 << 20:
        records.append(wire.suffix(WHERE, (5, 0), depth, [0] * 300000))
        depth += 300000
    got = listing.total(dump(build(records, samples=len(records)),
                             ok=(bobbin.FAILED,)))
    expect(got == len(records) - 1, '%d samples', got)


def test_run_with_alternating_status():
    """Quadratic in other readers."""
    times = [(100, n & 1) for n in range(200000)]
    data = build([FIRST, wire.repeat(WHERE, times)], samples=200001)
    runs = dump(data)
    expect(listing.total(runs) == 200001, '%d samples', listing.total(runs))
    expect(len(runs) == 200001, '%d lines', len(runs))


def test_deep_stack_that_changes_at_its_end():
    """Each record costs a few bytes and must not cost ten thousand frames."""
    depth, changes = 10000, 20000
    records = [wire.full(WHERE, (10, 1), [0] * depth)]
    records += [wire.pop_push(WHERE, (10, 1), 1, [0]),
                wire.suffix(WHERE, (10, 1), depth, [0]),
                wire.pop_push(WHERE, (10, 1), 1, [])] * changes
    data = build(records, samples=1 + 3 * changes)
    result = memory.run('convert', '-t', 'folded', write_file(data, 'in.bin'))
    total = sum(int(row.rpartition(b' ')[2])
                for row in result.out.splitlines())
    expect(total == 1 + 3 * changes, '%d samples', total)


def test_many_strings_and_frames():
    n = 30000
    strings = [wire.string(b'name %d' % i) for i in range(n)]
    frames = [wire.frame('1b', i, n - 1 - i, (i, i, 0, 5)) for i in range(n)]
    records = [wire.full(WHERE, (10, 1), [i, n - 1 - i])
               for i in range(0, n, 10)]
    same_as_oracle(build(records, strings, frames, samples=len(records)))


def test_a_string_of_64_mib():
    text = b'n' * (64 << 20)
    data = build([FIRST], [wire.string(b'a.py'), wire.string(text)])
    result = memory.run('dump', write_file(data, 'in.bin'),
                        ok=(bobbin.OK, bobbin.FAILED),
                        resident=512 * memory.MIB)
    if result.code == bobbin.OK:
        expect(text in result.out, 'the name is cut')


# ---- zstd ------------------------------------------------------------------

def zstd_file(packed, samples):
    return build([packed], samples=samples, compression=tach_oracle.ZSTD)


@each(['dump', 'info', 'verify', 'convert -t folded -o /dev/null'])
def test_bomb(command):
    """A gigabyte of one run's samples out of some 100 kB, streamed."""
    pairs = 8 << 20
    record = wire.place(1, 0, 0) + wire.varint(pairs) + b'\0\1' * pairs
    packed = tach_zstd.compress(record, 1) * 8
    data = zstd_file(tach_zstd.compress(FIRST) + packed, 1 + 8 * pairs)
    expect(len(data) < 4 << 20, 'the bomb has %d bytes', len(data))
    memory.run(*command.split(), write_file(data, 'in.bin'),
               timeout=4 * bobbin.TIMEOUT)


def test_many_small_frames():
    frames = [tach_zstd.compress(FIRST)] * 20000
    data = zstd_file(b''.join(frames), len(frames))
    expect(listing.total(dump(data)) == len(frames), 'samples are missing')


def test_many_empty_frames():
    packed = (tach_zstd.compress(b'') + tach_zstd.skippable()) * 100000
    data = zstd_file(packed + tach_zstd.compress(FIRST), 1)
    expect(listing.total(dump(data)) == 1, 'the sample is missing')


def test_frame_that_promises_an_exabyte():
    """The content size of a frame is a claim, too."""
    frame = tach_zstd.MAGIC + b'\xe0' + struct.pack('<Q', 1 << 60)
    body = b'\x29\0\0' + b'\0' * 5
    data = zstd_file(tach_zstd.compress(FIRST) + frame + body, 1)
    result = memory.run('dump', write_file(data, 'in.bin'),
                        ok=(bobbin.FAILED,))
    expect(listing.total(listing.parse(result.out)) <= 1, 'too many samples')


def test_window_of_terabytes():
    frame = tach_zstd.MAGIC + b'\0' + b'\xf8' + b'\x01\0\0'
    data = zstd_file(tach_zstd.compress(FIRST) + frame, 1)
    memory.run('dump', write_file(data, 'in.bin'), ok=(bobbin.FAILED,))


# ---- recovery --------------------------------------------------------------

# What a search behind damage meets: bytes that nearly are records.
NEARLY = [
    ('zeros', b'\0'),
    ('ones', b'\xff'),
    ('records of kind 4', wire.place(1, 0, 4)),
    ('records of this thread', wire.place(1, 0, 1)),
    ('records of new threads', wire.place(7 << 40, 0, 1) + b'\x05\0\1\x7f'),
    ('runs without an end', wire.place(1, 0, 0) + wire.varint(1 << 30)),
]


@each(NEARLY)
def test_search_through_what_nearly_fits(item):
    _, pattern = item
    junk = wire.place(1, 0, 9) + pattern * (2000000 // len(pattern))
    data = build([FIRST, junk])
    got = dump(data, (bobbin.PARTIAL,), ['--recover'])
    listing.expect_prefix(tach.strict(data)[0], got)


@each(NEARLY)
def test_search_without_header_and_tables(item):
    _, pattern = item
    data = bytes(64) + FIRST + pattern * (2000000 // len(pattern))
    memory.run('dump', '--recover', write_file(data, 'in.bin'),
               ok=(bobbin.PARTIAL, bobbin.FAILED))
