"""Threads that sleep in stacks of known shape; their truth is exact."""
import asyncio
import sys
import threading
import time

import common

nap = 120


def rest(): time.sleep(nap)


def recurse(depth):
    if depth == 0:
        return rest()
    return 1 + recurse(depth - 1)


def numbers(depth):
    if depth == 0:
        yield rest()
    yield from numbers(depth - 1)


def generators():
    for value in numbers(5):
        print(value)


class Shop:
    class Shelf:
        def __init__(self, how):
            self.how = how; self.how()

        def __getitem__(self, key):
            return self.look(key)

        def look(self, key): return sorted([key], key=lambda k: rest())

    def __init__(self):
        self.shelf = Shop.Shelf(lambda: None)

    @property
    def price(self):
        return sum(
            value
            for value in map(self.shelf.__getitem__, [1]))


def classes():
    return (Shop()
            .price)


async def step(depth):
    if depth == 0:
        rest()
    return await step(depth - 1)


async def tasks():
    await asyncio.gather(step(4))


def coroutines():
    asyncio.new_event_loop().run_until_complete(tasks())


def constructed():
    Shop.Shelf(rest)


def handled():
    try:
        raise ValueError('kept')
    except ValueError:
        rest()


def größe(): rest()


def main():
    sys.setrecursionlimit(20000)
    threading.stack_size(512 << 20)
    shapes = [lambda: recurse(1), lambda: recurse(30), lambda: recurse(900),
              lambda: recurse(3000), generators, classes, coroutines,
              constructed, handled, größe]
    for shape in shapes:
        threading.Thread(target=shape, daemon=True).start()
    before = None
    # All have arrived when nothing changes any more.
    while True:
        time.sleep(0.2)
        now = common.stacks()
        sleeping = sum(1 for s in now.values() if s[-1][0] == 'rest')
        if sleeping == len(shapes) and now == before:
            break
        before = now
    common.ready(stacks=now)
    time.sleep(nap)


main()
