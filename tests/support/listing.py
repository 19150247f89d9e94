"""Dump lines as data: reading, comparing, hashing.

A run is (count, fields), fields being the columns after the count:
    segment pid tid interp status time annotations frame...
"""
from support.case import Failure, expect

SEGMENT, PID, TID, INTERP, STATUS, TIME, ANNOTATIONS, FRAMES = range(8)


def parse(text):
    """Runs of a dump; also checks the promises of its layout."""
    runs, before = [], None
    for row in text.decode('ascii').splitlines():
        count, *fields = row.split('\t')
        expect(len(fields) >= FRAMES, 'dump line with %d columns: %r',
               len(fields) + 1, row[:200])
        expect(count.isdigit() and int(count) > 0, 'count %r', count)
        expect(fields != before, 'two dump lines for one run: %r', row[:200])
        before = fields
        runs.append((int(count), fields))
    return runs


def from_fixture(path):
    """Runs of NAME.txt, whose columns are count segment pid time
    annotations frame..."""
    runs = []
    with open(path, encoding='ascii') as file:
        for row in file:
            count, segment, pid, time, annotations, *frames = \
                row.rstrip('\n').split('\t')
            runs.append((int(count), [segment, pid, '-', '-', '-', time,
                                      annotations] + frames))
    return runs


def total(runs):
    return sum(count for count, _ in runs)


def columns(runs, *wanted):
    """The runs with only these columns and the frames."""
    return [(count, [fields[i] for i in wanted] + fields[FRAMES:])
            for count, fields in runs]


def shifted(runs, by):
    """The runs as they read when `by` segments stand before them."""
    return [(count, [str(int(fields[SEGMENT]) + by)] + fields[1:])
            for count, fields in runs]


def first_difference(want, got):
    """None, or a sentence.  Counts are compared without expanding them."""
    want, got = iter(want), iter(got)
    done = n_want = n_got = 0
    f_want = f_got = None
    while True:
        if n_want == 0:
            n_want, f_want = next(want, (0, None))
        if n_got == 0:
            n_got, f_got = next(got, (0, None))
        if f_want is None and f_got is None:
            return None
        if f_want != f_got:
            return 'sample %d: want %s, got %s' % (
                done, brief(f_want, f_got), brief(f_got, f_want))
        step = min(n_want, n_got)
        done, n_want, n_got = done + step, n_want - step, n_got - step


def brief(fields, other):
    """The fields from the first that differs on, cut to a readable size."""
    if fields is None:
        return 'the end'
    start = 0
    for a, b in zip(fields, other or []):
        if a != b:
            break
        start += 1
    text = '\t'.join(fields[start:])
    return 'from field %d on %r%s' % (
        start, text[:160], '...' if len(text) > 160 else '')


def expect_same(want, got, what='samples'):
    difference = first_difference(want, got)
    if difference:
        raise Failure('%s differ: %s' % (what, difference))


# Counts go no further, nor do their sums.
MAX_COUNT = (1 << 63) - 1


def saturated(runs):
    """The same runs, those of equal samples joined as far as counts go."""
    out = []
    for count, fields in runs:
        if out and out[-1][1] == fields:
            count += out.pop()[0]
        out.append((min(count, MAX_COUNT), fields))
    return out


def expect_prefix(want, got, what='samples'):
    """All of want must stand at the start of got."""
    room, head = total(want), []
    for count, fields in got:
        if room <= 0:
            break
        head.append((min(count, room), fields))
        room -= count
    expect_same(want, head, what)


def expect_subsequence(want, got, what):
    """All of want must be in got, in order; got may hold more."""
    got = iter(expanded(got))
    for index, fields in enumerate(expanded(want)):
        if not any(fields == candidate for candidate in got):
            raise Failure('%s: sample %d is missing: %s' % (
                what, index, brief(fields, None)))


def expanded(runs):
    for count, fields in runs:
        for _ in range(count):
            yield fields


# ---- order-hash: one number for all samples in their order -----------------

def fnv1a(data, state=0xcbf29ce484222325):
    for byte in data:
        state = ((state ^ byte) * 0x100000001b3) & 0xffffffffffffffff
    return state


def order_hash(runs):
    """FNV-1a over the FNV-1a of each sample's fixture line, big endian."""
    state, known = fnv1a(b''), {}
    for count, fields in runs:
        line = '\t'.join([fields[SEGMENT], fields[PID], fields[TIME],
                          fields[ANNOTATIONS]] + fields[FRAMES:]) + '\n'
        if line not in known:
            known[line] = fnv1a(line.encode('ascii')).to_bytes(8, 'big')
        for _ in range(count):
            state = fnv1a(known[line], state)
    return '%016x' % state


def digest(path):
    """{'samples': ..., 'order-hash': ...} of NAME.digest."""
    facts = {}
    with open(path, encoding='utf-8', errors='replace') as file:
        for row in file:
            key, _, value = row.rstrip('\n').partition(': ')
            facts.setdefault(key, value)
    return facts
