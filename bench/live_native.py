#!/usr/bin/env python3
"""What native frames cost the process that is sampled.

    bench/live_native.py [--seconds S] [--rounds N]

For a script of Python, one of PHP, and machine code alone, at some rates: how
long a thread stands still for a sample, which share of its time that is, how
many samples could not be merged or followed, our own processor time, and by
how much a job that calls all the time takes longer (give it two idle
processors, or that is noise).
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

import live
import live_python
import peers
from support import phps, pythons

ROW = '%-18s %6s %9s %10s %9s %9s %8s %9s %20s'
RATES = (99, 1000)


def number(text, pattern):
    found = re.search(pattern, text)
    return float(found.group(1)) if found else 0


def capture(argv, option, rate, seconds, path):
    """A recording of a script that runs through C: its row."""
    child = subprocess.Popen(argv, stdout=subprocess.PIPE)
    child.stdout.readline()
    before = os.times()
    t = time.monotonic()
    done = subprocess.run(
        [peers.BOBBIN, 'record', option, '-p', str(child.pid), '-r',
         str(rate), '-d', '%gs' % seconds, '-o', path], capture_output=True)
    t = time.monotonic() - t
    after = os.times()
    child.kill()
    child.wait()
    child.stdout.close()
    said = done.stderr.decode()
    if done.returncode != 0:
        sys.exit(said)
    n = number(said, r'([\d.]+)/s, ') * seconds
    us = number(said, r'stopped ([\d.]+) us')
    cpu = (after.children_user + after.children_system -
           before.children_user - before.children_system)
    return ['%.0f/s' % (n / t), '%.0f us' % us,
            '%.2f %%' % (us * n / t / 1e4),
            '%.2f %%' % (100 * number(said, r'(\d+) unmerged') / (n or 1)),
            '%.2f %%' % (100 * number(said, r'(\d+) broken') / (n or 1)),
            '%.1f %%' % (100 * cpu / t)]


def rows():
    """(name, the script that is captured, the job that is slowed, option)"""
    found = pythons.find()
    if found[0] != 'none -':
        python = found[-1].split()[1]
        argv = [python, os.path.join(pythons.SCRIPTS, 'through.py')]
        job = [python, '-c', live_python.JOB]
        yield 'python --native', argv, job, '--native'
        yield 'python native-only', argv, job, '--native-only'
    found = phps.find()
    if found[0] != 'none -':
        php = found[-1].split()[1]
        yield ('php --native',
               [php, '-n', os.path.join(phps.SCRIPTS, 'through.php')],
               [php, '-n', '-r', live.JOB], '--native')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seconds', type=float, default=3,
                        help='of each capture (3)')
    parser.add_argument('--rounds', type=int, default=9,
                        help='of the job that is slowed down (9; 0: none)')
    args = parser.parse_args()
    print(ROW % ('target', 'rate', 'samples', 'stopped', 'share', 'unmerged',
                 'broken', 'own CPU', 'slower'), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out.rbt')
        for name, argv, job, option in rows():
            for rate in RATES:
                cells = capture(argv, option, rate, args.seconds, path)
                slower = '-'
                if args.rounds > 0:
                    slower = peers.slower_text(peers.slow_down(
                        job, peers.Bobbin(name, True, option), rate, path,
                        args.rounds))
                print(ROW % tuple([name, rate] + cells + [slower]),
                      flush=True)


if __name__ == '__main__':
    main()
