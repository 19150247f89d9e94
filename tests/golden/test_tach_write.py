"""TACH files that bobbin writes, against CPython's bytes and against the
oracle's writer, which keeps the same rules in every dialect."""
import hashlib
import os

from oracle import tach_oracle, tach_wire as wire
from support import bobbin, case, listing, tach
from support.case import each, expect, read_file, write_file

ORDERS = {'<': 'little', '>': 'big'}
RAW = ('--compression', 'none')


def converted(path, *options, target='tach', ok=(bobbin.OK,)):
    """The file that `bobbin convert` makes."""
    out = os.path.join(case.scratch, 'out.bin')
    bobbin.run('convert', '-t', target, '-o', out, *options, path, ok=ok)
    data = read_file(out)
    os.unlink(out)
    return data


def profile_of(name):
    return tach_oracle.Profile(read_file(tach.path(name)))


# ---- as CPython ------------------------------------------------------------

@each(tach.listed_names())
def test_same_samples(name):
    """tach to tach, compressed as by default."""
    data = converted(tach.path(name))
    profile = tach_oracle.Profile(data)
    expect(profile.head.compression == tach_oracle.ZSTD, 'not compressed')
    expect(profile.dialect == '1b', 'dialect %s', profile.dialect)
    expect(profile.order == '<', 'byte order %s', profile.order)
    got, damage = tach.strict(data)
    expect(damage is None, 'damage: %s', damage)
    want = list(tach.from_listing(tach.listing_rows(name)))
    if name != 'ids_status_time':       # has runs that are over only later
        listing.expect_same(want, got)
    listing.expect_same(tach.by_thread(want), tach.by_thread(got))


# Files whose own bytes must come out again, uncompressed.
@each(['tiny', 'empty_none', 'encodings', 'deep', 'names', 'real_threads'])
def test_bytes_of_cpython(name):
    tach.expect_bytes(read_file(tach.path(name)),
                 converted(tach.path(name), *RAW))


@each(sorted(tach.bench_sums()))
def test_streams_of_cpython(name):
    """From 300,000 to 1,119,975 samples, byte for byte.  Runs of several
    threads are stored when they end, so time order is the order in which
    the writer got them."""
    order = ['--order', 'time'] if name == 'threads8' else []
    data = converted(tach.bench_path(name), *RAW, *order)
    digest = hashlib.sha256(data).hexdigest()
    expect(digest == tach.bench_sums()[name], 'SHA-256 is %s', digest)


@each(tach.listed_names())
def test_compressed_twin_is_the_same(name):
    raw = tach_oracle.Profile(converted(tach.path(name), *RAW))
    packed = tach_oracle.Profile(converted(tach.path(name)))
    expect(packed.samples() == (raw.packed(), None), 'the records differ')
    expect(packed.data[packed.head.strings:-32]
           == raw.data[raw.head.strings:-32], 'the tables differ')


def test_zstd_frame_as_cpython_makes_it():
    """No content size, no checksum, a window of 2 MiB."""
    packed = tach_oracle.Profile(converted(tach.path('big'))).packed()
    expect(packed[4] == 0 and packed[5] == 0x58, 'frame header %s',
           packed[4:6].hex())


@each([1, 19])
def test_level(level):
    data = converted(tach.path('real_json'), '--zstd-level', str(level))
    tach.expect_listing('real_json', tach.strict(data)[0])


# ---- every dialect, both byte orders ---------------------------------------

def dialects():
    return [(name + ' ' + ORDERS[order], name, order)
            for name in tach_oracle.LAYOUTS for order in '<>']


@each(dialects())
def test_bytes_of_the_oracle(item):
    _, dialect, order = item
    for name in ('tiny', 'encodings', 'names', 'locations', 'deep',
                 'old_encodings', 'bigendian', 'empty_none', 'real_threads',
                 'ids_status_time'):
        want = tach.rewritten(profile_of(name), dialect, order)
        got = converted(tach.path(name), '--dialect', dialect,
                        '--byte-order', ORDERS[order], *RAW)
        try:
            tach.expect_bytes(want, got)
        except case.Failure as failure:
            raise case.Failure('%s: %s' % (name, failure))


def test_big_endian_fixture():
    tach.expect_bytes(read_file(tach.path('bigendian')),
                 converted(tach.path('encodings'), '--byte-order', 'big',
                           *RAW))


def test_byte_order_is_that_of_the_machine():
    """Not that of the input."""
    tach.expect_bytes(read_file(tach.path('encodings')),
                 converted(tach.path('bigendian'), *RAW))


def test_old_fixture():
    tach.expect_bytes(read_file(tach.path('old_encodings')),
                 converted(tach.path('encodings'), '--dialect', '1a', *RAW))


# ---- the layout of the published description -------------------------------

def test_v2_by_hand():
    tach.expect_bytes(tach.tiny_as_described(),
                 converted(tach.path('tiny'), *RAW, target='tach-v2'))


@each(tach.listed_names())
def test_v2_is_a_target_of_its_own(name):
    got = converted(tach.path(name), *RAW, target='tach-v2')
    tach.expect_bytes(tach.rewritten(profile_of(name), 'v2', '<'), got)
    want = tach.without_places(tach.strict(read_file(tach.path(name)))[0])
    listing.expect_same(
        tach.by_thread(want),
        tach.by_thread(tach.without_places(tach.strict(got)[0])))


@each(['names', 'real_json', 'threads64'])
def test_v2_is_read_again(name):
    """Compressed too, and by bobbin as by the oracle."""
    data = converted(tach.path(name), target='tach-v2')
    path = write_file(data, 'in.tach2')
    got = listing.parse(bobbin.run('dump', path).out)
    listing.expect_same(tach_oracle.runs(data), got)


def test_suffix_chooses_the_layout():
    for suffix, dialect in (('.tach2', 'v2'), ('.tach', '1b'),
                            ('.bin', '1b')):
        out = os.path.join(case.scratch, 'out' + suffix)
        bobbin.run('convert', '-o', out, tach.path('tiny'))
        got = tach_oracle.dialect(read_file(out))[0]
        expect(got == dialect, '%s is %s', suffix, got)


# ---- mode and statistics ---------------------------------------------------

def test_mode_is_kept():
    data = converted(tach.corrupt_path('reserved_nonzero'), *RAW)
    tach.expect_bytes(read_file(tach.corrupt_path('reserved_nonzero')), data)


def test_statistics_are_kept():
    data = converted(tach.corrupt_path('stats_extension'), *RAW)
    tach.expect_bytes(read_file(tach.corrupt_path('stats_extension')), data)


@each(['<', '>'])
def test_short_statistics_are_kept(order):
    block = wire.statistics(order, 32, 2.5, 1000.0)
    source = tach.rewritten(profile_of('tiny'), '1c', order, mode=3)
    source = with_statistics(source, order, block)
    data = converted(write_file(source, 'in.bin'), *RAW,
                     '--byte-order', ORDERS[order])
    profile = tach_oracle.Profile(data)
    expect(profile.head.mode == 3, 'mode %d', profile.head.mode)
    expect(profile.statistics[:2] == (2.5, 1000.0), '%s', profile.statistics)


def with_statistics(data, order, block):
    """The file with the block before its footer."""
    profile = tach_oracle.Profile(data, '1c')
    footer = profile.footer
    return data[:-32] + block + wire.footer(
        order, footer.strings, footer.frames, len(data) + len(block))


@each(['1b', '1a', 'v2'])
def test_dialect_without_statistics_drops_them(dialect):
    data = converted(tach.corrupt_path('stats_extension'), '--dialect',
                     dialect, *RAW)
    profile = tach_oracle.Profile(data)
    expect((profile.dialect, profile.statistics) == (dialect, None),
           '%s, %s', profile.dialect, profile.statistics)


# ---- deep stacks -----------------------------------------------------------

def deep_file(depth):
    frames = [wire.frame('1b', 0, 1, (n + 1, n + 1, 0, 5))
              for n in range(depth)]
    where = (1, 0, '<')
    return wire.build(
        '1b', [wire.full(where, (10, 1), list(range(depth))),
               wire.repeat(where, [(10, 1)] * 4),
               wire.pop_push(where, (10, 1), 1, [])],
        [wire.string(b'a.py'), wire.string(b'f')], frames, samples=6,
        threads=1)


def cut_at_256(runs):
    return [(count, fields[:listing.FRAMES + 256]) for count, fields in runs]


@each([256, 257, 1000])
def test_stacks_are_cut_for_cpython(depth):
    """The innermost 256 stay, and a warning counts the others' samples."""
    data = deep_file(depth)
    out = os.path.join(case.scratch, 'out.tach')
    result = bobbin.run('convert', '-o', out, *RAW,
                        write_file(data, 'in.bin'))
    listing.expect_same(cut_at_256(tach_oracle.runs(data)),
                        tach.strict(read_file(out))[0])
    cut = sum(count for count, fields in tach_oracle.runs(data)
              if len(fields) > listing.FRAMES + 256)
    if cut:
        expect(b'256' in result.err and b'%d' % cut in result.err,
               'no warning about %d stacks: %s', cut, result.err[:200])
        expect(b'--deep' in result.err, 'no way out in: %s',
               result.err[:200])
    else:
        expect(b'--deep' not in result.err, 'stderr: %s', result.err[:200])


@each([257, 1000])
def test_deep_keeps_them(depth):
    data = deep_file(depth)
    got = converted(write_file(data, 'in.bin'), '--deep', *RAW)
    listing.expect_same(tach_oracle.runs(data), tach.strict(got)[0])


# ---- output ----------------------------------------------------------------

def test_pipe():
    """The header comes first and is known last; a pipe cannot go back."""
    for name in ('tiny', 'encodings', 'real_json'):
        result = bobbin.run('convert', '-t', 'tach', tach.path(name),
                            ok=(bobbin.OK, bobbin.FAILED))
        if result.code == bobbin.OK:
            tach.expect_listing(name, tach.strict(result.out)[0])
        else:
            expect(b'seek' in result.err, 'stderr: %s', result.err[:200])


def test_filter():
    runs = list(tach_oracle.runs(read_file(tach.path('real_threads'))))
    want = [run for run in runs
            if any(';hasher;' in token for token in run[1])]
    expect(0 < len(want) < len(runs), 'the test is wrong')
    data = converted(tach.path('real_threads'), '--match', '^hasher ')
    listing.expect_same(tach.by_thread(want),
                        tach.by_thread(tach.strict(data)[0]))


def joined(*names):
    out = os.path.join(case.scratch, 'joined.tach')
    result = bobbin.run('convert', '-o', out, *map(tach.path, names))
    want = [run for name in names
            for run in tach.strict(read_file(tach.path(name)))[0]]
    got, damage = tach.strict(read_file(out))
    expect(damage is None, 'damage: %s', damage)
    listing.expect_same(tach.by_thread(want), tach.by_thread(got))
    return result


def test_files_are_joined():
    """Times stay what they were; dialects and byte orders are mixed."""
    result = joined('tiny', 'bigendian', 'old_encodings', 'deep')
    expect(b'interval' not in result.err, 'stderr: %s', result.err[:200])


def test_intervals_that_differ():
    result = joined('tiny', 'old_threads')
    expect(b'interval' in result.err, 'stderr: %s', result.err[:200])


def test_samples_of_one_thread_in_two_files():
    """The thread's clock goes back where the second file begins."""
    joined('encodings', 'encodings')
