"""Samplers to measure bobbin beside: how each is found, run and read.

Nothing is downloaded. A peer is taken from the variable of its name, else from
PATH; one that is not there, or cannot read the target, is skipped and says so.

    PHPSPY=…    phpspy, for PHP
    PYSPY=…     py-spy
    AUSTIN=…    austin

Tachyon comes with the target's interpreter, from 3.15 on, and reads its own
version only.

Each reads a process for some seconds and gives a Run: stacks with the function
on top last, moments, processor time of the sampler (its own and its children's,
by getrusage), samples it says it has lost, and the size of its file.
"""
import collections
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests'))

from support import listing, phps, pythons  # noqa: E402

BOBBIN = os.environ.get('BOBBIN') or os.path.join(ROOT, 'build', 'bobbin')
FASTEST = 'max'
# Some peers do not always find what they look for.
TRIES = 3

# lost in percent, None: it does not tell; size in bytes, None: of a sum;
# stopped: microseconds a sample for which the target stood, None: it does not
# tell, or stops nothing.
Run = collections.namedtuple('Run', 'stacks moments seconds cpu lost size '
                             'stopped', defaults=[None])

# In place of a stack that is no text.
GARBLED = ('<garbled>', '<garbled>')


class Skipped(Exception):
    """Why a peer has no figures."""


def cpu_of(argv):
    """Runs a program: its processor time, how long it took (both in seconds),
    and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(argv, stdin=subprocess.DEVNULL,
                          capture_output=True)
    took = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime -
            before.ru_stime, took, done)


def lines(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        yield from file


def is_running(pid):
    """False also for a child that has ended and was not waited for."""
    try:
        with open('/proc/%d/stat' % pid, encoding='utf-8') as file:
            return file.read().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


class Peer:
    """How a sampler is called. `command` is for a rate in Hz or FASTEST;
    `finish` reads what it wrote."""
    variable = program = None
    stops = False  # the target, for each sample: where peers differ in it

    def __init__(self, name):
        self.name = name
        self.argv = [os.environ.get(self.variable) or
                     shutil.which(self.program)]

    def is_there(self):
        return self.argv[0] is not None and shutil.which(self.argv[0])

    def run(self, pid, seconds, rate, path):
        for _ in range(TRIES):
            if os.path.exists(path):
                os.remove(path)
            cpu, took, done = cpu_of(self.command(pid, seconds, rate, path))
            if os.path.exists(path) and os.path.getsize(path) > 0:
                break
        if not is_running(pid):
            sys.exit('the target has ended before %s was done' % self.name)
        run = self.finish(path, done) if os.path.exists(path) else None
        if run is None or not run.stacks:
            said = (done.stderr or done.stdout).decode(errors='replace')
            self.failed(' '.join(said.split()))
        # Some take a number of samples, however long it takes.
        return run._replace(cpu=cpu, seconds=took if took > 2 * seconds
                            else seconds)

    def failed(self, said):
        raise Skipped('it cannot read this target: …%s' % said[-60:])


def name_only(frame):
    return frame[0]


def of_dump(path, frames, keep, key=name_only):
    """Stacks and moments of what bobbin can read, innermost last."""
    dump = subprocess.run([BOBBIN, 'dump', path], capture_output=True).stdout
    stacks, moments = collections.Counter(), set()
    for count, fields in listing.parse(dump):
        stack = tuple(key(f) for f in frames(fields) if keep(f[1]))
        if stack:
            stacks[stack] += count
        moments.add((fields[listing.SEGMENT], fields[listing.TIME]))
    return stacks, len(moments)


def innermost_last(fields):
    return phps.frames(fields)[::-1]


class Bobbin(Peer):
    key = staticmethod(name_only)

    def __init__(self, name, is_php, *options):
        self.name, self.argv, self.options = name, [BOBBIN], list(options)
        self.is_php = is_php
        self.stops = '--pause' in options
        self.keep = keeps_all if is_php else is_busy

    def command(self, pid, seconds, rate, path):
        return self.argv + [
            'record', '-p', str(pid), '-d', '%gs' % seconds, '-r', str(rate),
            '-o', path, '-t', 'rbt' if self.is_php else 'tach'] + self.options

    def failed(self, said):
        sys.exit(said)

    def finish(self, path, done):
        lost = float(re.search(rb'([\d.]+) % lost', done.stderr).group(1))
        stacks, moments = of_dump(
            path, innermost_last if self.is_php else pythons.frames,
            self.keep, self.key)
        stopped = re.search(rb'stopped ([\d.]+) us', done.stderr)
        return Run(stacks, moments, 0, 0, lost, os.path.getsize(path),
                   stopped and float(stopped.group(1)))


def keeps_all(_):
    return True


# Whose frames count; what is outside of them is not the same for all peers.
SCRIPTS = 'busy.py', 'duty.py'


def is_busy(file):
    return file.endswith(SCRIPTS)


class Phpspy(Peer):
    variable, program = 'PHPSPY', 'phpspy'

    def __init__(self, name, *options):
        super().__init__(name)
        self.options = list(options)
        self.stops = '-S' in options

    def command(self, pid, seconds, rate, path):
        return self.argv + [
            '-c', '-p', str(pid), '-i', str(int(seconds * 1000)), '-o', path,
            *(['-s', '1'] if rate == FASTEST else ['-H', str(rate)])
        ] + self.options

    def finish(self, path, done):
        stacks, stack = collections.Counter(), []
        for line in lines(path):
            if line.strip() and line[0].isdigit():
                stack.append(line.split(' ')[1])
            elif stack:
                stacks[tuple(stack[::-1])] += 1
                stack = []
        n = sum(stacks.values())
        lost = len(re.findall(rb'Failed to copy', done.stderr))
        return Run(stacks, n, 0, 0, 100 * lost / (n + lost or 1),
                   os.path.getsize(path))


class PySpy(Peer):
    """It adds its stacks up, so that its file says nothing of samples."""
    variable, program = 'PYSPY', 'py-spy'

    def __init__(self, name, *options):
        super().__init__(name)
        self.options = list(options)

    def command(self, pid, seconds, rate, path):
        return self.argv + [
            'record', '-p', str(pid), '-d', str(max(1, round(seconds))), '-r',
            '50000' if rate == FASTEST else str(rate), '-f', 'raw', '-o',
            path, '--idle', '--threads'] + self.options

    def finish(self, path, done):
        stacks, threads = collections.Counter(), collections.Counter()
        for line in lines(path):
            text, _, count = line.rpartition(' ')
            if not count.strip().isdigit():
                stacks[GARBLED] += 1
                continue
            thread, *frames = text.split(';')
            stack = tuple(f.partition(' (')[0] for f in frames
                          if any('(%s:' % s in f for s in SCRIPTS))
            threads[thread] += int(count)
            if stack:
                stacks[stack] += int(count)
        said = re.search(rb'Samples: (\d+) Errors: (\d+)',
                         done.stdout + done.stderr)
        n, lost = map(int, said.groups()) if said else (0, 0)
        return Run(stacks, max(threads.values(), default=0), 0, 0,
                   100 * lost / (n + lost or 1), None)


class Austin(Peer):
    variable, program = 'AUSTIN', 'austin'

    def command(self, pid, seconds, rate, path):
        return self.argv + [
            '-i', '1' if rate == FASTEST else str(round(1e6 / rate)), '-x',
            str(max(1, round(seconds))), '-t', '5s', '-o', path, '-p',
            str(pid)]

    def finish(self, path, done):
        stacks, threads = collections.Counter(), collections.Counter()
        for line in lines(path):
            if not line.startswith('P'):
                continue
            _, thread, *frames = line.rpartition(' ')[0].split(';')
            threads[thread] += 1
            stack = tuple(f.rsplit(':', 2)[-2] for f in frames
                          if any(s + ':' in f for s in SCRIPTS))
            if stack:
                stacks[stack] += 1
        said = re.search(r'Error rate\D*?(?:\d+m)?(\d+)/(\d+)',
                         (done.stdout + done.stderr).decode(errors='replace'))
        lost, n = map(int, said.groups()) if said else (0, 0)
        return Run(stacks, max(threads.values(), default=0), 0, 0,
                   100 * lost / (n or 1), os.path.getsize(path))


class Tachyon(Peer):
    def __init__(self, name, python, *options):
        self.name, self.argv, self.options = name, [python], list(options)

    def is_there(self):
        return subprocess.run(
            [self.argv[0], '-c', 'import profiling.sampling'],
            capture_output=True).returncode == 0

    def command(self, pid, seconds, rate, path):
        return self.argv + [
            '-m', 'profiling.sampling', 'attach', '-r',
            '1000000' if rate == FASTEST else str(rate), '-d',
            str(max(1, round(seconds))), '-a', '--binary', '-o', path,
            str(pid)] + self.options

    def finish(self, path, done):
        stacks, _ = of_dump(path, pythons.frames, is_busy)
        said = done.stdout.decode(errors='replace')
        moments = re.search(r'Captured ([\d,]+) samples', said)
        lost = re.search(r'Error rate: ([\d.]+)', said)
        return Run(stacks,
                   int(moments.group(1).replace(',', '')) if moments else 0,
                   0, 0, float(lost.group(1)) if lost else None,
                   os.path.getsize(path))


# Slices of a job in a row, with and without a sampler: of some ten milliseconds
# each, so that whoever else uses the machine is there in both.
SLICES = 5

# By how many percent a job takes longer, the borders between which that is in
# 19 of 20 cases, and by how many it takes more of a processor.
Slower = collections.namedtuple('Slower', 'percent low high cpu')


def slower_text(slower):
    return '%.1f (%.1f to %.1f) %%, CPU %+.1f %%' % slower


def start_on(cpu, argv, **kwargs):
    """A process on that processor alone, if there are several."""
    cpus = sorted(os.sched_getaffinity(0))
    return subprocess.Popen(argv, preexec_fn=lambda: os.sched_setaffinity(
        0, {cpus[cpu]}), **kwargs)


def cpu_clock(pid):
    """Seconds of a processor that a process has had, to the nanosecond: the
    kernel's clock of that process (its number inverted, and 2: all threads,
    as scheduled)."""
    return time.clock_gettime(~pid << 3 | 2)


def slices(child):
    """Medians of what a slice takes: seconds that it ran or stood, and seconds
    of a processor."""
    took, cpu = [], []
    for _ in range(SLICES):
        before = cpu_clock(child.pid)
        child.stdin.write(b'\n')
        child.stdin.flush()
        took.append(float(child.stdout.readline()))
        cpu.append(cpu_clock(child.pid) - before)
    return statistics.median(took), statistics.median(cpu)


def compare(turns):
    """Of turns without, with, without, ... a sampler: each with one is compared
    to the two beside it, as the machine is another one a second later. The
    median of that, and its borders by drawing again from the turns."""
    def percents(of):
        return [100 * (2 * turns[i][of] / (turns[i - 1][of] +
                                           turns[i + 1][of]) - 1)
                for i in range(1, len(turns), 2)]
    slower = percents(0)
    rng = random.Random(1)
    drawn = sorted(statistics.median(rng.choices(slower, k=len(slower)))
                   for _ in range(1000))
    return Slower(statistics.median(slower), drawn[25], drawn[-26],
                  statistics.median(percents(1)))


def sampled(child, peer, rate, path):
    """Slices while it is sampled, from another processor."""
    if os.path.exists(path):
        os.remove(path)
    sampler = start_on(-1, peer.command(child.pid, 3600, rate, path),
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    # Until it has attached: nobody says when.
    time.sleep(1)
    turn = slices(child)
    sampler.terminate()
    try:
        sampler.wait(5)
    except subprocess.TimeoutExpired:
        sampler.kill()
        sampler.wait()
    return turn


def slow_down(job, peer, rate, path, rounds):
    """How much longer a job takes while it is sampled. `job` is the command of
    one that says "ready", and for each line that it is sent works for some
    ten milliseconds and says how many seconds it had a processor, or was kept
    from it by the sampler: not those for which other processes had it."""
    child = start_on(0, job, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    slices(child)
    turns = [slices(child)]
    for _ in range(rounds):
        turns.append(sampled(child, peer, rate, path))
        turns.append(slices(child))
    child.stdin.close()
    child.wait()
    child.stdout.close()
    return compare(turns)
