"""bobbin top: tables of processes that run, printed and on a screen."""
import json
import os
import re
import signal
import subprocess
import sys

from live import sandbox
from screen.tmux import Terminal
from support import bobbin, case, fpm
from support.case import each, expect


def tables(*args, ok=(bobbin.OK,)):
    out = bobbin.run('top', '--json', *args, ok=ok).out
    return [json.loads(line) for line in out.splitlines()]


def row(table, name):
    found = [r for r in table['rows'] if r['text'].startswith(name)]
    expect(len(found) == 1, '%s: %s', name, table['rows'])
    return found[0]


def check_sums(table):
    """Every table adds up, whatever was sampled."""
    rows = table['rows']
    expect(sum(r['self'] for r in rows) == table['window_samples'],
           'self of the window: %s', table)
    expect(sum(r['all_self'] for r in rows) == table['all_samples'],
           'self of all: %s', table)
    for r in rows:
        expect(r['self'] <= r['total'] <= table['window_samples'] and
               r['all_self'] <= r['all_total'] <= table['all_samples'] and
               r['self'] <= r['all_self'] and r['total'] <= r['all_total'],
               '%s', r)


def test_php():
    with sandbox.php_process() as pid:
        found = tables('-p', str(pid), '--interval', '200ms', '--count', '4',
                       '-r', '200', '-n', '0')
        expect(len(found) == 4, '%d tables', len(found))
        for table in found:
            check_sums(table)
        last = found[-1]
        expect(last['processes'] == 1 and last['threads'] == 1, '%s', last)
        expect(row(last, '<main>')['total'] == last['window_samples'] > 0,
               'everything is below <main>: %s', last)
        expect(row(last, 'App\\Work::inner')['self'] > 0, '%s', last)
        expect(row(last, 'App\\Work::run')['name'] == 'App\\Work::run', '%s',
               last)
        expect([t['all_samples'] for t in found] ==
               sorted(t['all_samples'] for t in found), 'sums shrink')


def test_window_slides():
    with sandbox.php_process() as pid:
        found = tables('-p', str(pid), '--interval', '200ms', '--count', '6',
                       '--window', '300ms', '-r', '500', '-n', '0')
        for table in found:
            check_sums(table)
            expect(table['window_us'] <= 300000, '%s', table['window_us'])
        last = found[-1]
        expect(last['window_samples'] < last['all_samples'], '%s', last)


@each(['function', 'line', 'file', 'route', 'pid', 'thread'])
def test_groups(by):
    with sandbox.php_process() as pid:
        table, = tables('-p', str(pid), '--interval', '300ms', '--count', '1',
                        '-g', by, '-n', '0')
        check_sums(table)
        expect(table['by'] == by and table['rows'], '%s', table)
        text = ' '.join(r['text'] for r in table['rows'])
        want = {'function': 'App\\Work::inner', 'line': 'work.php:14',
                'file': 'work.php', 'route': '(no route)', 'pid': str(pid),
                'thread': str(pid)}[by]
        expect(want in text, 'no %s in %s', want, text)


@each(['self', 'total', 'all-self', 'all-total'])
def test_orders(order):
    key = order.replace('-', '_')
    with sandbox.php_process() as pid:
        table, = tables('-p', str(pid), '--interval', '300ms', '--count', '1',
                        '--sort', order, '-n', '0')
        weights = [r[key] for r in table['rows']]
        expect(weights == sorted(weights, reverse=True) and weights, '%s',
               weights)


def test_two_runtimes_at_once():
    script = sandbox.script(sandbox.PYTHON_SCRIPT, 'work.py')
    with sandbox.php_process() as pid, \
            sandbox.process(sys.executable, script) as child:
        sandbox.readable(child.pid)
        sandbox.until(lambda: len(sandbox.threads(child.pid)) == 2,
                      'two threads')
        table = tables('-p', str(pid), '-p', str(child.pid), '--interval',
                       '400ms', '--count', '3', '-g', 'pid')[-1]
        expect(table['processes'] == 2 and table['threads'] == 3, '%s', table)
        texts = [r['text'] for r in table['rows']]
        expect(any('work.php' in t for t in texts) and
               any('work.py' in t for t in texts), '%s', texts)


def test_processes_come_and_go():
    mark = 'bobbin-top-%d' % os.getpid()
    script = sandbox.script(sandbox.PHP_SCRIPT, mark + '.php')
    with sandbox.process(sandbox.php(), script) as first:
        sandbox.readable(first.pid)
        top = subprocess.Popen(
            [bobbin.PROGRAM, 'top', '-P', mark, '--json', '--interval',
             '100ms', '-g', 'pid'], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        try:
            def until(count):
                for line in top.stdout:
                    table = json.loads(line)
                    if table['processes'] == count:
                        return table
                raise case.Failure('it ended')
            until(1)
            with sandbox.process(sandbox.php(), script) as second:
                table = until(2)
                while not any(r['text'].startswith(str(second.pid))
                              for r in table['rows']):
                    table = json.loads(top.stdout.readline())
            until(1)
            first.kill()
            until(0)
            top.send_signal(signal.SIGINT)
            top.stdout.read()
            err = top.stderr.read()
            expect(top.wait(timeout=bobbin.TIMEOUT) == 0, '%s', err)
        finally:
            top.kill()
            top.wait()
            top.stdout.close()
            top.stderr.close()


# The first starts the second, which starts the third; each ends with its
# parent.
FAMILY = b"""
import os, subprocess, sys, time
def first(): start('second')
def second(): start('third')
def third(): rest()
def start(name):
    subprocess.Popen([sys.executable, __file__, name])
    rest()
def rest():
    while os.getppid() == parent: time.sleep(0.01)
parent = os.getppid()
globals()[sys.argv[1]]()
"""


@each(['-s', '--subprocesses'])
def test_subprocesses(option):
    script = sandbox.script(FAMILY, 'family-%d.py' % os.getpid())
    with sandbox.process(sys.executable, script, 'first') as child:
        sandbox.readable(child.pid)
        top = subprocess.Popen(
            [bobbin.PROGRAM, 'top', '-p', str(child.pid), option, '--json',
             '--interval', '100ms', '-g', 'function', '-n', '0'],
            stdout=subprocess.PIPE)
        try:
            for line in top.stdout:
                rows = {r['text'].split()[0]
                        for r in json.loads(line)['rows']}
                if {'first', 'second', 'third'} <= rows:
                    break
            else:
                raise case.Failure('it ended')
            # With the last of them it ends by itself.
            child.kill()
            top.stdout.read()
            expect(top.wait(timeout=bobbin.TIMEOUT) == 0, 'status')
        finally:
            top.kill()
            top.wait()
            top.stdout.close()


def test_end_of_the_process_is_the_end():
    with sandbox.php_process() as pid:
        top = subprocess.Popen([bobbin.PROGRAM, 'top', '-p', str(pid),
                                '--interval', '100ms'],
                               stdout=subprocess.PIPE)
        line = top.stdout.readline()
        os.kill(pid, signal.SIGKILL)
        rest = top.stdout.read()
        top.stdout.close()
        expect(top.wait(timeout=bobbin.TIMEOUT) == 0, 'status')
        expect(line.startswith(b'%d ' % pid) and b'samples/s' in rest and
               b'<main>' in rest, '%s', rest)


def test_command():
    script = sandbox.script(b'<?php echo "printed\n"; ' +
                            sandbox.PHP_SCRIPT[5:].replace(
                                b'namespace App;', b''), 'run.php')
    result = bobbin.run('top', '--interval', '300ms', '--count', '1', '--',
                        sandbox.php(), script)
    expect(b'Work::inner' in result.out and b'printed' not in result.out,
           '%s', result.out)
    expect(b'printed' in result.err, 'its output: %s', result.err)
    found = subprocess.run(['pgrep', '-f', script], capture_output=True)
    expect(not found.stdout, 'it still runs')


def test_subprocesses_of_a_command_that_is_no_runtime():
    script = sandbox.script(b'def works():\n'
                            b'    while True: sum(range(1000))\n'
                            b'works()\n', 'works.py')
    result = bobbin.run('top', '--subprocesses', '--interval', '1s',
                        '--count', '2', '--', 'sh', '-c',
                        'sleep 0.3; timeout 5 "$0" "$1"; true',
                        sys.executable, script)
    expect(b'works' in result.out, '%s', result.out)


def test_command_that_does_not_listen():
    script = sandbox.script(b'import signal\n'
                            b'signal.signal(signal.SIGTERM, signal.SIG_IGN)\n'
                            b'while True: sum(range(1000))\n', 'deaf.py')
    bobbin.run('top', '--interval', '300ms', '--count', '2', '--',
               sys.executable, script)
    found = subprocess.run(['pgrep', '-f', script], capture_output=True)
    expect(not found.stdout, 'it still runs')


def test_command_that_is_nothing_to_sample():
    result = bobbin.run('top', '--count', '1', '--', 'true',
                        ok=(bobbin.FAILED,))
    expect(b'ended before anything' in result.err, '%s', result.err)
    result = bobbin.run('top', '--count', '1', '--', '/no/such/program',
                        ok=(bobbin.FAILED,))
    expect(b'No such file' in result.err, '%s', result.err)


def test_routes_of_a_pool():
    sandbox.need_root()
    script = sandbox.script(
        b'<?php $_SERVER["REQUEST_URI"]; '
        b'function work() { usleep(5000); } work();', 'index.php')
    with fpm.pool(3) as pool, pool.busy(
            lambda i: (script, '/%s/%d' % (('cart', 'item')[i % 2], i))):
        pids = [word for pid in pool.workers() for word in ('-p', pid)]
        table, = tables(*pids, '--interval', '1s', '--count', '1', '-g',
                        'route')
        texts = {r['text'] for r in table['rows']}
        expect({'/cart/{n}', '/item/{n}'} <= texts, '%s', texts)
        expect(len(texts) < 6, 'routes, not addresses: %s', texts)


@each([('nothing',), ('a rate', '-p', '1', '-r', 'often'),
       ('a window', '-p', '1', '--window', '1us'),
       ('an interval', '-p', '1', '--interval', 'now'),
       ('a group', '-p', '1', '-g', 'colour'),
       ('an order', '-p', '1', '--sort', 'name'),
       ('a count', '-p', '1', '--count', 'few'),
       ('both', '-p', '1', '--', 'php'),
       ('a pattern', '-P', '(')])
def test_mistakes(item):
    result = bobbin.run('top', *item[1:], ok=(bobbin.USAGE,))
    expect(result.err and not result.out, '%s', result)


def test_named_process_that_cannot_be_read():
    with sandbox.process('sleep', '1000') as child:
        result = bobbin.run('top', '-p', str(child.pid), '--count', '1',
                            ok=(bobbin.FAILED,))
        expect(b'neither PHP nor Python' in result.err and b'doctor' in result.err, '%s',
               result.err)


# --- the screen ---------------------------------------------------------------

def screen(*args, **options):
    return Terminal(120, 24, *args, command='top', **options)


def lines(shown):
    """Rows of the table."""
    return [line for line in shown.split('\n')[3:-2] if line.strip()]


def test_screen():
    with sandbox.php_process() as pid, \
            screen('-p', str(pid), '--interval', '100ms') as terminal:
        shown = terminal.wait_for('App\\Work::inner')
        expect('bobbin top %d ' % pid in shown and 'of 1 thread active' in
               shown and 'Enter explore' in shown and 'q quit' in shown,
               '%s', shown)
        for title in ('%Own', '%Total', 'OwnTime', 'TotalTime'):
            expect(title in shown.split('\n')[2], 'no %s: %s', title, shown)
        terminal.keys('l')
        terminal.wait_for('work.php:14')
        terminal.keys('p')
        terminal.wait_for('%Active')
        terminal.keys('t')
        terminal.wait_for('%d/%d' % (pid, pid))
        terminal.keys('f', '2')
        terminal.wait(lambda now: lines(now) and '<main>' in lines(now)[0],
                      '<main> first')
        terminal.keys('Right')
        terminal.wait_for('OwnTime▼')
        terminal.keys('<', '<')
        terminal.wait_for('%Own▼')
        terminal.keys('q')
        terminal.wait_for('status 0')


def test_screen_filter():
    with sandbox.php_process() as pid, \
            screen('-p', str(pid), '--interval', '100ms') as terminal:
        terminal.wait_for('<main>')
        terminal.keys('/')
        terminal.type('Work::')
        # It filters while it is typed.
        shown = terminal.wait(lambda now: '<main>' not in now and
                              'Work::inner' in now, 'what matches')
        expect(all('Work::' in line for line in lines(shown)), '%s', shown)
        terminal.keys('Enter', '/')
        terminal.type('(')
        terminal.wait_for('missing closing parenthesis')
        terminal.keys('Enter')
        terminal.wait_for('missing closing parenthesis')
        shown = terminal.screen()
        expect('Work::inner' in shown and '<main>' not in shown,
               'the old filter stays: %s', shown)
        terminal.keys('Escape')
        terminal.wait_for('<main>')
        terminal.keys('/')
        terminal.type('Work::')
        terminal.wait(lambda now: '<main>' not in now, 'filtered')
        terminal.keys('Escape')
        terminal.wait_for('<main>')
        terminal.keys('q')
        terminal.wait_for('status 0')


def test_screen_freeze_and_clear():
    with sandbox.php_process() as pid, \
            screen('-p', str(pid), '--interval', '100ms') as terminal:
        terminal.wait_for('<main>')
        terminal.keys('Space')
        terminal.wait_for('frozen')
        first = terminal.screen()
        terminal.keys('?')
        terminal.wait_for('freeze the table')
        terminal.keys('Escape')
        terminal.wait_for('<main>')
        expect(terminal.screen() == first, 'it moved')
        terminal.keys('Space')
        terminal.wait(lambda now: 'frozen' not in now, 'going on')

        def since(now):
            found = re.search(r'since [^:]*: ([\d,]+) sample', now)
            return int(found.group(1).replace(',', '')) if found else 0
        before = since(terminal.wait(lambda now: since(now) > 50, 'samples'))
        terminal.keys('c')
        terminal.wait(lambda now: 0 < since(now) < before, 'sums anew')
        terminal.keys('q')
        terminal.wait_for('status 0')


def test_enter_explores_what_was_sampled():
    with sandbox.php_process() as pid, \
            screen('-p', str(pid), '--interval', '100ms') as terminal:
        terminal.wait_for('<main>')
        terminal.keys('2')
        terminal.wait(lambda now: lines(now) and '<main>' in lines(now)[0],
                      '<main> first')
        terminal.keys('Enter')
        shown = terminal.wait_for('callers and callees')
        expect('back to top' in shown and 'total ' in shown, '%s', shown)

        def samples(now):
            found = re.search(r'([\d,]+) samples', now)
            return int(found.group(1).replace(',', '')) if found else 0
        first = samples(shown)
        terminal.wait(lambda now: samples(now) > first, 'samples that come')
        terminal.keys('w')
        terminal.wait_for('the whole program')
        terminal.keys('q')
        terminal.wait_for('%Own')
        terminal.keys('p', 'Enter')
        terminal.wait_for('facets: 1')
        terminal.resize(80, 30)
        terminal.wait(lambda now: len(now.rstrip('\n').split('\n')) == 30,
                      'the new size')
        terminal.keys('q')
        terminal.wait_for('%Active')
        terminal.keys('c', 'f', 'Enter')
        terminal.wait_for('back to top')
        os.kill(pid, signal.SIGKILL)
        terminal.wait_for('status 0')


def test_save_keeps_the_sums():
    os.chdir(case.scratch)
    with sandbox.php_process() as pid, \
            screen('-p', str(pid), '--interval', '100ms') as terminal:
        terminal.wait_for('<main>')
        terminal.keys('s')
        terminal.wait_for('save as: top-%d.rbt' % pid)
        terminal.keys('C-u')
        terminal.type('seen.rbt')
        terminal.keys('Enter')
        shown = terminal.wait_for('seen.rbt: ')
        count = int(re.search(r'seen.rbt: ([\d,]+) sample',
                              shown).group(1).replace(',', ''))
        info = json.loads(bobbin.run('info', '--json', 'seen.rbt').out)
        expect(info['samples'] == count > 0, '%s of %d', info, count)
        out = bobbin.run('convert', '-t', 'folded', 'seen.rbt').out
        expect(b'Work::inner' in out, '%s', out)
        before = case.read_file('seen.rbt')
        terminal.keys('s', 'C-u')
        terminal.type('seen.rbt')
        terminal.keys('Enter')
        terminal.wait_for('seen.rbt is there already')
        expect(case.read_file('seen.rbt') == before, 'it was replaced')
        terminal.keys('s', 'C-u')
        terminal.type('/no/such/folder/x.rbt')
        terminal.keys('Enter')
        terminal.wait_for('not saved: ')
        terminal.keys('q')
        terminal.wait_for('status 0')


def test_status_of_threads():
    script = sandbox.script(
        b'import queue, threading\n'
        b'q = queue.Queue()\n'
        b'for i in range(3):\n'
        b'    threading.Thread(target=q.get, daemon=True).start()\n'
        b'while True: sum(range(1000))\n', 'threads.py')
    with sandbox.process(sys.executable, script) as child:
        sandbox.readable(child.pid)
        sandbox.until(lambda: len(sandbox.threads(child.pid)) == 4,
                      'four threads')
        table = tables('-p', str(child.pid), '--interval', '500ms',
                       '--count', '2', '-g', 'thread', '-n', '0')[-1]
        check_sums(table)
        shown = tables('-p', str(child.pid), '--interval', '500ms', '--idle',
                       '--count', '1', '-n', '0')[-1]
        check_sums(shown)
        expect(any('Condition.wait' in r['text'] for r in shown['rows']) and
               shown['idle_samples'] == 0, 'with idle: %s', shown)
        expect(table['idle_samples'] > 2 * table['window_samples'] > 0,
               'set aside: %s', table)
        expect(table['threads'] == 4, '%s', table)
        expect(table['threads_idle'] > 2 * table['threads_active'] > 0,
               'three wait: %s', table)
        expect(0 < table['gil'] <= 1.1, 'one has the GIL: %s', table)
        expect(re.search('^%d/%d ' % (child.pid, child.pid),
                         table['rows'][0]['text']), 'the one that works '
               'is first: %s', table['rows'])


@each([(40, 12), (60, 20), (80, 24), (200, 50)])
def test_names_are_readable_at_any_width(size):
    with sandbox.php_process() as pid, \
            Terminal(*size, '-p', str(pid), '--interval', '100ms',
                     command='top') as terminal:
        shown = terminal.wait_for('App\\Work::inner')
        expect(max(map(len, shown.split('\n'))) <= size[0], '%s', shown)
        expect('%Own' in shown and 'q quit' in shown, '%s', shown)
        # Facts are left out whole.
        title, facts = shown.split('\n')[:2]
        expect('functions' in title and '\u2026' not in facts and
               not re.search(r'[,;:]$', facts.rstrip()), '%s', shown)
        terminal.keys('3')
        terminal.wait_for('OwnTime▼')
        terminal.keys('?')
        terminal.wait_for('save what was sampled')
        terminal.keys('q', 'q')
        terminal.wait_for('status 0')


def test_screen_sizes():
    with sandbox.php_process() as pid, \
            screen('-p', str(pid), '--interval', '100ms') as terminal:
        terminal.wait_for('<main>')
        terminal.resize(30, 5)
        terminal.wait_for('too small')
        terminal.resize(60, 10)
        terminal.wait_for('<main>')
        terminal.keys('q')
        terminal.wait_for('status 0')


def test_screen_ends_with_the_process():
    with sandbox.php_process() as pid, \
            screen('-p', str(pid), '--interval', '100ms') as terminal:
        terminal.wait_for('<main>')
        os.kill(pid, signal.SIGKILL)
        shown = terminal.wait_for('status 0')
        expect('<main>' in shown, 'the last table stays: %s', shown)


def test_screen_hostile_names():
    script = sandbox.script(
        b'<?php $f = "evil"; eval("class A\xc2\x9b31m { static function '
        b'f() { while (1) { usleep(100); } } }"); A\xc2\x9b31m::f();',
        'evil.php')
    with sandbox.process(sandbox.php(), script) as child:
        sandbox.readable(child.pid)
        with screen('-p', str(child.pid), '--interval',
                    '100ms') as terminal:
            terminal.wait_for('\\xc2\\x9b31m')
            terminal.keys('q')
            terminal.wait_for('status 0')
        out = bobbin.run('top', '-p', str(child.pid), '--count', '1',
                         '--interval', '200ms').out
        expect(b'\xc2\x9b' not in out and b'\\x' in out, '%s', out)
