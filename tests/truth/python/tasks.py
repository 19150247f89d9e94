"""Three tasks of one loop: two wait all the time, one works for a third."""
import asyncio
import time


async def first():
    while True:
        await asyncio.sleep(0.5)


async def second():
    while True:
        await asyncio.sleep(0.7)


async def third():
    clock = time.perf_counter
    while True:
        begin = clock()
        while clock() < begin + 0.004:
            pass
        await asyncio.sleep(0.008)


async def main():
    print('{"ready": 1}', flush=True)
    await asyncio.gather(first(), second(), third())

asyncio.run(main())
