"""Imports asyncio when it has run for a while; with `plain`, without the part
that is written in C."""
import json
import sys
import time

print(json.dumps({}), flush=True)
time.sleep(1)
if sys.argv[1:] == ['plain']:
    sys.modules['_asyncio'] = None

import asyncio  # noqa: E402


def burn():
    return sum(range(3000))


async def work():
    while True:
        burn()
        await asyncio.sleep(0)


asyncio.run(work())
