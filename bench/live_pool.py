#!/usr/bin/env python3
"""What a daemon costs that samples a pool of PHP and of Python.

    bench/live_pool.py [--workers N] [--rate HZ] [--seconds S]

Starts N workers of each that work a little and wait the rest of the time, and
one daemon over all of them: its processor time, peak memory and bytes per
sample, for each runtime alone and for both in one stream; and how long it takes
to start bobbin, attach to one worker and read one stack (the least of twenty).

Then a pool of php-fpm of N workers, all of them busy, and what a sample takes
of one file for all: without facts of requests, with those of requests for a
hundred uris, of requests for a new uri each, and, for comparison, the same with
all facts told with every sample.
"""
import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

from peers import BOBBIN, cpu_of
from support import case, fpm, phps, pythons, targets

ROW = '%-22s %8s %9s %8s %9s %9s'
PHP = '''function w() { $s = 0; for ($i = 0; $i < 500; $i++) $s += $i; }
echo "ready\\n"; while (true) { w(); usleep(10000); }'''
PYTHON = '''import time
def w():
    for i in range(500): pass
print("ready", flush=True)
while True:
    w()
    time.sleep(0.01)'''


def peak_mib(pid):
    """getrusage would count what the child had of ours before it became
    another program."""
    with open('/proc/%d/status' % pid) as file:
        for line in file:
            if line.startswith('VmHWM:'):
                return int(line.split()[1]) / 1024
    return 0


def measure(label, mark, rate, seconds):
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen(
            [BOBBIN, 'daemon', '-P', mark, '-o', folder, '--bundled', '-r',
             str(rate)], stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        peak = peak_mib(child.pid)
        os.kill(child.pid, signal.SIGTERM)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        files = [os.path.join(folder, name) for name in os.listdir(folder)]
        size = sum(map(os.path.getsize, files))
        dump = subprocess.run([BOBBIN, 'dump', *files],
                              capture_output=True).stdout
    n = sum(int(line.split(b'\t')[0]) for line in dump.splitlines())
    cpu = usage.ru_utime + usage.ru_stime
    print(ROW % (label, '%.0f/s' % (n / seconds),
                 '%.1f %%' % (100 * cpu / seconds),
                 '%.1f us' % (1e6 * cpu / (n or 1)),
                 '%.1f MiB' % peak,
                 '%.1f' % (size / (n or 1))), flush=True)


def request_for(n_uris):
    """Two scripts in turn, each with uris of its own."""
    def request(i):
        script = os.path.join(phps.SCRIPTS, ('user.php', 'shop.php')[i % 2])
        i %= n_uris
        return script, '/shop/%d/cart' % i if i % 2 else \
            '/user/0b3c9a77-1f2e-4d5c-8b9a-%012x' % i
    return request


def measure_requests(label, workers_, rate, seconds, n_uris, *options):
    with tempfile.TemporaryDirectory() as case.scratch, \
            fpm.pool(workers_) as pool, pool.busy(request_for(n_uris)):
        path = os.path.join(case.scratch, 'out.rbt')
        pids = [word for pid in pool.workers() for word in ('-p', pid)]
        cpu, _, done = cpu_of([
            BOBBIN, 'record', *pids, '-d', '%gs' % seconds, '-r', str(rate),
            '-o', path, *options])
        if done.returncode != 0:
            sys.exit(done.stderr.decode())
        dump = subprocess.run([BOBBIN, 'dump', path],
                              capture_output=True).stdout
        size = os.path.getsize(path)
    n = sum(int(line.split(b'\t')[0]) for line in dump.splitlines())
    print(ROW % (label, '%.0f/s' % (n / seconds),
                 '%.1f %%' % (100 * cpu / seconds),
                 '%.1f us' % (1e6 * cpu / (n or 1)), '-',
                 '%.1f' % (size / (n or 1))), flush=True)


def attach_ms(pid):
    least = None
    for _ in range(20):
        begin = time.perf_counter()
        subprocess.run([BOBBIN, 'stack', str(pid)], capture_output=True)
        took = 1000 * (time.perf_counter() - begin)
        least = took if least is None else min(least, took)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--workers', type=int, default=20)
    parser.add_argument('--rate', type=float, default=99)
    parser.add_argument('--seconds', type=float, default=10)
    args = parser.parse_args()
    # A word in their command lines, of nobody else's.
    mark = 'bench-pool-%d' % os.getpid()
    # Each worker has a pipe.
    resource.setrlimit(resource.RLIMIT_NOFILE,
                       (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    php, python = phps.find()[-1], pythons.find()[-1]
    commands = {}
    if not php.endswith(' -'):
        commands['PHP'] = [phps.program(php), '-n', '-r', PHP, '--',
                           mark + '-php']
    if not python.endswith(' -'):
        commands['Python'] = [python.split()[1], '-c', PYTHON,
                              mark + '-python']
    if not commands:
        sys.exit('neither PHP nor Python was found')
    print('PHP %s, Python %s, %d workers of each, %g Hz, load %.1f\n' % (
        php, python, args.workers, args.rate, os.getloadavg()[0]))
    print(ROW % ('pool', 'samples', 'cpu', 'each', 'memory', 'B/sample'))
    with targets.crowd(argv for argv in commands.values()
                       for _ in range(args.workers)) as started:
        for label in commands:
            measure(label, '%s-%s' % (mark, label.lower()), args.rate,
                    args.seconds)
        if len(commands) == 2:
            measure('both', mark, args.rate, args.seconds)
        for i, label in enumerate(commands):
            print('attach to %s: %.1f ms' % (
                label, attach_ms(started[i * args.workers].pid)))
    print()
    every = 1 << 40
    for row in (('fpm', 100), ('fpm, facts', 100, '--request'),
                ('fpm, facts, new uris', every, '--request'),
                ('fpm, facts, all told', 100, '--request', '--annotate',
                 'all')):
        try:
            measure_requests(row[0], args.workers, args.rate, args.seconds,
                             *row[1:])
        except case.Skip as why:
            print('%s skipped: %s' % (row[0], why))
            break


if __name__ == '__main__':
    main()
