"""The application of route.py for ASGI. Half of its time it waits and half of it
it works, or it works all the time (how=work): then no other request is served."""
import asyncio
import time
from urllib.parse import parse_qs


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


async def serve(ms, how):
    if how == 'work':
        return work(ms / 1000)
    await asyncio.sleep(ms / 2000)
    work(ms / 2000)


async def app(scope, receive, send):
    begin = time.monotonic_ns()
    ask = {key: value[0] for key, value in
           parse_qs(scope['query_string'].decode()).items()}
    await serve(int(ask['ms']), ask.get('how'))
    await send({'type': 'http.response.start', 'status': 200,
                'headers': [(b'content-type', b'text/plain')]})
    with open(ask['log'], 'ab', buffering=0) as file:
        file.write(b'%s %d %d\n' % (ask['n'].encode(), begin,
                                    time.monotonic_ns()))
    await send({'type': 'http.response.body', 'body': b'served'})
