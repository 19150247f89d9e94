"""Stacks of running Python, read from outside, against what the interpreter
knows about itself: every interpreter that is found."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from support import bobbin, case, listing, load, pythons, targets
from support.case import Skip, each, expect

EVERY = pythons.find()
# At least so many of the samples that were asked for must be there: the
# machine may be busy.
ENOUGH = 20
# Samples that are asked for of a paused target.
SAMPLES = int(os.environ.get('BOBBIN_LIVE_SAMPLES', 300))
HAS_GIL, MAIN, EXCEPTION = 1, 32, 16


def samples_of(runs, of_script=None):
    """(count, tid, status, frames) of runs with frames."""
    out = []
    for count, fields in runs:
        frames = pythons.frames(fields)
        if of_script:
            frames = [f for f in frames if f[1].endswith(of_script)]
        if frames:
            out.append((count, fields[listing.TID],
                        int(fields[listing.STATUS] or 0)
                        if fields[listing.STATUS] != '-' else 0, frames))
    return out


def truth_of(stack, with_places, with_opcodes=False):
    """A stack of the script as frames, for comparison."""
    out = []
    for name, file, line, place, opcode in stack:
        place = tuple(-1 if v is None else v for v in place) \
            if with_places and place else None
        out.append((name, file, line, place,
                    opcode if with_opcodes else None))
    return out


def check_exact(target, runs, with_places, with_opcodes=False, deepest=None):
    """Every sample of a thread that sleeps is its stack."""
    seen = set()
    truths = {tid: truth_of(s, with_places, with_opcodes)
              for tid, s in target.truth['stacks'].items()}
    by_truth = {tuple(s): tid for tid, s in truths.items()}
    for _, tid, _, frames in samples_of(runs):
        if any(f[0] == 'main' for f in frames):
            continue
        if with_places is False:
            frames = [f[:3] + (None,) + f[4:] for f in frames]
        expected = truths.get(tid)
        if expected is None:    # 3.7 does not tell the kernel's numbers
            expected = next((list(s) for s in by_truth
                             if list(s)[-len(frames):] == frames), [])
        expected = expected[-deepest:] if deepest else expected
        for a, b in zip(expected, frames):
            expect(a == b, 'thread %s: %r instead of %r', tid, b, a)
        expect(len(expected) == len(frames),
               'thread %s: %d frames instead of %d', tid, len(frames),
               len(expected))
        seen.add(tid)
    expect(len(seen) == len(truths) - 1, '%d of %d threads', len(seen),
           len(truths) - 1)


@each(EVERY)
def test_lines_and_columns_of_sleeping_threads_are_exact(name):
    with pythons.started(name, 'shapes.py') as target:
        runs = target.record('-r', '50', '-d', '400ms')
        expect(target.lost_percent() == 0, 'samples were lost')
        check_exact(target, runs, pythons.minor_of(name) >= 11, deepest=256)


@each(EVERY)
def test_stacks_of_three_thousand_frames_are_whole(name):
    with pythons.started(name, 'shapes.py') as target:
        runs = target.record('-r', '20', '-d', '400ms', to='out.rbt')
        check_deep(target, runs)


def check_deep(target, runs):
    deep = max(map(len, target.truth['stacks'].values()))
    expect(deep > 3000, 'the script went down %d frames only', deep)
    got = max(len(f) - listing.FRAMES for _, f in runs)
    expect(got == deep, '%d frames instead of %d', got, deep)


@each(EVERY)
def test_opcodes_are_those_that_are_executed(name):
    with pythons.started(name, 'shapes.py') as target:
        runs = target.record('-r', '50', '-d', '300ms', '--opcodes')
        if pythons.is_free_threaded(name):
            raise Skip('it does not tell the opcodes of its threads')
        check_exact(target, runs, pythons.minor_of(name) >= 11,
                    with_opcodes=True, deepest=256)


def impossible(target, runs, script):
    """How many samples there are, and those that cannot have been."""
    calls = {(a, line, b) for a, line, b in target.truth['calls']}
    pairs = {(a, b) for a, _, b in calls}
    lines = {(f, line) for f, line in target.truth['lines']}
    roots = {'<module>'}
    total, bad, where = 0, 0, None
    for count, _, _, frames in samples_of(runs, script):
        total += count
        names = [f[0] for f in frames]
        wrong = [p for p in zip(names, names[1:]) if p not in pairs and
                 p[0] not in ('<module>', 'main', 'forever')]
        if names[0] not in roots:
            wrong.append(('root', names[0]))
        wrong += [f[:3:2] for f in frames[2:]
                  if f[2] is not None and f[::2][:2] not in lines]
        if wrong:
            bad += count
            where = wrong
    expect(total >= ENOUGH, 'only %d samples', total)
    return total, bad, where


@each(['%s %s' % (name, machine) for name in EVERY
       for machine in ('idle', 'busy')])
def test_stacks_of_a_busy_thread_are_possible(label):
    name, machine = label.rsplit(' ', 1)
    with load.on(machine), \
            pythons.started(name, 'busy.py', 'calls') as target:
        runs = target.record('-r', '2000', '-d', '1s',
                             enough=targets.at_least(200))
        total, bad, where = impossible(target, runs, 'busy.py')
        expect(bad <= 0.004 * total, '%d of %d, as %s', bad, total, where)
        expect(target.lost_percent() < 2, 'too many are lost')


@each(EVERY)
def test_paused_stacks_are_all_possible(name):
    with pythons.started(name, 'busy.py', 'calls') as target:
        runs = target.record('-r', '500', '-d', '%dms' % (2 * SAMPLES),
                             '--pause')
        total, bad, where = impossible(target, runs, 'busy.py')
        expect(bad == 0, '%d of %d, as %s', bad, total, where)


def leaves(runs):
    """Shares of the functions on top."""
    out = {}
    for count, _, _, frames in samples_of(runs, 'busy.py'):
        out[frames[-1][0]] = out.get(frames[-1][0], 0) + count
    total = sum(out.values())
    return {name: count / total for name, count in out.items()}


def distance(a, b):
    return sum(abs(a.get(k, 0) - b.get(k, 0)) for k in set(a) | set(b)) / 2


@each(EVERY)
def test_functions_on_top_are_those_of_a_paused_capture(name):
    """A sampler that waits until a stack stands still sees others: 0.6. Where
    the script waits for a processor, many samples are of one moment, and only
    more of them tell the difference. What is on top for a tenth of a
    microsecond at a time, and seldom, may never be seen."""
    for work, limit in (('calm', 0.15), ('calls', 0.25)):
        with pythons.started(name, 'busy.py', work) as target:
            paused = target.record('-r', '2000', '-d', '2s', '--pause')

            def far(runs):
                return distance(leaves(paused), leaves(runs))
            runs = target.record('-r', '2000', '-d', '2s',
                                 enough=lambda runs: far(runs) <= limit)
            paused = paused if far(runs) <= limit else target.record(
                '-r', '2000', '-d', '8s', '--pause')
        counts = [sum(n for n, *_ in samples_of(r, 'busy.py'))
                  for r in (paused, runs)]
        if min(counts) < 200:
            raise Skip('the machine is too busy: %s samples' % counts)
        expect(far(runs) <= limit, '%s: distance %.3f: %s instead of %s',
               work, far(runs), leaves(runs), leaves(paused))
        unseen = [f for f, share in leaves(paused).items()
                  if share >= 0.02 and f not in leaves(runs)]
        expect(min(counts) < 2000 or pythons.minor_of(name) <= 10 or
               not unseen, '%s: never on top: %s', work, unseen)


@each(EVERY)
def test_from_its_own_processor_nothing_is_torn(name):
    """Calls and generators of less than a microsecond, and what C calls again
    and again: from another processor the distance is up to 0.3."""
    load.need_realtime()
    for work in ('brief', 'linter'):
        with pythons.started(name, 'busy.py', work) as target:
            paused, runs = (
                target.record('-r', '997', '-d', '3s', how,
                              enough=targets.at_least(2000))
                for how in ('--pause', '--near'))
            for kind in paused, runs:
                total, bad, where = impossible(target, kind, 'busy.py')
                expect(bad <= 0.004 * total, '%s: %d of %d, as %s', work, bad,
                       total, where)
        true, told = leaves(paused), leaves(runs)
        if min(map(load.looks, (paused, runs))) < 1500:
            raise Skip('the machine is too busy: it mostly waits')
        limit = 0.06 + load.chance(true, told, load.looks(paused),
                                   load.looks(runs))
        expect(distance(true, told) <= limit,
               '%s: distance %.3f, not %.3f: %s instead of %s', work,
               distance(true, told), limit, told, true)


@each(EVERY)
def test_generators_that_run_one_in_another_are_whole(name):
    """They lie elsewhere than the functions that run them, and no function is
    on top of them."""
    depth = 100
    expected = {'descend': ('descend',) * (depth + 1),
                'first': ('first', 'second', 'third')}

    def chains_of(runs):
        found = {first: {} for first in expected}
        for count, _, _, frames in samples_of(runs, 'chains.py'):
            names = [f[0] for f in frames]
            for first in set(expected) & set(names):
                chain = tuple(names[names.index(first):])
                found[first][chain] = found[first].get(chain, 0) + count
        return found
    with pythons.started(name, 'chains.py', str(depth)) as target:
        runs = target.record(
            '-r', '500', '-d', '1s', enough=lambda runs: all(
                sum(chains.values()) > ENOUGH
                for chains in chains_of(runs).values()))
    found = chains_of(runs)
    for first, chains in found.items():
        n = sum(chains.values())
        expect(n > ENOUGH, 'few samples: %s', found)
        # Now and then one of them has just been left or is about to be called.
        expect(chains.get(expected[first], 0) > 0.8 * n, '%s',
               {len(chain): k for chain, k in chains.items()})


@each(EVERY)
def test_recursion_that_never_rests_is_not_lost(name):
    with pythons.started(name, 'busy.py', 'recursion') as target:
        runs = target.record('-r', '1000', '-d', '1s')
        total, bad, where = impossible(target, runs, 'busy.py')
        expect(bad <= 0.004 * total, '%d of %d, as %s', bad, total, where)
        expect(target.lost_percent() < 2, 'too many are lost')
        depth = {len(f) for _, _, _, f in samples_of(runs, 'busy.py')}
        expect(max(depth) >= 14, 'no stack is deeper than %d', max(depth))


@each(EVERY)
def test_a_recursion_too_deep_to_be_copied_is_forgotten(name):
    """Its frames are more than a copy may have; when they have returned, the
    thread is seen again."""
    with pythons.started(name, 'abyss.py') as target:
        back = threading.Timer(0.7 * targets.LONGER, os.kill,
                               (target.pid, signal.SIGUSR1))
        back.start()
        runs = target.record('-r', '200', '-d', '2s')
        back.join()
    total = sum(count for count, _, _, frames in samples_of(runs)
                if frames[-1][0] == 'afterwards')
    expect(total >= ENOUGH, 'only %d samples', total)


@each(EVERY)
def test_code_that_is_freed_is_not_mistaken(name):
    with pythons.started(name, 'renewed.py') as target:
        runs = target.record('-r', '2000', '-d', '1s')
    total = bad = 0
    for count, _, _, frames in samples_of(runs):
        numbers = set(re.findall(r'(?:outer|inner)_(\d+)',
                                 ' '.join(f[0] for f in frames)))
        total += count
        bad += count * (len(numbers) > 1)
    expect(total >= ENOUGH, 'only %d samples', total)
    # What is made anew between two looks may carry the old name for once.
    expect(bad <= 0.02 * total, '%d of %d', bad, total)


def traced_stacks(target, *options):
    """How often each stack of the traced threads is there, from what they were
    started with on."""
    found = {}
    for count, _, _, frames in samples_of(
            target.record('-r', '500', '-d', '1s', *options), 'traced.py'):
        names = tuple(f[0] for f in frames)
        if names[0] != '<module>':
            found[names] = found.get(names, 0) + count
    return found


def share_of(stacks, name):
    """Of those that work, how many have this function."""
    working = {s: n for s, n in stacks.items() if s[0] == 'repeat'}
    return sum(n for s, n in working.items() if name in s) / \
        max(1, sum(working.values()))


@each(EVERY)
def test_a_tracer_is_seen_only_while_it_runs(name):
    calls = {'sleeps': {'rest'}, 'rest': set(), 'tracer': {'note'},
             'note': set(), 'repeat': {'works', 'tracer'},
             'works': {'leaf', 'tracer'}, 'leaf': {'tracer'}}
    with pythons.started(name, 'traced.py') as target:
        found, paused = traced_stacks(target), traced_stacks(target,
                                                             '--pause')
    for stack in list(found) + list(paused):
        expect(all(b in calls[a] for a, b in zip(stack, stack[1:])) and
               stack[0] in ('sleeps', 'repeat'), '%s', stack)
    expect({s for s in found if s[0] == 'sleeps'} == {('sleeps', 'rest')},
           '%s', found)
    expect(share_of(found, 'leaf') > share_of(paused, 'leaf') * 0.6,
           'what is traced is not there: %s instead of %s', found, paused)


def states_of_lock(runs):
    """For each thread of lock.py: samples, and those of them with the lock, of
    the main thread, with an exception."""
    counts = {}
    for count, _, status, frames in samples_of(runs, 'lock.py'):
        who = 'compute' if frames[0][0] == '<module>' else \
            'handle' if frames[0][0] == 'handle' else 'sleep'
        sums = counts.setdefault(who, [0, 0, 0, 0])
        for i, bit in enumerate((0, HAS_GIL, MAIN, EXCEPTION)):
            sums[i] += count * (not bit or status & bit != 0)
    return counts


def has_all_of_lock(runs):
    counts = states_of_lock(runs)
    return len(counts) == 3 and counts['compute'][0] >= ENOUGH


@each(EVERY)
def test_status_tells_the_lock_and_exceptions(name):
    with pythons.started(name, 'lock.py') as target:
        counts = states_of_lock(target.record('-r', '200', '-d', '1s',
                                              enough=has_all_of_lock))
    expect(len(counts) == 3, 'threads without a sample: %s', counts)
    n, gil, main, exception = counts['compute']
    expect(n >= ENOUGH, 'only %d samples', n)
    if pythons.is_free_threaded(name):
        expect(gil == 0, 'a lock that it does not have was held')
    else:
        expect(gil > 0.5 * n, 'the lock was held %d of %d times', gil, n)
    expect(main == n and exception < 0.1 * n, 'status %s', counts)
    n, gil, main, exception = counts['sleep']
    expect(gil < 0.1 * n and main == 0 and exception == 0, '%s', counts)
    n, gil, main, exception = counts['handle']
    expect(exception == n and main == 0, '%s', counts)


@each([name for name in EVERY if pythons.is_free_threaded(name)]
      or ['none -'])
def test_a_lock_that_was_asked_for_is_told(name):
    with pythons.started(name, 'lock.py', env={**os.environ,
                                               'PYTHON_GIL': '1'}) as target:
        got = functions_of(target.record('-r', '100', '-d', '400ms',
                                         '--mode', 'gil'))
    expect(set(got) == {'<module>'} and got['<module>'] & HAS_GIL,
           'with the lock: %s', got)


def functions_of(runs):
    """The innermost functions of lock.py, and what all their states have
    in common."""
    out = {}
    for _, _, status, frames in samples_of(runs, 'lock.py'):
        out[frames[0][0]] = out.get(frames[0][0], 255) & status
    return out


@each(EVERY)
def test_modes_choose_threads_by_what_they_do(name):
    with pythons.started(name, 'lock.py') as target:
        got = functions_of(target.record('-r', '100', '-d', '400ms',
                                         '--mode', 'cpu'))
        expect(set(got) == {'<module>'} and got['<module>'] & 2,
               'on a CPU: %s', got)
        got = functions_of(target.record('-r', '100', '-d', '400ms',
                                         '--mode', 'gil'))
        if pythons.is_free_threaded(name):
            expect(not got, 'with a lock that it does not have: %s', got)
        else:
            expect(set(got) == {'<module>'} and got['<module>'] & HAS_GIL,
                   'with the lock: %s', got)
        got = functions_of(target.record('-r', '100', '-d', '400ms',
                                         '--mode', 'exception'))
        expect('handle' in got and 'sleep' not in got,
               'with an exception: %s', got)


@each(EVERY)
def test_exceptions_of_generators_and_coroutines_are_seen(name):
    with pythons.started(name, 'handlers.py') as target:
        runs = target.record('-r', '200', '-d', '1s', '--mode', 'exception')
    seen = {}
    for count, _, _, frames in samples_of(runs, 'handlers.py'):
        seen[frames[0][0]] = seen.get(frames[0][0], 0) + count
    for function in ('function', 'generator', 'coroutine'):
        expect(seen.get(function, 0) >= ENOUGH, '%s', seen)
    expect(seen.get('none', 0) <= 0.05 * seen['coroutine'], '%s', seen)


@each(EVERY)
def test_one_thread_can_be_chosen(name):
    with pythons.started(name, 'lock.py') as target:
        runs = target.record('-r', '100', '-d', '300ms', '--threads', 'main',
                             '--on-cpu')
        expect(set(functions_of(runs)) == {'<module>'}, 'not main only')
        expect(all(int(f[listing.STATUS]) & 4 == 0 for _, f in runs),
               'not known whether on a CPU')
        runs = target.record('-r', '100', '-d', '300ms')
        tids = {frames[0][0]: tid for _, tid, _, frames
                in samples_of(runs, 'lock.py')}
        runs = target.record('-r', '100', '-d', '300ms', '--threads',
                             tids['sleep'])
        expect(set(functions_of(runs)) == {'sleep'}, 'not that thread only')


@each(EVERY)
def test_marks_stand_where_c_has_called_back(name):
    if pythons.minor_of(name) < 11:
        raise Skip('3.%d does not tell' % pythons.minor_of(name))
    with pythons.started(name, 'shapes.py') as target:
        runs = target.record('-r', '50', '-d', '300ms', '--native-marks')
    stacks = [[f[0] for f in frames] for _, _, _, frames
              in samples_of(runs)]
    found = [s for s in stacks if 'Shop.Shelf.look' in s]
    expect(found, 'the thread is not there')
    at = found[0].index('Shop.Shelf.look')
    expect(found[0][at + 1] == '<native>' and
           found[0][at + 2].endswith('<lambda>'),
           'sorted() does not show: %s', found[0])
    expect('<native>' not in [s for s in stacks if 'recurse' in s][0]
           [-2:], 'a call without C shows as one')


@each(EVERY)
def test_a_stopped_process_can_be_read(name):
    with pythons.started(name, 'shapes.py') as target:
        os.kill(target.pid, signal.SIGSTOP)
        runs = target.record('-r', '50', '-d', '300ms')
        os.kill(target.pid, signal.SIGCONT)
        check_exact(target, runs, pythons.minor_of(name) >= 11, deepest=256)


@each(EVERY)
def test_the_end_of_the_process_ends_the_capture(name):
    path = name.split()[1]
    if path == '-':
        raise Skip('no Python was found')
    out = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run('record', '-r', '500', '-o', out, '--', path, '-c',
                        'import time\n'
                        'def f(): time.sleep(0.5)\n'
                        'f()')
    expect(listing.total(listing.parse(bobbin.run('dump', out).out)) > 0,
           'no samples: %s', result.err)


@each(EVERY)
def test_the_main_thread_of_a_program_that_begins(name):
    """It is attached to before the interpreter says which thread that is."""
    path = name.split()[1]
    if path == '-':
        raise Skip('no Python was found')
    out = os.path.join(case.scratch, 'out.rbt')
    bobbin.run('record', '-r', '500', '--threads', 'main', '-o', out, '--',
               path, '-c',
               'import time\n'
               'def f(): time.sleep(0.5)\n'
               'f()')
    runs = samples_of(listing.parse(bobbin.run('dump', out).out))
    expect(sum(count for count, _, _, frames in runs
               if any(f[0] == 'f' for f in frames)) > ENOUGH, '%s', runs)


@contextlib.contextmanager
def recording(target):
    """A recording that is ended at the end, and its file."""
    path = os.path.join(case.scratch, 'out.rbt')
    record = subprocess.Popen(
        [bobbin.PROGRAM, 'record', '-p', str(target.pid), '-r', '200', '-o',
         path], stderr=subprocess.PIPE)
    watchdog = threading.Timer(bobbin.TIMEOUT, record.kill)
    watchdog.start()
    try:
        yield record, path
        record.send_signal(signal.SIGINT)
        told = record.stderr.read()
        expect(record.wait() == 0, 'record: %s', told)
    finally:
        watchdog.cancel()
        record.kill()
        record.wait()
        record.stderr.close()


def wait_for_note(record):
    """A Python was attached."""
    for line in record.stderr:
        if b'sampling python ' in line:
            return
    raise case.Failure('record has ended')


@each(EVERY)
def test_another_program_in_the_process_is_not_mistaken_for_the_first(name):
    with pythons.started(name, 'becomes.py', 'exec') as target:
        with recording(target) as (record, path):
            wait_for_note(record)
            time.sleep(0.3)
            os.kill(target.pid, signal.SIGUSR1)
            wait_for_note(record)
            target.child.stdout.readline()
            time.sleep(0.3)
        runs = listing.parse(bobbin.run('dump', path).out)
    for _, _, _, frames in samples_of(runs):
        names = {f[0] for f in frames}
        expect(not {'before', 'after'} <= names, '%s', names)
    names = {f[0] for _, _, _, frames in samples_of(runs) for f in frames}
    expect({'before', 'after'} <= names, '%s', names)


@each(EVERY)
def test_a_process_that_forks_is_still_itself(name):
    with pythons.started(name, 'becomes.py', 'fork') as target:
        runs = target.record('-r', '500', '-d', '800ms')
        expect(target.lost_percent() < 2, 'too many are lost')
    names = {f[0] for _, _, _, frames in samples_of(runs) for f in frames}
    expect('forks' in names and 'child' not in names, '%s', names)


@each(EVERY)
def test_interpreters_of_one_process_are_told_apart(name):
    with pythons.started(name, 'becomes.py', 'interpreters') as target:
        if not target.truth['has_second']:
            raise Skip('it cannot make another interpreter')
        runs = target.record('-r', '100', '-d', '400ms')
    seen = {}
    for _, fields in runs:
        for frame in pythons.frames(fields):
            seen.setdefault(frame[0], set()).add(fields[listing.INTERP])
    expect(seen.get('first') == {'0'}, 'the main one: %s', seen)
    expect('second' in seen and '0' not in seen['second'],
           'the other one: %s', seen)


@each(EVERY)
def test_the_collector_is_marked(name):
    if pythons.minor_of(name) < 15:
        raise Skip('3.%d does not tell' % pythons.minor_of(name))
    with pythons.started(name, 'garbage.py') as target:
        runs = target.record('-r', '500', '-d', '600ms')
    stacks = {tuple(f[0] for f in frames) for _, _, _, frames
              in samples_of(runs)}
    marked = {s for s in stacks if '<GC>' in s}
    expect(any(s[-2:] == ('collects', '<GC>') for s in marked),
           'no mark on the function that collects: %s', stacks)
    expect(all(s[s.index('<GC>') - 1] == 'collects' for s in marked),
           'a mark elsewhere: %s', marked)


@each(EVERY)
def test_subprocesses_are_sampled_too(name):
    with pythons.started(name, 'family.py') as target:
        try:
            runs = target.record('-r', '100', '-d', '3s', '--subprocesses',
                                 to='out.rbt')
        finally:
            os.killpg(target.pid, signal.SIGKILL)
    pids = {}
    for _, fields in runs:
        for frame in pythons.frames(fields):
            pids.setdefault(frame[0], set()).add(fields[listing.PID])
    # What was forked has the stack of its parent below its own.
    expect(str(target.pid) in pids.get('parent', ()), 'no parent')
    workers = pids.get('works', set())
    expect(len(workers) >= 3 and str(target.pid) not in workers,
           'workers that were replaced: %s', workers)
    expect('grandchild' in pids, 'children of children: %s', set(pids))


@each(['python3 {0}; true', 'sh -c "sleep 2.5; exec python3 {0}"; true'])
def test_subprocesses_of_what_is_no_runtime_are_sampled(command):
    """A command may be a shell that starts Python, or becomes it late."""
    script = os.path.join(case.scratch, 'script.py')
    with open(script, 'w') as file:
        file.write('import time\ndef works(): time.sleep(1)\nworks()\n')
    out = os.path.join(case.scratch, 'out.rbt')
    bobbin.run('record', '--subprocesses', '-r', '200', '-o', out, '--', 'sh',
               '-c', command.format(script))
    runs = samples_of(listing.parse(bobbin.run('dump', out).out))
    expect(any('works' in [f[0] for f in frames] for _, _, _, frames in runs),
           '%s', runs)


def test_a_command_that_starts_no_runtime_is_told():
    result = bobbin.run('record', '--subprocesses', '-o',
                        os.path.join(case.scratch, 'out.rbt'), '--', 'sh',
                        '-c', 'sleep 0.5; true', ok=(1,))
    expect(b'did not run PHP or Python' in result.err, '%s', result.err)


def replay(python, runs):
    """What that interpreter's profiler says of out.tach: None when it has all
    samples, else its complaint."""
    out = os.path.join(case.scratch, 'out.txt')
    done = subprocess.run(
        [python, '-m', 'profiling.sampling', 'replay', '--collapsed', '-o',
         out, os.path.join(case.scratch, 'out.tach')], capture_output=True)
    if b'No module named' in done.stderr:
        raise Skip('it comes without its profiler')
    if done.returncode != 0:
        return done.stderr[-300:]
    with open(out) as file:
        total = sum(int(line.rsplit(' ', 1)[1]) for line in file)
    expect(total == listing.total(runs), '%d samples of %d', total,
           listing.total(runs))
    return None


@each(EVERY)
def test_cpython_replays_what_was_captured(name):
    if pythons.minor_of(name) < 15:
        raise Skip('3.%d has no profiler that replays'
                   % pythons.minor_of(name))
    python = name.split()[1]
    with pythons.started(name, 'busy.py', 'calm') as target:
        said = replay(python, target.record('-r', '500', '-d', '500ms'))
        # Those that write the dialect before know no other.
        if said is not None and b'string table offset' in said:
            said = replay(python, target.record(
                '-r', '500', '-d', '500ms', '--dialect', '1a'))
        expect(said is None, '%s', said)


def test_a_program_that_was_replaced_can_be_read():
    source = shutil.which('python3', path='/usr/bin')
    if source is None:
        raise Skip('there is no Python in /usr/bin')
    path = os.path.join(case.scratch, 'python3-copy')
    shutil.copy(os.path.realpath(source), path)
    os.environ['PYTHONHOME'] = '/usr'
    try:
        with pythons.started('3.0 ' + path, 'busy.py', 'calm') as target:
            os.remove(path)
            runs = target.record('-r', '200', '-d', '300ms')
    finally:
        del os.environ['PYTHONHOME']
    expect(any(f[0] == 'long_leaf' for _, _, _, frames in samples_of(runs)
               for f in frames), 'its functions are not there')
