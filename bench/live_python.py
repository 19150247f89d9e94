#!/usr/bin/env python3
"""What capturing Python costs, and how true it is.

    bench/live_python.py [--seconds S] [PYTHON]...

Runs tests/live/python/busy.py on each interpreter (by default all that are
found): calm, call-heavy, a recursion that never rests, and eight threads. For
each way of sampling: moments per second, processor time, samples lost and
impossible (a caller and a callee that do not belong together), the distance of
the leaf distribution from that of a paused capture, and bytes per sample.

Tearing needs the target and the sampler to run at the same time: give it two
idle processors, or the figures flatter.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

# It also makes `support` known.
from live import BOBBIN, cpu_of, distance, leaves
from support import case, listing, pythons

ROW = '%-9s %-10s %-20s %9s %7s %7s %10s %9s %8s'
SAMPLING = [('paused, 1 kHz', ['-r', '1000', '--pause']),
            ('1 kHz', ['-r', '1000']),
            ('as fast as possible', ['-r', 'max'])]
# What outer frames the truth does not know.
OUTER = ('<module>', 'main', 'forever')


def record(pid, path, seconds, options):
    """Stacks, moments, processor time and losses of a capture."""
    if os.path.exists(path):
        os.remove(path)
    cpu, done = cpu_of([BOBBIN, 'record', '-p', str(pid), '-d',
                        '%gs' % seconds, '-o', path] + options)
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    dump = subprocess.run([BOBBIN, 'dump', path], capture_output=True).stdout
    stacks, moments = collections.Counter(), set()
    for count, fields in listing.parse(dump):
        stack = tuple(f[0] for f in pythons.frames(fields)
                      if f[1].endswith('busy.py'))[::-1]
        if stack:
            stacks[stack] += count
        moments.add(fields[listing.TIME])
    lost = float(re.search(rb'([\d.]+) % lost', done.stderr).group(1))
    return stacks, len(moments), cpu, lost


def impossible(stacks, pairs):
    bad = sum(count for stack, count in stacks.items()
              if any((a, b) not in pairs and a not in OUTER
                     for b, a in zip(stack, stack[1:])))
    return 100 * bad / (sum(stacks.values()) or 1)


def bench(name, kind, args, seconds):
    path = os.path.join(case.scratch, 'out.tach')
    with pythons.started(name, 'busy.py', *args) as target:
        pairs = {(a, b) for a, _, b in target.truth['calls']}
        truth = None
        for label, options in SAMPLING:
            stacks, moments, cpu, lost = record(target.pid, path, seconds,
                                                options)
            truth = truth or leaves(stacks)
            print(ROW % (
                name.split()[0], kind, label, '%.0f/s' % (moments / seconds),
                '%.1f %%' % (100 * cpu / seconds), '%.2f %%' % lost,
                '%.3f %%' % impossible(stacks, pairs),
                '%.3f' % distance(truth, leaves(stacks)),
                '%.1f' % (os.path.getsize(path) /
                          (sum(stacks.values()) or 1))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seconds', type=float, default=3,
                        help='of each capture (3)')
    parser.add_argument('python', nargs='*', help='interpreters to look at')
    args = parser.parse_args()
    if args.python:
        os.environ['PYTHON_BINS'] = ':'.join(args.python)
    names = pythons.find()
    if names[0].endswith(' -'):
        sys.exit('no Python was found')
    print('%g s each, load %.1f\n' % (args.seconds, os.getloadavg()[0]))
    print(ROW % ('python', 'target', 'sampling', 'moments', 'cpu', 'lost',
                 'impossible', 'distance', 'B/sample'))
    with tempfile.TemporaryDirectory() as case.scratch:
        for name in names:
            bench(name, 'calm', ['calm'], args.seconds)
            bench(name, 'call-heavy', ['calls'], args.seconds)
            bench(name, 'fib', ['recursion'], args.seconds)
            bench(name, '8 threads', ['calm', '8'], args.seconds)


if __name__ == '__main__':
    main()
