"""Every prefix of a TACH file.  Its tables are at its end, so a cut costs
names, but no sample that is there."""
from oracle import tach_gen, tach_oracle
from support import bobbin, listing, tach
from support.case import each, expect, read_file, write_file

# Each prefix is two starts of the program.  REPEAT of nothing is left out:
# no writer makes it, and in a file that is known to be damaged it counts as
# part of the damage.
SEEDS = [1, 2, 3, 4]
SHAPE = tach_gen.SMALL._replace(records=8, is_tame=True)


def shapes(runs):
    """The samples with only the number of their frames: a cut takes names."""
    return [(count, fields[:listing.FRAMES]
             + ['%d frames' % (len(fields) - listing.FRAMES)])
            for count, fields in runs]


def without_opcodes(runs):
    """The last byte of the frame table is an opcode; a cut there is only
    worth a warning."""
    return [(count, fields[:listing.FRAMES]
             + [token.rpartition(';')[0]
                for token in fields[listing.FRAMES:]])
            for count, fields in runs]


def whole_samples(profile, size):
    """How many samples stand in records that end before byte `size`."""
    return sum(len(record.times) for record in tach_oracle.records(profile)
               if tach_oracle.HEADER_SIZE + record.end <= size)


def check_prefix(data, size, want, least):
    path = write_file(data[:size], 'in.bin')
    strict = bobbin.run('dump', path, ok=(bobbin.FAILED,))
    expect(not strict.out, 'first %d bytes: samples of a cut file', size)
    result = bobbin.run('dump', '--recover', path,
                        ok=(bobbin.OK, bobbin.PARTIAL, bobbin.FAILED))
    expect(result.code != bobbin.FAILED or size < tach_oracle.HEADER_SIZE,
           'first %d bytes: recovery gave up', size)
    got = listing.parse(result.out)
    if result.code == bobbin.OK:        # it claims to have found everything
        listing.expect_same(without_opcodes(want), without_opcodes(got),
                            'first %d bytes' % size)
    expect(listing.total(got) >= least, 'first %d bytes: %d samples, not %d',
           size, listing.total(got), least)
    listing.expect_prefix(shapes(got), shapes(want),
                          'first %d bytes' % size)


def check_all_prefixes(data, sizes):
    profile = tach_oracle.Profile(data)
    raw = profile.head.compression == tach_oracle.RAW
    want = list(tach_oracle.runs(data))
    for size in sizes:
        check_prefix(data, size, want,
                     whole_samples(profile, size) if raw else 0)


@each(SEEDS)
def test_of_a_generated_file(seed):
    data = tach_gen.generate(seed, SHAPE)
    check_all_prefixes(data, range(len(data)))


def test_of_a_written_file():
    data = read_file(tach.path('encodings'))
    check_all_prefixes(data, range(0, len(data), 5))


def test_of_a_compressed_file():
    data = read_file(tach.path('ids_status_time'))
    check_all_prefixes(data, range(0, len(data), 7))


def test_footer_is_not_needed():
    """With both tables whole, nothing is lost."""
    for name in ('tiny', 'encodings', 'bigendian', 'old_encodings',
                 'real_threads', 'locations'):
        data = read_file(tach.path(name))
        for missing in (1, 16, 31, 32):
            path = write_file(data[:-missing], 'in.bin')
            result = bobbin.run('dump', '--recover', path,
                                ok=(bobbin.OK, bobbin.PARTIAL))
            tach.expect_listing(name, listing.parse(result.out))
