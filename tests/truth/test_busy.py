"""Shares on an idle and on a saturated machine, against what the program and
the kernel have counted."""
import os
import re

from support import bobbin, case, listing, load, phps, pythons, targets
from support.case import each, expect
from support.daemons import metadata

HERE = os.path.join(bobbin.ROOT, 'tests', 'truth')
# Python's threads change every 5 ms, and the timer of many kernels beats 100,
# 250 or 1000 times a second.
HZ = 997


def share_of(runs, function):
    """Percent of samples whose innermost frame is that function."""
    mine = sum(count for count, fields in runs
               if fields[listing.FRAMES].split(';')[1] == function)
    return 100 * mine / listing.total(runs)


def check_wall(argv, machine, *options):
    load.need_realtime()
    with load.on(machine), targets.started(argv) as target:
        diary = load.Diary(target.child.stdout)

        def measure():
            path, _, begin, end = load.record(target.pid, '-r', str(HZ),
                                              *options)
            runs = listing.parse(bobbin.run('dump', path).out)
            return share_of(runs, 'work'), diary.share(begin, end)
        load.agree(measure, 'time at work')


def check_cpu(target, tid, *options):
    """The share of a thread's samples of --mode cpu."""
    meter = load.Meter(target.pid, tid)

    def measure():
        path, _, _, _ = load.record(target.pid, '-r', str(HZ), '--mode', 'cpu',
                                    *options)
        share = meter.share(*load.length(path))
        runs = listing.parse(bobbin.run('dump', path).out)
        mine = sum(count for count, fields in runs
                   if fields[listing.TID] in (str(tid), '-'))
        return 100 * mine / load.moments(path, HZ), share
    load.agree(measure, 'time on a processor')


def python(name, script):
    if name.split()[1] == '-':
        raise case.Skip('no Python was found')
    return [name.split()[1], os.path.join(HERE, 'python', script)]


def php(name):
    return [phps.program(name), '-n', os.path.join(HERE, 'php', 'duty.php')]


@each(['%s %s' % (machine, name) for name in pythons.find()
       for machine in ('busy',)] + ['idle ' + pythons.find()[-1]])
def test_python_at_work(label):
    machine, name = label.split(' ', 1)
    check_wall(python(name, 'duty.py'), machine)


@each(['%s %s' % (machine, name) for name in phps.find()
       for machine in ('idle', 'busy')])
def test_php_at_work(label):
    machine, name = label.split(' ', 1)
    check_wall(php(name), machine)


@each(['idle', 'busy'])
def test_php_that_is_stopped_for_each_sample(machine):
    """One that waits for a processor stops when it gets one: that sample
    stands for all moments until then."""
    check_wall(php(phps.find()[-1]), machine, '--pause')


@each(['idle', 'busy'])
def test_php_that_is_stopped_on_a_processor(machine):
    load.need_realtime()
    with load.on(machine), targets.started(php(phps.find()[-1])) as target:
        load.Diary(target.child.stdout)
        check_cpu(target, target.pid, '--pause')


@each(['idle', 'busy'])
def test_threads_of_python_on_a_processor(machine):
    load.need_realtime()
    name = pythons.find()[-1]
    with load.on(machine), targets.started(python(name, 'threads.py')) as t:
        for function in 'busy', 'hashing', 'sleeping':
            check_cpu(t, t.truth[function])


@each(['idle', 'busy'])
def test_php_on_a_processor(machine):
    load.need_realtime()
    with load.on(machine), targets.started(php(phps.find()[-1])) as target:
        load.Diary(target.child.stdout)
        check_cpu(target, target.pid)


def test_a_capture_without_priority_says_how_far_it_may_be_off():
    with load.burners(), targets.started(
            python(pythons.find()[-1], 'threads.py')) as target:
        path, result, _, _ = load.record(target.pid, '-r', str(HZ),
                                         '--no-realtime')
    told = float(metadata(path)['profiler.late_percent'])
    expect(told > load.BIAS, 'only %s %% late on a saturated machine', told)
    said = re.search(rb'(\d+) % of samples were late or missed', result.err)
    expect(said and abs(int(said.group(1)) - told) <= 0.5, '%s', result.err)
