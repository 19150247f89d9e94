"""Legal but unusual streams: read as the oracle reads them, and written again
without a loss."""
from oracle import rbt_gen, rbt_lint, rbt_oracle
from support import bobbin, listing, seeds, text
from support.case import each, expect, write_file


def dump(data):
    return listing.parse(bobbin.run('dump', write_file(data)).out)


@each(seeds.blocks())
def test_dump_is_what_the_oracle_reads(block):
    def check(seed):
        data = rbt_gen.generate(seed)
        listing.expect_same(rbt_oracle.runs(data), dump(data))
    seeds.for_block(block, check)


@each(seeds.blocks())
def test_recovery_changes_nothing(block):
    """What is legal is not damaged, however odd it looks."""
    def check(seed):
        data = rbt_gen.generate(seed)
        result = bobbin.run('dump', '--recover', write_file(data))
        listing.expect_same(rbt_oracle.runs(data), listing.parse(result.out))
    seeds.for_block(block, check)


@each(seeds.blocks())
def test_rewritten_stream_says_the_same(block):
    def check(seed):
        data = rbt_gen.generate(seed)
        out = bobbin.run('convert', '-t', 'rbt', write_file(data)).out
        listing.expect_same(rbt_oracle.runs(data), rbt_oracle.runs(out))
        rbt_lint.check(out)
        expect(facts(out) == facts(data), 'segments %s, not %s', facts(out),
               facts(data))
    seeds.for_block(block, check)


CHANGES = (b'bobbin.annotations', b'changes')


def facts(data):
    """(period, metadata, unknown events) of each segment."""
    out = []
    for events in rbt_oracle.segments(data):
        meta = {}
        unknown = []
        for event in events[1:]:
            if event.type == rbt_oracle.METADATA and \
                    event.values != CHANGES:
                meta[event.values[0]] = event.values[1]
            elif not 1 <= event.type <= rbt_oracle.SAMPLE_ANNOTATION:
                unknown.append((event.type, event.values))
        out.append((events[0].values[1], meta, unknown))
    return out


def without_empty(runs):
    """Where they are told by changes, no annotations and a set of none are the
    same."""
    for count, fields in runs:
        at = rbt_oracle.ANNOTATION_COLUMN
        if fields[at] == '{}':
            fields = fields[:at] + ['-'] + fields[at + 1:]
        yield count, fields


@each(seeds.blocks())
def test_annotations_come_back_from_their_changes(block):
    def check(seed):
        data = rbt_gen.generate(seed)
        want = rbt_oracle.merge(without_empty(rbt_oracle.runs(data)))
        out = bobbin.run('convert', '-t', 'rbt', '--annotate', 'changes',
                         '--checkpoint', '5', write_file(data)).out
        listing.expect_same(want, rbt_oracle.runs(out))
        listing.expect_same(rbt_oracle.runs(out), dump(out))
    seeds.for_block(block, check)


@each(seeds.blocks())
def test_folded_weights(block):
    def check(seed):
        data = rbt_gen.generate(seed)
        runs = list(rbt_oracle.runs(data))
        result = bobbin.run('convert', '-t', 'folded', write_file(data))
        want = text.weights(runs, text.folded_units(data, runs))
        got = text.folded(result.out)
        expect(got == want, 'missing %s, extra %s', str(want - got)[:200],
               str(got - want)[:200])
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_folded_text_reads_back(block):
    """folded -> rbt -> folded is the same text, up to the order."""
    def check(seed):
        first = bobbin.run('convert', '-t', 'folded',
                           write_file(rbt_gen.generate(seed))).out
        path = write_file(first, 'in.folded')
        rbt = bobbin.run('convert', '-f', 'folded', '-t', 'rbt', path).out
        again = bobbin.run('convert', '-f', 'rbt', '-t', 'folded',
                           stdin=rbt).out
        expect(text.folded(again) == text.folded(first), 'stacks changed')
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_phpspy_text_reads_back(block):
    """Frames and order survive the way through text; empty stacks, which
    are lone blank lines there, are left out of the comparison."""
    def check(seed):
        data = rbt_gen.generate(seed, rbt_gen.FLAT)
        out = bobbin.run('convert', '-t', 'phpspy', write_file(data)).out
        path = write_file(out, 'in.phpspy')
        back = bobbin.run('convert', '-f', 'phpspy', '-t', 'dump', path).out
        listing.expect_same(as_text(rbt_oracle.runs(data)),
                            as_text(listing.parse(back)))
    seeds.for_block(block, check)


def as_text(runs):
    return [(count, [repr(text.frame_fields(token))
                     for token in fields[listing.FRAMES:]])
            for count, fields in runs if fields[listing.FRAMES:]]
