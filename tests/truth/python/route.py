"""An application that takes as long as its route says, and logs when it began
and ended, on the clock that is called monotonic.  The log and its own number
come with the address: /checkout?n=17&ms=80&log=/tmp/log"""
import time
from urllib.parse import parse_qs


def serve(ms):
    time.sleep(ms / 1000)


def app(environ, start_response):
    begin = time.monotonic_ns()
    ask = {key: value[0] for key, value in
           parse_qs(environ['QUERY_STRING']).items()}
    serve(int(ask['ms']))
    start_response('200 OK', [('Content-Type', 'text/plain')])
    with open(ask['log'], 'ab', buffering=0) as file:
        file.write(b'%s %d %d\n' % (ask['n'].encode(), begin,
                                    time.monotonic_ns()))
    return [b'served']
