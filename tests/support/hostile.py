"""A daemon that samples well-behaved processes, with a hostile one beside them.

A second daemon samples processes of the same kind at the same time, and no
hostile one: what the machine takes from both is no fault of the first.

    with hostile.scene() as scene:
        child = subprocess.Popen([..., scene.mark])
        scene.check()          # the others go on, memory, status
        told = scene.end()     # SIGTERM, and what was logged

A process belongs to the scene by having its mark in the command line.
"""
import contextlib
import json
import os
import signal
import socket
import time

from support import bobbin, case, memory, phps, pythons, soak, targets
from support.case import expect
from support.daemons import daemon, has

# What a hostile process may cost the others: a tenth of their samples.
LEAST_RATE = 0.9
# How long the daemon may take to answer, and to end after SIGTERM. A build with
# sanitizers looks for leaks before it ends.
ANSWER_SECONDS = 1
END_SECONDS = 5 if memory.sanitized() else 1
MEMORY = 128 * memory.MIB
# A machine that is busy for a moment may hit one of the two daemons more. What a
# hostile process costs, it costs each time.
TRIES = 10
# Below that share of the wanted rate the machine is too busy to compare.
LEAST_CONTROL = 0.1

# A search for leaks stops all threads first, and one that waits for a page or a
# file that never comes cannot be stopped: that would wait for ever.
SILENT_ENV = dict(os.environ, ASAN_OPTIONS=':'.join(
    filter(None, [os.environ.get('ASAN_OPTIONS'), 'detect_leaks=0'])))

PHP = 'echo "ready\\n"; while (true) { usleep(2000); }'
PYTHON = '''import time
print("ready", flush=True)
while True:
    time.sleep(0.002)
'''


def ask(d):
    """The daemon's status, and how long the answer took."""
    start = time.monotonic()
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(bobbin.TIMEOUT)
        s.connect(os.path.join(d.folder, 'daemon.sock'))
        s.sendall(b'json')
        with s.makefile('rb') as file:
            status = json.loads(file.read())
    return status, time.monotonic() - start


def threads_of(pid):
    """What the threads of a process do, and where in the kernel: why it does
    not end."""
    lines = []
    for tid in sorted(os.listdir('/proc/%d/task' % pid), key=int):
        for name in 'stat', 'schedstat', 'stack':
            with contextlib.suppress(OSError): # it has ended meanwhile
                with open('/proc/%d/task/%s/%s' % (pid, tid, name)) as file:
                    lines.append(' '.join(file.read().split()))
    return '\n'.join(lines)


class Group:
    """Well-behaved processes, and the daemon that samples them."""

    def __init__(self, d, pids):
        self.daemon, self.pids = d, pids

    def samples(self):
        """Samples of each process, the moment, how long the answer took."""
        status, took = ask(self.daemon)
        of = {w['pid']: w['samples'] for w in status['workers']}
        for pid in self.pids:
            expect(pid in of, 'process %d is not sampled any more: %r', pid,
                   status)
        return [of[pid] for pid in self.pids], time.monotonic(), took


class Scene:
    def __init__(self, group, control, mark, rate):
        self.group, self.control, self.wanted = group, control, rate
        self.daemon, self.pids, self.mark = group.daemon, group.pids, mark

    def answer(self):
        """What the daemon says of itself."""
        return ask(self.daemon)[0]

    def rates(self, seconds):
        """Samples per second of the process that got fewest, of the daemon and
        of the control, and how long the daemon took for its slower answer."""
        groups = (self.group, self.control)
        before = [group.samples() for group in groups]
        time.sleep(seconds)
        after = [group.samples() for group in groups]
        now, control = (
            min(y - x for x, y in zip(b[0], a[0])) / (a[1] - b[1])
            for b, a in zip(before, after))
        return now, control, max(before[0][2], after[0][2])

    def check(self, seconds=2, most=MEMORY):
        """The others are sampled as they are elsewhere, memory is bounded, and
        who asks is answered."""
        for _ in range(TRIES):
            now, control, slowest = self.rates(seconds)
            if (control >= LEAST_CONTROL * self.wanted and
                    now >= LEAST_RATE * control and
                    slowest <= ANSWER_SECONDS):
                break
        expect(now >= LEAST_RATE * control,
               '%.1f samples/s of the others, %.1f without a hostile process',
               now, control)
        expect(control >= LEAST_CONTROL * self.wanted,
               'too busy a machine: %.1f samples/s of %d', control, self.wanted)
        expect(slowest <= ANSWER_SECONDS,
               'the daemon answered after %.1f s', slowest)
        self.check_memory(most)

    def check_memory(self, most=MEMORY):
        used = soak.resident(self.daemon.child.pid)
        if memory.sanitized():
            most *= memory.SANITIZED_FACTOR
        expect(used <= most, '%d MiB resident, the limit is %d',
               used // memory.MIB, most // memory.MIB)

    def end(self):
        """Ends both daemons; what the one under test said on the way. It may
        take no longer than it should, or than the machine lets the other."""
        both = (self.daemon, self.control.daemon)
        for d in both:
            d.child.send_signal(signal.SIGTERM)
        tested, control = (Ending(d.child) for d in both)
        start, seen = time.monotonic(), ''
        while time.monotonic() < start + bobbin.TIMEOUT:
            if all([tested.look(), control.look()]):
                break
            if not seen and tested.spent > END_SECONDS:
                seen = threads_of(self.daemon.child.pid)
            time.sleep(0.005)
        most = max(END_SECONDS, 2 * control.spent)
        expect(tested.spent <= most, 'it took %.1f s to end, the other %.1f; '
               'after %d s its threads were:\n%s', tested.spent, control.spent,
               END_SECONDS, seen)
        told = self.daemon.end()
        self.control.daemon.end()
        return told


class Ending:
    """How long a process takes to end. Time in which it only waited for a
    processor does not count, nor that in which the test did: a machine with
    other work lets a process wait for seconds. Nor does time in which the disk
    held its sealing: the kernel ends no thread that waits for the disk."""
    MOST = 0.05

    def __init__(self, child):
        self.child, self.spent = child, 0
        self.at, self.used = time.monotonic(), None

    def look(self):
        """True if it has ended."""
        if self.child.poll() is not None:
            return True
        is_held, used = work_of(self.child.pid)
        now = time.monotonic()
        if not is_held or used != self.used:
            self.spent += min(now - self.at, self.MOST)
        self.at, self.used = now, used
        return False


def work_of(pid):
    """True if a thread runs or waits for a processor, or for the disk to have
    a file; what all have used."""
    is_held, used = False, 0
    with contextlib.suppress(OSError): # it has ended meanwhile
        for tid in os.listdir('/proc/%d/task' % pid):
            at = '/proc/%d/task/%s/' % (pid, tid)
            with open(at + 'stat') as stat, open(at + 'schedstat') as work:
                state = stat.read().rsplit(')')[-1].split()[0]
                used += int(work.read().split()[0])
            is_held |= state == 'R' or state == 'D' and is_syncing(at)
    return is_held, used


def is_syncing(at):
    with contextlib.suppress(OSError), open(at + 'stack') as stack:
        return '_fsync+' in stack.read()
    return False


@contextlib.contextmanager
def group(mark, *options, folder, env):
    """A daemon over a PHP and a Python that rest most of the time; those of
    which there are interpreters."""
    good = [(name.split()[1], how) for name, how in
            ((phps.find()[-1], ['-n', '-r', PHP]),
             (pythons.find()[-1], ['-c', PYTHON]))
            if not name.startswith('none')]
    if not good:
        raise case.Skip('no PHP and no Python was found')
    with targets.crowd([path, *how, mark] for path, how in good) as children:
        for child in children:
            targets.need_permission(child.pid)
        pids = [child.pid for child in children]
        with daemon(mark, *options, folder=folder, env=env) as d:
            d.wait(has(*pids), 'the well-behaved processes')
            yield Group(d, pids)


@contextlib.contextmanager
def scene(*options, rate=100, env=None):
    mark = 'scene-%d-%d' % (os.getpid(), time.monotonic_ns())
    options = ['-r', str(rate), *options]
    with group('control-' + mark[6:], *options, env=env,
               folder=os.path.join(case.scratch, 'control')) as control, \
            group(mark, *options, env=env,
                  folder=os.path.join(case.scratch, 'state')) as tested:
        yield Scene(tested, control, mark, rate)
