"""Does one thing all the time that changes much of an interpreter's memory:
storms.py gc|imports|threads|memory|errors."""
import gc
import os
import resource
import sys
import tempfile
import threading

import common


class Node:
    pass


def rings():
    """Garbage that only the collector finds."""
    for _ in range(200):
        a, b = Node(), Node()
        a.other, b.other = b, a


def fill(folder):
    for i in range(20):
        with open(os.path.join(folder, 'made_%d.py' % i), 'w') as file:
            file.write('def f():\n    return %d\nvalue = f()\n' % i)


def imports():
    for i in range(20):
        name = 'made_%d' % i
        __import__(name)
        del sys.modules[name]


def shortly():
    return sum(range(1000))


def threads():
    made = [threading.Thread(target=shortly) for _ in range(5)]
    for thread in made:
        thread.start()
    for thread in made:
        thread.join()


def memory():
    kept = []
    try:
        while True:
            kept.append(bytearray(1 << 20))
    except MemoryError:
        del kept


def deeper(n):
    return deeper(n + 1)


def errors():
    try:
        deeper(0)
    except RecursionError:
        pass


def main():
    what = sys.argv[1]
    work = {'gc': rings, 'imports': imports, 'threads': threads,
            'memory': memory, 'errors': errors}[what]
    if what == 'gc':
        gc.set_threshold(50)
    if what == 'memory':
        resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
    with tempfile.TemporaryDirectory() as folder:
        fill(folder)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        common.ready()
        common.forever(work)


main()
