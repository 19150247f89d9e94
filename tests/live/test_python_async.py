"""Tasks of asyncio: those that run and those that wait, with who awaits
them."""
import json
import os

from support import bobbin, case, pythons
from support.case import Skip, each, expect

EVERY = pythons.find()
FIRST = 14


def new_ones():
    return [name for name in EVERY if name.split()[1] != '-' and
            pythons.minor_of(name) >= FIRST] or ['none -']


def old_one():
    for name in EVERY:
        if name.split()[1] != '-' and pythons.minor_of(name) < FIRST:
            return name
    raise Skip('no Python before 3.%d was found' % FIRST)


def ours(runs):
    """Stacks as names of functions of the script and of tasks, outermost
    first; None for one that is not a task's."""
    out = set()
    for _, fields in runs:
        frames = pythons.frames(fields)
        if not frames or frames[0][1] != '<task>':
            out.add(None)
            continue
        out.add(' '.join(f[0] for f in frames if f[1] == '<task>' or
                         f[1].endswith('/tasks.py') and
                         '/asyncio/' not in f[1]))
    return out


def recorded(name, *options, enough=lambda stacks: True):
    """Stacks of the script; it takes a while until all tasks are there."""
    for _ in range(20):
        with pythons.started(name, 'tasks.py') as target:
            found = ours(target.record('-r', '200', '-d', '1s', *options,
                                       to='out.rbt'))
            found.discard(None)
            if enough(found):
                return found
    return found


IN_GROUP = 'Task-1 main group group '
COMPUTING = {IN_GROUP + 'worker-%d middle leaf%s' % (i, end)
             for i in (1, 2) for end in ('', ' burn')}
WAITING = {IN_GROUP + 'süß \u2603 sleeper ticks',
           'gathers-0 gathering shared (2 parents)',
           'gathers-1 gathering shared (2 parents)'}


def is_sleeper_of_gather(stack):
    return stack.startswith('gathers-') and stack.endswith('sleeper ticks')


@each(new_ones())
def test_the_task_that_runs_is_told_with_those_that_await_it(name):
    found = recorded(name, '--async', 'running',
                     enough=lambda s: s & COMPUTING)
    expect(found & COMPUTING, 'no task that computes: %r', found)
    strange = {s for s in found if s not in COMPUTING and
               not s.startswith('Task-1 main')}
    expect(not strange, 'these do not run: %r', strange)


@each(new_ones())
def test_tasks_that_wait_are_told_too(name):
    found = recorded(name, '--async', 'all',
                     enough=lambda s: len(s & WAITING) >= 2 and s & COMPUTING)
    expect(IN_GROUP + 'süß \u2603 sleeper ticks' in found, '%r', found)
    expect(any(is_sleeper_of_gather(s) for s in found), '%r', found)
    expect(found & COMPUTING, 'no task that computes: %r', found)
    shared = {s for s in found if 'shared' in s}
    expect(shared and all('(2 parents)' in s for s in shared), '%r', shared)


@each(new_ones())
def test_samples_carry_the_name_of_their_task(name):
    with pythons.started(name, 'tasks.py') as target:
        path = os.path.join(case.scratch, 'out.rbt')
        out = b''
        for _ in range(20):
            bobbin.run('record', '-p', str(target.pid), '-r', '200', '-d',
                       '500ms', '--async', 'all', '-o', path)
            out = bobbin.run('analyze', '--group-by', 'annotation:task.name',
                             path).out
            os.remove(path)
            if b'worker-1' in out:
                break
        expect(b'worker-1' in out and b'shared' in out, '%s', out)


@each(new_ones())
def test_with_a_pause_no_stack_is_a_loop_with_a_task_on_it(name):
    """What runs a task is that task's."""
    with pythons.started(name, 'tasks.py') as target:
        for _ in range(3):
            runs = target.record('-r', '100', '-d', '500ms', '--async',
                                 'running', '--pause')
            for _, fields in runs:
                names = [f[0] for f in pythons.frames(fields)]
                expect('leaf' not in names or 'Handle._run' not in names,
                       '%r', names)


@each(new_ones())
def test_stack_shows_tasks(name):
    if name == 'none -':
        raise Skip('no Python from 3.%d on was found' % FIRST)
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


def test_versions_without_the_table_are_refused():
    with pythons.started(old_one(), 'named.py') as target:
        r = bobbin.run('record', '-p', str(target.pid), '-o',
                       os.path.join(case.scratch, 'x.rbt'), '--async', 'all',
                       ok=(bobbin.FAILED,))
        expect(b'from 3.14 on' in r.err, '%s', r.err)


@each(['sometimes', ''])
def test_what_is_not_a_kind_of_async_is_refused(value):
    r = bobbin.run('record', '-p', '1', '--async', value, '-o', 'x.rbt',
                   ok=(bobbin.USAGE,))
    expect(b"--async '%s' is not one" % value.encode() in r.err, '%s', r.err)


@each(new_ones())
def test_as_cpython_spells_it(name):
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
