"""Tasks of asyncio that compute and that wait, awaited in all ways that can be
proven and in one that cannot. Once all are there it says what the stacks of
those that wait are, and below what the others compute.

With `threads` a second thread has a loop with a task of its own.
"""
import asyncio
import gc
import json
import sys
import threading
import types

awaits = {}  # those that await a task


def burn():
    return sum(range(3000))


async def leaf():
    while True:
        burn()
        await asyncio.sleep(0)


async def middle():
    await leaf()


async def ticks():
    while True:
        await asyncio.sleep(3600)
        yield 1


async def sleeper():
    async for _ in ticks():
        pass


def numbers():
    yield 1


@types.coroutine
def resting():
    """Yields a future while a generator, which is not awaited, is on top of
    its stack."""
    for _ in numbers():
        future = asyncio.get_event_loop().create_future()
        future._asyncio_future_blocking = True
        yield future


async def holding():
    await resting()


async def await_later():
    await asyncio.sleep(3600)


def task(coro, name):
    """A task that nobody awaits yet."""
    made = asyncio.ensure_future(coro)
    if hasattr(made, 'set_name'):
        made.set_name(name)
    awaits.setdefault(made, [])
    return made


def awaited(made):
    awaits[made].append(current_task())
    return made


def current_task():
    return asyncio.current_task()


async def direct():
    await awaited(task(holding(), 'direct child'))


async def gathering(shared):
    await asyncio.gather(awaited(task(sleeper(), 'gathered')),
                         awaited(shared))


async def shielding():
    await asyncio.shield(awaited(task(sleeper(), 'shielded')))


async def limiting():
    await asyncio.wait_for(awaited(task(sleeper(), 'limited')), 7200)


async def waiting():
    await asyncio.wait([awaited(task(sleeper(), 'waited for'))])


async def signalled(event):
    await event.wait()


async def group():
    workers = [middle(), middle(), sleeper()]
    names = ['worker-1', 'worker-2', 's\xfc\xdf \u2603']
    if not hasattr(asyncio, 'TaskGroup'):
        await asyncio.gather(*[awaited(task(work, name)) for work, name in
                               zip(workers, names)])
        return
    async with asyncio.TaskGroup() as children:
        for work, name in zip(workers, names):
            awaits[children.create_task(work, name=name)] = [current_task()]


async def main():
    awaits[current_task()] = []
    task(signalled(asyncio.Event()), 'alone')
    shared = task(await_later(), 'shared')
    await asyncio.wait([awaited(task(work, name)) for name, work in [
        ('group', group()), ('gathers-0', gathering(shared)),
        ('gathers-1', gathering(shared)), ('direct', direct()),
        ('shields', shielding()), ('limits', limiting()),
        ('waits', waiting())]])


# --- what is said ----------------------------------------------------------

def name_of(t):
    return t.get_name() if hasattr(t, 'get_name') else t._coro.__qualname__


def inner(coro):
    """What a coroutine awaits, and its frame."""
    for kind in 'cr', 'gi', 'ag':
        if hasattr(coro, kind + '_frame'):
            other = getattr(coro, 'gi_yieldfrom' if kind == 'gi'
                            else kind + '_await')
            if 'async_generator_a' in type(other).__name__:
                other = [g for g in gc.get_referents(other)
                         if hasattr(g, 'ag_frame')][0]
            return other, getattr(coro, kind + '_frame')
    return None, None


def chain(coro):
    found = []
    coro, frame = inner(coro)
    while frame is not None:
        code = frame.f_code
        found.append([getattr(code, 'co_qualname', code.co_name),
                      frame.f_lineno])
        coro, frame = inner(coro)
    return found


def stacks(t):
    """All that it may have: any of those that await it may be the one that is
    shown."""
    parents = awaits[t]
    name = name_of(t)
    if len(parents) > 1:
        name += ' (%d parents)' % len(parents)
    coro = t.get_coro() if hasattr(t, 'get_coro') else t._coro
    own = [[name, None]] + chain(coro)
    return [stack + own for p in parents for stack in stacks(p)] or [own]


def is_of(t, function):
    return chain(t.get_coro() if hasattr(t, 'get_coro') else
                 t._coro)[0][0] == function


def tell():
    parents = {p for of in awaits.values() for p in of}
    leaves = [t for t in awaits if t not in parents]
    print(json.dumps({
        'waiting': [stacks(t) for t in leaves if not is_of(t, 'middle')],
        'running': [stacks(t) for t in leaves if is_of(t, 'middle')]}),
          flush=True)


async def begin():
    asyncio.get_event_loop().call_later(0.5, tell)
    await main()


async def elsewhere():
    while True:
        burn()
        await asyncio.sleep(0)


if sys.argv[1:] == ['threads']:
    threading.Thread(target=asyncio.run, args=(elsewhere(),), name='second',
                     daemon=True).start()
asyncio.run(begin())
