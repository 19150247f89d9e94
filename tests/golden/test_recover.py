"""Tolerant reading: `dump --recover` and `recover` on every fixture.

The bar is what is really in the file, found by taking the damaged bytes out;
never less than what the original tool's recovery finds.
"""
import json
import os

from oracle import rbt_oracle
from support import bobbin, case, fixtures, listing
from support.case import each, expect, read_file

# What is in the files; the first three are more than the original tool finds.
SAMPLES = {
    'corrupt-length-swallow': 352,
    'false-magic': 60,
    'corrupt-middle': 530,
    'corrupt-reserved-type': 84,
    'corrupt-length-16mb': 122,
    'garbage-prefix': 60,
    'truncated': 317,
    'truncated-in-header': 100,
}
# Everything about a sample but the segment: a reader that resumes behind
# damage may count a new segment there.
FACTS = (listing.PID, listing.TIME, listing.ANNOTATIONS)


def facts(runs):
    return listing.columns(runs, *FACTS)


def truth(name):
    return list(rbt_oracle.runs(fixtures.without_damage(name)))


def exit_codes(name):
    if name in fixtures.DAMAGE:
        return (bobbin.PARTIAL,)
    if name in fixtures.TRUNCATED:
        return (bobbin.OK, bobbin.PARTIAL)
    return (bobbin.OK,)


@each(sorted(SAMPLES.items()))
def test_number_of_samples(item):
    name, samples = item
    expect(listing.total(truth(name)) == samples, 'the table is wrong')
    result = bobbin.run('dump', '--recover', fixtures.rbt_path(name),
                        ok=exit_codes(name))
    got = listing.total(listing.parse(result.out))
    expect(got == samples, '%d samples, not %d', got, samples)


@each(fixtures.rbt_names())
def test_dump_recover(name):
    result = bobbin.run('dump', '--recover', fixtures.rbt_path(name),
                        ok=exit_codes(name))
    got = listing.parse(result.out)
    if name in fixtures.DAMAGE:
        listing.expect_same(facts(truth(name)), facts(got))
    else:
        listing.expect_same(truth(name), got)


@each([n for n in fixtures.rbt_names()
       if os.path.exists(fixtures.beside(n, '.recovered.txt'))])
def test_never_fewer_than_the_original_tool(name):
    recorded = listing.from_fixture(fixtures.beside(name, '.recovered.txt'))
    result = bobbin.run('dump', '--recover', fixtures.rbt_path(name),
                        ok=exit_codes(name))
    listing.expect_subsequence(facts(recorded),
                               facts(listing.parse(result.out)), name)


@each(fixtures.rbt_names())
def test_recover_writes_a_clean_file(name):
    """No damage in the result, every sample, periods and metadata kept."""
    out = os.path.join(case.scratch, 'out.rbt')
    bobbin.run('recover', '-o', out, fixtures.rbt_path(name),
               ok=exit_codes(name))
    data = read_file(out)
    got = list(rbt_oracle.runs(data))
    listing.expect_same(facts(truth(name)), facts(got))
    expect(segment_facts(data, got)
           == segment_facts(fixtures.without_damage(name), truth(name)),
           'periods or metadata of the segments differ')


def segment_facts(data, runs):
    """(period, metadata) of the segments that hold samples; neighbours that
    agree count once, because a resumed segment may be written as two."""
    used = {int(fields[listing.SEGMENT]) for _, fields in runs}
    out = []
    for index, events in enumerate(rbt_oracle.segments(data)):
        if index not in used:
            continue
        period = events[0].values[1]
        meta = dict(e.values for e in events
                    if e.type == rbt_oracle.METADATA)
        if not out or out[-1] != (period, meta):
            out.append((period, meta))
    return out


def test_recover_to_standard_output():
    path = fixtures.rbt_path('corrupt-middle')
    result = bobbin.run('recover', path, ok=(bobbin.PARTIAL,))
    listing.expect_same(facts(truth('corrupt-middle')),
                        facts(list(rbt_oracle.runs(result.out))))
    expect(result.err.strip(), 'no report on stderr')


@each(sorted(fixtures.DAMAGE))
def test_report_names_the_place(name):
    out = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run('recover', '-o', out, fixtures.rbt_path(name),
                        ok=(bobbin.PARTIAL,))
    report = (result.out + result.err).decode('utf-8', 'replace')
    offsets = fixtures.damage_offsets(name)
    expect(any('byte %d' % offset in report for offset in offsets),
           'no byte offset of %s in: %s', offsets, report[:300])


@each(sorted(fixtures.DAMAGE))
def test_json_report(name):
    """With a file as output the report is alone on standard output."""
    out = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run('recover', '--json', '-o', out,
                        fixtures.rbt_path(name), ok=(bobbin.PARTIAL,))
    report = json.loads(result.out.decode('utf-8'))
    expect(isinstance(report, dict), 'report is a %s', type(report).__name__)


@each([n for n in fixtures.intact_names()
       if fixtures.rbt_path(n).endswith('.rbt')])
def test_exact_keeps_intact_bytes(name):
    path = fixtures.rbt_path(name)
    result = bobbin.run('recover', '--exact', path)
    expect(result.out == read_file(path), 'the bytes changed')


def test_exact_keeps_the_segments_around_damage():
    data = read_file(fixtures.rbt_path('corrupt-middle'))
    starts = [e[0].start for e in rbt_oracle.segments(
        fixtures.without_damage('corrupt-middle'))]
    first, last = data[:starts[1]], data[starts[2] + 12:]
    result = bobbin.run('recover', '--exact',
                        fixtures.rbt_path('corrupt-middle'),
                        ok=(bobbin.PARTIAL,))
    expect(result.out.startswith(first), 'the first segment changed')
    expect(result.out.endswith(last), 'the last segment changed')
    listing.expect_same(facts(truth('corrupt-middle')),
                        facts(list(rbt_oracle.runs(result.out))))


def test_old_spelling():
    """`rbt:recover -f phpspy` reads stdin and writes text."""
    data = read_file(fixtures.rbt_path('corrupt-length-swallow'))
    result = bobbin.run('rbt:recover', '-f', 'phpspy', stdin=data,
                        ok=(bobbin.PARTIAL,))
    traces = result.out.split(b'\n\n')
    expect(traces[-1] == b'', 'text does not end with a blank line')
    expect(len(traces) - 1 == 352, '%d traces, not 352', len(traces) - 1)
