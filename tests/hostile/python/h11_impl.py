"""A program whose file, class and function are called as those of uvicorn, and
whose variables are not what they are there."""
import asyncio
import ctypes
import sys

WILD = 0x7fffdead0000


def scope(path='/true', **more):
    return {'type': 'http', 'method': 'GET', 'path': path,
            'query_string': b'a=b', **more}


def lying_dict():
    made = scope()
    ctypes.c_uint64.from_address(id(made) + 32).value = WILD
    return made


class Other(dict):
    """No dictionary of uvicorn's."""


class RequestResponseCycle:
    def __init__(self, of):
        self.scope = of

    async def run_asgi(self, app):
        await app()


async def app():
    while True:
        await asyncio.sleep(0.001)


async def restless():
    """Another task at each look, where others were."""
    while True:
        await asyncio.sleep(0)
        await asyncio.gather(*(asyncio.ensure_future(RequestResponseCycle(
            scope('/%d' % i)).run_asgi(lambda: asyncio.sleep(0)))
                               for i in range(50)))


CASES = {
    'true': scope,
    'long': lambda: scope('/' + 'x' * (64 << 20)),
    'no_strings': lambda: scope([1, 2]),
    'no_path': lambda: {'method': 'GET'},
    'number': lambda: 7,
    'other_class': lambda: Other(scope()),
    'many': lambda: scope(**{'entry %d' % i: i for i in range(10000)}),
    'lying_dict': lying_dict,
}


async def main(kind):
    print('{"ready": 1}', flush=True)
    if kind == 'restless':
        await restless()
    elif kind == 'other_self':
        await asyncio.ensure_future(RequestResponseCycle.run_asgi(
            [scope()], app))
    else:
        await asyncio.ensure_future(RequestResponseCycle(
            CASES[kind]()).run_asgi(app))


asyncio.new_event_loop().run_until_complete(main(sys.argv[1]))
