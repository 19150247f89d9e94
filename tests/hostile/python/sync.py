"""A program whose file and function are called as those of a worker of
gunicorn, and whose variables are not what they are there."""
import ctypes
import datetime
import sys
import time

WILD = 0x7fffdead0000


def lie(at, value):
    ctypes.c_uint64.from_address(at).value = value


class Request:
    def __init__(self, path):
        self.method, self.path, self.query = 'GET', path, 'a=b'


def lying_class(name):
    """Its name is nowhere."""
    made = type(name, (), {})
    lie(id(made) + 24, WILD)
    return made


def many_attributes():
    request = Request('/many')
    for i in range(100000):
        setattr(request, 'attribute_%d' % i, i)
    return request


class FakeTime(datetime.datetime):
    """As of a library that stops the clock."""


def lying_dict():
    """Its entries are nowhere."""
    request = Request('/nowhere')
    lie(id(vars(request)) + 32, WILD)
    return request


NOW = datetime.datetime.now()
CASES = {
    'true': lambda: (NOW, Request('/true')),
    'long': lambda: (NOW, Request('/' + 'x' * (64 << 20))),
    'many': lambda: (NOW, many_attributes()),
    'no_strings': lambda: (NOW, Request([1, 2])),
    'number': lambda: (NOW, 7),
    'lying_dict': lambda: (NOW, lying_dict()),
    'fake_time': lambda: (FakeTime.now(), Request('/fake')),
    'lying_class': lambda: (lying_class('datetime')(), Request('/class')),
    'no_time': lambda: (17, Request('/number')),
}


class SyncWorker:
    def handle_request(self, req, request_start):
        print('{"ready": 1}', flush=True)
        while True:
            time.sleep(0.001)


class Restless:
    class Worker:
        def handle_request(self, req):
            """Another request each time that somebody looks."""
            now = datetime.datetime.now
            print('{"ready": 1}', flush=True)
            while True:
                request_start = now()
            return request_start


if sys.argv[1] == 'restless':
    Restless.Worker().handle_request(many_attributes())
else:
    start, req = CASES[sys.argv[1]]()
    SyncWorker().handle_request(req, start)
