"""Tasks of asyncio that wait at the same time: each has its whole time."""
import json
import os

from support import bobbin, load, pythons, targets
from support.case import each, expect
from support.daemons import metadata

SCRIPT = os.path.join(bobbin.ROOT, 'tests', 'truth', 'python', 'tasks.py')


def newer():
    """Those whose tasks can be listed."""
    return [name for name in pythons.find() if name.split()[1] != '-' and
            pythons.minor_of(name) >= 9]


def times(path):
    """Seconds of functions, inclusive, by the report."""
    report = json.loads(bobbin.run('analyze', '--json', '--group-by',
                                   'function', '--top', '500', path).out)
    return {row['name']: row['time_us'] / 1e6
            for row in report['sections']['total']['rows']}


@each(['busy ' + newer()[-1]] + ['idle ' + name for name in newer()])
def test_each_task_has_its_time(label):
    machine, name = label.split(' ', 1)
    with load.on(machine), targets.started([name.split()[1], SCRIPT]) as t:
        path, _, _, _ = load.record(t.pid, '-r', '499', '--async', 'all')
    length = float(metadata(path)['profiler.duration_s'])
    of = times(path)
    for function in 'first', 'second', 'third':
        # A moment may find a task between two states.
        expect(abs(of.get(function, 0) / length - 1) < load.BIAS / 100,
               '%s has %.3f s of %.3f', function, of.get(function, 0), length)
