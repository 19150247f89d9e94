"""Fewer descriptors than processes: who is not sampled is told, and nobody is
taken for ended."""
import contextlib
import os
import re
import resource
import subprocess
import sys
import time

from support import bobbin, case, pythons, targets
from support.case import expect
from support.daemons import daemon

SLEEP = '''import os, sys, time
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        while True:
            time.sleep(0.05)
print("ready", flush=True)
while True:
    time.sleep(0.05)
'''


def lowered(limit, hard=None):
    """For a child: fewer descriptors."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                      (limit, hard or limit))


@contextlib.contextmanager
def pool(n):
    """A family of n Pythons that rest, and the mark of their command line."""
    mark = 'pool-%d-%d' % (os.getpid(), time.monotonic_ns())
    name = pythons.find()[-1]
    if name.startswith('none'):
        raise case.Skip('no Python was found')
    child = subprocess.Popen(
        [name.split()[1], '-c', SLEEP, str(n - 1), mark],
        stdout=subprocess.PIPE, start_new_session=True)
    try:
        expect(child.stdout.readline() == b'ready\n', 'it did not start')
        targets.need_permission(child.pid)
        yield mark, child
    finally:
        os.killpg(child.pid, 9)
        child.wait()
        child.stdout.close()


def settled(n):
    return lambda s: len(s['workers']) + s['not_sampled']['count'] == n


def test_soft_limit_is_raised():
    with pool(30) as (mark, _):
        with daemon(mark, '-r', '20', preexec_fn=lowered(32, 400)) as d:
            status = d.wait(settled(30), 'all of them are known')
            expect(status['not_sampled']['count'] == 0, '%r', status)
            told = d.end()
            expect(b'open files' not in told, '%s', told)


@case.each([('files', ()), ('bundle', ('--bundled',))])
def test_who_is_left_out_is_told(item):
    """With a hard limit that is too low."""
    n, limit = 80, 64
    with pool(n) as (mark, _):
        with daemon(mark, '-r', '20', *item[1],
                    preexec_fn=lowered(limit)) as d:
            status = d.wait(settled(n), 'all of them are known')
            left = status['not_sampled']
            if item[0] == 'files':
                expect(left['count'] > 0, 'all were sampled: %r', left)
                expect(status['workers'], 'nobody is sampled')
                cause = left['causes'][0]
                expect(cause['cause'] == 'descriptors' and
                       cause['count'] == left['count'] and
                       0 < len(cause['pids']) <= 5, '%r', left)
                text = bobbin.run('daemon', 'status', '-o', d.folder).out
                expect(re.search(rb'not sampled: %d processes.*limit of %d'
                                 rb' open files' % (left['count'], limit),
                                 text.replace(b'\n', b' ')), '%s', text)
            else:
                # One file for all of them: none is needed for each.
                expect(left['count'] == 0, '%r', left)
            # Nobody who was there has been taken for ended.
            time.sleep(2)
            again = d.status()
            before = {w['pid']: w['samples'] for w in status['workers']}
            after = {w['pid']: w['samples'] for w in again['workers']}
            expect(set(before) <= set(after), '%r %r', before, after)
            told = d.end()
            lines = [l for l in told.splitlines() if b'open files' in l]
            expect(len(lines) == (item[0] == 'files'), '%s', told)


def test_place_is_taken_when_there_is_one():
    """A process ends, and one that was left out takes its place."""
    with pool(60) as (mark, _), pool(1) as (other, child):
        with daemon('%s|%s' % (other, mark), '-r', '20',
                    preexec_fn=lowered(64)) as d:
            status = d.wait(settled(61), 'all of them are known')
            sampled = {w['pid'] for w in status['workers']}
            gone = sorted(sampled)[0]
            os.kill(gone, 9)
            d.wait(lambda s: gone not in {w['pid'] for w in s['workers']} and
                   len(s['workers']) == len(sampled),
                   'another one takes its place')
            d.end()


@contextlib.contextmanager
def nothing_can_be_opened(pid):
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))
    yield
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def test_no_descriptor_is_no_end():
    """For some seconds nothing can be looked at. Everybody stays: those whose
    memory is held, and those that there were no descriptors for."""
    with pool(40) as (mark, _):
        with daemon(mark, '-r', '20', '--bundled',
                    preexec_fn=lowered(72)) as d:
            d.wait(lambda s: len(s['workers']) == 40, 'all of them')
            before = {w['pid']: w['samples'] for w in d.status()['workers']}
            with nothing_can_be_opened(d.child.pid):
                time.sleep(3)
            status = d.status()
            after = {w['pid']: w['samples'] for w in status['workers']}
            expect(set(before) == set(after), '%r %r', before, after)
            # Samples are counted since a process was attached.
            expect(all(after[p] > before[p] for p in before), '%r %r',
                   before, after)
            told = d.end()
            expect(told.count(b'Too many open files') == 1, '%s', told)


def wait_for(pattern, path, child):
    """Until what the child says has it."""
    end = time.monotonic() + bobbin.TIMEOUT
    while not re.search(pattern, case.read_file(path)):
        expect(child.poll() is None, 'it has ended: %s', case.read_file(path))
        expect(time.monotonic() < end, 'it does not say it: %s',
               case.read_file(path))
        time.sleep(0.05)


def test_no_descriptor_ends_no_record():
    """A shell is no runtime, but may start one. It is tried again and again:
    that there is no descriptor for this says nothing about it."""
    shell = subprocess.Popen(['sh', '-c', 'sleep 600; :'],
                             start_new_session=True)
    said = case.write_file(b'', 'said.txt')
    with open(said, 'wb') as err:
        record = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '--subprocesses', '-p', str(shell.pid),
             '-o', os.path.join(case.scratch, 'x.rbt')], stderr=err)
    try:
        # It samples, or waits to: the output is there.
        while not os.path.exists(os.path.join(case.scratch, 'x.rbt')):
            expect(record.poll() is None, 'it does not begin: %s',
                   case.read_file(said))
            time.sleep(0.05)
        with nothing_can_be_opened(record.pid):
            # The shell has been tried, in vain.
            wait_for(rb'process %d.*Too many open files' % shell.pid, said,
                     record)
            time.sleep(1)
        expect(record.poll() is None, 'it has ended: %s',
               case.read_file(said))
        os.killpg(shell.pid, 9)
        shell.wait()
        record.wait(bobbin.TIMEOUT)
    finally:
        if shell.returncode is None:
            os.killpg(shell.pid, 9)
            shell.wait()
        record.kill()
        record.wait()


def test_threads_take_no_descriptors():
    """A process with many threads does not use up those of the others."""
    script = ('import threading, time\n'
              'for _ in range(200):\n'
              '    threading.Thread(target=time.sleep, args=(1000,),'
              ' daemon=True).start()\n'
              'print("ready", flush=True)\n'
              'time.sleep(1000)\n')
    mark = 'threads-%d' % time.monotonic_ns()
    name = pythons.find()[-1]
    if name.startswith('none'):
        raise case.Skip('no Python was found')
    with targets.crowd([[name.split()[1], '-c', script, mark]]) as (child,):
        with daemon(mark, '-r', '20', '--on-cpu',
                    preexec_fn=lowered(128)) as d:
            d.wait(lambda s: s['samples'] > 400, 'samples')
            held = len(os.listdir('/proc/%d/fd' % d.child.pid))
            expect(held < 100, '%d descriptors are held', held)
            d.end()


def test_command_has_the_limit_that_it_was_given():
    """The limit is raised for us, not for what is started."""
    out = os.path.join(case.scratch, 'own.txt')
    script = ('import resource, time\n'
              'open(%r, "w").write('
              'str(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))\n'
              't = time.time()\n'
              'while time.time() < t + 0.5: pass\n' % out)
    targets.need_permission(os.getpid())
    subprocess.run([bobbin.PROGRAM, 'record', '-o',
                    os.path.join(case.scratch, 'x.rbt'), '--',
                    sys.executable, '-c', script],
                   check=True, stderr=subprocess.DEVNULL,
                   preexec_fn=lowered(100, 300))
    with open(out) as file:
        expect(file.read() == '100', 'it has another limit')
