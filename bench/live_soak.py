#!/usr/bin/env python3
"""Days of a daemon in minutes: a pool at the highest rate until as many samples
are taken as two hours of 20 workers at 99 Hz have.

    bench/live_soak.py [--workers N] [--samples N] [--rotate SIZE] [--keep SIZE]

Tells how its own memory went by quarters of the time, which files it made and
kept, and whether all samples that it says it has written are in them, also in
those that --keep removed. Exit status 1 when memory grew by more than a tenth
between the first quarter and the second half, or a sample is missing.
"""
import argparse
import sys
import tempfile

from peers import BOBBIN
from support import bobbin, case, soak

MIB = 1 << 20
TWO_HOURS = 2 * 3600 * 99 * 20
GROWTH = 1.1


def quarters(sizes):
    n = len(sizes)
    return ' '.join('%.1f' % (max(sizes[n * i // 4:n * (i + 1) // 4]) / MIB)
                    for i in range(4))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--workers', type=int, default=20)
    parser.add_argument('--samples', type=int, default=TWO_HOURS)
    parser.add_argument('--rotate', default='2M')
    parser.add_argument('--keep', default='8M')
    options = parser.parse_args()
    bobbin.PROGRAM = BOBBIN
    with tempfile.TemporaryDirectory() as case.scratch:
        s = soak.soak(options.workers,
                      lambda status: status['samples'] >= options.samples,
                      ['--rotate', options.rotate, '--keep', options.keep])
    hours = s.samples / (99 * options.workers * 3600)
    print('%d samples of %d workers in %.0f s, %.0f/s: %.1f h at 99 Hz' % (
        s.samples, options.workers, s.seconds, s.samples / s.seconds, hours))
    print('memory, most of each quarter: %s MiB, growth %.3f' % (
        quarters(s.sizes), soak.growth(s.sizes)))
    print('files: %d made, %.1f MiB kept of at most %s and one of %s' % (
        s.made, s.kept_bytes / MIB, options.keep, options.rotate))
    print('written: %d, in the files: %d; %d lost, %d missed, %d unread' % (
        s.said, s.in_files, s.lost, s.missed, s.unread))
    return int(s.in_files != s.said or soak.growth(s.sizes) > GROWTH)


sys.exit(main())
