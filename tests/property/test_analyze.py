"""Every number of `bobbin analyze --json` against counting by hand, on random
traces and with random options."""
import json
import math
import random

from oracle import analyze_brute as brute, rbt_gen, rbt_wire as wire
from support import bobbin, fixtures, schema, seeds, tach
from support.case import each, expect, write_file

NAMES = [(b'', b'', b'main'), (b'App', b'Svc', b'run'),
         (b'App', b'Svc', b'find'), (b'App\\Db', b'Pool', b'query'),
         (b'', b'PDO', b'query'), (b'', b'', b'strlen'), (b'Lib', b'', b'go')]
FILES = [b'', b'/srv/app/a.php', b'/srv/app/vendor/acme/db/src/b.php',
         b'/srv/app/src/c.php', b'<internal>']
OPCODES = [None, None, b'', b'ZEND_ADD', b'ZEND_DO_FCALL']
URLS = [b'/users/1', b'/users/2', b'/', b'/cart?id=5']
PATTERNS = ['query', '^App', r'\.php:[12]$', 'nobody', 'main|go', 'PDO::']
GROUPS = ['line', 'function', 'name', 'file', 'pid', 'thread', 'status',
          'annotation:url', 'annotation:user', 'annotation:request.id',
          'segment', 'minute']


class Maker:
    """A trace as profilers write them, with recursion, empty stacks, pids,
    annotations, pauses, and periods that may differ."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.ids = {}
        self.n_frames = 0
        self.out = []

    def string(self, text):
        if text not in self.ids:
            self.ids[text] = len(self.ids)
            self.out.append(wire.string(self.ids[text], text))
        return self.ids[text]

    def frames(self):
        for _ in range(self.rng.randint(2, 12)):
            if self.rng.random() < 0.15:
                parts = (self.string(b'c_call'), self.string(b'/lib/x.so'),
                         90)
                self.out.append(wire.native(self.n_frames, *parts))
            else:
                name = [self.string(p) for p in self.rng.choice(NAMES)]
                opcode = self.rng.choice(OPCODES)
                file = self.string(self.rng.choice(FILES))
                opcode = None if opcode is None else self.string(opcode)
                self.out.append(wire.frame(self.n_frames, *name, file,
                                           self.rng.choice((-1, 0, 1, 2)),
                                           opcode))
            self.n_frames += 1

    def stacks(self):
        n = self.rng.randint(1, 15)
        for i in range(n):
            frames = [self.rng.randrange(self.n_frames)
                      for _ in range(self.rng.choice((0, 1, 2, 3, 4, 7)))]
            self.out.append(wire.stack(i, frames))
        return n

    def annotation(self):
        pairs = []
        if self.rng.random() < 0.8:
            pairs.append((self.string(b'url'),
                          self.string(self.rng.choice(URLS))))
        if self.rng.random() < 0.5:
            pairs.append((self.string(b'user'),
                          self.string(self.rng.choice((b'ann', b'bob')))))
        if self.with_tasks:
            pairs.append((self.string(b'task.name'), self.string(b'T-1')))
        if self.with_ids and self.rng.random() < 0.8:
            pairs.append((self.string(b'request.id'),
                          self.string(self.rng.choice((b'1', b'2')))))
        return wire.annotation(*pairs)

    def segment(self, period):
        timed = self.rng.random() < 0.5
        self.with_ids = self.rng.random() < 0.5
        self.with_tasks = self.rng.random() < 0.2
        self.ids, self.n_frames = {}, 0
        self.out.append(wire.header(period, int(timed)))
        self.frames()
        n, notes = self.stacks(), self.annotation()
        has_pids, has_notes = (self.rng.random() < 0.3 for _ in '..')
        for _ in range(self.rng.randint(0, 60)):
            stack = self.rng.randrange(n)
            if has_pids:
                pid = self.rng.choice((7, 8))
                delta = (self.rng.choice((0, 500, 9000, 500000)),)
                self.out.append(wire.event(wire.PID_SAMPLE, wire.varints(
                    stack, pid, *(delta if timed else ()))))
            elif timed:
                self.out.append(wire.sample(stack, self.rng.choice(
                    (0, 900, 2500, 10000, 30000, 7000000))))
            else:
                self.out.append(wire.compact(stack))
            if has_notes and self.rng.random() < 0.2:
                notes = self.annotation()
            if has_notes:
                self.out.append(notes)
            if self.rng.random() < 0.2:
                self.out.append(wire.repeat(self.rng.randint(1, 40)))
        self.out.append(wire.end())

    def build(self):
        same = self.rng.choice((0, 1000, 10000))
        for _ in range(self.rng.randint(1, 4)):
            self.segment(same if self.rng.random() < 0.8
                         else self.rng.choice((250, 2000000)))
        return b''.join(self.out)


def random_options(rng, samples, groups):
    """Arguments, and the same for the oracle."""
    args, o = [], {}

    def maybe(chance, key, value, *words):
        if rng.random() < chance:
            o[key] = value
            args.extend(words)

    group = rng.choice(groups)
    o['group'], _, key = group.partition(':')
    o['annotation'] = key or None
    args += ['--group-by', group]
    some = rng.choice(samples) if samples else None
    pid = some.pid if some and some.pid is not None else 7
    tid = some.tid if some and some.tid is not None else 3
    maybe(0.15, 'pids', (pid, 8), '--pid', str(pid), '--pid=8')
    maybe(0.1, 'tids', (tid,), '--thread', str(tid))
    states = rng.sample(sorted(brute.STATES), 1)
    maybe(0.1, 'status', states, '--status', ','.join(states))
    start = rng.choice((0, some.at if some else 0, 20000))
    end = start + rng.choice((1, 50000, 5000000))
    maybe(0.15, 'time', (start, end), '--time', '%dus..%dus' % (start, end))
    note = rng.choice(('url', 'url=/', 'user=ann'))
    maybe(0.1, 'notes', (note,), '--annotation', note)
    hide, match = rng.choice(PATTERNS), rng.choice(PATTERNS)
    maybe(0.2, 'hide', hide, '--hide', hide)
    maybe(0.2, 'match', match, '--match', match)
    maybe(0.2, 'opcodes', True, '--with-opcode')
    maybe(0.2, 'request_key', 'user', '--request-key', 'user')
    return args, brute.Options(**o)


def near(got, want):
    return abs(got - want) <= 1e-9 + 2e-5 * abs(want)


class Check:
    """One report against the oracle."""

    def __init__(self, report, want):
        self.report, self.want = report, want
        self.sections = report['sections']

    def equal(self, got, want, what):
        expect(got == want, '%s: %s, not %s', what, str(got)[:400],
               str(want)[:400])

    def share(self, row, what):
        w = self.want
        weight, whole = ((row['time_us'], w.whole.us) if w.several else
                         (row['samples'], w.whole.samples))
        share = weight / whole if whole else 0
        expect(near(row['share'], share), '%s: share %s, not %s', what,
               row['share'], share)
        expect(row['clumping'] >= 1, '%s: clumping %s', what,
               row['clumping'])
        if not w.whole.samples:
            return
        low, high = brute.wilson(share, w.whole.samples, row['clumping'])
        expect(abs(row['low'] - low) < 1e-4 and abs(row['high'] - high)
               < 1e-4, '%s: %s..%s, not %s..%s', what, row['low'],
               row['high'], low, high)

    def facts(self):
        w, r = self.want, self.report
        self.equal(r['samples'], {
            'read': w.n_read, 'passed': w.n_passed,
            'without_stack': w.stackless, 'counted': w.whole.samples},
            'samples')
        self.equal(r['time']['us'], w.whole.us, 'time')
        self.equal(r['time']['waited_us'], w.waited.us, 'time of tasks')
        if w.n_passed:
            self.equal(r['time']['basis'], w.basis, 'basis')
            self.equal(r['time']['period_us'], w.period, 'period')
            self.equal(r['time']['learned_period_us'] or 0, w.learned,
                       'learned period')
        self.equal(r['time']['mixed'], w.mixed, 'mixed')
        self.equal(r['shares_of'], 'time' if w.several else 'samples',
                   'shares')
        self.equal(bool(r['why_empty']), not w.whole.samples, 'why')

    def rows(self, section, sums, top):
        """The rows of a table, in order."""
        got = self.sections[section]
        want = self.want.ordered(sums)
        self.equal(got['rows_in_all'], len(want), section + ' rows')
        self.equal([(r['text'], r['samples'], r['time_us'])
                    for r in got['rows']],
                   [(k, s.samples, s.us) for k, s in want[:top]], section)
        for row in got['rows']:
            self.share(row, '%s %s' % (section, row['text']))

    def tables(self, top):
        own, total = self.want.self_counts(), self.want.total_counts()
        # Of equal ones that comes first which was seen first, as a caller or
        # not.
        own = {key: own[key] for key in total if key in own}
        self.rows('self', own, top)
        none = brute.Sum(0, 0)
        names = ['self'] if self.want.of_samples else ['self', 'total']
        if not self.want.of_samples:
            self.rows('total', total, top)
        for name in names:
            for row in self.sections[name]['rows']:
                self.equal(
                    (row['self_samples'], row['self_time_us'],
                     row['total_samples'], row['total_time_us']),
                    own.get(row['text'], none) + total[row['text']],
                    'parts of ' + row['text'])

    def tree(self, inverted, depth, percent):
        nodes = self.want.tree(inverted)
        got = self.sections['tree']
        least = got['min_samples']
        exact = percent / 100 * self.want.whole.samples
        expect(exact - 1e-6 <= least < exact + 1, 'least %s of %s', least,
               exact)
        want = {path: sums for path, sums in nodes.items()
                if sums[0].samples >= least and
                (not depth or len(path) <= depth)}
        paths, seen = [], {}
        for row in got['rows']:
            above = () if row['parent'] is None else paths[row['parent']]
            paths.append(above + (row['text'],))
            self.equal(row['depth'], len(paths[-1]), 'depth')
            seen[paths[-1]] = (
                brute.Sum(row['total_samples'], row['total_time_us']),
                brute.Sum(row['self_samples'], row['self_time_us']))
            self.share(row, 'tree %s' % row['text'])
        if inverted:    # where samples ended is the root of all
            want = {k: t for k, (t, _) in want.items()}
            seen = {k: t for k, (t, _) in seen.items()}
        self.equal(seen, want, 'tree')
        self.equal(len(paths), len(seen), 'nodes twice')

    def timeline(self):
        got = self.sections['timeline']
        for row in got['rows']:
            bins = self.want.bins(got['bin_us'], row['text'] or None)
            first = got['first_us'] // got['bin_us']
            self.equal({first + i: n for i, n in enumerate(row['bins'])
                        if n}, dict(bins), 'bins of %r' % row['text'])

    def requests(self, top):
        want = self.want.requests()
        slowest = sorted((r[2].us for r in want), reverse=True)[:100]
        rows = self.sections['requests']['rows']
        self.equal([r['time_us'] for r in rows], slowest[:top], 'slowest')
        values = {(r[0], r[3], r[1][0], r[1][1], r[2]) for r in want}
        for r in rows:
            weight, whole = ((r['time_us'], self.want.passed.us)
                             if self.want.several else
                             (r['samples'], self.want.n_passed))
            expect(near(r['share'], weight / whole), 'share of %s', r)
            expect((r['request'], r['route'], r['pid'], r['tid'],
                    brute.Sum(r['samples'], r['time_us'])) in values,
                   'no such request: %s', r)
        routes = {}
        for _, _, sums, route in want:
            routes.setdefault(route, []).append(sums)
        got = self.sections['routes']
        self.equal(got['rows_in_all'], len(routes), 'routes')
        for r in got['rows']:
            self.route(r, routes[r['route']])
        self.equal([r['time_us'] for r in got['rows']], sorted(
            (sum(s.us for s in v) for v in routes.values()),
            reverse=True)[:top], 'routes')
        frequent = [r['requests'] for r in self.sections['frequent']['rows']]
        self.equal(frequent, sorted(frequent, reverse=True), 'frequent')

    def route(self, row, requests):
        times = sorted(s.us for s in requests)
        self.equal((row['requests'], row['samples'], row['time_us'],
                    row['max_us']),
                   (len(times), sum(s.samples for s in requests),
                    sum(times), times[-1]), 'route ' + row['route'])
        for name, part in (('p50_us', 0.5), ('p95_us', 0.95)):
            want = times[math.ceil(part * len(times)) - 1]
            expect(abs(row[name] - want) <= 0.06 * want + 1,
                   '%s %s, not %d', row['route'], row, want)

    def last(self, n, depth):
        got = [(r['time_us'], r['pid'], r['tid'], r['status'],
                [(a['key'], a['value']) for a in r['annotations']],
                r['frames']) for r in self.sections['tail']['rows']]
        self.equal(got, self.want.last(n, depth), 'tail')


def check(rng, path, groups):
    samples = brute.read(path)
    args, options = random_options(rng, samples, groups)
    top, last, depth = rng.choice((1, 3, 20, 100)), rng.randint(1, 5), 2
    around, percent = rng.choice(PATTERNS), rng.choice((0, 1, 12.5))
    inverted = rng.random() < 0.5
    levels = rng.choice((0, 1, 3))
    args += ['--top=%d' % top, '--last=%d' % last, '--last-depth=2',
             '--callers', around, '--callees', around, '--tree',
             '--min-percent=%s' % percent, '--depth=%d' % levels,
             '--timeline', '--requests'] + ['--invert'] * inverted
    report = json.loads(bobbin.run('analyze', '--json', *args, path).out)
    schema.check(report)
    want = brute.Brute(samples, options)
    c = Check(report, want)
    c.facts()
    c.tables(top)
    c.rows('callers', want.callers(around), top)
    c.rows('callees', want.callees(around), top)
    c.tree(inverted, levels, percent)
    c.timeline()
    c.requests(top)
    c.last(last, depth)


@each(seeds.blocks())
def test_as_profilers_write(block):
    def one(seed):
        path = write_file(Maker(seed).build())
        check(random.Random(seed), path, GROUPS + ['module'])
    seeds.for_block(block, one)


@each(seeds.blocks(part=0.5))
def test_legal_but_unusual(block):
    def one(seed):
        path = write_file(rbt_gen.generate(seed, rbt_gen.SMALL))
        check(random.Random(seed), path, GROUPS)
    seeds.for_block(block, one)


@each(['old_threads', 'encodings', 'real_opcodes', 'locations'])
def test_threads_and_their_status(name):
    for seed in range(12):
        check(random.Random('%s %d' % (name, seed)), tach.path(name),
              GROUPS + ['module'])


@each(['annotations', 'pid-bundled-ts', 'opcodes', 'native-mixed',
       'segmented-rotation', 'rle-runs', 'timestamps'])
def test_fixtures(name):
    for seed in range(6):
        check(random.Random('%s %d' % (name, seed)), fixtures.rbt_path(name),
              GROUPS)
