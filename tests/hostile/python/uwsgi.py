"""A program that calls a function as uWSGI calls an application, from C and with
an environment, in which nothing is what it is there."""
import _thread
import ctypes
import struct
import sys
import time

WILD = 0x7fffdead0000
# Of uWSGI's structure: the times, and its strings with their lengths.
START, URI, QUERY, METHOD, END = 168, 192, 240, 272, 288
NOW = time.time_ns() // 1000
# Where the bytes of a bytes object are.
DATA = bytes.__basicsize__ - 1
KEPT = []


def string(text):
    KEPT.append(text)
    return struct.pack('QQ', id(text) + DATA, min(len(text), 0xffff))


def core(times=(NOW, NOW // 1000000, 0), uri=None):
    """An object that has all that, beginning at its own address."""
    made = bytearray(END - DATA)
    for at, part in [(START, struct.pack('QQQ', *times)),
                     (URI, uri or string(b'/true?a=b')),
                     (QUERY, string(b'a=b')), (METHOD, string(b'GET'))]:
        made[at - DATA:at - DATA + len(part)] = part
    return bytes(made)


def environment(of, name='uwsgi._Input', **more):
    """`of` is an attribute of a C structure: the first one of an object."""
    made = type(name, (), {'__slots__': ('core',)})()
    made.core = of
    return {'REQUEST_METHOD': 'GET', 'wsgi.input': made, **more}


def lie(at, value):
    ctypes.c_uint64.from_address(at).value = value


def wild_core():
    made = environment(core())
    # What will not be freed any more.
    lie(id(made['wsgi.input']) + object.__basicsize__, WILD)
    return made


def lying_dict():
    made = environment(core())
    lie(id(made) + 32, WILD)
    return made


def restless():
    made = core()
    at = ctypes.c_uint64 * 2
    words = at.from_address(id(made) + START)
    _thread.start_new_thread(change, (words,))
    return environment(made)


def change(words):
    """Another request each time that somebody looks."""
    now = NOW
    while True:
        now += 1000000
        words[:] = now, now // 1000000


CASES = {
    'true': lambda: environment(core()),
    'long': lambda: environment(core(uri=string(b'/' + b'x' * (64 << 20)))),
    'wild_strings': lambda: environment(core(
        uri=struct.pack('QQ', WILD, 0xffff))),
    'other_seconds': lambda: environment(core((NOW, NOW // 1000000 + 1, 0))),
    'no_time': lambda: environment(core((0, 0, 0))),
    'is_over': lambda: environment(core((NOW, NOW // 1000000, NOW + 1))),
    'other_class': lambda: environment(core(), 'Input'),
    'wild_core': wild_core,
    'lying_dict': lying_dict,
    'many': lambda: environment(core(), **{'entry %d' % i: i
                                           for i in range(10000)}),
    'in_turns': lambda: environment(core(), **{
        'x-wsgiorg.fdevent.readable': print}),
    'restless': restless,
}


def app(environ, start_response):
    print('{"ready": 1}', flush=True)
    while True:
        time.sleep(0.001)


_thread.start_new_thread(app, (CASES[sys.argv[1]](), None))
while True:
    time.sleep(100)
