"""Three tasks of one loop: two wait all the time, one works for a third, and
says twenty times a second when it is and for how long it has worked: `now work`
in ns."""
import asyncio
import sys
import time


async def first():
    while True:
        await asyncio.sleep(0.5)


async def second():
    while True:
        await asyncio.sleep(0.7)


async def third():
    clock = time.monotonic
    worked = told = 0.0
    while True:
        begin = clock()
        while clock() < begin + 0.004:
            pass
        worked += clock() - begin
        if clock() - told > 0.05:
            told = clock()
            sys.stdout.write('%d %d\n' % (told * 1e9, worked * 1e9))
            sys.stdout.flush()
        await asyncio.sleep(0.008)


async def main():
    print('{"ready": 1}', flush=True)
    await asyncio.gather(first(), second(), third())

asyncio.run(main())
