"""Tasks of asyncio that wait at the same time: each has its whole time."""
import json
import math
import os

from support import bobbin, case, load, pythons, targets
from support.case import each, expect
from support.daemons import metadata

HZ = 499
TRIES = 6
# Of the moments that found a task at work: one in 15,000 is further off.
SIGMAS = 4
SCRIPT = os.path.join(bobbin.ROOT, 'tests', 'truth', 'python', 'tasks.py')


def newer():
    """Those whose tasks can be listed."""
    return [name for name in pythons.find() if name.split()[1] != '-' and
            pythons.minor_of(name) >= 9]


def analyze(path, group):
    # The loop that waits for work is time of threads as well.
    return json.loads(bobbin.run('analyze', '--json', '--idle', '--group-by',
                                 group, '--top', '500', path).out)


def times(path):
    """Seconds of functions, inclusive, by the report."""
    return {row['name']: row['time_us'] / 1e6 for row in
            analyze(path, 'function')['sections']['total']['rows']}


def check_sums(path, length, worked):
    """Of all threads, of all tasks, of each task and of what is in none. What
    a moment finds is chance: SIGMAS standard deviations of their number."""
    report = analyze(path, 'annotation:task.name')
    whole, waited = (report['time'][key] / 1e6 for key in ('us', 'waited_us'))
    of = {row['text']: row['time_us'] / 1e6
          for row in report['sections']['self']['rows']}
    share = worked / length
    near = SIGMAS * math.sqrt(share * (1 - share) * length / HZ)
    for what, told, true in [
            ('threads', whole - waited, length),
            ('waited', waited, 3 * length - worked),
            ('no task', of.get('(none)', 0), length - worked),
            ('all tasks', whole - of.get('(none)', 0), 3 * length)]:
        expect(abs(told - true) < near, '%s: %.3f s, not %.3f', what, told,
               true)
    expect(len(of) == 4 or len(of) == 5, 'tasks %s', of)


def check_once(pid, diary):
    path, _, begin, end = load.record(pid, '-r', str(HZ), '--async', 'all')
    share = diary.share(begin, end) / 100
    length = float(metadata(path)['profiler.duration_s'])
    of = times(path)
    for function in 'first', 'second', 'third':
        # A moment may find a task between two states.
        expect(abs(of.get(function, 0) / length - 1) < load.BIAS / 100,
               '%s has %.3f s of %.3f', function, of.get(function, 0), length)
    check_sums(path, length, share * length)


@each(['busy ' + newer()[-1]] + ['idle ' + name for name in newer()])
def test_each_task_has_its_time(label):
    """What is wrong with the report is wrong each time; a processor that the
    host has taken away for a moment is not."""
    machine, name = label.split(' ', 1)
    with load.on(machine), targets.started([name.split()[1], SCRIPT]) as t:
        diary = load.Diary(t.child.stdout)
        for left in reversed(range(TRIES)):
            try:
                check_once(t.pid, diary)
                break
            except case.Failure:
                if left == 0:
                    raise
