#!/usr/bin/env python3
"""What capturing costs, and how true it is.

    bench/live.py [--php PHP] [--seconds S]

Runs tests/live/php/oracle.php, calm and call-heavy, and prints for each way of
sampling: samples per second, processor time, samples lost and impossible (a
caller and a callee that do not belong together), the distance of the leaf
distribution from that of a paused capture, and bytes per sample; beside them
phpspy when it is on the machine.

Tearing needs the target and the sampler to run at the same time: give it two
idle processors, or the figures flatter.
"""
import argparse
import collections
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests'))

from support import listing, phps  # noqa: E402

BOBBIN = os.environ.get('BOBBIN') or os.path.join(ROOT, 'build', 'bobbin')
ROW = '%-10s %-22s %9s %7s %7s %10s %9s %8s'


def cpu_of(argv, **options):
    """Runs a program; its processor time in seconds, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, capture_output=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime -
            before.ru_stime, done)


def leaves(stacks):
    out = collections.Counter()
    for stack, count in stacks.items():
        out[stack[0]] += count
    return out


def distance(a, b):
    n, m = sum(a.values()) or 1, sum(b.values()) or 1
    return sum(abs(a[k] / n - b[k] / m) for k in set(a) | set(b)) / 2


def impossible(stacks, pairs):
    bad = sum(count for stack, count in stacks.items()
              if stack[-1] != '<main>' or
              any((a, b) not in pairs for b, a in zip(stack, stack[1:])))
    return 100 * bad / (sum(stacks.values()) or 1)


def record(pid, path, seconds, *options):
    """Stacks, processor time and the summary of a capture."""
    cpu, done = cpu_of([BOBBIN, 'record', '-p', str(pid), '-d',
                        '%gs' % seconds, '-o', path] + list(options))
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    dump = subprocess.run([BOBBIN, 'dump', path], capture_output=True).stdout
    stacks = collections.Counter()
    for count, fields in listing.parse(dump):
        stacks[tuple(f[0] for f in phps.frames(fields))] += count
    lost = float(re.search(rb'([\d.]+) % lost', done.stderr).group(1))
    return stacks, cpu, lost


def phpspy(pid, path, seconds, rate):
    """The same of phpspy."""
    cpu, _ = cpu_of(['phpspy', '-p', str(pid), '-H', str(rate), '-i',
                     str(int(seconds * 1000)), '-o', path])
    stacks, stack = collections.Counter(), []
    with open(path, encoding='utf-8', errors='replace') as file:
        for line in file:
            if line.strip() and line[0].isdigit():
                stack.append(line.split(' ')[1])
            elif stack:
                stacks[tuple(stack)] += 1
                stack = []
    return stacks, cpu


def bench(name, kind, calm, seconds, folder):
    pairs = {(a, b) for a, _, b in phps.calls(name, calm)}
    path = os.path.join(folder, 'out.rbt')
    with phps.started(name, 'oracle.php', 'run', str(calm)) as target:
        truth = None
        for label, options in [
                ('paused, 1 kHz', ['-r', '1000', '--pause']),
                ('99 Hz', ['-r', '99']), ('1 kHz', ['-r', '1000']),
                ('as fast as possible', ['-r', 'max'])]:
            stacks, cpu, lost = record(target.pid, path, seconds, *options)
            n = sum(stacks.values())
            truth = truth or leaves(stacks)
            print(ROW % (
                kind, label, '%.0f/s' % (n / seconds),
                '%.1f %%' % (100 * cpu / seconds), '%.2f %%' % lost,
                '%.3f %%' % impossible(stacks, pairs),
                '%.3f' % distance(truth, leaves(stacks)),
                '%.1f' % (os.path.getsize(path) / (n or 1))))
            os.remove(path)
        if shutil.which('phpspy'):
            stacks, cpu = phpspy(target.pid, path, seconds, 1000)
            n = sum(stacks.values())
            print(ROW % (
                kind, 'phpspy -H 1000', '%.0f/s' % (n / seconds),
                '%.1f %%' % (100 * cpu / seconds), '-',
                '%.3f %%' % impossible(stacks, pairs),
                '%.3f' % distance(truth, leaves(stacks)),
                '%.1f' % (os.path.getsize(path) / (n or 1))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--php', help='the interpreter to look at')
    parser.add_argument('--seconds', type=float, default=5,
                        help='of each capture (5)')
    args = parser.parse_args()
    if args.php:
        os.environ['PHP_BINS'] = args.php
    name = phps.find()[-1]
    if name.endswith(' -'):
        sys.exit('no PHP was found')
    print('PHP %s, %g s each, load %.1f\n' % (
        name, args.seconds, os.getloadavg()[0]))
    print(ROW % ('target', 'sampling', 'rate', 'cpu', 'lost', 'impossible',
                 'distance', 'B/sample'))
    with tempfile.TemporaryDirectory() as folder:
        bench(name, 'calm', 50, args.seconds, folder)
        bench(name, 'call-heavy', 1, args.seconds, folder)


if __name__ == '__main__':
    main()
