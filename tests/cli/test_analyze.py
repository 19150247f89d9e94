"""bobbin analyze: options, outputs, and what it prints when a report is empty.
The numbers are tested in property/ and golden/."""
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from cli import terminal
from oracle import rbt_wire as wire
from support import bobbin, case, fixtures, schema, tach
from support.case import each, expect, write_file

TINY = fixtures.rbt_path('tiny')
OPCODES = fixtures.rbt_path('opcodes')
NOTES = fixtures.rbt_path('annotations')
REAL = tach.path('real_json')
EVERYTHING = ['--tree', '--timeline', '--requests', '--last=3',
              '--callers', 'dispatch', '--callees', 'main']


def analyze(*args, **more):
    return bobbin.run('analyze', *args, **more)


def as_json(*args):
    report = json.loads(analyze('--json', *args).out)
    schema.check(report)
    return report


def named(name, count=3, file=b'/a.php'):
    """A trace of one function."""
    return (wire.header() + wire.one_frame(name, file) + wire.compact(0)
            + wire.repeat(count - 1) + wire.end())


# ---- options ----------------------------------------------------------------

@each([('top', '--top=x'), ('last', '--last=0'), ('depth', '--depth=-1'),
       ('path', '--path=middle'), ('crop', '--crop=wide'),
       ('anchor', '--crop-anchor=top'), ('section', '--sections=self+sum'),
       ('section twice', '--sections=self,self'),
       ('no section', '--sections=,'), ('group', '--group-by=colour'),
       ('annotation without key', '--group-by=annotation'),
       ('key without annotation', '--group-by=pid:x'),
       ('percent', '--min-percent=101'), ('percent with unit',
                                          '--min-percent=1s'),
       ('budget', '--budget=7'), ('interval', '--interval=1us'),
       ('two outputs', '--json', '--md'), ('callers', '--callers=('),
       ('callees', '--callees=['), ('match', '--match=('),
       ('no order', '--order=time')])
def test_mistakes_come_with_a_hint(item):
    result = analyze(*item[1:], TINY, ok=(bobbin.USAGE,))
    lines = result.err.decode().splitlines()
    expect(len(lines) == 2 and lines[0].startswith('bobbin: ')
           and lines[1].startswith('hint: '), 'says %r', lines)
    expect(result.out == b'', 'prints all the same')


def test_a_value_may_be_left_out():
    expect(analyze('--last', TINY).out == analyze(TINY, '--last=1').out,
           'the file is not a number of samples')


@each([('tree', 'call tree'), ('timeline', 'time line'),
       ('requests', 'slowest requests'), ('routes', 'most time first'),
       ('frequent', 'most frequent first'), ('self', 'self-time top')])
def test_a_section_can_be_asked_for_by_name(item):
    name, title = item
    out = analyze('--sections', name, NOTES).out.decode()
    expect(title in out and out.count('\n# ') == 0, 'not %s alone: %s', name,
           out)


def test_sections_stand_side_by_side():
    out = analyze('--sections=self+total,tree', OPCODES).out.decode()
    first = out.splitlines()[0]
    expect(re.match('# self.* {2,}# total', first), 'first line %r', first)


def test_top_0_leaves_the_tables_out():
    out = analyze('--top=0', '--tree', TINY).out.decode()
    expect('call tree' in out and 'self-time' not in out, 'prints %s', out)


# ---- inputs -----------------------------------------------------------------

def test_several_inputs_add_up():
    one, both = as_json(TINY), as_json(TINY, TINY)
    for section in ('self', 'total'):
        rows = [report['sections'][section]['rows'] for report in (one, both)]
        expect(len(rows[0]) == len(rows[1]) > 0, 'rows: %s', rows)
        for a, b in zip(*rows):
            expect((a['text'], 2 * a['samples'], 2 * a['time_us'])
                   == (b['text'], b['samples'], b['time_us']), '%s, %s', a, b)


def test_directory_is_the_traces_in_it():
    shutil.copy(TINY, os.path.join(case.scratch, 'a.rbt'))
    write_file(named(b'g'), 'b.rbt')
    write_file(b'not a trace, by any means', 'notes.txt')
    report = as_json(case.scratch)
    expect(report['samples']['read'] == 6, '%s', report['samples'])


def test_standard_input():
    data = case.read_file(OPCODES)
    want = analyze(OPCODES).out
    expect(analyze(stdin=data).out == want, 'without a name')
    expect(analyze('-', stdin=data, chunk=100).out == want, 'with -')


@each(['folded', 'speedscope', 'pprof', 'phpspy', 'tach'])
def test_any_format(name):
    path = os.path.join(case.scratch, 'in.' + name)
    bobbin.run('-q', 'convert', '-t', name, '-o', path, OPCODES)
    want, got = (
        [(r['text'], r['samples']) for r in as_json(
            '--group-by=name', '--top=1000', *args)['sections']['total'][
                'rows']]
        for args in ([OPCODES], ['-f', name, path]))
    expect(sorted(got) == sorted(want), '%s, not %s', got, want)


def test_damage_shows_what_comes_before():
    path = fixtures.rbt_path('corrupt-middle')
    result = analyze('--json', '--strict', path, ok=(bobbin.FAILED,))
    expect(json.loads(result.out)['samples']['read'] == 320, 'read %s',
           result.out)
    expect(b'bobbin recover' in result.err, 'no hint: %s', result.err)
    result = analyze('--json', path, ok=(bobbin.PARTIAL,))
    report = json.loads(result.out)
    expect(report['damage']['gaps'] > 0 and report['samples']['read'] > 320,
           '%s', report['damage'])


def test_a_missing_file_does_not_hide_the_others():
    result = analyze(TINY, '/nonexistent', ok=(bobbin.FAILED,))
    expect(b'nonexistent' in result.err and b'Router' in result.out,
           'says %s', result.err)


def test_pid_of_the_segment_counts():
    data = (wire.header() + wire.metadata(b'pid', b'42') + wire.one_frame()
            + wire.compact(0) + wire.end() + named(b'g', 2))
    rows = as_json('--group-by=pid', write_file(data))['sections']['self']
    expect([(r['text'], r['samples']) for r in rows['rows']]
           == [('(no pid)', 2), ('42', 1)], '%s', rows)


def test_pids_of_many_files_count():
    folder = os.path.join(case.scratch, 'pids')
    os.mkdir(folder)
    for pid in range(100, 140):
        write_file(wire.header() + wire.metadata(b'pid', b'%d' % pid) +
                   wire.one_frame() + 2 * wire.compact(0) + wire.end(),
                   'pids/%d.rbt' % pid)
    rows = as_json('--group-by=pid', '--top=100', folder)['sections']['self']
    expect(sorted((r['text'], r['samples']) for r in rows['rows'])
           == [(str(pid), 2) for pid in range(100, 140)], '%s', rows)


# ---- nothing to show --------------------------------------------------------

@each([('one filter', ['--pid=5'], '--pid alone keeps none'),
       ('one of two', ['--pid=5', '--match=dispatch'],
        '--pid alone keeps none, --match alone keeps 314'),
       ('together', ['--match=dispatch', '--hide=.'],
        '--hide alone keeps none, --match alone keeps 314'),
       ('threads', ['--thread=1', '--status=gil', '--annotation=x'],
        '--thread alone keeps none, --status alone keeps none, '
        '--annotation alone keeps none'),
       ('time', ['--time=5m..'], '--time alone keeps none')])
def test_an_empty_report_says_why(item):
    _, options, why = item
    why = 'none of 314 samples passed the filters: ' + why
    result = analyze(*options, NOTES)
    expect(why in result.err.decode(), 'says %s', result.err)
    expect(b'(no matches)' in result.out, 'prints %s', result.out)
    expect(as_json(*options, NOTES)['why_empty'] == why, 'JSON differs')
    expect(why in analyze('--md', *options, NOTES).out.decode(), 'no word')


def test_an_empty_report_of_a_pipe_names_the_filters():
    result = analyze('--pid=5', '--match=x', stdin=case.read_file(NOTES))
    expect(b'passed the filters: --pid, --match' in result.err, 'says %s',
           result.err)


@each([('empty', 'empty-segment'), ('header', 'header-only')])
def test_no_samples_at_all(item):
    result = analyze(fixtures.rbt_path(item[1]))
    expect(b'the input has no samples' in result.err, 'says %s', result.err)


def test_only_empty_stacks():
    data = wire.header() + wire.stack(0, []) + wire.compact(0) + wire.end()
    expect(b'no sample has a stack' in analyze(write_file(data)).err,
           'says nothing')


# ---- outputs ----------------------------------------------------------------

def lines(*args):
    return analyze(*EVERYTHING, *args).out.decode().splitlines()


@each([('text', []), ('markdown', ['--md']), ('csv', ['--csv']),
       ('side by side', ['--sections=self+total,callers+tree,timeline,tail']),
       ('reli', None)])
def test_budget_bounds_the_output(item):
    _, options = item
    command = 'analyze' if options is not None else 'rbt:analyze'
    for path in (REAL, NOTES, OPCODES):
        words = [command] + EVERYTHING + (options or []) + [path]
        whole = bobbin.run(*words).out.decode().splitlines()
        for budget in (8, 9, 12, 20, 33, 60, 150, len(whole), 5000):
            result = bobbin.run(*words, '--budget=%d' % budget)
            got = result.out.decode().splitlines()
            expect(len(got) <= budget, '%d lines for %d', len(got), budget)
            if len(whole) <= budget:
                expect(got == whole, 'cut without need at %d', budget)
                continue
            said = result.err.decode() if '--csv' in words else got[-1]
            expect('left out by --budget %d: ' % budget in said,
                   'nothing said at %d: %s', budget, got[-1:])
            expect(len(got) > budget * 2 // 3 or budget < 20,
                   'only %d lines of %d', len(got), budget)


def test_budget_of_json():
    for budget in (8, 20, 50, 5000):
        report = as_json(*EVERYTHING, '--budget=%d' % budget, REAL)
        rows = sum(len(s['rows']) for s in report['sections'].values())
        expect(rows <= budget, '%d rows for %d', rows, budget)


def test_a_small_tree_hangs_together():
    rows = as_json('--sections=tree', '--budget=12', REAL)['sections'][
        'tree']['rows']
    expect(len(rows) == 12, '%d rows', len(rows))
    for i, row in enumerate(rows):
        parent = row['parent']
        expect(row['depth'] == 1 if parent is None else parent < i and
               rows[parent]['depth'] == row['depth'] - 1, 'row %s', row)


def test_csv_says_what_json_says():
    args = ['--tree', '--requests', NOTES]
    report = as_json(*args)['sections']
    rows = list(csv.DictReader(io.StringIO(
        analyze('--csv', *args).out.decode())))
    expect({'self', 'total', 'tree', 'requests'} <= set(report), '%s',
           list(report))
    for name, section in report.items():
        got = [r for r in rows if r['section'] == name]
        expect(len(got) == len(section['rows']), '%d rows of %s', len(got),
               name)
        for a, b in zip(got, section['rows']):
            text = b.get('text', b.get('request', b.get('route')))
            expect((a['text'], int(a['samples']), int(a['time_us']),
                    float(a['share'])) == (text, b['samples'], b['time_us'],
                                           b['share']), '%s, %s', a, b)


def test_markdown_tables_have_a_row_per_row():
    report = as_json('--tree', REAL)['sections']
    out = analyze('--md', '--tree', REAL).out.decode()
    tables = re.split('^## ', out, flags=re.M)[1:]
    expect(len(tables) == len(report) > 2, '%d tables', len(tables))
    for table, section in zip(tables, report.values()):
        rows = [row for row in table.splitlines() if row.startswith('| ')]
        expect(len(rows) == 1 + len(section['rows']), '%d rows: %s',
               len(rows), table)
        widths = {len(re.findall(r'(?<!\\)\|', row)) for row in rows}
        expect(len(widths) == 1, 'cells %s', widths)


HOSTILE = b'x\x1b[2J\r\n\x9b1m\x07|`"\',\xe2\x80\xae\xff<b>'


@each([('text', []), ('markdown', ['--md']), ('csv', ['--csv']),
       ('reli', None)])
def test_names_do_not_reach_the_terminal(item):
    _, options = item
    data = (wire.header() + wire.one_frame(HOSTILE, HOSTILE)
            + wire.string(8, HOSTILE) + wire.compact(0)
            + wire.annotation((8, 8)) + wire.end())
    result = bobbin.run(*(['rbt:analyze'] if options is None else
                          ['analyze'] + options), '--last', '--tree',
                        '--timeline', '--requests',
                        '--request-key', HOSTILE[:4], '--color=never',
                        write_file(data))
    for stream in (result.out, result.err):
        bad = re.search(rb'[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|'
                        rb'\xe2\x80[\x8e\x8f\xa8-\xae]', stream)
        expect(not bad, 'raw bytes %r', bad)
        stream.decode('utf-8')
    if options == ['--csv']:
        rows = list(csv.reader(io.StringIO(result.out.decode())))
        expect({len(row) for row in rows} == {20}, 'cells of %s', rows)


def test_json_of_hostile_names():
    path = write_file(named(HOSTILE, file=HOSTILE))
    rows = as_json(path)['sections']['self']['rows']
    expect(rows[0]['name'].startswith('x\x1b[2J'), '%r', rows[0]['name'])


@each([(p, p) for p in ('(a+)+$', '(a|aa)+$', '(.*a){20}', '^(a?){40}a{40}$',
                        r'(\w+\s?)+!', '((((a*)*)*)*)*b')])
def test_hostile_patterns_end(item):
    """Matching stops at the limit for each frame, so this takes no time."""
    path = write_file(named(b'a' * 60 + b'!', file=b'a' * 60))
    for option in ('--match', '--hide', '--callers', '--callees'):
        analyze(option, item[1], path, timeout=20)


def test_colours():
    plain = analyze(TINY).out
    expect(b'\033' not in plain, 'colours in a file')
    loud = analyze('--color=always', TINY).out
    expect(b'\033[1m# self' in loud, 'no colours')
    expect(re.sub(rb'\033\[\d*m', b'', loud) == plain, 'colours change text')
    for environ in ({'NO_COLOR': '1'}, {'TERM': 'dumb'}):
        _, shown, _ = terminal.run('analyze', TINY, out=True, env=environ)
        expect(b'self-time' in shown and b'\033' not in shown,
               'colours with %s', environ)


@each([('60', 60), ('80', 80), ('120', 120), ('200', 200)])
def test_tables_fit_the_terminal(item):
    _, columns = item
    _, shown, _ = terminal.run(
        'analyze', *EVERYTHING, '--sections',
        'self+total,callers,tree,timeline,tail', REAL, out=True,
        env={'COLUMNS': str(columns), 'NO_COLOR': '1',
             'LC_ALL': 'C.UTF-8'})
    widest = max(len(row) for row in shown.decode().splitlines())
    expect(widest <= columns, '%d columns', widest)
    side_by_side = re.search(rb'# self.* # total', shown)
    expect(bool(side_by_side) == (columns >= 112), 'beside or below')


def test_a_monstrous_name_does_not_make_monstrous_tables():
    path = write_file(named(b'f' * 50000) + named(b'g'))
    out = analyze('--tree', '--last', path).out.decode()
    expect(max(map(len, out.splitlines())) == 1000, 'not cut at 1000')
    out = analyze('--crop=0', path).out
    expect(b'f' * 50000 in out, 'cut all the same')
    expect(b'f' * 50000 in analyze('--csv', path).out, 'CSV is cut')


def test_ascii():
    args = [*EVERYTHING, '--crop=90', REAL]
    expect(analyze('--ascii', *args).out.isascii(), 'not ASCII')
    expect(not analyze(*args).out.isascii(), 'ASCII everywhere')
    for locale, is_ascii in (('C', True), ('de_DE.UTF-8', False)):
        _, shown, _ = terminal.run('analyze', *args, out=True,
                                   env={'LC_ALL': locale})
        expect(shown.isascii() == is_ascii, '%s is not heeded', locale)


def test_wide_characters_keep_the_columns():
    path = write_file(named('日本語'.encode()) + named(b'abcdef')
                      + named('e\u0301e\u0301'.encode()))
    out = analyze('--group-by=name', '--sections=self', path).out.decode()
    rows = out.splitlines()[1:]
    names = ['function', '日本語', 'abcdef', 'e\u0301e\u0301']
    expect([row.split()[-1] for row in rows] == names, 'rows %s', rows)
    expect(len({len(row) - len(name) for row, name in zip(rows, names)}) == 1,
           'names begin in different columns: %s', rows)


# ---- following --------------------------------------------------------------

class Follower:
    """The reports of --follow, one line of JSON each."""

    def __init__(self, *args, **more):
        self.child = subprocess.Popen(
            [bobbin.PROGRAM, 'analyze', '--follow', '--interval=0.05',
             '--json', '--group-by=name'] + list(args),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.timer = threading.Timer(bobbin.TIMEOUT, self.child.kill)
        self.timer.start()

    def until(self, wanted):
        """Reads reports until one counts this: {name: samples}."""
        got = None
        for line in self.child.stdout:
            report = json.loads(line)
            got = {r['text']: r['samples']
                   for r in report['sections']['self']['rows']}
            if got == wanted:
                return
        raise case.Failure('ends with %s, not %s' % (got, wanted))

    def end(self, sig=None):
        if sig:
            self.child.send_signal(sig)
        rest, err = self.child.communicate()
        self.timer.cancel()
        expect(self.child.returncode == 0, 'exit code %s: %s',
               self.child.returncode, err)
        return rest


WRITER = '''
import sys
sys.path.insert(0, sys.argv[1])
from oracle import rbt_wire as wire
out = open(sys.argv[2], 'wb', 0)
out.write(wire.header() + wire.one_frame(sys.argv[3].encode()))
for line in sys.stdin:
    # Half an event is left behind whenever it is killed.
    out.write(wire.compact(0) * int(line) + wire.string(9, b'x' * 50)[:20])
    print('done', flush=True)
    sys.stdin.readline()
    out.write(wire.string(9, b'x' * 50)[20:])
'''


class Writer:
    """Another process that writes samples when it is told."""

    def __init__(self, path, name):
        tests = os.path.join(bobbin.ROOT, 'tests')
        self.child = subprocess.Popen(
            ['python3', '-c', WRITER, tests, path, name], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def write(self, count):
        self.child.stdin.write('%d\n' % count)
        self.child.stdin.flush()
        self.child.stdout.readline()

    def go_on(self):
        self.child.stdin.write('\n')
        self.child.stdin.flush()

    def kill(self):
        self.child.kill()
        self.child.wait()


def test_follow_a_writer_that_is_killed_and_resumed():
    """The last sample of a file waits for what may be said about it."""
    folder = os.path.join(case.scratch, 'traces')
    os.mkdir(folder)
    first = Writer(os.path.join(folder, 'a.rbt'), 'alpha')
    first.write(10)
    report = Follower(folder)
    report.until({'alpha': 9})
    first.go_on()
    first.write(5)
    report.until({'alpha': 14})
    first.kill()
    second = Writer(os.path.join(folder, 'b.rbt'), 'beta')
    second.write(7)
    report.until({'alpha': 14, 'beta': 6})
    second.go_on()
    second.write(20)
    report.until({'beta': 26, 'alpha': 14})
    report.end(signal.SIGINT)
    second.kill()


def test_follow_ends_with_its_input():
    report = Follower(stdin=subprocess.PIPE)
    report.child.stdin.write(named(b'f', 4))
    report.child.stdin.flush()
    report.child.stdin.close()
    report.child.stdin = None
    report.until({'f': 4})
    expect(report.end() == b'', 'goes on')


def test_follow_is_quiet_when_nothing_comes():
    path = write_file(wire.header() + wire.one_frame()
                      + wire.compact(0) * 3)
    report = Follower(path)
    report.until({'f': 2})
    time.sleep(0.3)
    expect(report.end(signal.SIGTERM) == b'', 'repeats itself')


def test_follow_redraws_a_terminal_in_place():
    read, write = os.pipe()
    os.write(write, named(b'f', 4))
    os.close(write)
    code, shown, _ = terminal.run('analyze', '--watch', out=True, stdin=read,
                                  env={'LINES': '20', 'COLUMNS': '70'})
    os.close(read)
    expect(code == 0, 'exit code %d', code)
    expect(shown.startswith(b'\033[2J'), 'begins with %r', shown[:20])
    screens = shown.split(b'\033[H')[1:]
    expect(screens, 'nothing drawn')
    for screen in screens:
        expect(screen.count(b'\n') < 20, 'scrolls')
        expect(b'\033[J' in screen, 'what was below stays')
        expect(all(row.endswith(b'\033[K') for row in
                   screen.split(b'\033[J')[0].split(b'\r\n')[:-1]),
               'what was behind stays')
    expect(b'trace: 4 samples' in screens[-1], 'shows %r', screens[-1])
    expect(shown.rstrip().endswith(b'\033[?25h'), 'no cursor at the end')


def test_a_full_disk_is_named():
    """The report is written before its summary; the reason is kept."""
    with open('/dev/full', 'wb') as full:
        done = subprocess.run([bobbin.PROGRAM, 'analyze', TINY], stdout=full,
                              stderr=subprocess.PIPE, check=False,
                              timeout=bobbin.TIMEOUT)
    expect(done.returncode == bobbin.FAILED and
           b'standard output: No space left' in done.stderr, '%d: %s',
           done.returncode, done.stderr)
