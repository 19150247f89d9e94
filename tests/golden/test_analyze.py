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


ROW = re.compile(r' *(\d+\.\d%) +[\d.]+ +[\d.]+ \w+(?: \d\d \w)? +(\d+)'
                 r'(?:  (\S.*?))?(?:  +(\S.*))?$')


def calm_tables(result):
    """The same of tables without lines: [count, share, function and file]."""
    below = re.search(r'^paths are below (.*)$', result.err.decode(), re.M)
    below = below[1] if below else ''
    found, starts = [], []
    for line in result.out.decode().splitlines():
        if line.startswith('# '):
            starts = [0] + [m.end() for m in re.finditer(r'\s{2,}(?=# )', line)]
            titles = re.split(r'\s{2,}(?=# )', line)
            found += [(title, [['count', 'pct', 'frame']])
                      for title in titles]
            continue
        for i, start in enumerate(starts):
            end = starts[i + 1] if i + 1 < len(starts) else None
            row = ROW.match(line[start:end].rstrip())
            if not row:
                continue
            file = row[4] or ''
            if file and file[0] not in '/<' and '/' in below:
                file = below + file
            found[len(found) - len(starts) + i][1].append(
                [row[2], row[1], ('%s %s' % (row[3] or '', file)).strip()])
    return found


@each([('%s/%s' % row[:2],) + row for row in REPORTS])
def test_own_report_has_the_same_rows_and_numbers(item):
    _, trace, report, options = item
    by_time = trace == 'multi-segment'      # its periods differ
    # Nothing is cut.
    options = [o.replace('--crop=72', '--crop=400') for o in options]
    if '--no-line' not in options:
        options = ['--lines'] + options
    want = tables(reference(trace, report)[0])
    result = bobbin.run('analyze', *options, fixtures.rbt_path(trace))
    got = calm_tables(result)
    expect([t for t, _ in got] == [
        t + ', shares of time' * (by_time and 'last' not in t)
        for t, _ in want], 'titles %s', [t for t, _ in got])
    for (title, theirs), (_, ours) in zip(want, got):
        if 'last' in title:
            continue
        # A line that is not known is not shown. Theirs may be cut.
        theirs = [row[:2] + [row[2].replace(':-1', '')] for row in theirs]
        ours = [own[:2] + ['\u2026' + own[2][1 - len(row[2]):]
                           if row[2].startswith('\u2026') else own[2]]
                for own, row in zip(ours, theirs)]
        if by_time:
            theirs = sorted([row[0], row[2]] for row in theirs)
            ours = sorted([row[0], row[2]] for row in ours)
        expect(ours == theirs, '%s: %s, not %s', title, ours, theirs)
    read, matched = re.match(rb'trace: (\d+) samples, (\d+) matched',
                             reference(trace, report)[1]).groups()
    # That all match is not worth a word.
    want = rb'\s*trace: %s samples?%s[,;]' % (
        read, b'' if matched == read else rb', %s matched' % matched)
    expect(re.match(want, result.err), 'summary %s', result.err)


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
