"""Shares on an idle and on a saturated machine, against what the program and
the kernel have counted."""
import contextlib
import json
import os
import re

from support import bobbin, case, listing, load, phps, pythons, targets
from support.case import each, expect
from support.daemons import metadata

HERE = os.path.join(bobbin.ROOT, 'tests', 'truth')
# Python's threads change every 5 ms, and the timer of many kernels beats 100,
# 250 or 1000 times a second.
HZ = 997
# Of several: to go from one processor to the next takes some time.
SLOW_HZ = 199


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


def check_several(argv, *options):
    """Several processes, each with a processor of its own. Where others use
    that, too, a share may be off by the samples that are told to be late."""
    load.need_realtime()
    with contextlib.ExitStack() as stack:
        started = [stack.enter_context(targets.started(argv))
                   for _ in range(max(2, min(4, load.processors())))]
        diaries = [load.Diary(target.child.stdout) for target in started]
        others = [word for target in started[1:]
                  for word in ('-p', str(target.pid))]

        def measure():
            path, _, begin, end = load.record(started[0].pid, *others, '-r',
                                              str(SLOW_HZ), *options)
            runs = listing.parse(bobbin.run('dump', path).out)
            true = sum(diary.share(begin, end)
                       for diary in diaries) / len(diaries)
            late = float(metadata(path)['profiler.late_percent'])
            told = share_of(runs, 'work')
            return told - max(-late, min(late, told - true)), true
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


def php(name, script='duty.php'):
    return [phps.program(name), '-n', os.path.join(HERE, 'php', script)]


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


def moments_of(pids):
    """Those of a capture, as it counts them, and as the clock does."""
    path, _, _, _ = load.record(
        pids[0], '-r', str(HZ), '--pause',
        *[word for pid in pids[1:] for word in ('-p', str(pid))])
    of = metadata(path)
    return (sum(int(of['profiler.' + what])
                for what in ('taken', 'lost', 'missed')),
            float(of['profiler.duration_s']) * HZ * len(pids))


@each(['alone', 'three'])
def test_who_waits_for_a_processor_has_a_sample_a_period(how):
    """Each moment is taken, stood for or missed, and none of them twice."""
    load.need_realtime()
    n = 1 if how == 'alone' else 3
    with load.burners(), contextlib.ExitStack() as stack:
        pids = [stack.enter_context(targets.started(php(phps.find()[-1]))).pid
                for _ in range(n)]
        # The clock of a file may run on for a moment after the last sample.
        for _ in range(load.LEAST):
            had, there = moments_of(pids)
            expect(had - there <= 2 * n, '%d of %.1f moments', had, there)
            if there - had <= 2 * n:
                break
    expect(there - had <= 2 * n, '%d of %.1f moments', had, there)


@each(['idle read', 'idle --pause', 'busy --pause'])
def test_php_that_makes_system_calls(label):
    """One that is told to stop from another processor runs on until it hears
    of that, but stops sooner where it makes a system call."""
    machine, how = label.split()
    check_wall(php(phps.find()[-1], 'asking.php'), machine,
               *([how] if how != 'read' else []))


@each(['%s %s' % (how, pythons.find()[-1]) for how in ('read', '--pause')])
def test_python_that_makes_system_calls(label):
    how, name = label.split(' ', 1)
    check_wall(python(name, 'asking.py'), 'idle',
               *([how] if how != 'read' else []))


@each(['read', '--pause', '--near'])
def test_several_php_that_make_system_calls(how):
    """Each is stopped from the processor that it runs on."""
    check_several(php(phps.find()[-1], 'asking.php'),
                  *([how] if how != 'read' else []))


@each(['--pause', '--near'])
def test_several_python_that_make_system_calls(how):
    check_several(python(pythons.find()[-1], 'asking.py'), how)


@each(['idle', 'busy'])
def test_php_that_is_stopped_on_a_processor(machine):
    """While it waits for a processor, each moment counts as running for
    itself."""
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
        # A scheduler may give us a processor in time for a second.
        for _ in range(load.MOST):
            path, result, _, _ = load.record(target.pid, '-r', str(HZ),
                                             '--no-realtime')
            told = float(metadata(path)['profiler.late_percent'])
            if told > load.BIAS:
                break
    expect(told > load.BIAS, 'only %s %% late on a saturated machine', told)
    said = re.search(rb'(\d+) % of samples were late or missed', result.err)
    expect(said and abs(int(said.group(1)) - told) <= 0.5, '%s', result.err)
    info = json.loads(bobbin.run('info', '--json', path).out)
    expect(info['late_percent'] == told, '%s, %s', info['late_percent'], told)
    within = re.search(rb'99 % at most ([\d.]+ .?s) late', result.err).group(1)
    shown = re.search(rb'99 % of samples at most ([\d.]+ .?s) late',
                      bobbin.run('info', path).out).group(1)
    expect(within == shown, '%s, %s', within, shown)
