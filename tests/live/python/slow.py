"""An application for servers of WSGI; the address /slow takes 20 ms."""
import time


def slow_report():
    end = time.monotonic() + 0.02
    n = 0
    while time.monotonic() < end:
        n += sum(range(100))
    return n


def app(environ, start_response):
    if environ['PATH_INFO'] == '/slow':
        slow_report()
    start_response('200 OK', [('Content-Length', '3')])
    return [b'ok\n']
