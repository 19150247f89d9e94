"""`convert -t rbt`: the same facts, and never more bytes than the tool that
wrote the fixtures needed for them."""
import gzip
import os

from oracle import rbt_lint, rbt_oracle
from support import bobbin, case, fixtures, listing
from support.case import each, expect, read_file

# Put together by hand, or not finished: their size measures no writer.
NOT_WRITTEN = ('unknown-events', 'reencoded-ids', 'header-only',
               'no-segment-end', 'multi-segment')


def converted(name, *options):
    return bobbin.run('convert', '-t', 'rbt', *options,
                      fixtures.rbt_path(name)).out


@each(fixtures.intact_names())
def test_same_facts(name):
    before, after = read_file(fixtures.rbt_path(name)), converted(name)
    listing.expect_same(rbt_oracle.runs(before), rbt_oracle.runs(after))
    expect(headers(after) == headers(before), 'segments %s, not %s',
           headers(after), headers(before))


def headers(data):
    """(timed, period, metadata) of each segment."""
    return [(events[0].values[0] & 1, events[0].values[1],
             dict(e.values for e in events if e.type == rbt_oracle.METADATA))
            for events in rbt_oracle.segments(data)]


@each(fixtures.intact_names())
def test_written_by_the_book(name):
    rbt_lint.check(converted(name))


@each([n for n in fixtures.intact_names()
       if n not in NOT_WRITTEN and fixtures.rbt_path(n).endswith('.rbt')])
def test_not_larger(name):
    limit = os.path.getsize(fixtures.rbt_path(name))
    size = len(converted(name))
    expect(size <= limit, '%d bytes, the original writer needs %d', size,
           limit)


# Where nothing is lost by writing one segment without timestamps, what the
# original tool's own conversion needs is the measure.
@each(['tiny', 'names-and-lines', 'native-mixed'])
def test_not_larger_than_reencoded(name):
    path = fixtures.beside(name, '.out/reencoded.rbt')
    size = len(converted(name))
    expect(size <= os.path.getsize(path), '%d bytes, reencoded has %d', size,
           os.path.getsize(path))
    listing.expect_same(rbt_oracle.runs(read_file(path)),
                        rbt_oracle.runs(converted(name)))


def test_suffix_decides():
    out = os.path.join(case.scratch, 'out.rbt')
    bobbin.run('convert', '-o', out, fixtures.rbt_path('opcodes'))
    expect(read_file(out) == converted('opcodes'),
           '-o out.rbt and -t rbt differ')


def test_old_spelling_with_compression():
    data = read_file(fixtures.rbt_path('opcodes'))
    packed = bobbin.run('converter:rbt', '--compress', stdin=data).out
    expect(packed.startswith(b'\x1f\x8b'), 'not gzip')
    listing.expect_same(rbt_oracle.runs(data),
                        rbt_oracle.runs(gzip.decompress(packed)))


def test_one_member_per_segment():
    """So that a crash costs at most the segment being written."""
    packed = bobbin.run('converter:rbt', '--compress', stdin=read_file(
        fixtures.rbt_path('segmented-rotation'))).out
    expect(b'\x1f\x8b' == packed[:2], 'not gzip')
    segments = len(rbt_oracle.segments(packed))
    starts = [i for i in range(len(packed))
              if packed.startswith(b'\x1f\x8b\x08', i)]
    expect(segments > 1 and len(starts) >= segments,
           '%d members for %d segments', len(starts), segments)
