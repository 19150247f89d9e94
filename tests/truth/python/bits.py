"""The application of route.py, for servers that take the answer from an iterator:
half of the time is spent there, and nothing of the request is left among the
variables then."""
import time
from urllib.parse import parse_qs


class Answer:
    """In two bits."""

    def __init__(self, ask):
        self.begin = time.monotonic_ns()
        self.ask, self.half = ask, int(ask['ms']) / 2000
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        if self.n == 1:
            return b'first'
        if self.n == 3:
            raise StopIteration
        time.sleep(self.half)
        with open(self.ask['log'], 'ab', buffering=0) as file:
            file.write(b'%s %d %d\n' % (self.ask['n'].encode(), self.begin,
                                        time.monotonic_ns()))
        return b'second'


def app(environ, start_response):
    answer = Answer({key: value[0] for key, value in
                     parse_qs(environ['QUERY_STRING']).items()})
    time.sleep(answer.half)
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return answer
