"""A recursion with large frames, until SIGUSR1 comes; then work above it."""
import signal
import sys
import time

import common

DEPTH = 8000
is_told = False
# A frame has 84 variables, so that the frames are more than 8 MiB.
exec("""
def descend(depth):
    %s = 0
    if depth > 0:
        descend(depth - 1)
    else:
        bottom()
""" % ' = '.join('v%d' % i for i in range(83)))


def tell(_, __):
    global is_told
    is_told = True


def bottom():
    common.ready()
    while not is_told:
        time.sleep(0.01)


def afterwards():
    total = 0
    for i in range(1000):
        total += i
    return total


def main():
    descend(DEPTH)
    common.forever(afterwards)


signal.signal(signal.SIGUSR1, tell)
sys.setrecursionlimit(2 * DEPTH)
main()
