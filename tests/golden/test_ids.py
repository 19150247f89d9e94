"""What an id means, and until when.

A reader is tempted to remember what a stack id stood for last time.  Each test
is tried with ids near zero, far from it, and near after far, because a table
may keep these in different places; many samples in a row reach its fast path.
"""
from oracle import rbt_oracle, rbt_wire as wire
from support import bobbin, listing
from support.case import each, expect, write_file

FAR = 1 << 40
# (label, ids to define before, the id under test)
PLACES = [('near', [], 5), ('two bytes', [], 300), ('far', [], FAR),
          ('near after far', [FAR], 5), ('two bytes after far', [FAR], 300),
          ('large after small', [0, 1, 2], 16000)]
MANY = 100


def head(before):
    return (wire.header() + wire.one_frame(b'old')
            + b''.join(wire.stack(ident, [0, 0]) for ident in before))


def new_frame():
    return wire.string(1, b'new') + wire.frame(0, 0, 0, 1, 2, 1)


def dump(data, ok=(bobbin.OK,)):
    return listing.parse(bobbin.run('dump', write_file(data), ok=ok).out)


@each(PLACES)
def test_redefined_frame_shows_in_stacks_defined_before(place):
    _, before, ident = place
    data = (head(before) + wire.stack(ident, [0]) + wire.compact(ident)
            + new_frame() + wire.compact(ident) * MANY + wire.end())
    listing.expect_same(rbt_oracle.runs(data), dump(data))


@each(PLACES)
def test_redefined_stack(place):
    _, before, ident = place
    data = (head(before) + wire.stack(ident, [0]) + wire.compact(ident) * MANY
            + wire.stack(ident, [0, 0, 0]) + wire.compact(ident) * MANY)
    listing.expect_same(rbt_oracle.runs(data), dump(data))


@each(PLACES)
def test_repeat_keeps_what_the_sample_was(place):
    _, before, ident = place
    data = (head(before) + wire.stack(ident, [0]) + wire.compact(ident)
            + wire.stack(ident, []) + new_frame() + wire.repeat(MANY)
            + wire.compact(ident) * MANY)
    listing.expect_same(rbt_oracle.runs(data), dump(data))


@each(PLACES)
def test_ids_end_with_their_segment(place):
    """In the next segment the same id is unknown, not what it was."""
    _, before, ident = place
    data = (head(before) + wire.stack(ident, [0]) + wire.compact(ident) * MANY
            + wire.end() + wire.header() + wire.compact(ident) * MANY)
    got = dump(data, ok=(bobbin.FAILED,))
    expect(listing.total(got) == MANY, '%d samples, not %d',
           listing.total(got), MANY)


@each(PLACES)
def test_stack_before_its_frames(place):
    """References are looked up when sampled, so the order may be reversed."""
    _, before, ident = place
    data = (head(before) + wire.stack(ident, [77])
            + wire.frame(77, 0, 0, 1, 2, 9) + wire.compact(ident) * MANY)
    listing.expect_same(rbt_oracle.runs(data), dump(data))
