"""The same for servers of ASGI."""
from slow import slow_report


async def app(scope, receive, send):
    if scope['type'] != 'http':
        return
    if scope['path'] == '/slow':
        slow_report()
    await send({'type': 'http.response.start', 'status': 200,
                'headers': [(b'content-length', b'3')]})
    await send({'type': 'http.response.body', 'body': b'ok\n'})
