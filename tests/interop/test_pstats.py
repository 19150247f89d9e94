"""Python's pstats reads what bobbin writes, in every Python there is."""
import json
import os
import shutil
import subprocess
import sys

from support import clients, fixtures, outputs, tach, truth
from support import pythons as interpreters
from support.case import Skip, each, expect

INPUTS = [
    ('python', tach.path('real_threads')),
    ('async', tach.path('real_async')),
    ('php', fixtures.rbt_path('multi-segment')),
    ('empty', fixtures.rbt_path('header-only')),
]

# Prints everything a user can ask for, then the facts as JSON.
SIDE = """
import io, json, pstats, sys
out = io.StringIO()
s = pstats.Stats(sys.argv[1], stream=out)
s.sort_stats('cumulative').print_stats()
s.print_callers()
s.print_callees()
s.strip_dirs()
s.print_stats(3)
s = pstats.Stats(sys.argv[1], stream=out)
s.add(sys.argv[1])
s = pstats.Stats(sys.argv[1], stream=out)
print(json.dumps({
    'text': out.getvalue(), 'total': s.total_tt, 'calls': s.total_calls,
    'rows': [[list(k), list(v[:4]),
              [[list(c), v[4][c]] for c in v[4]]]
             for k, v in s.stats.items()]}))
"""


def pythons():
    """Distinct interpreters: the one that runs this, and all that are found."""
    paths = [sys.executable, '/usr/bin/python3', os.environ.get('PYTHON', '')]
    paths += [name.split()[1] for name in interpreters.find()]
    found = {}
    for path in filter(None, map(shutil.which, paths)):
        # A version manager has commands for versions that are not there.
        done = subprocess.run([path, '-c', 'import sys; print(sys.version)'],
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            found.setdefault(done.stdout.split()[0].decode(), path)
    return sorted(found.items())


def asked(python, path):
    return json.loads(clients.output([python, '-c', SIDE, path]))


@each((version + '-' + which[0], python, which[1])
      for version, python in pythons() for which in INPUTS)
def test_reads(which):
    _, python, source = which
    known = truth.Truth(source)
    got = asked(python, outputs.converted('pstats', source))
    expect(round(got['total'] * 1e6) == known.us, 'total %s s', got['total'])
    want = known.by(lambda f: (f.file or '~', f.line, f.name))
    if known.samples == 0:
        want[('~', 0, '(root)')] = truth.Cost()
    expect(len(got['rows']) == len(want), '%d rows', len(got['rows']))
    for key, numbers, callers in got['rows']:
        cost = want[tuple(key)]
        expect([numbers[0], numbers[1], round(numbers[2] * 1e6),
                round(numbers[3] * 1e6)] ==
               [cost.self, cost.total, cost.self_us, cost.total_us],
               '%s: %s, not %s', key, numbers, cost)
        for caller, _ in callers:
            expect(tuple(caller) in want, 'unknown caller %s', caller)
        # `~:0(<name>)` is printed as {name}.
        expect(key[2].strip('<>') in got['text'], '%s is not printed', key[2])


def test_sampled_mark():
    """As CPython 3.15 marks it; older ones fail on that."""
    new = [python for version, python in pythons()
           if tuple(map(int, version.split('.')[:2])) >= (3, 15)]
    if not new:
        raise Skip('no CPython 3.15 or newer (set PYTHON=...)')
    source = tach.path('real_threads')
    path = outputs.converted('pstats', source, '--pstats-sampled')
    for python in new:
        expect(round(asked(python, path)['total'] * 1e6) ==
               truth.Truth(source).us, '%s: other total', python)
