"""`bobbin dump` of every fixture: strict reading."""
from oracle import rbt_oracle
from support import bobbin, fixtures, listing
from support.case import each, expect, read_file


def oracle(data):
    """(runs before the damage, whether there is damage)"""
    runs = []
    try:
        for run in rbt_oracle.runs(data):
            runs.append(run)
    except rbt_oracle.Damage:
        return runs, True
    return runs, False


@each(fixtures.rbt_names())
def test_strict(name):
    path = fixtures.rbt_path(name)
    want, damaged = oracle(read_file(path))
    result = bobbin.run('dump', path,
                        ok=(bobbin.FAILED if damaged else bobbin.OK,))
    got = listing.parse(result.out)
    listing.expect_same(want, got)
    facts = listing.digest(fixtures.beside(name, '.digest'))
    if listing.total(got) == int(facts['samples']):
        hashed = listing.order_hash(got)
        expect(hashed == facts['order-hash'], 'order-hash %s, not %s',
               hashed, facts['order-hash'])
    else:
        # The recording reader drops its newest sample at an error.
        expect(name in fixtures.DAMAGE or name in fixtures.TRUNCATED,
               '%d samples, recorded %s', listing.total(got),
               facts['samples'])


@each(sorted(fixtures.DAMAGE))
def test_error_names_the_place(name):
    result = bobbin.run('dump', fixtures.rbt_path(name), ok=(bobbin.FAILED,))
    offsets = fixtures.damage_offsets(name)
    expect(any(b'byte %d' % offset in result.err for offset in offsets),
           'no byte offset of %s in: %s', offsets,
           result.err.decode('utf-8', 'replace')[:300])


@each(fixtures.TRUNCATED)
def test_unfinished_file_gets_a_note(name):
    result = bobbin.run('dump', fixtures.rbt_path(name))
    expect(result.err.strip(), 'nothing on stderr')


# A checkpoint without its numbers deserves a word.
@each([n for n in fixtures.intact_names() if n != 'unknown-events'])
def test_whole_file_is_silent(name):
    result = bobbin.run('dump', fixtures.rbt_path(name))
    expect(not result.err, 'stderr: %s', result.err[:200])
