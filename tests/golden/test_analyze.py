"""Reports against those that reli's own code made of the same traces."""
import re

from support import bobbin, case, fixtures
from support.case import each, expect

# (trace, report, options)
REPORTS = [
    ('tiny', 'default', []),
    ('multi-segment', 'default', []),
    ('annotations', 'last3', ['--last=3']),
    ('native-mixed', 'opcode-noline', ['--with-opcode', '--no-line']),
    ('opcodes', 'callers-callees',
     ['--top=5', '--callers=Pipeline::then',
      '--callees=ControllerDispatcher', '--path=short']),
    ('opcodes', 'hide-match-side',
     ['--top=6', r'--hide=^Illuminate\\|^<main>', '--match=Doctrine',
      '--last=2', '--last-depth=3', '--sections=self+total,tail',
      '--crop=72', '--crop-anchor=right', '--path=short']),
    ('opcodes', 'top0-callers', ['--top=0', '--callers=PDO']),
]


def reference(trace, report):
    path = fixtures.beside(trace, '.out/analyze-%s' % report)
    return (case.read_file(path + '.txt'),
            case.read_file(path + '.stderr.txt'))


@each([('%s/%s' % row[:2],) + row for row in REPORTS])
def test_reli_report_to_the_byte(item):
    _, trace, report, options = item
    want, want_err = reference(trace, report)
    path = fixtures.rbt_path(trace)
    result = bobbin.run('rbt:analyze', *options, stdin=case.read_file(path))
    expect(result.out == want, 'another report:\n%s', result.out.decode())
    expect(result.err == want_err, 'another summary: %s', result.err)
    expect(bobbin.run('rbt:analyze', *options, path).out == want,
           'another report of a file')


def tables(text):
    """[(title, [cells of a row])], side by side ones taken apart."""
    found, titles = [], []
    for line in text.decode().splitlines():
        if line.startswith('# '):
            titles = re.split(r'\s{2,}(?=# )', line)
            found += [(title, []) for title in titles]
        elif line.startswith('|'):
            parts = re.split(r'(?<=\|)  (?=\|)', line)
            for (_, rows), part in zip(found[-len(titles):], parts):
                rows.append([cell.strip() for cell in part[1:-1].split('|')])
    return found


@each([('%s/%s' % row[:2],) + row for row in REPORTS])
def test_own_report_has_the_same_rows_and_numbers(item):
    _, trace, report, options = item
    by_time = trace == 'multi-segment'      # its periods differ
    # The frames get as much room as without the other columns.
    options = [o.replace('--crop=72', '--crop=93') for o in options]
    want = tables(reference(trace, report)[0])
    result = bobbin.run('analyze', *options, fixtures.rbt_path(trace))
    got = tables(result.out)
    expect([t for t, _ in got] == [
        t + ', shares of time' * (by_time and 'last' not in t)
        for t, _ in want], 'titles %s', [t for t, _ in got])
    for (title, theirs), (_, ours) in zip(want, got):
        expect(all(len(row) == 5 for row in ours), 'columns of %s', title)
        ours = [[row[0], row[1], row[4]] for row in ours]
        if by_time:
            theirs = sorted([row[0], row[2]] for row in theirs)
            ours = sorted([row[0], row[2]] for row in ours)
        expect(ours == theirs, '%s: %s, not %s', title, ours, theirs)
    samples = re.match(rb'trace: (\d+) samples?, (\d+) matched', result.err)
    expect(samples and samples.groups() == re.match(
        rb'trace: (\d+) samples, (\d+) matched',
        reference(trace, report)[1]).groups(), 'summary %s', result.err)


def test_alias():
    path = fixtures.rbt_path('opcodes')
    expect(bobbin.run('report', path).out == bobbin.run('analyze', path).out,
           'report is not analyze')


def test_periods_that_differ_give_shares_of_time():
    """Nine samples of the one, five of the other: time tells another story
    than counting."""
    result = bobbin.run('analyze', fixtures.rbt_path('multi-segment'))
    expect(b'periods differ: shares are of time' in result.err, 'says %s',
           result.err)
    expect(b'period time' in result.out, 'the basis is not named')
    shares = [row[1] for row in tables(result.out)[0][1][1:]]
    expect(shares != ['56.2%', '31.2%', '12.5%'], 'shares of samples')
