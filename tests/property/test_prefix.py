"""Every prefix of a file: recovery finds exactly its whole events."""
from oracle import rbt_gen, rbt_oracle
from support import bobbin, fixtures, listing
from support.case import each, expect, write_file

# Streams of some hundred bytes, in which every kind of event is cut at every
# byte.  Each prefix is one start of the program.
SEEDS = [1, 2, 3, 5]


def ends_of_events(data):
    return {event.end for event in rbt_oracle.events(data)} | {0}


def check_all_prefixes(data):
    ends = ends_of_events(data)
    for size in range(1, len(data) + 1):
        prefix = data[:size]
        codes = (bobbin.OK,)
        if size not in ends:
            codes += (bobbin.PARTIAL,)
        result = bobbin.run('dump', '--recover', write_file(prefix),
                            ok=codes)
        difference = listing.first_difference(
            rbt_oracle.runs(prefix), listing.parse(result.out))
        expect(difference is None, 'first %d bytes: %s', size, difference)


@each(SEEDS)
def test_of_a_generated_stream(seed):
    check_all_prefixes(rbt_gen.generate(seed, rbt_gen.SMALL))


@each(['annotations', 'metadata'])
def test_of_a_written_file(name):
    check_all_prefixes(bobbin.run('convert', '-t', 'rbt',
                                  fixtures.rbt_path(name)).out)


@each(SEEDS)
def test_strict_reading_of_prefixes(seed):
    """A file that is still being written is no error."""
    data = rbt_gen.generate(seed, rbt_gen.SMALL)
    for size in range(1, len(data), 7):
        result = bobbin.run('dump', write_file(data[:size]))
        difference = listing.first_difference(
            rbt_oracle.runs(data[:size]), listing.parse(result.out))
        expect(difference is None, 'first %d bytes: %s', size, difference)
