"""Calls that go through C: which functions of Python there are, and what of C
is between them.

    through.py [threads]

Says as `chains` every stack of functions that does the work; a word with a
colon is part of a name of C that must be between two of them.
"""
import ctypes
import re
import sys
import threading

import common


def work():
    total = 0
    for i in range(3000):
        total += i * i
    return total


def key(item):
    work()
    return -item


def by_sorted():
    sorted(range(10), key=key)


def replace(match):
    work()
    return 'b'


def by_sub():
    PATTERN.sub(replace, 10 * 'a')


def compare(a, b):
    work()
    return a[0] - b[0]


def by_qsort():
    numbers = (ctypes.c_int * 8)(*range(8))
    LIBC.qsort(numbers, 8, 4, COMPARE)


def generated():
    for _ in range(10):
        work()
        yield 1


def by_sum():
    sum(generated())


def deep(n):
    """A function of Python, one of C, and so on."""
    return list(map(deep, [n - 1]))[0] if n > 0 else work()


def by_map():
    for _ in range(10):
        deep(5)


def main():
    while True:
        by_sorted()
        by_sub()
        by_qsort()
        by_sum()
        by_map()


PATTERN = re.compile('a')
LIBC = ctypes.CDLL(None)
POINTER = ctypes.POINTER(ctypes.c_int)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, POINTER)(compare)

common.ready(chains=[['<module>', 'main'] + chain for chain in [
    ['by_sorted', ':list_sort', 'key', 'work'],
    ['by_sub', ':pattern_sub', 'replace', 'work'],
    ['by_qsort', ':qsort', 'compare', 'work'],
    ['by_sum', ':builtin_sum', 'generated', 'work'],
    ['by_map', 'deep'] + 5 * [':map_next', 'deep'] + ['work']]],
    # The call of a generator's function makes a generator, and no more.
    others=[['<module>', 'main', 'by_sum', 'generated']])
if sys.argv[1:] == ['threads']:
    threading.Thread(target=main, daemon=True).start()
main()
