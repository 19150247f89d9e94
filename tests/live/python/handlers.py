"""Exceptions that are handled in a function, in a generator and in a coroutine,
each while it computes; and a coroutine that handles none."""
import asyncio
import threading

import common


def compute():
    return sum(range(5000))


def function():
    try:
        raise ValueError
    except ValueError:
        common.forever(compute)


def items():
    try:
        raise ValueError
    except ValueError:
        while True:
            yield compute()


def generator():
    for _ in items():
        pass


async def step():
    try:
        raise ValueError
    except ValueError:
        common.forever(compute)


def coroutine():
    asyncio.new_event_loop().run_until_complete(step())


async def rest():
    try:
        raise ValueError
    except ValueError:
        pass
    common.forever(compute)


def none():
    asyncio.new_event_loop().run_until_complete(rest())


def main():
    for target in (function, generator, coroutine, none):
        threading.Thread(target=target, daemon=True).start()
    common.ready()
    threading.Event().wait(120)


main()
