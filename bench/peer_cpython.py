#!/usr/bin/env python3
"""CPython's own TACH writer and reader on the samples of a file.

    python3.15 bench/peer_cpython.py FILE [ROUNDS]

Prints `what samples-a-second` lines, each the best of ROUNDS (default 3).
Needs a CPython of 3.15 or newer. bench/run.py shows them beside bobbin's when
$PYTHON is one.
"""
import contextlib
import io
import os
import sys
import tempfile
import time

import _remote_debugging as cpython
from profiling.sampling.gecko_collector import GeckoCollector
from profiling.sampling.stack_collector import CollapsedStackCollector


class Nothing:
    def collect(self, interpreters, times):
        pass


class Samples:
    """Every sample as the writer wants it. Equal frames are one object, as
    they are for the profiler."""

    def __init__(self):
        self.samples, self.frames = [], {}

    def collect(self, interpreters, times):
        shared = self.frames.setdefault
        same = []
        for interpreter in interpreters:
            threads = [cpython.ThreadInfo((
                thread.thread_id, thread.status,
                [shared(frame, frame) for frame in thread.frame_info]))
                for thread in interpreter.threads]
            same.append(cpython.InterpreterInfo((interpreter.interpreter_id,
                                                 threads)))
        self.samples.extend((same, moment) for moment in times)


def write(samples, path, compression):
    writer = cpython.BinaryWriter(path, 1000, samples[0][1],
                                  compression=compression)
    write_sample = writer.write_sample
    for same, moment in samples:
        write_sample(same, moment)
    writer.finalize()


def replay(collector, source, path):
    collector = collector(1000)
    cpython.BinaryReader(source).replay(collector)
    with contextlib.redirect_stdout(io.StringIO()):
        collector.export(path)


def best(rounds, action, *args):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action(*args)
        times.append(time.perf_counter() - start)
    return min(times)


def main(source, rounds=3):
    rounds = int(rounds)
    kept = Samples()
    n = cpython.BinaryReader(source).replay(kept)

    def show(what, action, *args):
        print('%s %.0f' % (what, n / best(rounds, action, *args)), flush=True)

    with tempfile.TemporaryDirectory(prefix='bobbin-bench-') as folder:
        out = os.path.join(folder, 'out')
        show('write', write, kept.samples, out, 0)
        if cpython.zstd_available():
            show('write-zstd', write, kept.samples, out, 1)
        del kept
        show('read', lambda: cpython.BinaryReader(source).replay(Nothing()))
        show('collapsed', replay, CollapsedStackCollector, source, out)
        show('gecko', replay, GeckoCollector, source, out)


if __name__ == '__main__':
    main(*sys.argv[1:])
