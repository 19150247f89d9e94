"""Threads that sleep in small stacks of several kinds; for memory images."""
import asyncio
import threading
import time

import common


def rest():
    time.sleep(120)


def numbers(depth):
    if depth == 0:
        yield rest()
    yield from numbers(depth - 1)


def generators():
    return list(numbers(3))


class Shelf:
    def look(self, key):
        return sorted([key], key=lambda k: rest())

    def __getitem__(self, key):
        return self.look(key)


def classes():
    return Shelf()[1]


async def step(depth):
    if depth == 0:
        rest()
    await step(depth - 1)


def coroutines():
    asyncio.run(step(2))


def main():
    for work in (generators, classes, coroutines):
        threading.Thread(target=work, name=work.__name__,
                         daemon=True).start()
    time.sleep(2)
    common.ready(stacks=common.stacks())
    rest()


main()
