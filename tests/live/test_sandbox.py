"""Captures run with the rights that they need, on every path, and everything
works with them."""
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

from support import bobbin, case, phps, pythons, targets
from support.case import Skip, each, expect
from support.daemons import daemon, has

PYTHON = '''import subprocess, sys, time
print("ready", flush=True)
def work():
    while True:
        sum(range(1000))
work()
'''

# What is left of the capabilities, if they were there: CAP_DAC_READ_SEARCH,
# CAP_SYS_PTRACE, CAP_SYS_NICE.
KEPT = 1 << 2 | 1 << 19 | 1 << 23


def status_of(pid):
    with open('/proc/%d/status' % pid) as file:
        return dict(line.split(':\t', 1) for line in
                    file.read().splitlines() if ':\t' in line)


def expect_confined(pid, kept=KEPT):
    ours, its = status_of(os.getpid()), status_of(pid)
    if ours.get('Seccomp') is None:
        raise Skip('this kernel has no seccomp')
    expect(its['Seccomp'].strip() == '2', 'no filter: %s', its['Seccomp'])
    expect(its['NoNewPrivs'].strip() == '1', 'it may get more rights')
    had = int(ours['CapEff'], 16)
    for key in 'CapEff', 'CapPrm':
        expect(int(its[key], 16) == had & kept, '%s: %s', key, its[key])
    expect(int(its['CapInh'], 16) == 0 and int(its['CapAmb'], 16) == 0,
           '%r', its)
    if had & 1 << 8:  # CAP_SETPCAP
        expect(int(its['CapBnd'], 16) & ~kept == 0, '%s', its['CapBnd'])


def wait_confined(child):
    for _ in range(int(bobbin.TIMEOUT * 20)):
        if child.poll() is not None:
            raise case.Failure('it has ended: %s' % child.communicate()[1])
        # The filter comes last.
        if status_of(child.pid).get('Seccomp', '2').strip() == '2':
            return
        time.sleep(0.05)


@contextlib.contextmanager
def python():
    name = pythons.find()[-1]
    if name.startswith('none'):
        raise Skip('no Python was found')
    mark = 'sandbox-%d' % time.monotonic_ns()
    with targets.crowd([[name.split()[1], '-c', PYTHON, mark]]) as (child,):
        targets.need_permission(child.pid)
        yield child.pid, mark


# Every kind of output, and every way of capturing.
@each([('rbt', 'a.rbt', ()), ('gzip', 'a.rbt.gz', ()),
       ('tach', 'a.bin', ()), ('folded', 'a.folded', ()),
       ('phpspy', 'a.phpspy', ()), ('html', 'a.html', ()),
       ('svg', 'a.svg', ()), ('pprof', 'a.pb.gz', ()),
       ('speedscope', 'a.speedscope.json', ()),
       ('gecko', 'a.gecko.json', ()), ('callgrind', 'a.callgrind', ()),
       ('pstats', 'a.pstats', ()), ('perfetto', 'a.perfetto', ()),
       ('jsonl', 'a.jsonl', ()), ('native', 'a.rbt', ('--native',)),
       ('native-only', 'a.rbt', ('--native-only',)),
       ('pause', 'a.rbt', ('--pause',)), ('cpu', 'a.rbt', ('--mode', 'cpu')),
       ('tasks', 'a.rbt', ('--async', 'all')),
       ('match', 'a.rbt', ('--match', 'work')),
       ('rotated', 'a.rbt', ('--rotate-time', '300ms')),
       ('pattern', 'a.rbt', ('--subprocesses',))])
def test_record(item):
    _, to, options = item
    path = os.path.join(case.scratch, to)
    with python() as (pid, _):
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(pid), '-o', path, *options],
            stderr=subprocess.PIPE)
        try:
            wait_confined(child)
            expect_confined(child.pid)
            time.sleep(1)
            child.send_signal(signal.SIGINT)
            err = child.communicate(timeout=bobbin.TIMEOUT)[1]
        finally:
            child.kill()
            child.wait()
        expect(child.returncode == 0, 'exit code %d: %s', child.returncode,
               err)
        expect(b'not permitted' not in err, '%s', err)
        found = [n for n in os.listdir(case.scratch) if n[:1] == 'a']
        expect(found and all(os.path.getsize(os.path.join(case.scratch, n))
                             for n in found), '%r', found)
        samples = int(re.search(rb'([\d,.]+) samples', err).group(1)
                      .replace(b',', b''))
        expect(samples > 5, '%s', err)


def test_command_is_not_restricted():
    """What is started has the rights that we had."""
    out = os.path.join(case.scratch, 'own.txt')
    script = ('import subprocess, time\n'
              'open(%r, "w").write(open("/proc/self/status").read())\n'
              'subprocess.run(["true"], check=True)\n'
              't = time.time()\n'
              'while time.time() < t + 1: pass\n' % out)
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'record', '--subprocesses', '-o',
         os.path.join(case.scratch, 'x.rbt'), '--', sys.executable, '-c',
         script], stderr=subprocess.PIPE)
    try:
        wait_confined(child)
        expect_confined(child.pid)
        err = child.communicate(timeout=bobbin.TIMEOUT)[1]
    finally:
        child.kill()
        child.wait()
    expect(child.returncode == 0, '%d: %s', child.returncode, err)
    ours = status_of(os.getpid())
    with open(out) as file:
        its = dict(line.split(':\t', 1) for line in
                   file.read().splitlines() if ':\t' in line)
    for key in 'Seccomp', 'NoNewPrivs', 'CapEff', 'CapBnd':
        expect(its.get(key) == ours.get(key), '%s: %s, %s', key,
               its.get(key), ours.get(key))


def test_command_can_be_ended():
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'record', '-o', os.path.join(case.scratch, 'x.rbt'),
         '--', sys.executable, '-c', 'while True: pass'],
        stderr=subprocess.PIPE)
    wait_confined(child)
    time.sleep(1)
    child.send_signal(signal.SIGTERM)
    err = child.communicate(timeout=bobbin.TIMEOUT)[1]
    expect(child.returncode == 128 + signal.SIGTERM, '%d: %s', child.returncode, err)


@each([('files', ()), ('bundled', ('--bundled',)), ('native', ('--native',)),
       ('tach', ('-t', 'tach')), ('pause', ('--pause',))])
def test_daemon(item):
    with python() as (pid, mark):
        with daemon(mark, '-r', '100', *item[1]) as d:
            d.wait(has(pid), 'samples')
            expect_confined(d.child.pid)
            before = d.status()['files']
            d.child.send_signal(signal.SIGUSR1)
            d.wait(lambda s: s['files'] > before, 'new files')
            told = d.end()
            expect(b'not permitted' not in told and b'error' not in told,
                   '%s', told)
            for path in d.files():
                bobbin.run('verify', path)


def test_variables():
    name = phps.find()[-1]
    if name.startswith('none'):
        raise Skip('no PHP was found')
    code = '$n = 1; echo "ready\\n"; while (true) { $n++; usleep(100); }'
    with targets.crowd([[name.split()[1], '-n', '-r', code]]) as (child,):
        targets.need_permission(child.pid)
        out = bobbin.run('stack', '--locals', '-p', str(child.pid), '--json',
                         ok=(bobbin.OK, bobbin.PARTIAL)).out
        expect(json.loads(out)['processes'], '%s', out)
        path = os.path.join(case.scratch, 'x.rbt')
        bobbin.run('record', '-p', str(child.pid), '-d', '500ms', '-o', path,
                   '--trace-var', 'global::$n')
        expect(b'global::$n' in bobbin.run('dump', path).out, 'no variable')


def test_top_and_stack():
    with python() as (pid, _):
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'top', '-p', str(pid), '-d', '2s'],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_confined(child)
        expect_confined(child.pid)
        out, err = child.communicate(timeout=bobbin.TIMEOUT)
        expect(child.returncode == 0 and b'work' in out, '%s %s', out, err)
        out = bobbin.run('stack', '--native', '--locals', '-p', str(pid)).out
        expect(b'work' in out, '%s', out)


def test_it_can_be_turned_off():
    with python() as (pid, mark):
        with daemon(mark, '-r', '100', '--no-sandbox') as d:
            d.wait(has(pid), 'samples')
            its = status_of(d.child.pid)
            expect(its['Seccomp'] == status_of(os.getpid())['Seccomp'],
                   '%s', its['Seccomp'])
            expect(its['NoNewPrivs'] == '1', 'it may get more rights')
            d.end()
