"""Two ranges of a store compared: as two files that hold these samples."""
import collections
import datetime
import json
import os
import random
import re

from support import bobbin, case, pages, stores
from support.case import each, expect

SECOND = 1_000_000
STACKS = [('leaf%d' % i, 'mid%d' % (i % 2), 'main') for i in range(5)]


def make_store(rng):
    """(folder, samples with their service and host)"""
    folder, taken = stores.folder(), []
    for h in range(rng.randint(1, 3)):
        now = stores.START + rng.randrange(3 * SECOND)
        for k in range(rng.randint(2, 5)):
            service, samples = rng.choice(('shop', 'shop', 'api')), []
            for _ in range(rng.randint(20, 200)):
                now += rng.choice((10_000, 10_000, 10_000, SECOND // 2))
                leaf = rng.randrange(5) if k < 2 else rng.randrange(8) % 5
                samples.append(stores.Sample(
                    now, STACKS[leaf], 100 + h, rng.choice(('/', '/cart'))))
            host = 'web%d' % h
            stores.put(folder, os.path.join(host, 'seg%d.rbt' % k),
                       stores.segment(samples, service, host))
            taken += [(service, host, s) for s in samples]
            if rng.random() < 0.3:
                bobbin.run('store', '--seal', '-q', folder)
    return folder, taken


def moment(us):
    return '@%d.%06d' % divmod(us, SECOND)


def make_range(rng, taken):
    """(text, begin, end) with at least one sample of the service shop."""
    times = sorted(s.time for service, _, s in taken if service == 'shop')
    begin, end = sorted((rng.choice(times), rng.choice(times)))
    kind = rng.randrange(4)
    if kind == 0:
        return '..' + moment(end + 1), 0, end + 1
    if kind == 1:
        return moment(begin) + '..', begin, 1 << 62
    return '%s..%s' % (moment(begin), moment(end + 1)), begin, end + 1


def extract(folder, name, filters, begin, end):
    """The samples of a range as a file."""
    path = os.path.join(os.path.dirname(folder), name)
    bobbin.run('convert', '-q', '--store', folder, *filters, '--from',
               moment(begin), '--to', moment(min(end, 2 * stores.START)),
               '-o', path)
    return path


EXACT = ('delta', 'relative', 'growth', 'mark')


def rows(report):
    """What does not depend on where the stretches begin, along which errors
    are measured: in the store at the first sample of the first segment, in the
    file at its first sample. Times neither: the first sample of a range has
    one before it in the store."""
    return {(table, row['key'], row.get('depth')): (
        [row[side][unit] for side in ('before', 'after')
         for unit in ('samples', 'share')], [row[key] for key in EXACT])
            for table in ('self', 'total', 'paths') for row in report[table]}


def leaves(report, side):
    counts = {r['function']: r[side]['samples'] for r in report['self']}
    return {f: n for f, n in counts.items() if n > 0}


@each(range(10))
def test_ranges_of_a_store_compare_as_files_with_these_samples(seed):
    rng = random.Random(seed)
    folder, taken = make_store(rng)
    if not any(service == 'shop' for service, _, _ in taken):
        return
    filters = ['--service', 'shop']
    sides = {'before': make_range(rng, taken), 'after': make_range(rng, taken)}
    got = bobbin.run('diff', '--json', '--store', folder, *filters,
                     '--against', sides['before'][0], '--from',
                     sides['after'][0])
    report = json.loads(got.out)
    files = [extract(folder, side + '.rbt', filters, *sides[side][1:])
             for side in ('before', 'after')]
    want = bobbin.run('diff', '--json', *files)
    expect(rows(report) == rows(json.loads(want.out)), '%r, not %r',
           got.out, want.out)
    for side, (_, begin, end) in sides.items():
        counts = collections.Counter(
            s.stack[0] for service, _, s in taken
            if service == 'shop' and begin <= s.time < end)
        expect(leaves(report, side) == counts, '%s: %r, not %r', side,
               leaves(report, side), counts)
        expect(report[side]['input'].startswith(folder + ' '), '%r',
               report[side])


def small_store():
    """Four seconds; in the last two leaf1 takes more."""
    folder = stores.folder()
    samples = [stores.Sample(stores.START + 10_000 * i, STACKS[
        1 if i >= 200 and i % 3 else i % 5], 100, None) for i in range(400)]
    stores.put(folder, 'a.rbt', stores.segment(samples))
    start = stores.START // SECOND
    return folder, ['--against', '@%d..@%d' % (start, start + 2), '--from',
                    '@%d..@%d' % (start + 2, start + 3)]


def test_one_segment_may_have_both_ranges():
    folder, ranges = small_store()
    out = bobbin.run('diff', '--store', folder, '--fail-over', '5%:leaf1',
                     *ranges, ok=(3,)).out
    expect(b'200 samples' in out and b'leaf1 grew' in out, '%r', out)
    expect(b'2026-09-21T14:13:20Z..14:13:22Z' in out, '%r', out)


def test_pages_and_pictures_have_the_ranges_too():
    folder, ranges = small_store()
    page, svg = (os.path.join(os.path.dirname(folder), n)
                 for n in ('d.html', 'd.svg'))
    bobbin.run('diff', '--store', folder, '-o', svg, *ranges)
    with open(svg, encoding='utf-8') as file:
        text = file.read()
    expect('2026-09-21T14:13:22Z..14:13:23Z' in text and 'leaf1' in text,
           '%r', text[:500])
    bobbin.run('diff', '--store', folder, '-o', page, *ranges)
    said = pages.facts(page)
    expect(said['title'].split() == [
        folder, '2026-09-21T14:13:20Z..14:13:22Z', '->', folder,
        '2026-09-21T14:13:22Z..14:13:23Z'], '%r', said)
    folded = [bobbin.run('convert', '-t', 'folded', case.write_file(
        data, 'side.rbt')).out for data in pages.traces(page)]
    counts = [sum(int(line.split()[-1]) for line in side.splitlines())
              for side in folded]
    expect(counts == [200, 100], '%r', folded)


def ends_of(text):
    """The two moments of a range that no sample is in."""
    folder, ranges = small_store()
    out = bobbin.run('diff', '--store', folder, '--from', text, *ranges[:2],
                     ok=(1,)).err.decode()
    found = re.search(r'store (.*)\.\.(.*): no segment', out)
    begin, end = found.groups()
    if len(end) < len(begin):
        end = begin[:11] + end
    return [datetime.datetime.fromisoformat(t) for t in (begin, end)]


def test_a_time_alone_is_one_of_the_same_day():
    day = datetime.datetime.now().astimezone() - datetime.timedelta(days=1)
    for text, begin, end in (
            ('yesterday 14:02..14:05', (14, 2), (14, 5)),
            ('yesterday..0:30', (0, 0), (0, 30)),
            (day.strftime('%Y-%m-%d 9:00..17:00'), (9, 0), (17, 0))):
        want = [day.replace(hour=h, minute=m, second=0, microsecond=0)
                for h, m in (begin, end)]
        expect(ends_of(text) == want, '%s: %r', text, ends_of(text))
    for text, length in (('2026-01-02T23:02:00+05:30..23:05:00', 180),
                         ('2026-01-02 23:02 -0300..23:02:00.5', 0.5),
                         ('2026-01-02T12:00Z..12:00:07Z', 7),
                         ('2026-01-02 12:00Z..13:00+00:30', 1800),
                         ('@100.5..@200', 99.5), ('-1h..-30m', 1800)):
        begin, end = ends_of(text)
        expect((end - begin).total_seconds() == length, '%s: %s %s', text,
               begin, end)


def test_mistakes_in_ranges_are_told():
    folder, ranges = small_store()
    for args, why in (
            (['--from', '14:02..14:05'], b'two ranges'),
            (['--against', '14:02..14:05'], b'two ranges'),
            (['--from', '14:02', '--against', '..now'], b'not a range'),
            (['--from', '14:05..14:02', '--against', '..now'],
             b'not a range'),
            (['a.rbt', 'b.rbt'] + ranges, b'segments of the store')):
        out = bobbin.run('diff', '--store', folder, *args, ok=(2,))
        expect(why in out.err, '%r: %r', args, out.err)
    for args in (ranges[2:], ranges[:2]):
        out = bobbin.run('diff', *args, folder + '/a.rbt', folder + '/a.rbt',
                         ok=(2,))
        expect(b'segments of a store' in out.err, '%r', out.err)
    out = bobbin.run('diff', '--store', folder, *ranges[:2], '--from', '@5..@6',
                     ok=(1,))
    expect(b'1970-01-01T00:00:05Z..00:00:06Z: no segment has samples'
           in out.err, '%r', out.err)
