"""A daemon that samples well-behaved processes, with a hostile one beside them.

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
# A machine that is busy for a moment is no fault of the daemon's. What a hostile
# process costs, it costs each time.
TRIES = 10

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


class Scene:
    def __init__(self, d, mark, pids):
        self.daemon, self.mark, self.pids = d, mark, pids
        self.calm = self.rate()

    def answer(self):
        """What the daemon says of itself, and it says it soon."""
        start = time.monotonic()
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(bobbin.TIMEOUT)
            s.connect(os.path.join(self.daemon.folder, 'daemon.sock'))
            s.sendall(b'json')
            with s.makefile('rb') as file:
                status = json.loads(file.read())
        self.slowest = max(getattr(self, 'slowest', 0),
                           time.monotonic() - start)
        return status

    def samples(self):
        status = self.answer()
        of = {w['pid']: w['samples'] for w in status['workers']}
        for pid in self.pids:
            expect(pid in of, 'process %d is not sampled any more: %r', pid,
                   status)
        return [of[pid] for pid in self.pids], time.monotonic()

    def rate(self, seconds=2):
        """Samples per second of the well-behaved process that got fewest."""
        before, t = self.samples()
        time.sleep(seconds)
        after, t2 = self.samples()
        return min(b - a for a, b in zip(before, after)) / (t2 - t)

    def check(self, seconds=2, most=MEMORY):
        """The others are sampled as before, memory is bounded, and who asks
        is answered."""
        for _ in range(TRIES):
            self.slowest = 0
            now = self.rate(seconds)
            if (now >= LEAST_RATE * self.calm and
                    self.slowest <= ANSWER_SECONDS):
                break
        expect(now >= LEAST_RATE * self.calm,
               '%.1f samples/s of the others, %.1f before', now, self.calm)
        expect(self.slowest <= ANSWER_SECONDS,
               'the daemon answered after %.1f s', self.slowest)
        self.check_memory(most)

    def check_memory(self, most=MEMORY):
        used = soak.resident(self.daemon.child.pid)
        if memory.sanitized():
            most *= memory.SANITIZED_FACTOR
        expect(used <= most, '%d MiB resident, the limit is %d',
               used // memory.MIB, most // memory.MIB)

    def end(self):
        """Ends the daemon; what it said on the way."""
        start = time.monotonic()
        told = self.daemon.end(signal.SIGTERM)
        seconds = time.monotonic() - start
        expect(seconds <= END_SECONDS, 'it ended %.1f s after SIGTERM',
               seconds)
        return told


@contextlib.contextmanager
def scene(*options, rate=100, env=None):
    """A daemon over a PHP and a Python that rest most of the time; those of
    which there are interpreters."""
    mark = 'scene-%d-%d' % (os.getpid(), time.monotonic_ns())
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
        with daemon(mark, '-r', str(rate), *options, env=env) as d:
            d.wait(has(*pids), 'the well-behaved processes')
            yield Scene(d, mark, pids)
