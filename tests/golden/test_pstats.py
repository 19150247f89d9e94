"""pstats output against CPython's own of the same recording, and what the
interpreters of every version can load."""
import collections
import marshal
import os

from support import bobbin, fixtures, outputs, tach, truth
from support.case import each, expect, read_file

# With this CPython starts a program, and leaves it out of what it writes.
START = '_sync_coordinator.py'


def reference(name):
    stats = marshal.loads(read_file(os.path.join(tach.TACH,
                                                 name + '.pstats')))
    expect(stats.pop(('__sampled__',), None) is True, 'no mark')
    return stats


def written(name, *args):
    return marshal.loads(outputs.content('pstats', tach.path(name), *args))


def numbers(row):
    return row[0], row[1], round(row[2] * 1e6), round(row[3] * 1e6)


def moved(name):
    """{place: samples} that are its own only when START is left out."""
    found = collections.Counter()
    for e in truth.Truth(tach.path(name)).entries:
        rest = [f for f in e.frames if START not in f.file]
        if rest and START in e.frames[-1].file:
            found[rest[-1].file, rest[-1].line, rest[-1].name] += e.samples
    return found


@each(['real_threads', 'real_async'])
def test_as_cpython(name):
    want, got = reference(name), written(name)
    got = {key: row for key, row in got.items() if START not in key[0]}
    expect(set(got) == set(want), 'other places: %r',
           list(set(got) ^ set(want))[:4])
    more = moved(name)
    for key, row in want.items():
        own, total, _, ct = numbers(row)
        expect(numbers(got[key])[1::2] == (total, ct), '%s: total %s, not %s',
               key, got[key][:4], row[:4])
        expect(numbers(got[key])[0] == own - more[key], '%s: own %s, not %s', key,
               got[key][:4], row[:4])


@each(['real_threads', 'real_async'])
def test_callers_as_cpython(name):
    """The same callers; CPython counts a sample once per recursion."""
    want, got = reference(name), written(name)
    for key, row in want.items():
        callers = {c: n for c, n in got[key][4].items() if START not in c[0]}
        skipped = any(START in c[0] for c in got[key][4])
        expect(skipped or set(callers) == set(row[4]), '%s: callers %r', key,
               list(set(callers) ^ set(row[4]))[:4])
        for caller in set(callers) & set(row[4]):
            expect(callers[caller][1] <= row[4][caller], '%s from %s: %s, %s',
                   key, caller, callers[caller], row[4][caller])


def test_mark_is_asked_for():
    marked = written('tiny', '--pstats-sampled')
    expect(marked.pop(('__sampled__',)) is True, 'no mark')
    expect(marked == written('tiny'), 'otherwise the same')


def test_marshal_is_old():
    """Only types that every Python 3 reads: no references, no short forms."""
    data = outputs.content('pstats', fixtures.rbt_path('multi-segment'))
    at = 0

    def value():
        nonlocal at
        kind = data[at:at + 1]
        at += 1
        if kind == b'{':
            while data[at:at + 1] != b'0':
                value()
                value()
            at += 1
        elif kind == b'(':
            size = int.from_bytes(data[at:at + 4], 'little')
            at += 4
            for _ in range(size):
                value()
        elif kind == b'u':
            at += 4 + int.from_bytes(data[at:at + 4], 'little')
        else:
            expect(kind in (b'i', b'g'), 'type %r at byte %d', kind, at - 1)
            at += 4 if kind == b'i' else 8
    value()
    expect(at == len(data), '%d bytes after the end', len(data) - at)


def test_large_counts():
    """Counts above 32 bits are longs, digit by digit."""
    text = b'a;b %d\na %d\n' % ((1 << 31) - 1, (1 << 45) + 12345)
    stats = marshal.loads(bobbin.run('convert', '-q', '-f', 'folded', '-t',
                                     'pstats', stdin=text).out)
    counts = {key[2]: row[:2] for key, row in stats.items()}
    expect(counts == {'b': ((1 << 31) - 1,) * 2,
                      'a': ((1 << 45) + 12345,
                            (1 << 45) + 12344 + (1 << 31))}, '%s', counts)
