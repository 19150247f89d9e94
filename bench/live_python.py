#!/usr/bin/env python3
"""What capturing Python costs, and how true it is, beside its peers.

    bench/live_python.py [--seconds S] [--rounds N] [PYTHON]...

Runs tests/live/python/busy.py on each interpreter (by default all that are
found): calm, call-heavy, a recursion that never rests, generators that are
over in a microsecond, and eight threads. For each sampler and rate: moments
per second, processor time, samples lost and impossible (a caller and a callee
that do not belong together), the distance of the leaf distribution from that
of a paused capture (which comes twice: what is between the two is noise),
the same distance with two programs for each processor that never rest, bytes
per sample, and by how much a job that calls all the time takes longer.
Peers are those of bench/peers.py; the line `/ PEER` behind each has bobbin's
figure as a multiple of its.

Tearing needs the target and the sampler to run at the same time: give it two
idle processors, or the figures flatter.
"""
import argparse
import os
import sys
import tempfile

import peers
from live import Bench, print_head
from support import pythons

ROW = '%-9s %-10s %-26s %-6s %9s %8s %8s %10s %9s %9s %9s %8s %20s'
TARGETS = [('calm', ['calm']), ('call-heavy', ['calls']),
           ('fib', ['recursion']), ('brief', ['brief']),
           ('8 threads', ['calm', '8'])]
# What a capture that is not paused should reach, on two idle processors.
GOALS = '''goals: calm     100 k/s at max; distance 0.05; impossible 0
       call-heavy 45 k/s at max; distance 0.12; impossible 0.4 %
       fib        lost 0.3 % at 1000
       8 threads  12 k/s at max; lost 0.5 %; no more bytes than tachyon
       all        7 % of a processor at 1000
'''
# What outer frames the truth does not know.
OUTER = ('<module>', 'main', 'forever')
# A target must outlive all samplers at all rates; it is killed after them.
os.environ['TARGET_SECONDS'] = '3600'
# What it waits for a processor is the second number of schedstat.
JOB = '''import sys, time
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
def at():
    with open('/proc/thread-self/schedstat') as file:
        return time.perf_counter() - int(file.read().split()[1]) / 1e9
print("ready", flush=True)
while sys.stdin.readline():
    t = at()
    for _ in range(6): f(23)
    print(at() - t, flush=True)'''


def impossible(stacks, pairs):
    bad = sum(count for stack, count in stacks.items()
              if any(pair not in pairs and pair[0] not in OUTER
                     for pair in zip(stack, stack[1:])))
    return 100 * bad / (sum(stacks.values()) or 1)


def samplers_for(name):
    python = name.split()[1]
    return [peers.Bobbin('bobbin --pause', False, '--pause'),
            peers.Bobbin('bobbin', False),
            peers.PySpy('py-spy'),
            peers.PySpy('py-spy --nonblocking', '--nonblocking'),
            peers.Austin('austin'),
            peers.Tachyon('tachyon', python),
            peers.Tachyon('tachyon --blocking', python, '--blocking')]


def bench(name, args, path):
    python = name.split()[1]

    def slower(peer, rate):
        if rate != 1000 or args.rounds == 0 or kind != 'fib':
            return None
        return peers.slow_down([python, '-c', JOB], peer, rate, path,
                               args.rounds)

    for kind, words in TARGETS:
        with pythons.started(name, 'busy.py', *words) as target:
            pairs = {(a, b) for a, _, b in target.truth['calls']}
            Bench(ROW, samplers_for(name), args.seconds, path).all(
                (name.split()[0], kind), target.pid,
                lambda stacks: impossible(stacks, pairs), slower)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seconds', type=float, default=3,
                        help='of each capture (3)')
    parser.add_argument('--rounds', type=int, default=9,
                        help='of the job that is slowed down (9; 0: none)')
    parser.add_argument('python', nargs='*', help='interpreters to look at')
    args = parser.parse_args()
    if args.python:
        os.environ['PYTHON_BINS'] = ':'.join(args.python)
    names = pythons.find()
    if names[0].endswith(' -'):
        sys.exit('no Python was found')
    print('%g s each, load %.1f\n' % (args.seconds, os.getloadavg()[0]))
    print(GOALS)
    print_head(ROW, 'python', 'target', 'sampler', 'Hz')
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            bench(name, args, os.path.join(folder, 'out'))


if __name__ == '__main__':
    main()
