"""A million samples: the only fixture too large to be handled as text."""
import os

from oracle import rbt_oracle
from support import bobbin, case, fixtures, listing, text
from support.case import expect, read_file

PATH = fixtures.rbt_path(fixtures.LARGE)


def expect_recorded_order(*command):
    """Hashes the dump as it comes.  Few lines differ in more than their
    count, so fields are split once per distinct line."""
    known = {}

    def runs():
        for row in bobbin.stream(*command):
            count, _, rest = row.partition(b'\t')
            if rest not in known:
                known[rest] = rest.decode('ascii').rstrip('\n').split('\t')
            yield int(count), known[rest]

    facts = listing.digest(fixtures.beside(fixtures.LARGE, '.digest'))
    got = listing.order_hash(runs())
    expect(got == facts['order-hash'], 'order-hash %s, not %s', got,
           facts['order-hash'])


def test_dump():
    expect_recorded_order('dump', PATH)


def test_dump_recover():
    expect_recorded_order('dump', '--recover', PATH)


def test_rewritten():
    out = os.path.join(case.scratch, 'out.rbt')
    bobbin.run('convert', '-t', 'rbt', '-o', out, PATH)
    expect(os.path.getsize(out) <= os.path.getsize(PATH),
           '%d bytes, the original writer needs %d', os.path.getsize(out),
           os.path.getsize(PATH))
    expect_recorded_order('dump', out)


def test_folded():
    want = text.weights(rbt_oracle.runs(read_file(PATH)), [1])
    got = text.folded(bobbin.run('convert', '-t', 'folded', PATH).out)
    expect(got == want, 'weights differ')
