"""Truth on a busy machine: programs that take all processors, and figures of a
capture against counters that somebody else keeps."""
import contextlib
import json
import math
import os
import subprocess
import sys
import threading
import time

from support import bobbin, case, listing
from support.case import Skip, expect
from support.daemons import metadata

# A bias of so many points must be found.
BIAS = 3
# Captures that are compared, at least and at most, and how long each is.
LEAST, MOST = 5, 30
SECONDS = 1
# Of the normal distribution: one in a hundred intervals is too small, so that
# a test of no bias fails once in some thousand runs.
WIDTH = 2.6


def processors():
    return len(os.sched_getaffinity(0))


@contextlib.contextmanager
def burners(each=2):
    """So many programs for each processor that never rest."""
    children = [subprocess.Popen([sys.executable, '-c', 'while True: pass'])
                for _ in range(each * processors())]
    try:
        yield
    finally:
        for child in children:
            child.kill()
        for child in children:
            child.wait()


@contextlib.contextmanager
def on(machine):
    """"idle" or "busy"."""
    with burners() if machine == 'busy' else contextlib.nullcontext():
        yield


def need_realtime():
    """What a case needs that promises shares without a bias."""
    found = bobbin.run('doctor', '--json', ok=(0, 1, 3, 4)).out
    for line in json.loads(found)['machine']:
        if line['name'] == 'priority' and line['health'] != 'ok':
            raise Skip('no real-time priority is to be had here')


class Diary:
    """Lines `now work` of a program, in ns, while it runs."""

    def __init__(self, file):
        self.lines = []
        self.thread = threading.Thread(target=self._read, args=(file,),
                                       daemon=True)
        self.thread.start()

    def _read(self, file):
        try:
            for line in file:
                self.lines.append(tuple(map(int, line.split())))
        except ValueError:
            pass # it is closed

    def at(self, t):
        """How much it had worked at a time, between two lines."""
        while not self.lines or self.lines[-1][0] < t:
            time.sleep(0.01)
        lines = list(self.lines)
        after = next(i for i, line in enumerate(lines) if line[0] >= t)
        (t0, w0), (t1, w1) = lines[max(after - 1, 0)], lines[after]
        return w0 + (w1 - w0) * (t - t0) / max(t1 - t0, 1)

    def share(self, begin, end):
        """Percent of the time between two times."""
        return 100 * (self.at(end) - self.at(begin)) / (end - begin)


def cpu_ns(pid, tid):
    """What the kernel has counted for a thread."""
    with open('/proc/%d/task/%d/schedstat' % (pid, tid)) as file:
        return int(file.read().split()[0])


class Meter(Diary):
    """What the kernel has counted for a thread, by unix time, in ns."""

    def __init__(self, pid, tid):
        super().__init__((pid, tid))

    def _read(self, thread):
        try:
            while True:
                self.lines.append((time.time_ns(), cpu_ns(*thread)))
                time.sleep(0.005)
        except OSError:
            pass # it has ended


def length(path):
    """When a capture began and ended, by unix time, in ns."""
    of = metadata(path)
    begin = int(of['profiler.start_us']) * 1000
    return begin, begin + int(float(of['profiler.duration_s']) * 1e9)


def is_narrow(_, spread):
    """The interval finds a bias."""
    return WIDTH * spread < BIAS / 2


def differences(measure, is_enough=is_narrow):
    """Calls measure(), which gives (told, true) in percent, until the mean of
    their differences is known well enough: that, and how far it may be off."""
    found = []
    for _ in range(MOST):
        told, true = measure()
        found.append(told - true)
        n = len(found)
        if n < LEAST:
            continue
        mean = sum(found) / n
        spread = math.sqrt(sum((d - mean) ** 2 for d in found) / (n - 1) / n)
        if is_enough(mean, spread):
            break
    return mean, spread


def agree(measure, what):
    """Expects that what is told has no bias of so many points. It ends early
    only if all is well: the spread of a few captures is known too roughly to
    call them wrong. By simulation, with captures that differ by up to 4 points
    (standard deviation): without a bias less than one run in 30,000 fails; with
    one of 2 points, up to 5 in 100; of 3, 8 in 10 if captures differ by 2 or
    less; of 4, more than 9 in 10 if by 3 or less."""
    mean, spread = differences(
        measure, lambda mean, spread: abs(mean) + WIDTH * spread < BIAS)
    print('%s: off by %+.1f points, +- %.1f' % (what, mean, WIDTH * spread),
          file=sys.stderr)
    expect(abs(mean) < max(BIAS / 2 + WIDTH * spread, BIAS - spread),
           '%s: off by %.1f points, +- %.1f', what, mean, WIDTH * spread)


def looks(runs):
    """How many samples are independent: while a process waits for a processor,
    all are of one moment."""
    stacks = [fields[listing.FRAMES] for _, fields in runs]
    return 1 + sum(a != b for a, b in zip(stacks, stacks[1:]))


def chance(a, b, n, m):
    """How far two distributions of n and m samples of the same may be apart:
    twice what is to be expected of half the sum of normal differences."""
    both = {key: (a.get(key, 0) + b.get(key, 0)) / 2 for key in {*a, *b}}
    return sum(math.sqrt(share * (1 - share) * (1 / n + 1 / m) * 2 / math.pi)
               for share in both.values())


def moments(path, hz):
    """How many there were to take a sample at, but for those missed."""
    of = metadata(path)
    return (float(of['profiler.duration_s']) * hz -
            float(of['profiler.missed']))


def record(pid, *options):
    """A capture: its file, and when it began and ended, in ns."""
    path = os.path.join(case.scratch, 'out.rbt')
    if os.path.exists(path):
        os.remove(path)
    result = bobbin.run('record', '-p', str(pid), '-d', '%ds' % SECONDS, '-o',
                        path, *options)
    end = time.monotonic_ns()
    return path, result, end - SECONDS * 10 ** 9, end
