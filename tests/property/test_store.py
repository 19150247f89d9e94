"""Questions to stores, compared with a search through all samples.

The segments are made by the tests, so what is in them is known; bobbin's
readers and indexes have no part in what is expected.
"""
import collections
import datetime
import json
import os
import random

from support import bobbin, stores
from support.case import each, expect

MINUTE = 60_000_000
STACKS = [('leaf%d' % i, 'mid%d' % (i % 3), 'main') for i in range(7)]
ROUTES = [None, '/', '/checkout', '/cart/{n}', '/p=1,x']


def make_samples(rng, begin, n):
    now, samples = begin, []
    pids = rng.sample(range(100, 110), rng.randint(1, 3))
    routes = rng.sample(ROUTES, rng.randint(1, 4))
    for _ in range(n):
        now += rng.choice((1, 10_000, 10_000, 10_000, 3 * MINUTE // 10))
        samples.append(stores.Sample(now, rng.choice(STACKS),
                                     rng.choice(pids), rng.choice(routes)))
    return samples


def make_store(rng):
    """(folder, [(service, host, samples)]) with segments of some hosts; some
    are sealed, others not."""
    folder, parts = stores.folder(), []
    for h in range(rng.randint(1, 3)):
        host, begin = 'web%d' % h, stores.START + rng.randrange(5 * MINUTE)
        for k in range(rng.randint(1, 5)):
            service = rng.choice(('shop', 'api'))
            samples = make_samples(rng, begin, rng.randint(1, 60))
            name = 'seg%d.rbt' % k
            stores.put(folder, os.path.join(host, name) if h else name,
                       stores.segment(samples, service, host))
            parts.append((service, host, samples))
            begin = samples[-1].time + rng.randrange(2 * MINUTE)
            if rng.random() < 0.3:
                bobbin.run('store', '--seal', '-q', folder)
    return folder, parts


def make_question(rng, parts):
    """(options, a function that says whether a sample is asked for)"""
    options, tests = [], []

    def ask(name, value, test):
        options.extend(('--' + name, value))
        tests.append(test)

    times = [s.time for _, _, samples in parts for s in samples]
    edges = sorted(rng.choice(times) + rng.choice((-1, 0, 1, 5000))
                   for _ in range(2))
    if rng.random() < 0.7:
        ask('from', '@%d.%06d' % divmod(edges[0], 10**6),
            lambda service, host, s: s.time >= edges[0])
    if rng.random() < 0.7 and edges[0] < edges[1]:
        ask('to', '@%d.%06d' % divmod(edges[1], 10**6),
            lambda service, host, s: s.time < edges[1])
    if rng.random() < 0.3:
        ask('service', 'api', lambda service, host, s: service == 'api')
    if rng.random() < 0.3:
        ask('host', 'web1', lambda service, host, s: host == 'web1')
    if rng.random() < 0.3:
        pid = rng.randrange(100, 110)
        ask('pid', str(pid), lambda service, host, s: s.pid == pid)
    if rng.random() < 0.3:
        route = rng.choice(ROUTES[1:])
        ask('route', route, lambda service, host, s: s.route == route)
    if rng.random() < 0.2:
        ask('match', 'leaf[12]',
            lambda service, host, s: s.stack[0] in ('leaf1', 'leaf2'))
    return options, lambda *sample: all(test(*sample) for test in tests)


def found(folder, options):
    """What bobbin finds: samples by stack, pid and route."""
    out = bobbin.run('dump', '--store', folder, *options, ok=(0, 1))
    if out.code == 1:
        expect(b'no segment has samples' in out.err, '%r', out.err)
    counts = collections.Counter()
    for line in out.out.decode().splitlines():
        count, _, pid, _, _, _, _, notes, *frames = line.split('\t')
        stack = tuple(f.split(';')[1] for f in frames)
        route = notes.partition('=')[2] if notes != '-' else None
        for code, char in (('%2C', ','), ('%3D', '=')):
            route = route and route.replace(code, char)
        counts[stack, int(pid), route] += int(count)
    return counts


@each(range(12))
def test_a_store_answers_as_a_search_through_all_samples(seed):
    rng = random.Random(seed)
    folder, parts = make_store(rng)
    for _ in range(6):
        options, is_asked = make_question(rng, parts)
        want = collections.Counter(
            (s.stack, s.pid, s.route) for service, host, samples in parts
            for s in samples if is_asked(service, host, s))
        got = found(folder, options)
        expect(got == want, '%s: %r, not %r', options, got - want, want - got)


def test_what_is_left_out_is_not_read():
    """Segments that cannot have an answer may even be unreadable."""
    folder, parts = stores.folder(), []
    for k in range(5):
        samples = [stores.Sample(stores.START + k * MINUTE + i, STACKS[k],
                                 100 + k, None) for i in range(9)]
        parts.append(stores.put(folder, 'seg%d.rbt' % k,
                                stores.segment(samples)))
    bobbin.run('store', '--seal', folder)
    for path in parts[:2] + parts[3:]:
        size = os.path.getsize(path)
        with open(path, 'wb') as file:
            file.write(b'\0' * size)
    options = ['--from', '@%d' % (stores.START // 10**6 + 120), '--to',
               '@%d' % (stores.START // 10**6 + 180)]
    out = bobbin.run('analyze', '--json', '--explain', '--store', folder,
                     *options)
    expect(json.loads(out.out)['samples']['counted'] == 9, '%r', out.out)
    expect(b'reads 1 of 5 segments' in out.err and
           b'4 left out by time' in out.err, '%r', out.err)


def test_all_commands_read_stores():
    folder = stores.folder()
    samples = [stores.Sample(stores.START + 10_000 * i, STACKS[i % 3], 100,
                             '/r%d' % (i % 2)) for i in range(100)]
    path = stores.put(folder, 'a.rbt', stores.segment(samples))
    dates = ['--from', '@%d.25' % (stores.START // 10**6), '--to',
             '@%d.75' % (stores.START // 10**6)]
    for source in (['--store', folder], [path]):
        folded = bobbin.run('convert', '-t', 'folded', *dates, *source).out
        expect(sum(int(line.split()[-1]) for line in folded.splitlines()) ==
               50, '%r', folded)
        report = json.loads(bobbin.run('analyze', '--json', *dates,
                                       *source).out)
        expect(report['samples']['counted'] == 50 and
               report['time']['wall_us'] == 500_000, '%r', report)
        info = json.loads(bobbin.run('info', '--json', *dates, *source).out)
        expect(info['samples'] == 50, '%r', info)
        report = json.loads(bobbin.run('analyze', '--json', '--route', '/r1',
                                       *dates, *source).out)
        expect(report['samples']['counted'] == 25, '%r', report)


def test_a_daemon_that_was_killed_is_read_too():
    """Also what is not sealed, and nothing is written."""
    folder = stores.folder()
    samples = [stores.Sample(stores.START + i, STACKS[0], 7, None)
               for i in range(50)]
    data = stores.segment(samples)
    stores.put(folder, 'a.rbt', data[:-3])
    got = found(folder, ['--host', 'web1'])
    expect(sum(got.values()) in (49, 50), '%r', got)
    expect(os.listdir(folder) == ['a.rbt'], '%r', os.listdir(folder))


def test_moments_as_people_write_them():
    """Compared with Python's own calendar."""
    zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    moment = datetime.datetime(2026, 9, 21, 19, 43, 20, tzinfo=zone)
    start = int(moment.timestamp())
    expect(start == stores.START // 10**6, 'another start')
    samples = [stores.Sample(stores.START + i * 1_000_000, STACKS[0], 7, None)
               for i in range(10)]
    folder = stores.folder()
    stores.put(folder, 'a.rbt', stores.segment(samples))
    for text in ('2026-09-21T19:43:25+05:30', '2026-09-21T14:13:25Z',
                 '2026-09-21 14:13:25 UTC', '2026-09-21 14:13:24.5Z',
                 '2026-09-21T14:13:25-00:00', '@%d' % (start + 5)):
        got = sum(found(folder, ['--from', text]).values())
        expect(got == 5, '%s: %d', text, got)
    for text in ('2026-02-30', '24:00', '14:2', '14:02:61', '14:02 +1',
                 'yesterday-ish', '-15q', '-x', '@', '@1x', '2026-13-01',
                 '14:02:03+25:00', 'noon'):
        bobbin.run('dump', '--to', text, folder + '/a.rbt', ok=(2,))


def test_recent_moments_are_counted_from_now():
    now = datetime.datetime.now()
    hours = [now - datetime.timedelta(minutes=m) for m in (5, 90, 60 * 49)]
    samples = sorted(stores.Sample(int(t.timestamp() * 1e6), STACKS[0], i,
                                   None) for i, t in enumerate(hours))
    folder = stores.folder()
    stores.put(folder, 'a.rbt', stores.segment(samples))
    for options, want in ((['--from', '-15m'], 1), (['--from', '-1h35m'], 2),
                          (['--from', '-3d'], 3), (['--to', '-15m'], 2),
                          (['--from', '-3d', '--to', 'now'], 3),
                          (['--from', 'yesterday', '--to', '-30m'],
                           int(hours[1].date() >= now.date() -
                               datetime.timedelta(days=1)))):
        got = sum(found(folder, options).values())
        expect(got == want, '%s: %d, not %d', options, got, want)


def test_mistakes_are_told():
    folder = stores.folder()
    stores.put(folder, 'a.rbt', stores.segment(
        [stores.Sample(stores.START, STACKS[0], 7, None)]))
    for args in (['--store', folder, 'x.rbt'], ['--service', 'x', 'a.rbt'],
                 ['--host', 'x', 'a.rbt'], ['--explain', 'a.rbt'],
                 ['--store', folder, '--from', '-1m', '--to', '-2m'],
                 ['--store', folder, '--route', '/a', '--route', '/b']):
        bobbin.run('analyze', *args, ok=(2,))
    for args in (['--service', 'other'], ['--from', 'now']):
        out = bobbin.run('analyze', '--store', folder, *args, ok=(1,))
        expect(b'no segment has samples' in out.err, '%r', out.err)
    bobbin.run('analyze', '--store', '/nowhere/at/all', ok=(1,))
