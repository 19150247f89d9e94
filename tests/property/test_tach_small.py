"""`--small` of generated files."""
import os

from oracle import tach_gen, tach_oracle
from support import bobbin, case, listing, seeds, tach
from support.case import each, expect, read_file, write_file


def converted(data, *options):
    out = os.path.join(case.scratch, 'out.bin')
    bobbin.run('convert', '-t', 'tach', '-o', out, *options,
               write_file(data, 'in.bin'))
    made = read_file(out)
    os.unlink(out)
    return made


@each(seeds.blocks(part=0.5))
def test_small(block):
    """Other records, the same samples, and never more bytes."""
    def check(seed):
        data = tach_gen.generate(seed, tach_gen.PLAIN)
        for options in (['--compression', 'none'], []):
            plain = converted(data, *options)
            small = converted(data, '--small', *options)
            got, damage = tach.strict(small)
            expect(damage is None, 'damage: %s', damage)
            listing.expect_same(tach.by_thread(tach_oracle.runs(data)),
                                tach.by_thread(got))
            expect(len(small) <= len(plain), '%d bytes, without --small %d',
                   len(small), len(plain))
    seeds.for_block(block, check)
