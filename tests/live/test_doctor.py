"""bobbin doctor: real obstacles, each with its reason and its fix."""
import errno
import json
import os
import signal
import subprocess
import sys

from live import sandbox
from support import bobbin, case
from support.case import each, expect


def checks(result, index=0):
    """The checks of one process, by name."""
    found = json.loads(result.out)['processes'][index]['checks']
    return {check['name']: check for check in found}


def doctor(*args, ok=(bobbin.OK,)):
    return bobbin.run('doctor', '--json', *args, ok=ok)


def expect_problem(found, name, *words):
    expect(name in found, 'no check %s in %s', name, list(found))
    expect(found[name]['health'] == 'problem', '%s', found[name])
    said = found[name]['text'] + ' ' + found[name].get('fix', '')
    for word in words:
        expect(word in said, 'no %r in %r', word, said)


def test_machine():
    result = bobbin.run('doctor', '--json', ok=(0, 1))
    report = json.loads(result.out)
    names = [check['name'] for check in report['machine']]
    for name in ('process-vm-readv', 'ptrace-scope', 'capability', 'seccomp',
                 'container', 'proc', 'clock', 'timer',
                 'stopping', 'priority', 'limits', 'output', 'runtimes'):
        expect(names.count(name) == 1, '%s: %s', name, names)
    worst = any(c['health'] == 'problem' for c in report['machine'])
    expect(result.code == worst, 'status %d', result.code)


@each([0, 1])
def test_priority_is_a_right_or_a_limit(limit):
    """Without CAP_SYS_NICE it is what `ulimit -r` grants."""
    sandbox.need_setpriv()
    limited = ['prlimit', '--rtprio=%d:%d' % (limit, limit)]
    if subprocess.run(limited + ['true'], capture_output=True).returncode:
        raise case.Skip('the limit may not be changed')
    report = json.loads(bobbin.execute(limited + [
        'setpriv', '--bounding-set', '-sys_nice', '--inh-caps', '-sys_nice',
        bobbin.PROGRAM, 'doctor', '--json'], ok=(0, 1)).out)
    found = [c for c in report['machine'] if c['name'] == 'priority']
    expect(len(found) == 1, '%s', found)
    if limit:
        expect(found[0]['health'] == 'ok', '%s', found)
    else:
        expect(found[0]['health'] == 'warning' and
               'CAP_SYS_NICE' in found[0]['fix'] and
               'ulimit -r' in found[0]['fix'], '%s', found)


def test_processes_are_listed():
    with sandbox.php_process() as pid:
        report = json.loads(bobbin.run('doctor', '--json').out)
        mine = [p for p in report['processes'] if p['pid'] == pid]
        expect(len(mine) == 1 and mine[0]['readable'] and
               mine[0]['runtime'] == 'php', '%s', mine)
        text = bobbin.run('doctor').out
        expect(str(pid).encode() in text, 'not in the table')


def test_healthy():
    with sandbox.php_process() as pid:
        result = doctor('-p', str(pid))
        found = checks(result)
        expect(all(c['health'] == 'ok' for c in found.values()), '%s', found)
        expect('php' in found['runtime']['text'], '%s', found['runtime'])
        expect('could be proven' in found['samples']['text'], '%s',
               found['samples'])


def test_pause():
    with sandbox.php_process() as pid:
        found = checks(doctor('-p', str(pid), '--pause'))
        expect(found['samples']['text'].startswith('40 of 40'), '%s',
               found['samples'])


def test_missing():
    with sandbox.process('true') as child:
        child.wait()
        found = checks(doctor('-p', str(child.pid), ok=(1,)))
        expect_problem(found, 'process')
        expect(found['process']['text'] == 'no such process: %d' % child.pid,
               '%s', found['process'])


def test_hidden():
    """/proc has it not, but it is there."""
    with sandbox.process('sleep', '1000') as child:
        result = sandbox.with_hidden('doctor', '--json', '-p',
                                     str(child.pid), ok=(1,))
        expect_problem(checks(result), 'process', 'it runs, but /proc hides '
                       'it', 'hidepid', 'sudo bobbin')
        result = sandbox.with_hidden('stack', '-p', str(child.pid), ok=(1,))
        expect(b'process %d may not be read: /proc hides it' % child.pid in
               result.err, 'attaching says: %s', result.err)
        result = sandbox.with_hidden('stack', '-p', '2147483646', ok=(1,))
        expect(b'no such process: 2147483646' in result.err, '%s', result.err)


def test_zombie():
    with sandbox.process('true') as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        expect_problem(checks(doctor('-p', str(child.pid), ok=(1,))),
                       'process', 'zombie')


def test_stopped():
    with sandbox.php_process() as pid:
        os.kill(pid, signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)
        found = checks(doctor('-p', str(pid)))
        expect(found['process']['health'] == 'warning' and
               'kill -CONT %d' % pid in found['process']['fix'], '%s',
               found['process'])
        expect('samples' in found, 'a stopped process can be read')


def test_not_a_runtime():
    with sandbox.process('sleep', '1000') as child:
        expect_problem(checks(doctor('-p', str(child.pid), ok=(1,))),
                       'runtime', 'no PHP or Python')


def test_unknown_version():
    with sandbox.php_process() as pid:
        result = doctor('-p', str(pid), '--runtime', 'php',
                        '--runtime-version', '9.9', ok=(1,))
        expect_problem(checks(result), 'runtime', '9.9', '8.5',
                       '--runtime-version')


def test_another_user():
    with sandbox.php_process() as pid:
        result = sandbox.without_ptrace('doctor', '--json', '-p', str(pid),
                                        user=sandbox.NOBODY, ok=(1,))
        expect_problem(checks(result), 'permission', 'user 0',
                       'you are %d' % sandbox.NOBODY, 'sudo bobbin')
        result = sandbox.without_ptrace('stack', '-p', str(pid),
                                        user=sandbox.NOBODY, ok=(1,))
        expect(b'it belongs to user 0' in result.err and
               b'sudo bobbin' in result.err, 'attaching says: %s', result.err)


def test_root_without_capability():
    sandbox.need_setpriv()
    with sandbox.php_process(user=sandbox.NOBODY) as pid:
        result = sandbox.without_ptrace('doctor', '--json', '-p', str(pid),
                                        ok=(1,))
        expect_problem(checks(result), 'permission', 'CAP_SYS_PTRACE')


def test_same_user():
    sandbox.need_setpriv()
    with sandbox.php_process(user=sandbox.NOBODY) as pid:
        result = sandbox.without_ptrace('doctor', '--json', '-p', str(pid),
                                        user=sandbox.NOBODY, ok=(0, 1))
        found = checks(result)
        if 'ptrace_scope' in found['permission']['text']:
            raise case.Skip('Yama forbids it')
        expect('same user' in found['permission']['text'], '%s', found)


NOT_DUMPABLE = b'''
import ctypes, sys, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
open(sys.argv[1], 'w').close()
time.sleep(1000)
'''


def test_not_dumpable():
    sandbox.need_setpriv()
    script = sandbox.script(NOT_DUMPABLE, 'hidden.py')
    os.chmod(case.scratch, 0o777)
    ready = os.path.join(case.scratch, 'ready')
    python = '/usr/bin/python3'
    if not os.path.exists(python):
        raise case.Skip('no python that nobody may start')
    with sandbox.process(python, script, ready,
                         user=sandbox.NOBODY) as child:
        sandbox.until(lambda: os.path.exists(ready), 'it is ready')
        result = sandbox.without_ptrace(
            'doctor', '--json', '-p', str(child.pid), user=sandbox.NOBODY,
            ok=(1,))
        expect_problem(checks(result), 'permission', 'not dumpable',
                       'process.dumpable = yes')


@each([('ENOSYS', errno.ENOSYS), ('EPERM', errno.EPERM)])
def test_seccomp(item):
    result = sandbox.filtered('doctor', '--json', error=item[1], ok=(1,))
    machine = {c['name']: c for c in json.loads(result.out)['machine']}
    expect_problem(machine, 'process-vm-readv', 'seccomp')
    expect('filter' in machine['seccomp']['text'], '%s', machine['seccomp'])
    with sandbox.process('sleep', '1000') as child:
        result = sandbox.filtered('stack', '-p', str(child.pid),
                                  error=item[1], ok=(1,))
        expect(b'process_vm_readv' in result.err, 'attaching says: %s',
               result.err)


def test_few_files():
    result = bobbin.execute(['sh', '-c', 'ulimit -n 64; exec "$0" "$@"',
                             bobbin.PROGRAM, 'doctor'], ok=(0, 1))
    expect(b'ulimit -Hn 4096' in result.out, '%s', result.out)


def test_directory_that_is_read_only():
    sandbox.need_setpriv()
    os.chmod(case.scratch, 0o755)
    os.chdir(case.scratch)
    result = sandbox.without_ptrace('doctor', '--json', user=sandbox.NOBODY,
                                    ok=(0, 1))
    machine = {c['name']: c for c in json.loads(result.out)['machine']}
    for name in ('capability', 'output'):
        expect(machine[name]['health'] == 'warning' and machine[name]['fix'],
               '%s', machine[name])


def test_debugger():
    code = ('import ctypes, sys, os, time\n'
            'libc = ctypes.CDLL(None)\n'
            'assert libc.ptrace(0x4206, int(sys.argv[1]), 0, 0) == 0\n'
            'print("seized", flush=True)\n'
            'time.sleep(1000)\n')
    with sandbox.php_process() as pid:
        tracer = subprocess.Popen([sys.executable, '-c', code, str(pid)],
                                  stdout=subprocess.PIPE)
        try:
            if tracer.stdout.readline() != b'seized\n':
                raise case.Skip('ptrace is not permitted')
            found = checks(doctor('-p', str(pid)))
            expect('tracer' in found and str(tracer.pid) in
                   found['tracer']['text'], '%s', found)
        finally:
            tracer.kill()
            tracer.wait()
            tracer.stdout.close()


@each([('a word', '-p', 'php'), ('zero', '-p', '0'),
       ('a pattern', '-P', '(')])
def test_mistakes(item):
    bobbin.run('doctor', *item[1:], ok=(bobbin.USAGE,))


def test_pattern_without_match():
    result = bobbin.run('doctor', '-P', 'no process has this[z]', ok=(1,))
    expect(b'no process matches' in result.err, '%s', result.err)
