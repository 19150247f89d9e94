"""A thread that sleeps and one that works, both traced: functions of the
tracer come and go on every line, on top of those that they look at."""
import sys
import threading
import time

import common

nap = 120


def tracer(frame, event, arg):
    note(event)
    return tracer


def note(event):
    return len(event)


def brief(*args): return brief


def rest():
    count = 1
    time.sleep(nap)
    return count


sleeps_at = rest.__code__.co_firstlineno + 2


def sleeps():
    value = 1
    rest()
    return value


def leaf(n):
    total = 0
    for i in range(3):
        total += i * n
    return total


def works(n):
    total = 1
    for i in range(3):
        total += leaf(i)
    total += leaf(n)
    return total


def repeat():
    while True:
        works(2)


def start(trace, target):
    """A traced thread; that it runs does not mean that it is traced yet."""
    threading.settrace(trace)
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    while sys._current_frames()[thread.ident].f_code.co_filename != __file__:
        time.sleep(0.01)
    return thread


def main():
    sleepers = [start(tracer, sleeps), start(brief, sleeps)]
    start(tracer, repeat)
    while True:
        time.sleep(0.05)
        frames = sys._current_frames()
        if all((frames[t.ident].f_code.co_name, frames[t.ident].f_lineno) ==
               ('rest', sleeps_at) for t in sleepers):
            break
    time.sleep(0.05)
    common.ready()
    time.sleep(nap)


main()
