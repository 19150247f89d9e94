"""Requests whose times are known, and what a report about them may say.

Every request is timed twice: by itself (from its first line to its last) and by
its client (from connecting to the end of the answer).  What it really took is
between the two.  All bounds follow from that, from the moments at which samples
were taken, and from counting; none of them is a guess.
"""
import collections
import json
import math
import os
import random
import threading
import time

from support import bobbin, case, listing

# Standard deviations that a count may be away: one test of 15,000 fails.
SIGMAS = 4

# Samples of one wake-up, a process after the other.
WAKE_UP = 500
# Steps of percentiles are 10 % wide, and their middle is told.
STEP = 1.1

# Answers to wait for, and how many times as long a recording lasts at least; of
# each route, requests that a report can be judged by.
WARM, LONGER, ENOUGH = 4, 6, 5

Route = collections.namedtuple('Route', 'path name ms')
ROUTES = [Route('/checkout', '/checkout', 80), Route('/search', '/search', 30),
          Route('/product/%d', '/product/{n}', 10)]

# Times in ns: of the client, and of the request itself.
Request = collections.namedtuple('Request', 'route asked begin end answered')


class Load:
    """Clients that ask one route after the other, some of them several times
    in a row, at once or after a pause."""

    def __init__(self, ask, clients, more=''):
        self.more = more
        self.ask, self.asked, self.lock = ask, {}, threading.Lock()
        self.log = case.write_file(b'', 'requests.log')
        os.chmod(case.scratch, 0o755)
        os.chmod(self.log, 0o666)
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.client, args=(i,))
                        for i in range(clients)]

    def client(self, i):
        rng = random.Random(i)
        number = i * 1000000
        while not self.stop.is_set():
            route, pause = rng.choice(ROUTES), rng.choice((0, 0, 0.02))
            for _ in range(rng.choice((1, 2, 4))):
                number += 1
                path = route.path % number if '%d' in route.path \
                    else route.path
                asked = time.monotonic_ns()
                self.ask('%s?n=%d&ms=%d&log=%s%s' % (
                    path, number, route.ms, self.log, self.more))
                with self.lock:
                    self.asked[number] = (route.name, asked,
                                          time.monotonic_ns())
                time.sleep(pause)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def wait(self):
        """Until each route was answered WARM times: how long that took, in
        s."""
        first = time.monotonic()
        while time.monotonic() < first + bobbin.TIMEOUT:
            with self.lock:
                answered = collections.Counter(
                    route for route, _, _ in self.asked.values())
            if all(answered[route.name] >= WARM for route in ROUTES):
                break
            time.sleep(0.02)
        return time.monotonic() - first

    def record(self, pids, seconds=6, **how):
        """Longer where requests take long, so that there are enough."""
        slow = min(math.ceil(LONGER * self.wait()), bobbin.TIMEOUT / 2)
        return Recording(pids, max(seconds, slow), **how)

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def requests(self):
        out = []
        for line in case.read_file(self.log).decode().splitlines():
            number, begin, end = map(int, line.split())
            route, asked, answered = self.asked[number]
            case.expect(asked <= begin <= end <= answered,
                        'clocks differ: %s', line)
            out.append(Request(route, asked, begin, end, answered))
        case.expect(len(out) == len(self.asked), '%d requests, %d in the log',
                    len(self.asked), len(out))
        return out


class Recording:
    """What was recorded while a load was on."""

    def __init__(self, pids, seconds=6, rate=200, options=()):
        self.path = os.path.join(case.scratch, 'requests.rbt')
        self.period = 1000000 / rate
        words = [word for pid in pids for word in ('-p', str(pid))]
        self.first = time.monotonic_ns()
        result = bobbin.run(
            'record', *words, '-d', '%ds' % seconds, '-r', str(rate),
            '--request', *options, '-o', self.path, ok=(bobbin.OK, bobbin.FAILED))
        self.last = time.monotonic_ns()
        if b'may not be read' in result.err:
            raise case.Skip('processes may not be read here (ptrace)')
        case.expect(result.code == 0, '%s', result.err)
        self.gaps = self.read_gaps()
        # It began sometime after `first`: these moments are surely in it.
        lasted = sum(self.gaps) * 1000
        self.sure = (self.last - lasted, self.first + lasted)
        case.expect(self.sure[0] < self.sure[1], 'hardly anything recorded')

    def read_gaps(self):
        """Times between moments at which samples were taken, in us."""
        times = sorted(int(fields[listing.TIME]) for _, fields in
                       listing.parse(bobbin.run('dump', self.path).out))
        moments = [t for i, t in enumerate(times)
                   if i == 0 or t - times[i - 1] > WAKE_UP]
        case.expect(len(moments) > 100, '%d moments', len(moments))
        return [b - a for a, b in zip(moments, moments[1:])]

    def routes(self, *options):
        report = json.loads(bobbin.run('analyze', '--json', '--requests',
                                       *options, self.path).out)
        section = report['sections']['routes']
        case.expect(section['resolution_us'] == self.period,
                    'resolution %s', section['resolution_us'])
        return {row['route']: row for row in section['rows']}

    def chance(self, us):
        """Of a request that takes so long to be seen."""
        return sum(min(gap, us) for gap in self.gaps) / sum(self.gaps)


class Judge:
    """Compares the row of a route with the requests there were."""

    def __init__(self, recording, requests):
        self.r = recording
        first, last = recording.sure
        # Those that were surely recorded from beginning to end, and all that
        # may have been there in part.
        self.whole = [q for q in requests
                      if first <= q.begin and q.end <= last]
        self.any = [q for q in requests if q.answered >= recording.first and
                    q.asked <= recording.last]
        self.inner = sorted((q.end - q.begin) / 1000 for q in self.whole)
        self.outer = sorted((q.answered - q.asked) / 1000 for q in self.any)
        case.expect(len(self.whole) > ENOUGH, '%d requests', len(self.whole))

    def least(self):
        """Requests that must have been seen."""
        seen = [self.r.chance(us) for us in self.inner]
        return sum(seen) - SIGMAS * math.sqrt(sum(p * (1 - p) for p in seen))

    def count(self, row):
        n = row['requests']
        case.expect(self.least() <= n <= len(self.any),
                    '%s: %d requests, not %.1f to %d', row['route'], n,
                    self.least(), len(self.any))
        # Nothing that lasts longer than any gap is missed.
        short = self.inner[0] < max(self.r.gaps)
        case.expect(row['seen_once'] <= n and (short or n >= len(self.whole)),
                    '%s: %d of %d requests', row['route'], n,
                    len(self.whole))

    def bounds(self, part):
        """Of a percentile: all requests that are not sure may be anywhere."""
        unsure = len(self.any) - math.floor(self.least())
        low = math.ceil(part * len(self.inner)) - 1 - unsure
        high = math.ceil(part * len(self.outer)) - 1 + unsure
        gap = max(self.r.gaps)
        # Between its first sample and its last there is at least this.
        least = self.inner[low] + self.r.period - 2 * gap if low >= 0 else 0
        most = self.outer[min(high, len(self.outer) - 1)] + self.r.period
        return least, most

    def times(self, row):
        for key, part in (('p50_us', 0.5), ('p95_us', 0.95)):
            low, high = self.bounds(part)
            case.expect(low / STEP <= row[key] <= high * STEP,
                        '%s: %s %d, not %d to %d', row['route'], key,
                        row[key], low / STEP, high * STEP)
        low = self.inner[-1] + self.r.period - 2 * max(self.r.gaps)
        high = self.outer[-1] + self.r.period
        case.expect(low <= row['max_us'] <= high, '%s: slowest %d, not %d to '
                    '%d', row['route'], row['max_us'], low, high)


def check(recording, requests):
    """Every route of a report."""
    rows = recording.routes()
    case.expect(set(rows) >= {route.name for route in ROUTES}, 'routes %s',
                sorted(rows))
    for route in ROUTES:
        judge = Judge(recording, [q for q in requests
                                  if q.route == route.name])
        judge.count(rows[route.name])
        judge.times(rows[route.name])
