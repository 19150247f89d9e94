"""Tasks of asyncio: those that run and those that wait, with who awaits them,
against what a script says of itself."""
import json
import os

from support import bobbin, case, listing, pythons, targets
from support.case import Skip, each, expect

EVERY = pythons.find()

# What a task that computes may have on top of its first coroutine.
COMPUTING = {(), ('leaf',), ('leaf', 'burn'), ('leaf', 'sleep'),
             ('leaf', 'sleep', '__sleep0')}


def plain_frames(fields):
    """(kind, function, file, line) of any language, outermost first."""
    out = []
    for text in reversed(fields[listing.FRAMES:]):
        kind, function, file, line, *_ = text.split(';')
        out.append((kind, targets.plain(function), targets.plain(file),
                    None if line in ('-', '-1') else int(line)))
    return out


def is_mark(frame):
    return frame[2] == '<task>'


def of_tasks(runs):
    """How often each stack of a task is there: names and lines of Python."""
    out = {}
    for count, fields in runs:
        frames = [f for f in plain_frames(fields) if f[0] == 'Y']
        if frames and is_mark(frames[0]):
            stack = tuple((f[1], f[3]) for f in frames)
            out[stack] = out.get(stack, 0) + count
    return out


def said(stacks):
    """For each task the stacks that it may have."""
    return [{tuple(map(tuple, stack)) for stack in one} for one in stacks]


def computes(stack, running):
    """Whether it is one of a task that computes, on those that await it."""
    for one in running:
        for whole in one:
            # Its mark and its first coroutine stay as they were said.
            n = max(i for i, f in enumerate(whole) if f[1] is None) + 2
            if stack[:n] == whole[:n] and \
                    tuple(f[0] for f in stack[n:]) in COMPUTING:
                return True
    return False


def recorded(target, *options, enough):
    """Stacks of tasks, once there are enough of them: on a busy machine a
    second may be short."""
    for _ in range(20):
        found = of_tasks(target.record('-r', '200', '-d', '1s', *options,
                                       to='out.rbt'))
        if enough(found):
            break
    return found


def some_compute(found, target):
    running = said(target.truth['running'])
    return [s for s in found if computes(s, running)]


@each(EVERY)
def test_the_task_that_runs_is_told_with_those_that_await_it(name):
    with pythons.started(name, 'tasks.py') as target:
        found = recorded(target, '--async', 'running',
                         enough=lambda s: some_compute(s, target))
        computing = some_compute(found, target)
        expect(computing, 'no task that computes: %r', found)
        strange = set(found) - set(computing)
        expect(not strange, 'these do not run: %r', strange)


@each(EVERY)
def test_tasks_that_wait_are_those_that_the_script_has(name):
    with pythons.started(name, 'tasks.py') as target:
        waiting = said(target.truth['waiting'])
        found = recorded(target, '--async', 'all', enough=lambda s: all(
            one & set(s) for one in waiting) and some_compute(s, target))
        for one in waiting:
            expect(one & set(found), '%r is not there, but %r', one,
                   set(found))
        strange = set(found) - set.union(*waiting) - \
            set(some_compute(found, target))
        expect(not strange, 'these are not there: %r', strange)
        expect(some_compute(found, target), 'none computes: %r', found)


@each(EVERY)
def test_of_two_threads_each_has_its_own_task(name):
    """And what waits is told once a sample, whoever it belongs to."""
    with pythons.started(name, 'tasks.py', 'threads') as target:
        for _ in range(20):
            runs = target.record('-r', '200', '-d', '1s', '--async', 'all',
                                 to='out.rbt')
            by_thread = {}
            n = len({fields[listing.TIME] for _, fields in runs})
            for _, fields in runs:
                frames = plain_frames(fields)
                tid = fields[listing.TID]
                if is_mark(frames[0]) and tid != '-':
                    last = [f for f in frames if is_mark(f)][-1][1]
                    by_thread.setdefault(tid == str(target.pid),
                                         set()).add(last)
            if len(by_thread) == 2:
                break
        expect(len(by_thread) == 2, '%r', by_thread)
        workers = {'worker-1', 'worker-2', 'middle'}
        expect(by_thread[True] <= workers, '%r', by_thread)
        expect(not by_thread[False] & workers, '%r', by_thread)
        found = of_tasks(runs)
        waiting = said(target.truth['waiting'])
        for one in waiting:
            # Without names several may have the same stack.
            alike = sum(bool(one & other) for other in waiting)
            seen = sum(found.get(stack, 0) for stack in one)
            expect(seen <= n * alike, '%d of %d samples have %r', seen, n,
                   one)


@each(EVERY)
def test_samples_carry_the_name_of_their_task(name):
    worker, waits = (b'worker-1', b'shared') if \
        name.startswith('none') or pythons.minor_of(name) >= 8 else \
        (b'middle', b'await_later')
    with pythons.started(name, 'tasks.py') as target:
        path = os.path.join(case.scratch, 'out.rbt')
        out = b''
        for _ in range(20):
            bobbin.run('record', '-p', str(target.pid), '-r', '200', '-d',
                       '500ms', '--async', 'all', '-o', path)
            out = bobbin.run('analyze', '--group-by', 'annotation:task.name',
                             path).out
            os.remove(path)
            if worker in out:
                break
        expect(worker in out and waits in out, '%s', out)


@each(EVERY)
def test_with_a_pause_no_stack_is_a_loop_with_a_task_on_it(name):
    """What runs a task is that task's."""
    with pythons.started(name, 'tasks.py') as target:
        for _ in range(3):
            runs = target.record('-r', '100', '-d', '500ms', '--async',
                                 'running', '--pause')
            for _, fields in runs:
                names = [f[1] for f in plain_frames(fields)]
                expect('leaf' not in names or '_run_once' not in
                       [n.split('.')[-1] for n in names], '%r', names)


@each(EVERY)
def test_native_frames_are_on_top_of_a_task_and_not_below(name):
    with pythons.started(name, 'tasks.py') as target:
        n_native = 0
        for _ in range(20):
            runs = target.record('-r', '100', '-d', '1s', '--async', 'all',
                                 '--native', to='out.rbt')
            for count, fields in runs:
                frames = plain_frames(fields)
                if not is_mark(frames[0]):
                    continue
                marks = [i for i, f in enumerate(frames) if is_mark(f)]
                kinds = [f[0] for f in frames]
                expect('N' not in kinds[:marks[-1] + 2], '%r', frames)
                n_native += 'N' in kinds
            if n_native:
                break
        expect(n_native, 'no native frame: %r', runs)
        strange = set(of_tasks(runs)) - set.union(*said(
            target.truth['waiting']))
        strange -= set(some_compute(strange, target))
        expect(not strange, '%r', strange)


@each(EVERY)
def test_stack_shows_tasks(name):
    with pythons.started(name, 'tasks.py') as target:
        for _ in range(50):
            process, = json.loads(bobbin.run(
                'stack', '--json', '--async', 'all', '-p',
                str(target.pid)).out)['processes']
            if len(process['threads']) > 3:
                break
        frames = [[f['function'] for f in t['frames']]
                  for t in process['threads']]
        expect(any('ticks' in f and 'sleeper' in f for f in frames), '%r',
               frames)


@each(EVERY)
def test_top_has_rows_of_tasks(name):
    worker = ('middle' if name.startswith('3.7 ') else 'worker-1') + \
        ' <task>'
    with pythons.started(name, 'tasks.py') as target:
        for _ in range(20):
            out = bobbin.run('top', '--json', '--async', 'running', '-p',
                             str(target.pid), '--count', '1', '-r', '200',
                             '-n', '0').out
            rows = {r['text']: r['total'] for r in json.loads(out)['rows']}
            if worker in rows:
                break
        expect(worker in rows, '%r', rows)
        expect(any(text.startswith('burn ') for text in rows), '%r', rows)


@each(EVERY)
def test_asyncio_may_be_loaded_later(name):
    with pythons.started(name, 'late_tasks.py') as target:
        for _ in range(10):
            found = of_tasks(target.record('-r', '100', '-d', '3s', '--async',
                                           'running', to='out.rbt'))
            if found:
                break
        expect(any(stack[1][0] == 'work' for stack in found), '%r', found)


@each(EVERY)
def test_tasks_that_are_written_in_python_are_not_followed(name):
    with pythons.started(name, 'late_tasks.py', 'plain') as target:
        for _ in range(10):
            runs = target.record('-r', '100', '-d', '2s', '--async', 'all',
                                 to='out.rbt')
            functions = {f[1] for _, fields in runs
                         for f in plain_frames(fields)}
            if 'burn' in functions:
                break
        expect('burn' in functions, '%r', functions)
        expect(not of_tasks(runs), '%r', of_tasks(runs))


@each(['sometimes', ''])
def test_what_is_not_a_kind_of_async_is_refused(value):
    r = bobbin.run('record', '-p', '1', '--async', value, '-o', 'x.rbt',
                   ok=(bobbin.USAGE,))
    expect(b"--async '%s' is unknown" % value.encode() in r.err, '%s', r.err)


def test_native_only_has_no_tasks():
    r = bobbin.run('record', '-p', '1', '--async', 'all', '--native-only',
                   '-o', 'x.rbt', ok=(bobbin.USAGE,))
    expect(b"tasks are Python's" in r.err, '%s', r.err)


@each(EVERY)
def test_as_cpython_spells_it(name):
    if name.startswith('none') or pythons.minor_of(name) < 8:
        raise Skip('tasks have no names')
    with pythons.started(name, 'tasks.py') as target:
        path = os.path.join(case.scratch, 'out.txt')
        for _ in range(20):
            bobbin.run('attach', '--async-aware', '--async-mode', 'all', '-d',
                       '1', '--collapsed', '-o', path, str(target.pid))
            with open(path, encoding='utf-8') as f:
                found = f.read()
            os.remove(path)
            if '<task>:worker-1:0;tasks.py:middle' in found:
                break
        expect('<task>:worker-1:0;tasks.py:middle' in found and
               'tasks.py:ticks' in found, '%s', found)
