"""The answer of analyze: the same figures in text, Markdown and JSON."""
import json
import os
import re

from cli import terminal
from support import bobbin, case, fixtures, schema, tach
from support.case import each, expect

TRACES = [
    ('threads', tach.path('real_threads')),
    ('old threads', tach.path('old_threads')),
    ('periods that differ', fixtures.rbt_path('multi-segment')),
    ('opcodes', fixtures.rbt_path('opcodes')),
    ('annotations', fixtures.rbt_path('annotations')),
    ('native', fixtures.rbt_path('native-mixed')),
]


def analyze(path, *options):
    return bobbin.run('analyze', *options, path).out.decode()


def report(path, *options):
    out = json.loads(analyze(path, '--json', *options))
    schema.check(out)
    return out


def folded(name, *lines):
    path = os.path.join(case.scratch, name + '.folded')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(''.join(line + '\n' for line in lines))
    return path


@each(TRACES)
def test_all_outputs_say_the_same(item):
    _, path = item
    sentences = report(path)['answer']['sentences']
    text = analyze(path, '--crop', '1000')
    expect(text.split('\n\n')[0].splitlines() == sentences,
           '%s\nis not\n%s', text[:300], sentences)
    markdown = analyze(path, '--md').split('\n\n')[1]
    expect(markdown.replace('`', '') == ' '.join(sentences),
           '%s\nis not\n%s', markdown, sentences)


@each(TRACES)
def test_facts_are_those_of_the_table(item):
    _, path = item
    out = report(path)
    answer, rows = out['answer'], out['sections']['self']['rows']
    for key, row in (('function', rows[0]), ('next', rows[1])):
        for name, value in answer[key].items():
            expect(row[name] == value, '%s.%s: %s, not %s', key, name, value,
                   row[name])
    expect(answer['clear'] == (rows[0]['low'] > rows[1]['high']),
           '%s of %s', answer['clear'], rows[:2])
    idle = report(path, '--idle')
    hidden = idle['samples']['counted'] + idle['samples']['without_stack'] - \
        out['samples']['counted'] - out['samples']['without_stack']
    expect(abs(answer['idle_share'] - hidden / idle['samples']['passed'])
           < 1e-5, '%s, and %d hidden', answer['idle_share'], hidden)


@each(TRACES)
def test_sentences_have_the_figures(item):
    _, path = item
    answer = report(path)['answer']
    text = ' '.join(answer['sentences'])
    for key in ('function', 'next'):
        row = answer[key]
        error = 50 * (row['high'] - row['low'])
        shown = re.search(r'%s .*?(\d+\.\d) % ± (\d+\.\d)'.replace(
            '% ', '%% ') % re.escape(row['name'] or row['text']), text)
        expect(shown, 'no share of %s in %s', row, text)
        expect(abs(float(shown[1]) - 100 * row['share']) < 0.051 and
               abs(float(shown[2]) - error) < 0.051, '%s of %s', shown, row)
    expect(('too close' in text) != answer['clear'], '%s', answer)


LIB = '/usr/lib/python3.11/'
SITE = '/srv/lib/python3.11/site-packages/'


def python(*frames):
    """A stack: name and file, outermost first."""
    return ';'.join('%s (%s:1)' % frame for frame in frames)


READ = ('SocketIO.readinto', LIB + 'socket.py')
MAIN = ('main', '/app/main.py')
CART = ('cart', '/app/shop.py')

WAITS = [
    ('of its own', python(MAIN, CART, READ), 'the network', 'cart'),
    ('of a client', python(MAIN, CART, ('query', SITE + 'pymysql/cursors.py'),
                           ('_read_bytes', SITE + 'pymysql/connections.py'),
                           READ), 'the database', 'cart'),
    ('of a program', python(MAIN, ('run', LIB + 'subprocess.py'),
                            ('select', LIB + 'selectors.py')),
     'another process', 'main'),
    ('of none', python(MAIN, ('load', LIB + 'json/__init__.py')), None,
     'main'),
    ('of PHP', '<main> /app/i.php:3;Shop::list /app/Shop.php:7;'
     'Doctrine\\DBAL\\Statement::execute /app/vendor/doctrine/S.php:9;'
     'PDOStatement::execute <internal>:-1', 'the database', 'Shop::list'),
    ('of a lock', '<main> /app/i.php:3;Shop::list /app/Shop.php:7;'
     'flock <internal>:-1', 'a lock', 'Shop::list'),
]


@each(WAITS)
def test_what_a_function_waits_for_and_who_calls_it(item):
    """Most samples are of the one stack; others have the same caller less
    often than half."""
    label, stack, what, caller = item
    path = folded('waits-' + label.replace(' ', '-'), stack + ' 60',
                  python(('other', '/app/other.py')) + ' 20')
    answer = report(path)['answer']
    expect(answer['function']['samples'] == 60, '%s', answer)
    expect(answer['waits_for'] == what, '%s', answer['waits_for'])
    expect(answer['caller']['name'] == caller and
           answer['caller']['samples'] == 60 and
           answer['caller']['share'] == 1, '%s', answer['caller'])
    text = analyze(path)
    expect(('There it waits for %s.' % what in text) == (what is not None),
           '%s', text[:300])
    expect('%s is the caller in 100 %% of them.' % caller in text, '%s',
           text[:300])


def test_a_caller_of_less_than_half_is_not_responsible():
    path = folded('halves', python(MAIN, CART, READ) + ' 40',
                  python(('list', '/app/shop.py'), READ) + ' 35',
                  python(('show', '/app/shop.py'), READ) + ' 25')
    answer = report(path)['answer']
    expect(answer['caller'] is None and answer['function']['samples'] == 100,
           '%s', answer)
    expect(answer['next'] is None and answer['clear'], '%s', answer)
    expect(answer['sentences'][-1] == 'No other function takes any.', '%s',
           answer['sentences'])


IDLE = python(('Thread._bootstrap', LIB + 'threading.py'),
              ('_worker', LIB + 'concurrent/futures/thread.py'))


def test_idle_threads_are_said_first():
    path = folded('mostly-idle', IDLE + ' 97', python(MAIN, CART) + ' 3')
    answer = report(path)['answer']
    expect(answer['idle_share'] == 0.97, '%s', answer)
    expect(answer['sentences'][:2] == [
        'Threads waited for work in 97.0 % of all samples.',
        'cart takes 100.0 % ± 28.1 of the other samples, 30 ms.'], '%s',
        answer['sentences'])
    shown = report(path, '--idle')['answer']
    expect(shown['idle_share'] == 0 and
           shown['function']['name'] == '_worker', '%s', shown)


@each([('as it is', [], b'100 samples, 97 idle'),
       ('with idle', ['--idle'], b'100 samples'),
       ('a filter', ['--match', '^cart '], b'100 samples, 3 matched'),
       ('idle and a filter', ['--match', '.', '--pid', '1'],
        b'100 samples, 0 matched')])
def test_samples_match_only_what_somebody_asked_for(item):
    _, options, want = item
    path = folded('mostly-idle', IDLE + ' 97', python(MAIN, CART) + ' 3')
    err = bobbin.run('analyze', *options, path).err
    expect(re.search(b'^ *trace: ' + want + b'([,;]|$)', err, re.M),
           '%s: %s', want, err)


def test_only_idle_threads():
    path = folded('idle', IDLE + ' 10')
    answer = report(path)['answer']
    expect(answer['function'] is None and answer['next'] is None and
           answer['idle_share'] == 1, '%s', answer)
    expect(analyze(path).splitlines()[0] ==
           'All threads only waited for work.', '%s', analyze(path))


@each([('sections', ['--sections', 'total']), ('no table', ['--top', '0']),
       ('samples', ['--group-by', 'thread'])])
def test_no_answer_where_no_functions_are_asked_for(item):
    _, options = item
    path = tach.path('real_threads')
    expect(report(path, *options)['answer'] is None, 'an answer')
    expect(' takes ' not in analyze(path, *options), 'a sentence')


def test_samples_without_a_stack_have_no_sentences():
    path = folded('empty', ' 5')
    answer = report(path)['answer']
    expect(answer['sentences'] == [] and answer['function'] is None, '%s',
           answer)


@each([(str(width), width) for width in (20, 40, 60, 80)])
def test_lines_end_between_words(item):
    _, width = item
    path = tach.path('real_threads')
    text = analyze(path, '--crop', str(width)).split('\n\n')[0]
    whole = analyze(path, '--crop', '1000').split('\n\n')[0]
    expect(text.split() == whole.split(), '%r\nis not\n%r', text, whole)
    expect(all(len(line) <= width for line in text.splitlines()),
           'wider than %d:\n%s', width, text)
    expect(not re.search(r'±$|\d\n%', text), 'a number alone:\n%s', text)


def test_names_from_a_trace_are_made_harmless():
    path = folded('hostile', 'f`|\x1b[31m\xff /app/`a`.php:3 5')
    for options in ([], ['--md'], ['--json']):
        out = bobbin.run('analyze', *options, path).out
        expect(b'\x1b' not in out, '%r', out[:200])
    line = analyze(path, '--md').split('\n')[2]
    expect(line.startswith('`` f`|'), '%r', line)


@each([(str(width), width) for width in (40, 60, 80, 120, 200)])
def test_facts_on_a_terminal_end_between_words(item):
    """Those of info, and the closing ones of analyze."""
    _, width = item
    env = {'COLUMNS': str(width), 'NO_COLOR': '1'}
    path = tach.path('real_threads')

    def facts(out):
        return out.decode().replace('\r', '').split('\n\n')[0].partition(
            '  format ')[2]

    whole = facts(bobbin.run('info', path).out)
    _, shown, _ = terminal.run('info', path, out=True, env=env)
    lines = facts(shown).splitlines()
    expect(' '.join(lines).split() == whole.split(), 'other words: %s', lines)
    expect(all(len(line) <= width for line in lines), 'wider than %d: %s',
           width, lines)
    whole = bobbin.run('analyze', path).err.decode()
    _, shown, _ = terminal.run('analyze', path, err=True, env=env)
    lines = shown.decode().replace('\r', '').splitlines()
    expect(' '.join(lines).split() == whole.split(), 'other words: %s', lines)
    expect(all(len(line) <= width for line in lines), 'wider than %d: %s',
           width, lines)
