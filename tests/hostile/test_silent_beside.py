"""A process that does not answer beside those that `record` and `top` sample:
they get their samples, the end comes soon, and keys are answered. `stack` and
`doctor` tell about the others first.

Its command line does not answer, or the memory that is read to attach to it.
"""
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from screen.tmux import Terminal
from support import bobbin, case, hostile, listing, phps, pythons, targets
from support.case import each, expect
from support.shim import Shim
from support.silent import SILENT, silent

RATE = 100
KINDS = ('arguments', 'runtime')

# Starts two that can be read; later one that does not answer; and then one more
# that can be read.
PARENT = '''import subprocess, sys, time
good, silent, mark, kind, wait = sys.argv[1:]
def start():
    children.append(subprocess.Popen([sys.executable, "-c", good, mark],
                                     stdout=subprocess.PIPE))
    children[-1].stdout.readline()
children = []
start()
start()
print(*[child.pid for child in children], flush=True)
sys.stdin.readline()
if kind != "none":
    children.append(subprocess.Popen([sys.executable, "-c", silent, mark,
                                      kind, wait], stdout=subprocess.PIPE))
    print(children[-1].stdout.readline().decode().strip(), flush=True)
if sys.stdin.readline():
    start()
    print(children[-1].pid, flush=True)
sys.stdin.readline()
for child in children:
    child.kill()
'''


@contextlib.contextmanager
def good():
    """Well-behaved processes with a mark in their command lines."""
    mark = 'beside-%d-%d' % (os.getpid(), time.monotonic_ns())
    commands = [(name.split()[1], how) for name, how in
                ((phps.find()[-1], ['-n', '-r', hostile.PHP]),
                 (pythons.find()[-1], ['-c', hostile.PYTHON]))
                if not name.startswith('none')]
    if not commands:
        raise case.Skip('no PHP and no Python was found')
    with targets.crowd([path, *how, mark] for path, how in commands) as v:
        for child in v:
            targets.need_permission(child.pid)
        yield mark, [child.pid for child in v]


@contextlib.contextmanager
def family(mark, kind):
    """A parent that has two children, and another one when it is told to."""
    parent = subprocess.Popen(
        [sys.executable, '-c', PARENT, hostile.PYTHON, SILENT, mark, kind,
         '0'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        targets.need_permission(pids[0])

        def go():
            parent.stdin.write(b'\n')
            parent.stdin.flush()
            if kind != 'none':
                said = parent.stdout.readline().decode().strip()
                if said.startswith('no: '):
                    raise case.Skip(said[4:])
        yield parent.pid, pids, go
    finally:
        parent.communicate(b'\n')


class Program:
    """bobbin, and what it says."""

    def __init__(self, *args, stdin=None):
        self.log = tempfile.TemporaryFile()
        self.out = tempfile.TemporaryFile()
        self.child = subprocess.Popen(
            [bobbin.PROGRAM, *args], stdin=stdin, stdout=self.out,
            stderr=self.log, env=hostile.SILENT_ENV)

    def said(self, file=None):
        file = file or self.log
        return os.pread(file.fileno(), 1 << 24, 0)

    def wait_for(self, what, text=None):
        end = time.monotonic() + bobbin.TIMEOUT
        while not what(self.said(text)):
            expect(self.child.poll() is None, 'it ended: %s', self.said())
            expect(time.monotonic() < end, 'it does not begin: %s',
                   self.said())
            time.sleep(0.01)

    def end(self, how=None):
        start = time.monotonic()
        if how:
            how()
        else:
            self.child.send_signal(signal.SIGTERM)
        self.child.wait(bobbin.TIMEOUT)
        self.took = time.monotonic() - start
        expect(self.child.returncode == bobbin.OK, '%s', self.said())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        self.log.close()
        self.out.close()


def names(pids):
    """True of a text that has all these numbers."""
    return lambda said: {b'%d' % pid for pid in pids} <= set(
        re.findall(rb'\d+', said))


def record(pids, *args, meanwhile=lambda: None, seconds=3):
    """Samples per second of the process that got fewest."""
    path = os.path.join(case.scratch, 'out.rbt')
    if os.path.exists(path):
        os.remove(path)
    with Program('record', '-r', str(RATE), '-o', path, *args) as program:
        program.wait_for(names(pids))
        meanwhile()
        time.sleep(seconds)
        program.end()
    return rate(path, pids, seconds), program.took


def rate(path, pids, seconds):
    runs = listing.parse(bobbin.run('dump', path).out)
    times = [int(fields[listing.TIME]) for _, fields in runs]
    span = (max(times) - min(times)) / 1e6
    expect(span >= seconds / 2, 'samples of %.1f s', span)
    of = [sum(count for count, fields in runs
              if fields[listing.PID] == str(pid)) for pid in pids]
    return min(of) / span


def check(measure_calm, measure):
    """Nine of ten samples, and a soon end; a machine may be busy, so both are
    measured again."""
    for _ in range(hostile.TRIES):
        calm, _ = measure_calm()
        now, took = measure()
        if now >= hostile.LEAST_RATE * calm and took <= hostile.END_SECONDS:
            break
    expect(now >= hostile.LEAST_RATE * calm,
           '%.1f samples/s of the others, %.1f without it', now, calm)
    expect(took <= hostile.END_SECONDS, 'it ended after %.1f s', took)


@each(KINDS)
def test_recording_a_pattern(kind):
    def measure(mark, pids):
        with silent(mark, kind, 0):
            time.sleep(0.2)
            return record(pids, '-P', mark)
    with good() as (mark, pids):
        check(lambda: record(pids, '-P', mark), lambda: measure(mark, pids))


@each(KINDS)
def test_recording_subprocesses(kind):
    def measure(kind):
        mark = 'family-%d' % time.monotonic_ns()
        with family(mark, kind) as (parent, pids, go):
            return record(pids, '-p', str(parent), '--subprocesses',
                          meanwhile=go)
    check(lambda: measure('none'), lambda: measure(kind))


@each(KINDS)
def test_recording_a_command(kind):
    """It ends when its command does, and its children are recorded, too."""
    def measure(kind, seconds=3):
        path = os.path.join(case.scratch, 'out.rbt')
        if os.path.exists(path):
            os.remove(path)
        with Program('record', '--subprocesses', '-r', str(RATE), '-o', path,
                     '--', sys.executable, '-c', PARENT, hostile.PYTHON,
                     SILENT, 'command-%d' % time.monotonic_ns(), kind, '0',
                     stdin=subprocess.PIPE) as program, \
                program.child.stdin as pipe:
            def go():
                pipe.write(b'\n')
                pipe.flush()

            def wait_line(i):
                program.wait_for(lambda said: said.count(b'\n') > i,
                                 program.out)
                return program.said(program.out).decode().split('\n')[i]

            def wait_sampled(pids):
                program.wait_for(names(pids))
            pids = [int(pid) for pid in wait_line(0).split()]
            wait_sampled(pids)
            go()
            silent_line = 0
            if kind != 'none':
                silent_line = 1
                said = wait_line(1)
                if said.startswith('no: '):
                    raise case.Skip(said[4:])
            time.sleep(seconds)
            go()
            wait_sampled([int(wait_line(silent_line + 1))])
            program.end(go)
        return rate(path, pids, seconds), program.took
    check(lambda: measure('none'), lambda: measure(kind))


def top(mark, n, seconds=3):
    """Samples per second of all of them."""
    with Program('top', '--json', '--interval', '200ms', '-r', str(RATE),
                 '-P', mark) as program:
        def tables():
            return [json.loads(line) for line in
                    program.said(program.out).split(b'\n')[:-1]]
        program.wait_for(lambda _: any(t['processes'] == n
                                       for t in tables()))
        first = tables()[-1]
        time.sleep(seconds)
        last = tables()[-1]
        program.end()
    us = last['time_us'] - first['time_us']
    expect(us >= seconds * 500000, 'no tables for %d s', seconds)
    return (last['all_samples'] - first['all_samples']) * 1e6 / us, \
        program.took


@each(KINDS)
def test_top(kind):
    def measure(mark, pids):
        with silent(mark, kind, 0):
            time.sleep(0.2)
            return top(mark, len(pids))
    with good() as (mark, pids):
        check(lambda: top(mark, len(pids)), lambda: measure(mark, pids))


def test_keys_of_top():
    with good() as (mark, pids), \
            Terminal(100, 24, '-P', mark, '--interval', '200ms', '-r',
                     str(RATE), command='top', env={
                         'ASAN_OPTIONS': hostile.SILENT_ENV['ASAN_OPTIONS']
                     }) as terminal:
        terminal.wait_for('%d process' % len(pids))
        with silent(mark, 'arguments', 0):
            time.sleep(1.5)
            terminal.keys('p')
            terminal.wait_for('%d ' % pids[0])
            terminal.keys('q')
            terminal.wait_for('status 0')


def finished(env, *args):
    """What it has said when it has ended."""
    done = subprocess.run([bobbin.PROGRAM, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=bobbin.TIMEOUT,
                          env=dict(hostile.SILENT_ENV, **env))
    return done.returncode, json.loads(done.stdout), done.stderr


@contextlib.contextmanager
def silent_first(kind):
    """The silent one is listed before the others. Not every kernel waits for a
    command line: there, who opens it does."""
    first = 'first-%d' % time.monotonic_ns()
    if kind == 'runtime':
        with silent(first, kind, 0) as child:
            time.sleep(0.2)
            with good() as (mark, pids):
                yield {}, '%s|%s' % (first, mark), child.pid, pids
        return
    shim = Shim()
    with targets.crowd([[sys.executable, '-c', hostile.PYTHON, first]]) as v:
        shim.silence(v[0].pid)
        env = dict(shim.env, ASAN_OPTIONS='%s:%s' % (
            shim.env['ASAN_OPTIONS'], hostile.SILENT_ENV['ASAN_OPTIONS']))
        with good() as (mark, pids):
            yield env, '%s|%s' % (first, mark), v[0].pid, pids


LISTED = ('command', 'runtime')


@each(LISTED)
def test_stack(kind):
    with silent_first(kind) as (env, pattern, pid, pids):
        code, said, err = finished(env, 'stack', '--json', '-P', pattern)
        of = {p['pid']: p for p in said['processes']}
        expect(set(pids) <= set(of), '%r: %s', said, err)
        expect(all('error' not in of[p] for p in pids), '%r', said)
        if kind == 'command':
            # Nobody knows whether it is one of them.
            expect(code == bobbin.OK and pid not in of, '%r', said)
            expect(b'%d' % pid in err and b'not answer' in err, '%s', err)
        else:
            expect(code == bobbin.PARTIAL, '%d: %s', code, err)
            expect('not answer' in of[pid]['error'], '%r', said)
            expect(said['processes'][-1]['pid'] == pid, '%r', said)


@each(LISTED)
def test_list_of_doctor(kind):
    with silent_first(kind) as (env, _, pid, pids):
        _, said, err = finished(env, 'doctor', '--json')
        of = {p['pid']: p for p in said['processes']}
        expect(set(pids) | {pid} <= set(of), '%r: %s', said, err)
        expect(all(of[p]['readable'] for p in pids), '%r', said)
        if kind == 'command':
            expect('not answer' in of[pid]['why'], '%r', of[pid])


@each(LISTED)
def test_doctor(kind):
    with silent_first(kind) as (env, pattern, pid, pids):
        _, said, err = finished(env, 'doctor', '--json', '-P', pattern)
        of = {p['pid']: p['checks'] for p in said['processes']}
        expect(set(pids) | {pid} <= set(of), '%r: %s', said, err)
        for p in pids:
            expect(any(c['name'] == 'samples' for c in of[p]), '%r', of[p])
        expect(of[pid][-1]['health'] == 'problem' and
               'not answer' in of[pid][-1]['text'], '%r', of[pid])
