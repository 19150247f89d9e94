"""Random damage to TACH files: no crash, no loss of what strict reading finds,
and a clean file out of every recovery."""
import os
import random

from oracle import tach_gen, tach_oracle
from support import bobbin, case, damage, listing, seeds, tach
from support.case import each, expect, read_file, write_file

FIXTURES = ['encodings', 'bigendian', 'old_encodings', 'ids_status_time',
            'tiny', 'locations', 'real_opcodes', 'old_threads']

KINDS = (damage.overwrite, damage.flip, damage.delete,
         damage.insert(b'HCAT\1\0\0\0', b'TACH\0\0\0\1',
                       b'\x28\xb5\x2f\xfd\x20\0'),
         damage.cut, damage.repeat_part)


def original(rng, compressed=True):
    if compressed and rng.random() < 0.3:
        return read_file(tach.path(rng.choice(FIXTURES)))
    shape = rng.choice((tach_gen.WILD, tach_gen.SMALL))
    return tach_gen.generate(rng.randrange(1 << 30),
                             shape._replace(compress=compressed))


def damaged(seed):
    rng = random.Random(seed)
    data = bytearray(original(rng))
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        if data:
            # The ends are the interesting places.
            at = rng.choice((rng.randrange(len(data)),
                             rng.randrange(min(64, len(data))),
                             len(data) - 1 - rng.randrange(
                                 min(40, len(data)))))
            rng.choice(KINDS)(rng, data, at)
    return bytes(data)


@each(seeds.blocks(part=2))
def test_recovery_keeps_what_strict_reading_finds(block):
    def check(seed):
        path = write_file(damaged(seed), 'in.bin')
        strict = bobbin.run('dump', path, ok=(bobbin.OK, bobbin.FAILED))
        tolerant = bobbin.run('dump', '--recover', path,
                              ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))
        listing.expect_prefix(listing.parse(strict.out),
                              listing.parse(tolerant.out))
        if strict.code == bobbin.OK and not strict.err:
            expect(tolerant.code == bobbin.OK, 'no error, but a loss')
    seeds.for_block(block, check)


def samples_damaged(seed):
    """An uncompressed file with damage that keeps sizes, among the samples
    only: everything around them can be trusted."""
    rng = random.Random(seed)
    data = bytearray(original(rng, compressed=False))
    end = tach_oracle.Profile(bytes(data)).head.strings
    for _ in range(rng.choice((1, 1, 2, 4))):
        if end > 64:
            part = data[64:end]
            rng.choice(KINDS[:2])(rng, part, rng.randrange(len(part)))
            data[64:end] = part
    return bytes(data)


@each(seeds.blocks(part=2))
def test_strict_reading_stops_where_the_oracle_does(block):
    def check(seed):
        data = samples_damaged(seed)
        want, damage = tach.strict(data)
        code = bobbin.OK if damage is None else bobbin.FAILED
        result = bobbin.run('dump', write_file(data, 'in.bin'), ok=(code,))
        listing.expect_same(want, listing.parse(result.out))
    seeds.for_block(block, check)


def unpacked(name):
    """A recorded profile with its samples in the open."""
    return tach.rewritten(tach_oracle.Profile(read_file(tach.path(name))))


def without_moment(runs):
    """Times behind a gap lack what passed in it, and a status may be the
    first byte of the hole."""
    return [(count, fields[:listing.STATUS] + fields[listing.TIME + 1:])
            for count, fields in runs]


@each(['real_threads', 'threads64', 'real_opcodes', 'old_threads'])
def test_recovery_invents_nothing(name):
    """Thirty bytes that no record can have: what is found behind them is
    part of what was there.  Bytes of other records, copied over them, must
    not be taken for a place to go on."""
    data = unpacked(name)
    truth = list(tach_oracle.runs(data))
    want = tach.by_thread(without_moment(truth))
    end = tach_oracle.Profile(data).head.strings
    rng = random.Random(name)
    for _ in range(20):
        at = rng.randrange(64, end - 400)
        copy = rng.randrange(64, end - 100)
        hole = b'\xff' * 30 + data[copy:copy + rng.choice((0, 5, 13, 20))]
        path = write_file(data[:at] + hole + data[at + len(hole):], 'in.bin')
        result = bobbin.run('dump', '--recover', path,
                            ok=(bobbin.PARTIAL,))
        got = listing.parse(result.out)
        tach.expect_part_of(tach.by_thread(without_moment(got)), want,
                            'hole at %d' % at)


@each(seeds.blocks())
def test_recovered_file_is_clean(block):
    def check(seed):
        path = write_file(damaged(seed), 'in.bin')
        out = os.path.join(case.scratch, 'out.tach')
        result = bobbin.run('recover', '--deep', '-o', out, path,
                            ok=(bobbin.OK, bobbin.PARTIAL, bobbin.FAILED))
        if result.code == bobbin.FAILED:
            return          # not a TACH file any more
        result = bobbin.run('dump', '--recover', path,
                            ok=(bobbin.OK, bobbin.PARTIAL))
        got, damage = tach.strict(read_file(out))
        os.unlink(out)
        expect(damage is None, 'the recovered file is damaged: %s', damage)
        listing.expect_same(
            tach.by_thread(tach.without_places(listing.parse(result.out))),
            tach.by_thread(tach.without_places(got)))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_other_commands_survive(block):
    commands = (['convert', '-t', 'folded'], ['convert', '-t', 'rbt'],
                ['info', '--json'], ['verify'])

    def check(seed):
        path = write_file(damaged(seed), 'in.bin')
        for command in commands:
            bobbin.run(*command, path,
                       ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))
    seeds.for_block(block, check)
