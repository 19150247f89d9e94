"""Tasks of asyncio that compute and that wait, awaited in several ways; what
they look like is written down in the test."""
import asyncio
import json
import sys


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


async def group():
    async with asyncio.TaskGroup() as group:
        group.create_task(middle(), name='worker-1')
        group.create_task(middle(), name='worker-2')
        group.create_task(sleeper(), name='süß \u2603')


async def gathering(shared):
    await asyncio.gather(sleeper(), shared)


async def main():
    shared = asyncio.create_task(asyncio.sleep(3600), name='shared')
    others = [asyncio.create_task(gathering(shared), name='gathers-%d' % i)
              for i in range(2)]
    await asyncio.create_task(group(), name='group')
    await asyncio.wait(others)


print(json.dumps({}), flush=True)
asyncio.run(main())
