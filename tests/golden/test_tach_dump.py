"""`bobbin dump` of CPython's files: strict reading."""
import os

from oracle import tach_oracle
from support import bobbin, case, listing, tach
from support.case import each, expect, read_file, write_file


def dump(*args, **more):
    return listing.parse(bobbin.run('dump', *args, **more).out)


@each(tach.listed_names())
def test_listing(name):
    tach.expect_listing(name, dump(tach.path(name)))


@each(tach.listed_names())
def test_whole_file_is_silent(name):
    result = bobbin.run('dump', tach.path(name))
    expect(not result.err, 'stderr: %s', result.err[:200])


def test_listing_of_a_million_samples():
    tach.expect_big_listing(
        row.decode('ascii') for row in bobbin.stream(
            'dump', tach.path(tach.BIG)))


@each(tach.listed_names())
def test_recovery_changes_nothing(name):
    tach.expect_listing(name, dump('--recover', tach.path(name)))


@each(tach.listed_names())
def test_through_a_pipe(name):
    """The tables are at the end, and a pipe cannot go back."""
    data = read_file(tach.path(name))
    tach.expect_listing(name, dump(stdin=data))
    tach.expect_listing(name, dump('-', stdin=data, chunk=1000))


@each(['tiny', 'encodings', 'empty_zstd'])
def test_pipe_that_trickles(name):
    tach.expect_listing(name, dump(stdin=read_file(tach.path(name)), chunk=1))


def test_name_does_not_matter():
    path = write_file(read_file(tach.path('encodings')), 'profile.rbt')
    tach.expect_listing('encodings', dump(path))


# ---- dialects --------------------------------------------------------------

@each(['encodings 1b', 'encodings 1c', 'bigendian 1b', 'old_encodings 1a',
       'rle 1b', 'old_threads 1a', 'empty_none 1b'])
def test_dialect_can_be_given(words):
    name, dialect = words.split()
    tach.expect_listing(name, dump('--dialect', dialect, tach.path(name)))


@each(['encodings 1a', 'encodings v2', 'encodings early-1',
       'old_encodings 1b', 'old_encodings v2', 'old_encodings early-1',
       'bigendian 1a'])
def test_wrong_dialect_is_refused(words):
    name, dialect = words.split()
    result = bobbin.run('dump', '--dialect', dialect, tach.path(name),
                        ok=(bobbin.FAILED,))
    expect(result.out == b'', 'samples of a file read the wrong way')
    expect(b'byte ' in result.err, 'no place in: %s', result.err[:200])


def with_frames(name, count):
    """The file with another number of frames in its footer."""
    data = bytearray(read_file(tach.path(name)))
    data[-28:-24] = count.to_bytes(4, 'little')
    return write_file(bytes(data), 'in.bin')


@each([39, 41, 45, 60, 93, 105, 1 << 20])
def test_dialect_in_doubt(count):
    """Headers of 1a and early-1 are alike: when the frame table fits neither
    way, nobody can tell.  It has 40 frames."""
    result = bobbin.run('dump', with_frames('old_encodings', count),
                        ok=(bobbin.FAILED,))
    expect(not result.out, 'samples of a file read the wrong way')
    for word in (b'1a', b'early-1', b'--dialect'):
        expect(word in result.err, 'stderr: %s', result.err[:200])


@each([41, 43])
def test_dialect_ends_the_doubt(count):
    runs = dump('--dialect', '1a', with_frames('old_encodings', count))
    tach.expect_listing('old_encodings', runs)


def test_unknown_dialect():
    result = bobbin.run('dump', '--dialect', '1z', tach.path('tiny'),
                        ok=(bobbin.USAGE, bobbin.FAILED))
    expect(b'1z' in result.err, 'stderr: %s', result.err[:200])


@each(['1a', 'v2', 'early-1', '1c'])
def test_dialect_is_no_part_of_the_samples(dialect):
    """The same samples in another layout, made by the oracle's writer."""
    profile = tach_oracle.Profile(read_file(tach.path('real_threads')))
    more = {'mode': 2} if dialect == '1c' else {}
    for order in '<>':
        data = tach.rewritten(profile, dialect, order, **more)
        want, damage = tach.strict(data)
        expect(damage is None, 'the test is wrong: %s', damage)
        listing.expect_same(want, dump(write_file(data, 'in.bin')))


# ---- several files ---------------------------------------------------------

def test_two_files_are_two_segments():
    both = dump(tach.path('tiny'), tach.path('encodings'))
    first = dump(tach.path('tiny'))
    second = dump(tach.path('encodings'))
    listing.expect_same(first + listing.shifted(second, 1), both)


def test_missing_file():
    bobbin.run('dump', os.path.join(case.scratch, 'none.bin'),
               ok=(bobbin.FAILED,))
