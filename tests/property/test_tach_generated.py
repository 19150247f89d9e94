"""Legal but unusual TACH files: read as the oracle reads them, from a file and
from a pipe."""
from oracle import tach_gen, tach_oracle
from support import bobbin, listing, seeds
from support.case import each, expect, write_file


def dump(data, *args):
    path = write_file(data, 'in.bin')
    return listing.parse(bobbin.run('dump', *args, path).out)


@each(seeds.blocks())
def test_dump_is_what_the_oracle_reads(block):
    def check(seed):
        data = tach_gen.generate(seed)
        listing.expect_same(tach_oracle.runs(data), dump(data))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_pipe_is_as_good_as_a_file(block):
    def check(seed):
        data = tach_gen.generate(seed)
        result = bobbin.run('dump', stdin=data,
                            chunk=(1, 13, 4096, None)[seed & 3])
        listing.expect_same(tach_oracle.runs(data), listing.parse(result.out))
    seeds.for_block(block, check)


@each(seeds.blocks())
def test_recovery_changes_nothing(block):
    """What is legal is not damaged, however odd it looks."""
    def check(seed):
        data = tach_gen.generate(seed)
        listing.expect_same(tach_oracle.runs(data), dump(data, '--recover'))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_dialect_that_is_given(block):
    def check(seed):
        data = tach_gen.generate(seed)
        name, _ = tach_oracle.dialect(data)
        listing.expect_same(tach_oracle.runs(data),
                            dump(data, '--dialect', name))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_verify_finds_nothing(block):
    def check(seed):
        # Names that are no UTF-8 deserve a word, and so are left out.
        data = tach_gen.generate(seed, tach_gen.PLAIN)
        result = bobbin.run('verify', write_file(data, 'in.bin'))
        expect(not result.err, 'stderr: %s', result.err[:200])
    seeds.for_block(block, check)
