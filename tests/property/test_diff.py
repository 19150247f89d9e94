"""Every number of bobbin diff, computed a second time: counts by hand from the
listing, statistics from their definitions."""
import collections
import json
import math
import random

from support import bobbin, seeds, truth
from support.case import each, expect, write_file

Z = 1.959963984540054


def random_trace(rng, name):
    """Stacks over few functions, so that recursion is common."""
    lines = []
    for _ in range(rng.randint(1, 40)):
        depth = rng.randint(1, 6)
        lines.append(';'.join('f%d /a%d.php:%d' % (
            i, i % 2, rng.randint(1, 3)) for i in rng.choices(
                range(6), k=depth)) +
            ' %d' % rng.choice((1, 2, 7, 40, 1000, 1 << 40)))
    return write_file('\n'.join(lines).encode() + b'\n', name)


def name_of(frame, group):
    return {'name': '%s' % frame.name, 'file': frame.file,
            'function': '%s %s' % (frame.name, frame.file),
            'line': '%s %s:%d' % frame}[group]


class Counts:
    def __init__(self, path, group):
        self.all = 0
        self.self = collections.Counter()
        self.total = collections.Counter()
        self.paths = collections.Counter()
        for entry in truth.Truth(path).entries:
            keys = [name_of(frame, group) for frame in entry.frames]
            self.all += entry.samples
            self.self[keys[-1]] += entry.samples
            for key in set(keys):
                self.total[key] += entry.samples
            for depth in range(1, len(keys) + 1):
                self.paths[tuple(keys[:depth])] += entry.samples


def wilson(share, n):
    middle = share + Z * Z / (2 * n)
    half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    low, high = ((middle - half) / (1 + Z * Z / n),
                 (middle + half) / (1 + Z * Z / n))
    return max(low, 0), min(high, 1)


def newcombe(k, n, x, m):
    a, b = k / n, x / m
    (low_a, high_a), (low_b, high_b) = wilson(a, n), wilson(b, m)
    return (b - a - math.hypot(b - low_b, high_a - a),
            b - a + math.hypot(high_b - b, a - low_a))


def tail(x, y, n, m):
    """x or fewer of x + y at n of n + m places; x itself counts half."""
    part, every = n / (n + m), x + y
    chances = [math.comb(every, i) * part ** i * (1 - part) ** (every - i)
               for i in range(x + 1)]
    return sum(chances) - chances[-1] / 2


def p_value(k, n, x, m):
    for few, other in (k, x), (n - k, m - x):
        if few + other < 20:
            low = tail(few, other, n, m)
            return min(1, 2 * min(low, 1 - low))
    p = (k + x) / (n + m)
    z = abs(x / m - k / n) / math.sqrt(p * (1 - p) * (1 / n + 1 / m))
    return math.erfc(z / math.sqrt(2))


def near(got, want, what):
    expect(math.isclose(got, want, rel_tol=1e-4, abs_tol=2e-6), '%s: %r is '
           'not %r', what, got, want)


def check_row(row, k, n, x, m):
    what = row['key']
    expect(row['before']['samples'] == k and row['after']['samples'] == x,
           '%s: %s, not %d and %d', what, row, k, x)
    near(row['before']['share'], k / n, what)
    near(row['after']['share'], x / m, what)
    near(row['delta'], x / m - k / n, what)
    low, high = newcombe(k, n, x, m)
    near(row['low'], max(low, -1), what + ' low')
    near(row['high'], min(high, 1), what + ' high')
    near(row['p'], 1 if k + x < 6 else p_value(k, n, x, m), what + ' p')
    expect(row['mark'] == ('new' if k == 0 else 'gone' if x == 0 else None),
           '%s: mark %s', what, row['mark'])
    near(row['growth'], row['delta'] / max(0.5, 1 - x / m),
         what + ' growth')
    expect(row['clumping'] == 1, '%s: clumping %s', what, row['clumping'])


def is_tested(row):
    return row['before']['samples'] + row['after']['samples'] >= 6


def check_q(families, n_tested, least=0):
    """Benjamini and Hochberg over all rows that can be tested at all; no q is
    below `least`.  Returns the smallest."""
    got = [sum(map(is_tested, rows)) for rows in families]
    expect(got == n_tested, '%s tested, not %s', n_tested, got)
    rows = [row for family in families for row in family]
    q = 1
    ranked = sorted(filter(is_tested, rows), key=lambda row: row['p'])
    for rank in range(len(ranked), 0, -1):
        q = min(q, ranked[rank - 1]['p'] * len(ranked) / rank)
        near(ranked[rank - 1]['q'], max(q, least),
             ranked[rank - 1]['key'] + ' q')
    for row in rows:
        if not is_tested(row):
            expect(row['q'] == 1, 'untested, but q %s', row['q'])
        expect(row['significant'] == (row['q'] <= 0.05), 'row: %s', row)
    return min((row['q'] for row in rows), default=1)


def check_order(rows):
    order = [(not row['significant'], -abs(row['delta'])) for row in rows]
    expect(order == sorted(order), 'rows are not in order')


def check_holm(gate, rows, limit):
    """The gate's own arithmetic, from the rows."""
    tests = {}
    for of in 'self', 'total':
        for row in rows[of]:
            both = [row['before']['samples'], row['after']['samples']]
            if of == 'total' and both == rows['self of'].get(row['key']):
                continue
            pooled = sum(both) / sum(rows['samples'])
            if sum(both) >= 6 and pooled >= limit / 4:
                p = row['p'] / 2
                tests[of, row['key']] = (
                    p if row['delta'] > 0 else 1 - p, row)
    expect(gate['tests'] == len(tests), '%d tests, not %d', gate['tests'],
           len(tests))
    worst, hits = 0, set()
    for rank, (name, (p, row)) in enumerate(sorted(
            tests.items(), key=lambda item: item[1][0])):
        worst = max(worst, min(1, p * (len(tests) - rank)))
        if worst <= 0.01 and row['growth_high'] >= limit:
            hits.add(name)
    got = {(hit['of'], hit['key']) for hit in gate['hits']}
    expect(got == hits, 'hits %s, not %s', got, hits)


def check(seed):
    rng = random.Random(seed)
    group = rng.choice(('name', 'file', 'function', 'line'))
    paths = [random_trace(rng, 'a.folded'), random_trace(rng, 'b.folded')]
    limit = rng.choice((0, 2, 5, 20))
    got = json.loads(bobbin.run(
        'diff', '-q', '--json', '--group-by', group, '--min-percent', '0',
        '--fail-over', '%d%%' % limit, *paths, ok=(0, 3)).out)
    before, after = (Counts(path, group) for path in paths)
    n, m = before.all, after.all
    for of in 'self', 'total':
        a, b = getattr(before, of), getattr(after, of)
        rows = {row['key']: row for row in got[of]}
        expect(set(rows) == set(a) | set(b), '%s: keys %s', of, set(rows))
        for key, row in rows.items():
            check_row(row, a[key], n, b[key], m)
        check_order(got[of])
    surest = check_q([got['self'], got['total']], [got['tested'][of] for of in
                                                   ('self', 'total')])
    keys = {None: ()}
    for path in got['paths']:
        keys[path['id']] = keys[path['parent']] + (path['key'],)
        check_row(path, before.paths[keys[path['id']]], n,
                  after.paths[keys[path['id']]], m)
    expect(set(keys.values()) - {()} == set(before.paths) | set(after.paths),
           'paths differ')
    check_q([got['paths']], [got['tested']['paths']], surest)
    check_holm(got['gate'], {
        'self': got['self'], 'total': got['total'], 'samples': (n, m),
        'self of': {row['key']: [row['before']['samples'],
                                 row['after']['samples']]
                    for row in got['self']}}, limit / 100)


@each(seeds.blocks(0.5))
def test_every_number_is_right(first):
    seeds.for_block(first, check)


def write_samples(stacks, name):
    """Text of phpspy: one stack after the other, innermost frame first."""
    return write_file(b''.join(
        b''.join(b'%d %s /a:1\n' % (i, key.encode())
                 for i, key in enumerate(reversed(stack))) + b'\n'
        for stack in stacks), name)


def clumping(traces, is_hit):
    """Of a difference of shares, as docs/diff.md has it.  Of up to 800
    samples each has a bin of its own in the time strip of a profile, so that
    stretches are cut between any two."""
    parts, variance = [0] * 128, 0
    for sign, stacks in zip((-1, 1), traces):
        n = len(stacks)
        hits = [is_hit(stack) for stack in stacks]
        share = sum(hits) / n
        variance += share * (1 - share) / n
        for i, hit in enumerate(hits):
            parts[int((i + 0.5) / n * 128)] += sign * (hit - share) / n
    best = 1
    for scale in 1, 2, 4, 8:
        sums = [sum(parts[i:i + scale]) for i in range(0, 128, scale)]
        m = len(sums)
        if min(map(len, traces)) >= 4 * m and variance > 0:
            best = max(best, m / (m - 1) / variance / 2 * sum(
                (b - a) ** 2 for a, b in zip(sums, sums[1:])))
    return best


def check_clumping(seed):
    rng = random.Random(seed)
    traces = []
    for _ in range(2):
        traces.append([])
        size = rng.choice((300, 500, 700))
        while len(traces[-1]) < size:
            stack = [rng.choice('abc') for _ in range(rng.randint(1, 4))]
            traces[-1] += [stack] * rng.randint(1, rng.choice((2, 12)))
    got = json.loads(bobbin.run(
        'diff', '-q', '--json', '--group-by', 'name', '--min-percent', '0',
        *(write_samples(stacks, 't%d.phpspy' % i)
          for i, stacks in enumerate(traces))).out)
    expect(got['before']['order'] == 'measured', 'order')
    for row in got['self']:
        near(row['clumping'], clumping(
            traces, lambda stack: stack[-1] == row['key']), row['key'])
    for row in got['total']:
        near(row['clumping'], clumping(
            traces, lambda stack: row['key'] in stack), row['key'])
    keys = {None: []}
    for row in got['paths']:
        path = keys[row['id']] = keys[row['parent']] + [row['key']]
        near(row['clumping'], clumping(
            traces, lambda stack: stack[:len(path)] == path), str(path))


@each(seeds.blocks(0.2))
def test_clumping_is_as_described(first):
    seeds.for_block(first, check_clumping)


def test_depth_and_share_limit_paths():
    path = write_file(b'a;b;c 90\na;b;d 5\na;e 5\n', 'a.folded')
    for args, want in ((['--depth', '2'], {'a', 'b', 'e'}),
                       (['--min-percent', '6'], {'a', 'b', 'c'}),
                       (['--depth', '1'], {'a'})):
        got = json.loads(bobbin.run('diff', '-q', '--json', '--group-by',
                                    'name', *args, path, path).out)
        expect({p['key'] for p in got['paths']} == want, '%s: %s', args,
               got['paths'])
