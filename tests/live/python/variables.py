"""Frames with variables of every kind, and what repr() says of them."""
import collections
import datetime
import enum
import threading
import time

import common


class User:
    pass


class Colour(enum.IntEnum):
    RED = 1


Point = collections.namedtuple('Point', 'x y')


def rest(told):
    if told:
        common.ready(**told)
    while True:
        time.sleep(0.05)


def numbers(x):
    yield rest(truth)


def inner(n, *args, key=None, **kw):
    plain = {
        'zero': 0, 'minus': -7, 'big': 2 ** 200, 'negative': -3 ** 80,
        'third': 1 / 3, 'whole': 2.0, 'far': 1e300, 'yes': True, 'no': False,
        'none': None, 'dots': ..., 'text': 'h\xe9"l\'lo\n\x1b[31m\u2603',
        'lone': '\ud800', 'wide': '\U0001f600' * 3, 'empty': '',
        'raw': b'\0\xff"', 'one': (1,), 'nothing': (), 'few': [1, 'two', None],
        'map': {'a': 1, 2: [3], None: ()}, 'bag': {5}, 'ice': frozenset('x'),
    }
    zero, minus, big, negative, third, whole, far, yes, no, none, dots, \
        text, lone, wide, empty, raw, one, nothing, few, map, bag, ice = \
        plain.values()
    truth['inner'] = {name: repr(value) for name, value in plain.items()}
    truth['inner'].update(n=repr(n), args=repr(args), key=repr(key),
                          kw=repr(kw))
    long, huge, many = 'a' * 500, 1 << 5000, list(range(100))
    circle = []
    circle.append(circle)
    user, colour, kind, point = User(), Colour.RED, User, Point(1, 'b')
    date = datetime.date(2020, 1, 1)
    truth['user'] = id(user)
    truth['date'] = id(date)
    del plain

    def closure():
        return user, key
    unset = 1
    del unset
    for _ in numbers(n):
        pass


def outer(a):
    token = 'token=SECRET42&x=1'
    inner(a, 1, 'two', key={'k': (1, 2)}, z=9)


def change():
    """Lists that other threads change all the time."""
    names = ['one', 'two', 'three']
    threading.Thread(target=lambda: [names.reverse() or names.append(
        names.pop(0)) for _ in iter(int, 1)], daemon=True).start()
    rest(None)


truth = {}
threading.Thread(target=change, name='change', daemon=True).start()
outer(17)
