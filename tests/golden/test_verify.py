"""`verify` and `info`: what they say about every fixture."""
import json

from oracle import rbt_oracle
from support import bobbin, fixtures, listing
from support.case import each, expect, read_file

# Its checkpoint is malformed: fine to read, worth a complaint.
ODD = ('unknown-events',)


def codes(name):
    """What has no end event is whole as it stands."""
    if name in fixtures.DAMAGE or name in ODD:
        return (bobbin.FAILED,)
    if name in fixtures.TRUNCATED:
        return (bobbin.PARTIAL,)
    return (bobbin.OK,)


@each(fixtures.rbt_names())
def test_verify(name):
    bobbin.run('verify', fixtures.rbt_path(name), ok=codes(name))


@each(sorted(fixtures.DAMAGE))
def test_verify_names_the_place(name):
    result = bobbin.run('verify', fixtures.rbt_path(name),
                        ok=(bobbin.FAILED,))
    report = (result.out + result.err).decode('utf-8', 'replace')
    offsets = fixtures.damage_offsets(name)
    expect(any('byte %d' % offset in report for offset in offsets),
           'no byte offset of %s in: %s', offsets, report[:300])


@each(fixtures.intact_names())
def test_info_json(name):
    """Counts, periods and pids as the oracle sees them."""
    data = read_file(fixtures.rbt_path(name))
    result = bobbin.run('info', '--json', fixtures.rbt_path(name))
    info = json.loads(result.out.decode('utf-8'))
    want = listing.total(rbt_oracle.runs(data))
    expect(info['samples'] == want, '%s samples, not %d', info['samples'],
           want)


@each(fixtures.intact_names())
def test_info_for_people(name):
    result = bobbin.run('info', fixtures.rbt_path(name))
    expect(result.out.strip(), 'nothing is printed')
