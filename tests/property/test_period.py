"""Traces that have times but do not say their period: what analyze learns of it,
and how long the processes were busy by that, against how the trace was made."""
import json
import os
import random

from oracle import analyze_brute as brute
from support import bobbin, case
from support.case import each, expect, write_file

SECOND = 1000000


def block(at, pid, stack, uri=None):
    """A sample as phpspy prints it."""
    lines = ['0 f%d /srv/a.php:%d' % (stack, stack), '1 <main> /srv/a.php:1',
             '# trace_ts = %.6f' % (1700000000 + at / SECOND),
             '# pid = %d' % pid]
    return '\n'.join(lines + (['# uri = ' + uri] if uri else [])) + '\n\n'


def beats(rng, period, seconds, jitter=0.0, missed=0.0):
    """Moments of a sampler that is late by chance, and misses some."""
    n = int(seconds * SECOND / period)
    return [i * period + rng.random() * jitter * period for i in range(n)
            if rng.random() >= missed]


def always(_):
    return True


def of_pool(rng, load, length):
    """Requests of about this length, that take such a share of the time."""
    spans, at = [], 0.0
    while at < 120 * SECOND:
        at += rng.expovariate(load / (1 - load) / length)
        took = rng.expovariate(1 / length)
        spans.append((at, at + took))
        at += took
    ends = iter(spans)
    now = [next(ends)]

    def is_busy(t):
        while now[0][1] < t:
            now[0] = next(ends)
        return now[0][0] <= t
    is_busy.spans = spans
    return is_busy


class Trace:
    """Samples of some processes, of which each is busy or not, all at the
    moments of one sampler."""

    def __init__(self, rng, moments, processes):
        self.samples = []
        for pid, is_busy in enumerate(processes):
            stack = 0
            for at in moments:
                stack = (stack + rng.choice((0, 0, 1))) % 5
                if is_busy(at):
                    self.samples.append((at + 20 * pid, 100 + pid, stack))
        self.samples.sort()
        self.text = ''.join(block(*s) for s in self.samples).encode()

    def report(self):
        path = write_file(self.text, 'trace.txt')
        found = json.loads(bobbin.run('analyze', '--json', path).out)['time']
        want = brute.Brute(brute.read(path), brute.Options())
        expect((found['us'], found['learned_period_us']) ==
               (want.whole.us, want.learned or None), 'not as counted: %s',
               found)
        return found


def shape(name):
    """The trace, its period, how long its processes were busy."""
    rng = random.Random(name)
    if name == 'steady':
        return Trace(rng, beats(rng, 10101, 20), [always]), 10101, 20
    if name == 'slow':
        return Trace(rng, beats(rng, 500000, 60), [always]), 500000, 60
    if name == 'fast':
        return Trace(rng, beats(rng, 250, 1), [always] * 2), 250, 2
    if name == 'late and missed':
        moments = beats(rng, 20000, 30, 0.2, 0.2)
        return Trace(rng, moments, [always] * 3), 20000, 90
    if name == 'many processes':
        moments = beats(rng, 100000, 1, 0.1)
        return Trace(rng, moments, [always] * 2000), 100000, 2000
    if name == 'begins after an hour':
        moments = [0] + [3600 * SECOND + t for t in beats(rng, 4000, 20)]
        return Trace(rng, moments, [always]), 4000, 20
    busy = {'pool at half load': (0.5, 200000), 'idle pool': (0.1, 50000),
            'short requests': (0.05, 15000)}[name]
    pool = [of_pool(rng, *busy) for _ in range(8)]
    length = sum(min(b, 100 * SECOND) - min(a, 100 * SECOND)
                 for p in pool for a, b in p.spans) / SECOND
    return Trace(rng, beats(rng, 10000, 100, 0.1), pool), 10000, length


@each(['steady', 'slow', 'fast', 'late and missed', 'many processes',
       'begins after an hour', 'pool at half load', 'idle pool',
       'short requests'])
def test_the_period_is_learned(name):
    trace, period, seconds = shape(name)
    found = trace.report()
    expect(abs(found['learned_period_us'] / period - 1) < 0.1,
           'period %s, not %d', found['learned_period_us'], period)
    # A pause that is shorter than two periods looks like a missed moment.
    most = 0.2 if name == 'short requests' else 0.1
    expect(abs(found['us'] / SECOND / seconds - 1) < most,
           '%.3f s, not %.3f', found['us'] / SECOND, seconds)


def test_all_that_tells_time_has_the_learned_one():
    """The same figure from text, from .rbt, of a comparison, of requests."""
    rng = random.Random(7)
    text = ''.join(block(at, 7, i % 3, '/r') for i, at in enumerate(
        beats(rng, 33333, 10)))
    path = write_file(text.encode(), 'trace.txt')
    rbt = os.path.join(case.scratch, 'trace.rbt')
    bobbin.run('convert', '-o', rbt, path)
    want = json.loads(bobbin.run('analyze', '--json', path).out)['time']['us']
    expect(abs(want / SECOND - 10) < 0.1, '%d us', want)
    for words in ([rbt], ['--requests', path]):
        report = json.loads(bobbin.run('analyze', '--json', *words).out)
        expect(report['time']['us'] == want, '%s: %s', words, report['time'])
    row = report['sections']['routes']['rows'][0]
    expect(row['time_us'] == want, 'route %s', row)
    expect(report['sections']['routes']['resolution_us'] == 33333,
           'resolution')


@each(['back', 'same', 'huge', 'few', 'two speeds'])
def test_hostile_times(name):
    """Whatever the times are, it is counted as the rules say."""
    rng = random.Random(name)
    trace = Trace(rng, [], [])
    if name == 'back':
        times = [rng.randrange(SECOND) for _ in range(3000)]
    elif name == 'same':
        times = [5] * 3000
    elif name == 'huge':
        times = [i * 3 * 10 ** 7 * SECOND % (10 ** 15) for i in range(3000)]
    elif name == 'few':
        times = [i * 40000 for i in range(8)]
    else:
        times = [i * 1000 for i in range(1025)]
        times += [times[-1] + i * 50000 for i in range(1, 500)]
    trace.text = ''.join(block(t, 7, t % 3) for t in times).encode()
    trace.report()
