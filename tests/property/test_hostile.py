"""Input made to hurt: the right answer or a clear error, in little memory."""
import struct
import zlib

from oracle import rbt_oracle, rbt_wire as wire
from support import bobbin, listing, memory
from support.case import each, expect, write_file

LIMIT = rbt_oracle.MAX_PAYLOAD
BIGGEST = (1 << 63) - 1
UNKNOWN_TYPE = 0x40


def segment(*events):
    return wire.header() + wire.one_frame() + b''.join(events)


def dump(data, ok=(bobbin.OK,)):
    result = memory.run('dump', write_file(data), ok=ok)
    return listing.parse(result.out)


def same_as_oracle(data):
    listing.expect_same(rbt_oracle.runs(data), dump(data))


# ---- REPEAT ----------------------------------------------------------------

@each([1 << 20, 1 << 32, 1 << 62, BIGGEST - 1])
def test_repeat_is_not_expanded(count):
    same_as_oracle(segment(wire.compact(0), wire.repeat(count), wire.end()))


def test_repeat_of_2_to_the_63_is_negative():
    """The count is a signed number, and a negative one repeats nothing."""
    same_as_oracle(segment(wire.compact(0), wire.repeat(1 << 63)))


@each([1, 2, 3])
def test_sums_stop_at_the_largest_count(repeats):
    """They do not wrap around: what is too many stays the most there is."""
    data = segment(wire.compact(0), *[wire.repeat(BIGGEST)] * repeats)
    got = listing.total(dump(data))
    expect(got == BIGGEST, '%d samples, not %d', got, BIGGEST)


@each(['folded', 'rbt', 'dump'])
def test_repeat_in_every_compact_output(target):
    data = segment(wire.compact(0), wire.repeat(BIGGEST - 1), wire.end())
    out = memory.run('convert', '-t', target, write_file(data)).out
    expect(len(out) < 1000, '%d bytes', len(out))
    if target == 'rbt':
        listing.expect_same(rbt_oracle.runs(data), rbt_oracle.runs(out))
    else:
        expect(b'%d' % BIGGEST in out, 'no count %d in %r', BIGGEST, out)


# ---- lengths ---------------------------------------------------------------

def test_largest_payload():
    same_as_oracle(segment(
        wire.compact(0), wire.event(UNKNOWN_TYPE, bytes(LIMIT)),
        wire.compact(0), wire.end()))


def test_payload_one_too_large():
    data = segment(wire.compact(0),
                   wire.event(UNKNOWN_TYPE, bytes(LIMIT + 1)),
                   wire.compact(0), wire.end())
    expect(listing.total(dump(data, ok=(bobbin.FAILED,))) == 1,
           'the sample before the error is missing')


def test_largest_string():
    name = b'n' * (LIMIT - 10)
    same_as_oracle(wire.header() + wire.one_frame(name) + wire.compact(0))


@each([LIMIT, LIMIT + 1, 1 << 32, BIGGEST, -1, -(1 << 63)])
def test_length_without_bytes(length):
    """A length that promises more than the file holds."""
    data = segment(wire.compact(0), bytes([UNKNOWN_TYPE]),
                   wire.varint(length))
    code = bobbin.FAILED if length > LIMIT else bobbin.OK
    expect(listing.total(dump(data, ok=(code,))) == 1,
           'the sample before the length is missing')


@each([
    ('stack depth', wire.event(2, wire.varints(1, BIGGEST, 0))),
    ('annotation count', wire.event(11, wire.varints(BIGGEST, 0, 0))),
    ('metadata key', wire.event(6, wire.varint(BIGGEST) + b'k')),
    ('metadata value', wire.event(6, b'\1k' + wire.varint(BIGGEST))),
])
def test_count_beyond_the_payload(item):
    data = segment(wire.compact(0), item[1], wire.compact(0))
    expect(listing.total(dump(data, ok=(bobbin.FAILED,))) == 1,
           'the sample before the damage is missing')


def test_endless_varint():
    """A number of a million bytes: legal, or damaged, but not slow."""
    data = segment(wire.compact(0), b'\x08', b'\x80' * 1000000, b'\0')
    runs = dump(data, ok=(bobbin.OK, bobbin.FAILED))
    expect(listing.total(runs) in (1, 2), '%d samples', listing.total(runs))


# ---- ids -------------------------------------------------------------------

def test_sparse_ids():
    """Memory follows the number of definitions, not the size of ids."""
    out = [wire.header()]
    step = BIGGEST // 20000
    for n in range(20000):
        ident = n * step
        out += [wire.string(ident, b'f%d' % n),
                wire.frame(ident, ident, ident, ident, ident, n),
                wire.stack(ident, [ident]), wire.compact(ident)]
    same_as_oracle(b''.join(out))


@each([BIGGEST, 1 << 63, (1 << 64) - 1])
def test_undefined_id(ident):
    data = segment(wire.compact(0), wire.compact(ident))
    expect(listing.total(dump(data, ok=(bobbin.FAILED,))) == 1,
           'the sample before the error is missing')


def test_one_id_defined_again_and_again():
    """A writer that reuses one stack id for ever; few frames, few stacks."""
    turn = b''.join(wire.stack(0, [0] * n) + wire.compact(0)
                    for n in range(20))
    data = segment(turn * 5000)
    result = memory.run('convert', '-t', 'folded', write_file(data))
    expect(result.out.count(b'\n') == 20, '%d stacks',
           result.out.count(b'\n'))


# ---- depth -----------------------------------------------------------------

def test_deep_stack():
    """A hundred thousand frames in one stack."""
    same_as_oracle(segment(wire.stack(1, [0] * 100000), wire.compact(1)))


# ---- segments --------------------------------------------------------------

def test_marks_between_a_sample_and_its_repeat():
    """Each of them looks for what still belongs to the sample: not all the
    way to it, each time."""
    block = (wire.compact(0) + wire.event(UNKNOWN_TYPE) * 30000
             + wire.repeat(3))
    data = segment(*[block] * 80)
    out = memory.run('convert', '-t', 'rbt', write_file(data)).out
    got = listing.total(dump(out))
    expect(got == 80 * 4, '%d samples, not %d', got, 80 * 4)


def test_a_million_empty_segments():
    path = write_file(wire.header() * 1000000)
    expect(memory.run('dump', path).out == b'', 'samples out of nothing')
    expect(b'1000000' in memory.run('info', path).out.replace(b',', b''),
           'info does not count them')


def test_a_million_headers_to_scan():
    """Candidates without a version: the search must not go quadratic."""
    path = write_file(b'RELIRELIRELIREL' * 1000000)
    memory.run('dump', '--recover', path,
               ok=(bobbin.OK, bobbin.PARTIAL))


# What recovery meets behind the damage: bytes that nearly are something at
# every step.  Searching each of them must stay cheap.
NEARLY = [
    ('samples of an undefined stack', b'\x08'),
    ('stacks', b'\x02\x08\x01\x05\x01\x01\x01\x01\x01\x01'),
    ('overlapping stacks', b'\x02\xff\xff\xff\x07\x01\xf0\xff\xff\x07'
     + b'\x01' * 50),
    ('headers', b'RELI\x01'),
    ('gzip members', b'\x1f\x8b\x08\0\0\0\0\0\0\x03'),
    ('checkpoints', b'\x04\x03\x01\x01\x7f'),
]


@each(NEARLY)
def test_search_through_what_nearly_fits(item):
    _, pattern = item
    data = segment(wire.compact(0), b'\x52', pattern * (4000000 //
                                                        len(pattern)))
    result = memory.run('dump', '--recover', write_file(data),
                        ok=(bobbin.PARTIAL,))
    got = listing.total(listing.parse(result.out))
    expect(got == 1, '%d samples, not 1', got)


def test_a_million_damaged_events():
    """Each one is a new attempt to resume."""
    path = write_file(segment(wire.compact(0), b'\x08\x7f' * 1000000,
                              wire.compact(0), wire.end()))
    result = memory.run('dump', '--recover', path, ok=(bobbin.PARTIAL,))
    expect(listing.total(listing.parse(result.out)) >= 1, 'no sample')


# ---- gzip ------------------------------------------------------------------

PART = bytes(LIMIT)


def bomb(parts, head, tail):
    """A member of head, `parts` unknown events of 16 MiB of zeros, and tail.

    Deflating a gigabyte takes seconds, so one event is deflated, and its
    bytes, which a full flush makes independent, are repeated.
    """
    event = wire.event(UNKNOWN_TYPE, PART)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = packer.compress(event) + packer.flush(zlib.Z_FULL_FLUSH)
    rest = packer.compress(tail) + packer.flush()
    crc = zlib.crc32(head)
    for _ in range(parts):
        crc = zlib.crc32(event, crc)
    crc = zlib.crc32(tail, crc)
    size = len(head) + parts * len(event) + len(tail)
    return (b'\x1f\x8b\x08\0\0\0\0\0\0\xff' + body + packed * parts + rest
            + struct.pack('<II', crc, size & 0xffffffff))


@each(['dump', 'info', 'verify', 'recover -o /dev/null',
       'convert -t folded -o /dev/null', 'convert -t rbt -o /dev/null'])
def test_gzip_bomb(command):
    """A gigabyte out of a megabyte.  It may be read or refused."""
    data = bomb(64, segment(wire.compact(0)), wire.compact(0) + wire.end())
    expect(len(data) < 4 << 20, 'the bomb has %d bytes', len(data))
    memory.run(*command.split(), write_file(data),
               ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))


def test_gzip_bomb_of_tiny_events():
    """Zeros are unknown events without a payload, two bytes each."""
    event = bytes(64 << 20)
    data = wire.member(segment(wire.compact(0), event, wire.compact(0)), 9)
    result = memory.run('dump', write_file(data),
                        ok=(bobbin.OK, bobbin.FAILED))
    got = listing.total(listing.parse(result.out))
    expect(got == 2 if result.code == bobbin.OK else got <= 1,
           '%d samples', got)


def test_many_gzip_members():
    data = wire.member(segment(wire.compact(0))) * 20000
    result = memory.run('convert', '-t', 'folded', write_file(data))
    expect(result.out == b'f /a.php:1 20000\n', '%r', result.out[:200])


# ---- text ------------------------------------------------------------------

@each(['phpspy', 'folded'])
def test_endless_line(source):
    path = write_file(b'0 ' + b'a' * (64 << 20), 'in.txt')
    memory.run('convert', '-f', source, '-t', 'dump', path,
               ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))
