"""Generators and coroutines that run one in another, the innermost of which
computes without calling any function of Python: `chains.py DEPTH`."""
import asyncio
import sys
import threading

import common


def descend(depth):
    if depth > 0:
        yield from descend(depth - 1)
    while True:
        yield sum(range(5000))


def consume(depth):
    for _ in descend(depth):
        pass


async def first():
    await second()


async def second():
    await third()


async def third():
    while True:
        sum(range(5000))


def loop():
    asyncio.new_event_loop().run_until_complete(first())


def main():
    depth = int(sys.argv[1])
    sys.setrecursionlimit(depth + 1000)
    for target in (loop, lambda: consume(depth)):
        threading.Thread(target=target, daemon=True).start()
    common.ready()
    threading.Event().wait(120)


main()
