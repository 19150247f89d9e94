"""bobbin stack: one look at processes that run."""
import json
import os
import signal
import sys

from live import sandbox
from screen.tmux import Terminal
from support import bobbin, case, fpm
from support.case import each, expect


def stack(*args, ok=(bobbin.OK,)):
    return json.loads(bobbin.run('stack', '--json', *args, ok=ok).out)[
        'processes']


def names(process, thread=0):
    return [f['function'] for f in process['threads'][thread]['frames']]


def test_php():
    with sandbox.php_process() as pid:
        process, = stack('-p', str(pid))
        expect(process['pid'] == pid and process['runtime'] == 'php' and
               process['state'] == 'read', '%s', process)
        expect('work.php' in process['command'], '%s', process['command'])
        expect(process['ppid'] == os.getpid(), '%s', process)
        found = names(process)
        expect(found[-1] == '<main>', '%s', found)
        legal = [[], ['App\\Work::inner', 'App\\Work::run'],
                 ['App\\Work::run'], ['App\\nap'], ['usleep', 'App\\nap']]
        expect(found[:-1] in legal, '%s', found)


def test_text():
    with sandbox.php_process() as pid:
        out = bobbin.run('stack', str(pid), '--pause').out.decode()
        lines = out.split('\n')
        expect(lines[0].startswith('Process %d: ' % pid), '%s', out)
        expect(lines[1].startswith('php ') and ' in /' in lines[1], '%s', out)
        expect('<main>' in lines[-2] and 'work.php:14' in lines[-2], '%s',
               out)


def test_python():
    script = sandbox.script(sandbox.PYTHON_SCRIPT, 'work.py')
    with sandbox.process(sys.executable, script) as child:
        sandbox.readable(child.pid)
        sandbox.until(lambda: len(sandbox.threads(child.pid)) == 2,
                      'two threads')
        process, = stack('-p', str(child.pid))
        expect(process['runtime'] == 'python', '%s', process)
        tids = [t['tid'] for t in process['threads']]
        expect(len(set(tids)) == 2 and child.pid in tids, '%s', tids)
        roots = sorted(names(process, i)[-1] for i in range(2))
        expect('<module>' in roots, '%s', roots)


def test_pattern_finds_all_and_passes_over_the_rest():
    mark = 'bobbin-%d' % os.getpid()
    script = sandbox.script(sandbox.PHP_SCRIPT, mark + '.php')
    with sandbox.process(sandbox.php(), script) as a, \
            sandbox.process(sandbox.php(), script) as b, \
            sandbox.process('sh', '-c', 'sleep 1000; : ' + mark):
        sandbox.readable(a.pid)
        sandbox.readable(b.pid)
        found = stack('-P', mark + r'\.php$')
        expect({p['pid'] for p in found} == {a.pid, b.pid}, '%s', found)
        found = stack('-P', mark, '-p', str(a.pid))
        expect(sorted(p['pid'] for p in found) == sorted([a.pid, b.pid]),
               'once each, without the shell: %s', found)
        found = stack('--target-regex', mark)
        expect(len(found) == 2, 'as reli spells it: %s', found)


def test_one_of_two_is_partial():
    with sandbox.php_process() as pid, sandbox.process('sleep', '9') as other:
        result = bobbin.run('stack', '-p', str(pid), '-p', str(other.pid),
                            ok=(bobbin.PARTIAL,))
        expect(b'<main>' in result.out and b'neither PHP nor Python' in result.err, '%s',
               result.err)


def test_stopped():
    with sandbox.php_process() as pid:
        os.kill(pid, signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)
        first, second = stack('-p', str(pid)), stack('-p', str(pid))
        expect(names(first[0]) == names(second[0]), 'it moved')


def test_pool_with_requests():
    sandbox.need_root()
    script = sandbox.script(
        b'<?php $_SERVER["REQUEST_URI"]; '
        b'function work() { usleep(20000); } work();', 'index.php')
    with fpm.pool(3) as pool, \
            pool.busy(lambda i: (script, '/shop/%d/item' % i)):
        def served():
            found = stack('-P', 'php-fpm: pool', ok=(0, 1, 4))
            mine = [p for p in found if str(p['pid']) in pool.workers()]
            facts = [t['annotations'] for p in mine
                     for t in p.get('threads', ())]
            return len(mine) == 3 and any(
                f.get('request.route') == '/shop/{n}/item' for f in facts)
        sandbox.until(served, 'a worker with its route')


@each([('dump PID', lambda pid: ['dump', str(pid)]),
       ('stack PID', lambda pid: ['stack', str(pid)]),
       ('--pid', lambda pid: ['stack', '--pid', str(pid)])])
def test_spellings(item):
    with sandbox.php_process() as pid:
        out = bobbin.run(*item[1](pid)).out
        expect(out.startswith(b'Process %d: ' % pid), '%s', out)


@each([('dump PID --json', lambda pid: ['dump', str(pid), '--json']),
       ('dump -j --pid', lambda pid: ['dump', '-j', '--pid', str(pid)]),
       ('stack -j', lambda pid: ['stack', '-j', str(pid)])])
def test_spellings_of_json(item):
    """Also when standard input could be a trace."""
    with sandbox.php_process() as pid:
        out = json.loads(bobbin.run(*item[1](pid), stdin=b'main 1\n').out)
        expect([p['pid'] for p in out['processes']] == [pid], '%s', out)


def test_json_of_a_trace_is_refused():
    result = bobbin.run('dump', '--json', 'x.rbt', ok=(bobbin.USAGE,))
    expect(b'convert -t jsonl' in result.err and not result.out, '%s',
           result.err)


def test_dump_pid_on_a_terminal():
    """As py-spy spells it; there is no trace to read."""
    with sandbox.php_process() as pid, \
            Terminal(100, 24, '-p', str(pid), command='dump') as terminal:
        terminal.wait(lambda now: ', parent ' in now and '<main>' in now,
                      'a stack')


def test_dump_prefers_files():
    """A trace may be called 1234."""
    os.chdir(case.scratch)
    path = case.write_file(b'main;work 3\n', '1234')
    out = bobbin.run('dump', os.path.basename(path)).out
    expect(out.startswith(b'3\t'), '%s', out)


def test_dump_with_a_filter_still_reads_standard_input():
    result = bobbin.run('dump', '-p', '1', stdin=b'main;work 3\n')
    expect(b'Process' not in result.out, '%s', result.out)


@each([('nothing', ), ('a word', 'php'), ('a pattern', '-P', '('),
       ('zero', '-p', '0'), ('too large', '-p', '99999999999')])
def test_mistakes(item):
    result = bobbin.run('stack', *item[1:], ok=(bobbin.USAGE,))
    expect(result.err and not result.out, '%s', result)


def test_nothing_matches():
    result = bobbin.run('stack', '-P', 'no process has this[z]',
                        ok=(bobbin.FAILED,))
    expect(b'bobbin doctor' in result.err, '%s', result.err)


def test_no_such_process():
    with sandbox.process('true') as child:
        child.wait()
        result = bobbin.run('stack', '-p', str(child.pid),
                            ok=(bobbin.FAILED,))
        expect(b'no such process' in result.err, '%s', result.err)
        process, = stack('-p', str(child.pid), ok=(bobbin.FAILED,))
        expect('no such process' in process['error'], '%s', process)
