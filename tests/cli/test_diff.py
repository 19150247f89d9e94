"""bobbin diff as a command: reports, the gate, exit codes."""
import json
import os
import re
import shutil

from support import bobbin, case, recording
from support.bobbin import FAILED, GATE, OK, PARTIAL, USAGE
from support.case import each, expect, write_file
from support.fixtures import rbt_path

BEFORE = (b'main;load;parse 300\nmain;load 100\nmain;work;old 40\n'
          b'main;work;sort 560\n')
AFTER = (b'main;load;parse 310\nmain;load 95\nmain;work;fresh 70\n'
         b'main;work;sort 525\n')


def pair():
    return (write_file(BEFORE, 'before.folded'),
            write_file(AFTER, 'after.folded'))


def diff(*args, ok=(OK,)):
    """Run in the directory of the files, whose names are in the reports."""
    here = os.getcwd()
    os.chdir(case.scratch)
    try:
        return bobbin.run('diff', *args, ok=ok)
    finally:
        os.chdir(here)


def report(*args, ok=(OK,)):
    return json.loads(diff('-q', '--json', *args, ok=ok).out)


TEXT = '''\
fresh is new: self +7.0 points [+5.5, +8.8], from 0.0 % to 7.0 % of all samples.
2 of 7 functions changed beyond noise.

Gate: FAILED
  grew by 7.5 % (self, at most 9.4 %; p <0.001), limit 5 %: fresh

before before.folded: 1,000 samples (100/s)
       wall time 10 s or more, thread time 10 s
after  after.folded: 1,000 samples (100/s)
       wall time 10 s or more, thread time 10 s
Shares of samples are compared, so length and rate may differ. Points are % of
the whole.

Self: 2 of 5 changed
 before    after  points  95 % interval                 q  name
  0.0 %    7.0 %    +7.0  [+5.5, +8.8]        new  <0.001  fresh
  4.0 %    0.0 %    -4.0  [-5.4, -2.9]       gone  <0.001  old
 56.0 %   52.5 %    -3.5  [-7.8, +0.9]       -6 %   0.232  sort
 30.0 %   31.0 %    +1.0  [-3.0, +5.0]       +3 %   0.894  parse
 10.0 %    9.5 %    -0.5  [-3.1, +2.1]       -5 %   0.894  load

Total: 2 of 7 changed
 before    after  points  95 % interval                 q  name
  0.0 %    7.0 %    +7.0  [+5.5, +8.8]        new  <0.001  fresh
  4.0 %    0.0 %    -4.0  [-5.4, -2.9]       gone  <0.001  old
 56.0 %   52.5 %    -3.5  [-7.8, +0.9]       -6 %   0.232  sort
 30.0 %   31.0 %    +1.0  [-3.0, +5.0]       +3 %   0.894  parse
 40.0 %   40.5 %    +0.5  [-3.8, +4.8]       +1 %   0.894  load
... and 2 rows; --top N shows more

Paths with at least 1 %: 2 of 7 changed
 before    after  points  95 % interval                 q  call path
100.0 %  100.0 %    +0.0  [-0.4, +0.4]       +0 %   1.000  main
 60.0 %   59.5 %    -0.5  [-4.8, +3.8]       -1 %   0.956    work
  0.0 %    7.0 %    +7.0  [+5.5, +8.8]        new  <0.001      fresh
  4.0 %    0.0 %    -4.0  [-5.4, -2.9]       gone  <0.001      old

Only before: 1. Only after: 1. Rare ones come and go by chance.
'''


def test_text_is_as_ever():
    pair()
    got = diff('-q', '--group-by', 'name', '--fail-over', '5%',
               '--top', '5', 'before.folded', 'after.folded',
               ok=(GATE,)).out.decode()
    expect(got == TEXT, 'got:\n%s', got)


@each([40, 60, 80, 120, 200])
def test_names_stay_readable(columns):
    """Columns are left out before names are, and of a path the middle."""
    function = 'App\\Shop\\Cart\\Repository::findAllByCustomer'
    path = '/srv/www/shop/releases/20261118/src/Shop/Cart/Repository.php'
    for name, counts in ('before', (600, 400)), ('after', (400, 600)):
        write_file(b''.join(
            b'0 %s %s:%d\n1 <main> /srv/www/shop/index.php:3\n\n' % (
                (function if i % 10 * 100 < counts[0] else 'other').encode(),
                path.encode(), 1337) for i in range(1000)), name)
    got = bobbin.execute(['env', 'COLUMNS=%d' % columns, bobbin.PROGRAM,
                          'diff', '-q', '--group-by', 'line',
                          os.path.join(case.scratch, 'before'),
                          os.path.join(case.scratch, 'after')]).out.decode()
    lines = got.splitlines()
    expect(lines[0].startswith('other grew'),
           'verdict: %s', lines[0])
    for line in lines:
        expect(len(line) <= columns, '%d columns: %s', len(line), line)
    rows = [line for line in lines if 'findAllByCustomer' in line]
    expect(len(rows) > 2, 'names are cut:\n%s', got)
    expect(any('95 % interval' in line for line in lines) == (columns >= 80),
           'interval:\n%s', got)
    for row in rows if columns >= 120 else []:
        expect(row.endswith(':1337'), 'line is cut: %s', row)


def test_a_common_folder_is_shown_once():
    """On a narrow terminal the files of all rows are readable then."""
    for name, n in ('before', 30), ('after', 60):
        write_file(b''.join(
            b'0 f%d /srv/www/shop/src/%s.php:7\n1 <main> /srv/www/shop/'
            b'index.php:3\n\n' % (i % 3, [b'Cart', b'Page', b'User'][i % 3])
            for i in range(n)), name)
    got = bobbin.execute(['env', 'COLUMNS=50', bobbin.PROGRAM, 'diff', '-q',
                          '--lines', os.path.join(case.scratch, 'before'),
                          os.path.join(case.scratch, 'after')]).out.decode()
    tables, folder = got.split('Paths are below ')
    expect(folder == '/srv/www/shop/src/.\n', 'folder %s', folder)
    for row in 'f0 Cart.php:7', 'f2 User.php:7', '<main> /srv/…index.php:3':
        expect(row + '\n' in tables, 'no %s in %s', row, tables)
    files = json.dumps(report('before', 'after')['self'])
    expect('/srv/www/shop/src/Cart.php' in files, 'JSON: %s', files)


MARKDOWN = '''\
### Profile: `before.folded` (1,000 samples) → `after.folded` (1,000 samples)

**Failed**: something grew beyond its limit.

- `fresh` grew by **7.5 %** (self: 0.0 % → 7.0 %), limit 5 %

fresh is new: self +7.0 points \\[+5.5, +8.8\\], from 0.0 % to 7.0 % of all \
samples. 2 of 7 functions changed beyond noise.

Only before: 1. Only after: 1.

- before: wall time 10 s or more, thread time 10 s
- after: wall time 10 s or more, thread time 10 s

<details open><summary>Self: 2 of 5 changed significantly</summary>

| before | after | points | | 95 % interval | q | name |
|---:|---:|---:|---:|:---:|---:|:---|
| 0.0 % | 7.0 % | **+7.0** | new | +5.5 .. +8.8 | <0.001 | `fresh` |

</details>

<details><summary>Total: 2 of 7 changed significantly</summary>

| before | after | points | | 95 % interval | q | name |
|---:|---:|---:|---:|:---:|---:|:---|
| 0.0 % | 7.0 % | **+7.0** | new | +5.5 .. +8.8 | <0.001 | `fresh` |

</details>

<details><summary>Call paths: 2 changed significantly</summary>

| before | after | points | | 95 % interval | q | call path |
|---:|---:|---:|---:|:---:|---:|:---|
| 4.0 % | 0.0 % | **-4.0** | gone | -5.4 .. -2.9 | <0.001 | … → `work` → \
`old` |

</details>

Shares of samples; points are % of the whole, **bold** where q ≤ 0.05.
'''


def test_markdown_is_as_ever():
    pair()
    got = diff('-q', '--md', '--group-by', 'name', '--fail-over', '5%',
               '--top', '1', 'before.folded', 'after.folded',
               ok=(GATE,)).out.decode()
    expect(got == MARKDOWN, 'got:\n%s', got)


KEYS = ['before', 'after', 'normalize', 'group_by', 'verdict', 'gate',
        'tested', 'self', 'total', 'paths']
SIDE = ['input', 'samples', 'time_us', 'order', 'wall_us', 'thread_us',
        'cpu_us', 'idle_us', 'idle_threads', 'idle_rule', 'waited_us', 'gaps',
        'lost', 'missed', 'unkept', 'idle_hidden']
ROW = ['key', 'function', 'file', 'before', 'after', 'delta', 'low', 'high',
       'relative', 'p', 'q', 'significant', 'clumping', 'growth',
       'growth_high', 'mark']


def test_json_has_the_documented_keys():
    pair()
    got = report('--fail-over', '5%:fre', 'before.folded', 'after.folded',
                 ok=(GATE,))
    expect(list(got) == KEYS, 'keys: %s', list(got))
    expect(list(got['self'][0]) == ROW, 'row: %s', list(got['self'][0]))
    expect(list(got['paths'][0]) == ['id', 'parent', 'depth'] + ROW,
           'path: %s', list(got['paths'][0]))
    expect(list(got['before']) == SIDE, 'keys: %s', list(got['before']))
    expect(got['before']['samples'] == 1000 and
           got['before']['time_us'] == got['before']['thread_us'] == 10000000
           and got['before']['order'] == 'none', 'before: %s', got['before'])
    gate = got['gate']
    expect(gate['limits'] == [{'limit': 0.05, 'match': 'fre'}] and
           gate['tests'] == 1 and not gate['passed'], 'gate: %s', gate)
    hit = gate['hits'][0]
    expect(list(hit) == ['limit', 'of'] + ROW[:3] + ['p_holm'] + ROW[3:],
           'hit: %s', list(hit))
    expect(hit['function'] == 'fresh' and hit['mark'] == 'new' and
           abs(hit['growth'] - 0.07 / 0.93) < 1e-5, 'hit: %s', hit)
    got = report('before.folded', 'before.folded')
    expect(got['gate'] is None, 'no gate, but %s', got['gate'])
    expect(not any(row['significant'] for row in got['self']), 'noise')


def test_suffix_decides_what_is_written():
    pair()
    for name, begin in (('x.json', b'{"before"'), ('x.md', b'### Profile'),
                        ('x.txt', b'fresh is new'), ('x.svg', b'<?xml'),
                        ('x.html', b'<!'), ('x.folded', b'main;load')):
        out = diff('-q', '-o', name, 'before.folded', 'after.folded')
        expect(out.out == b'', '%s: also on standard output', name)
        data = case.read_file(os.path.join(case.scratch, name))
        expect(data.lower().startswith(begin.lower()), '%s: %s', name,
               data[:40])
    svg = case.read_file(os.path.join(case.scratch, 'x.svg'))
    expect(b'fresh is new' in svg, 'without the verdict')
    said = diff('-o', 'x.rbt', 'before.folded', 'after.folded', ok=(USAGE,))
    expect(b'suffix' in said.err, 'stderr: %s', said.err)


def test_gate_is_told_beside_a_file():
    pair()
    for name in 'x.svg', 'x.md', 'x.folded':
        got = diff('-q', '--fail-over', '5%', '-o', name, 'before.folded',
                   'after.folded', ok=(GATE,))
        expect(b'fresh grew by 7.5 %' in got.err, '%s: %s', name, got.err)
        expect(os.path.exists(os.path.join(case.scratch, name)), name)


def test_folded_has_two_counts():
    pair()
    want = {b'main;load;parse 300 310', b'main;load 100 95',
            b'main;work;old 40 0', b'main;work;sort 560 525',
            b'main;work;fresh 0 70'}
    got = diff('-q', '-t', 'folded', 'before.folded', 'after.folded').out
    expect(set(got.splitlines()) == want, 'got %s', got)
    write_file(BEFORE + BEFORE + AFTER, 'more.folded')
    got = diff('-q', '-t', 'folded', '--normalize', 'samples', 'more.folded',
               'after.folded').out
    expect(b'main;work;old 27 0' in got.splitlines(), 'scaled: %s', got)


# ---- the gate --------------------------------------------------------------

SAME = [('independent', 1, 1), ('clumps', 8, 1), ('long clumps', 40, 1),
        ('phases', 2, 4)]


@each(SAME)
def test_gate_is_silent_on_the_same_workload(how):
    _, clump, phases = how
    weights = recording.zipf()
    paths = [recording.write(recording.trace(
        weights, 10000, '%s %d' % (how, i), clump, phases), 'r%d' % i)
        for i in range(4)]
    for i, path in enumerate(paths):
        for other in paths[:i]:
            got = report('--fail-over', '1%', path, other)
            expect(got['gate']['passed'] and got['gate']['tests'] > 10,
                   'gate: %s', got['gate'])


@each(['f00', 'f05', 'f30', 'f99'])
def test_gate_fires_at_five_percent_more(victim):
    weights = recording.zipf()
    before = recording.write(recording.trace(weights, 10000, 1), 'before')
    after = recording.write(recording.trace(
        recording.slower(weights, victim, 0.05), 10000, 2), 'after')
    hits = report('--fail-over', '5%', before, after,
                  ok=(GATE,))['gate']['hits']
    expect(hits[0]['function'] == victim, 'hits: %s', hits)
    # Faster is no reason, nor is what does not match.
    expect(report('--fail-over', '5%', after, before)['gate']['passed'],
           'it fires on what became faster')
    expect(report('--fail-over', '5%:^f1', before, after)['gate']['passed'],
           'it fires on what does not match')
    # A limit above the growth holds.
    expect(report('--fail-over', '10%', before, after)['gate']['passed'],
           'it fires below the limit')
    # Of several limits one is enough.
    got = report('--fail-over', '50%', '--fail-over', '4%:' + victim, before,
                 after, ok=(GATE,))['gate']
    expect({hit['limit'] for hit in got['hits']} == {1}, 'hits: %s',
           got['hits'])


def test_clumps_are_seen():
    """As many samples of a program whose functions take turns slowly are
    worth less, and a difference that counts for the one is chance for the
    other."""
    weights = recording.zipf()
    for clump, lowest, highest in (1, 1, 2), (20, 15, 80):
        paths = [recording.write(recording.trace(weights, 8000, i, clump),
                                 'r%d' % i) for i in range(2)]
        row = next(row for row in report(*paths)['self']
                   if row['function'] == 'f00')
        expect(lowest <= row['clumping'] <= highest, 'clumps of %d: %s',
               clump, row['clumping'])


def test_samples_sorted_by_stack_have_no_order():
    pair()
    for name in 'before', 'after':
        bobbin.run('convert', '-q', '-o',
                   os.path.join(case.scratch, name + '.rbt'),
                   os.path.join(case.scratch, name + '.folded'))
    got = diff('--json', '--fail-over', '5%', 'before.rbt', 'after.rbt',
               ok=(GATE,))
    expect(json.loads(got.out)['before']['order'] == 'sorted', 'not seen')
    expect(b'sorted by stack' in got.err, 'not told: %s', got.err)


def test_a_few_samples_are_not_sorted_by_stack():
    """Taken in turns: each is alone in its stretch of the recording."""
    for name, n in (('before', 58), ('after', 60)):
        text = ''.join('0 %s <f>:1\n1 main <f>:1\n\n' % 'ab'[k % 2]
                       for k in range(n))
        write_file(text.encode(), name + '.phpspy')
        bobbin.run('convert', '-q', '-o',
                   os.path.join(case.scratch, name + '.rbt'),
                   os.path.join(case.scratch, name + '.phpspy'))
    got = diff('--json', 'before.rbt', 'after.rbt')
    expect(json.loads(got.out)['before']['order'] == 'measured', '%s',
           json.loads(got.out)['before'])
    expect(b'sorted by stack' not in got.err, '%s', got.err)


# ---- inputs and mistakes ---------------------------------------------------

def test_inputs_may_differ_in_format_and_be_directories():
    pair()
    bobbin.run('convert', '-q', '-o', os.path.join(case.scratch, 'a.pb.gz'),
               os.path.join(case.scratch, 'after.folded'))
    os.mkdir(os.path.join(case.scratch, 'dir'))
    for name in 'one.folded', 'two.folded':
        write_file(BEFORE, os.path.join('dir', name))
    got = report('--group-by', 'name', 'dir', 'a.pb.gz')
    expect(got['before']['samples'] == 2000 and
           got['after']['samples'] == 1000, 'samples: %s', got)
    expect(len(got['self']) == 5, 'functions do not meet: %s',
           [row['key'] for row in got['self']])
    stdin = bobbin.run('diff', '-q', '--json', '-',
                       os.path.join(case.scratch, 'after.folded'),
                       stdin=BEFORE).out
    expect(json.loads(stdin)['before']['input'] == 'stdin', 'stdin')
    diff('-q', '-o', 'x.svg', 'dir', 'after.folded')
    diff('-o', 'x.svg', '--group-by', 'thread', 'before.folded',
         'after.folded', ok=(USAGE,))


def test_filters_come_first():
    pair()
    got = report('--match', 'work', 'before.folded', 'after.folded')
    expect(got['before']['samples'] == 600 and
           got['after']['samples'] == 595, 'samples: %s', got['before'])
    got = report('--hide', '^(old|fresh)', 'before.folded', 'after.folded')
    expect(not any(row['mark'] for row in got['total']), 'hidden, but there')
    said = diff('--match', 'old', 'before.folded', 'after.folded',
                ok=(FAILED,))
    expect(b'after.folded: no samples to compare' in said.err, 'stderr: %s',
           said.err)


def test_a_side_that_only_waited_for_work():
    """Nobody has given a filter, so none is blamed."""
    busy = write_file(b'main;f 9\n', 'busy.folded')
    idle = write_file(b'0 socket.accept /usr/lib/python3.11/socket.py:293\n'
                      b'1 <module> /srv/app.py:3\n\n' * 9, 'idle')
    for pair_ in (busy, idle), (idle, busy):
        said = diff(*pair_, ok=(FAILED,)).err
        expect(b'idle: all threads only waited for work' in said and
               b'--idle' in said and b'filter' not in said, '%s', said)
    diff('--idle', busy, idle)


@each([('which', []), ('one', ['before.folded']),
       ('three', ['before.folded'] * 3), ('stdin', ['-', '-']),
       ('limit', ['--fail-over', 'five', 'before.folded', 'after.folded']),
       ('empty', ['--fail-over', '5%:', 'before.folded', 'after.folded']),
       ('negative', ['--fail-over=-5%', 'before.folded', 'after.folded']),
       ('pattern', ['--fail-over', '5%:(', 'before.folded', 'after.folded']),
       ('group', ['--group-by', 'minute', 'before.folded', 'after.folded']),
       ('norm', ['--normalize', 'x', 'before.folded', 'after.folded']),
       ('both', ['--json', '--md', 'before.folded', 'after.folded']),
       ('to', ['-t', 'rbt', 'before.folded', 'after.folded']),
       ('percent', ['--min-percent', '101', 'before.folded',
                    'after.folded'])])
def test_mistakes_are_usage_errors(mistake):
    pair()
    said = diff(*mistake[1], ok=(USAGE,))
    expect(said.out == b'' and b'hint: ' in said.err, 'stderr: %s', said.err)


def test_damage_fails_or_is_passed_over():
    good, bad = rbt_path('corrupt-middle'), rbt_path('corrupt-length-swallow')
    said = diff('--strict', good, bad, ok=(FAILED,))
    expect(said.out == b'' and b'recover' in said.err, 'stderr: %s',
           said.err)
    got = diff('-q', '--json', good, bad, ok=(PARTIAL,))
    expect(json.loads(got.out)['after']['samples'] > 0, 'nothing was read')
    diff('nowhere.rbt', good, ok=(FAILED,))


def test_hostile_names_stay_names():
    name = b'x\x1b[31m|`<b>\xff\xe2\x80\xae&``;'
    path = write_file(b'main;' + name + b'y 10\nmain 50\n', 'odd.folded')
    text = diff('--top', '99', path, path).out
    markdown = diff('--md', path, path).out
    folded = diff('-t', 'folded', path, path).out
    for out in text, markdown, folded:
        expect(b'\x1b' not in out and b'\xff' not in out and
               b'\xe2\x80\xae' not in out, 'raw bytes in %s', out)
    cell = next(line for line in markdown.splitlines() if b'31m' in line)
    expect(len(re.findall(rb'(?<!\\)\|', cell)) == 8, 'bars: %s', cell)
    expect(b'``` ' in cell, 'fence: %s', cell)
    json.loads(diff('--json', path, path).out)
    for line in folded.splitlines():
        expect(re.fullmatch(rb'.* \d+ \d+', line), 'line: %s', line)


def test_hostile_counts_and_patterns():
    huge = write_file(b'main;a 9223372036854775807\nmain;b '
                      b'9223372036854775807\nmain 3\n', 'huge.folded')
    tiny = write_file(b'main;a 1\n', 'tiny.folded')
    for args in (huge, tiny), (tiny, huge), (huge, huge), (tiny, tiny):
        rows = report(*args)['total']
        expect(rows, 'nothing to compare')
        for row in rows:
            expect(0 <= row['p'] <= row['q'] <= 1 and
                   -1 <= row['low'] <= row['high'] <= 1, 'row: %s', row)
    name = b'a' * 3000
    slow = write_file(b'main;' + name + b'! 100\n', 'slow.folded')
    report('--fail-over', '0%:(a+)+$', slow, slow)


def test_time_weighs_samples():
    """Periods of 1 ms and of 9 ms: as many samples, a tenth of the time."""
    spy = shutil.copy(write_file(b'0 f /a:1\n\n' * 50, 'f.phpspy'),
                      os.path.join(case.scratch, 'g.phpspy'))
    write_file(b'0 g /a:1\n\n' * 50, 'g.phpspy')
    for name, period in ('f', '1000'), ('g', '9000'):
        bobbin.run('convert', '-q', '--period', period, '-o',
                   os.path.join(case.scratch, name + '.rbt'),
                   os.path.join(case.scratch, name + '.phpspy'))
    del spy
    os.mkdir(os.path.join(case.scratch, 'both'))
    for name in 'f.rbt', 'g.rbt':
        shutil.copy(os.path.join(case.scratch, name),
                    os.path.join(case.scratch, 'both'))
    for how, share in ('samples', 0.5), ('time', 0.1):
        rows = report('--normalize', how, '--group-by', 'name', 'both',
                      'f.rbt')['self']
        row = next(row for row in rows if row['key'] == 'f')
        expect(abs(row['before']['share'] - share) < 1e-6, '%s: %s', how,
               row)
