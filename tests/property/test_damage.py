"""Random damage: no crash, no loss of what strict reading finds, and a clean
file out of every recovery."""
import os
import random

from oracle import rbt_gen, rbt_oracle
from support import bobbin, case, damage, fixtures, listing, seeds
from support.case import each, read_file, write_file

FIXTURES = ['annotations', 'annotations-ts', 'metadata', 'multi-segment',
            'native-mixed', 'pid-bundled', 'reencoded-ids', 'rle-runs',
            'unknown-events', 'opcodes']

KINDS = (damage.overwrite, damage.flip, damage.delete,
         damage.insert(b'RELI', b'RELI\x01\0\0\0\x10\x27\0\0\0\0\0\0',
                       b'\x1f\x8b\x08\0'),
         damage.repeat_part)


def damaged(seed, compressed=True):
    rng = random.Random(seed)
    if rng.random() < 0.4:
        names = FIXTURES + (['gzip-concat'] if compressed else [])
        data = read_file(fixtures.rbt_path(rng.choice(names)))
    else:
        shape = rng.choice((rbt_gen.WILD, rbt_gen.SMALL))
        data = rbt_gen.generate(rng.randrange(1 << 30),
                                shape._replace(gzip=compressed))
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        if data:
            rng.choice(KINDS)(rng, data, rng.randrange(len(data)))
    return bytes(data)


@each(seeds.blocks(part=2))
def test_recovery_keeps_what_strict_reading_finds(block):
    def check(seed):
        path = write_file(damaged(seed))
        strict = bobbin.run('dump', path, ok=(bobbin.OK, bobbin.FAILED))
        tolerant = bobbin.run('dump', '--recover', path,
                              ok=(bobbin.OK, bobbin.PARTIAL))
        listing.expect_prefix(listing.parse(strict.out),
                              listing.parse(tolerant.out))
        # A wrong sum in a gzip trailer is an error that costs no sample.
        if strict.code == bobbin.FAILED and b'gzip' not in strict.err:
            case.expect(tolerant.code == bobbin.PARTIAL,
                        'an error, but nothing reported as lost')
    seeds.for_block(block, check)


@each(seeds.blocks())
def test_recovered_file_is_clean(block):
    def check(seed):
        path = write_file(damaged(seed))
        out = os.path.join(case.scratch, 'out.rbt')
        bobbin.run('recover', '-o', out, path,
                   ok=(bobbin.OK, bobbin.PARTIAL))
        result = bobbin.run('dump', '--recover', path,
                            ok=(bobbin.OK, bobbin.PARTIAL))
        listing.expect_same(listing.parse(result.out),
                            rbt_oracle.runs(read_file(out)))
    seeds.for_block(block, check)


@each(seeds.blocks())
def test_strict_reading_stops_where_the_oracle_does(block):
    """Raw streams only: how much of a damaged gzip member comes out before
    the damage shows is up to the decoder."""
    def check(seed):
        data = damaged(seed, compressed=False)
        want, codes = [], (bobbin.OK,)
        try:
            for run in rbt_oracle.runs(data):
                want.append(run)
            if any(event.type == rbt_oracle.CUT
                   for event in rbt_oracle.events(data)):
                # Unfinished, or a damaged length that reaches over the end:
                # a reader that can tell may complain.
                codes = (bobbin.OK, bobbin.FAILED)
        except rbt_oracle.Damage:
            codes = (bobbin.FAILED,)
        result = bobbin.run('dump', write_file(data), ok=codes)
        listing.expect_same(listing.saturated(want),
                            listing.parse(result.out))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_other_commands_survive(block):
    commands = (['convert', '-t', 'folded'], ['convert', '-t', 'rbt'],
                ['info', '--json'], ['verify'], ['recover', '--exact'])

    def check(seed):
        path = write_file(damaged(seed))
        for command in commands:
            bobbin.run(*command, path,
                       ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))
    seeds.for_block(block, check)
