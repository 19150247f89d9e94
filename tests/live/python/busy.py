"""Work of many kinds of calls, and which of them there can be."""
import functools
import sys
import threading

import common


def leaf(n):
    total = 0
    for i in range(3):
        total += i * n
    return total


def left(n):
    return leaf(n) + 1


def right(n):
    return leaf(n) * 2


def items(n):
    for i in range(3):
        yield left(i)
    yield from more(n)


def more(n):
    yield right(n)
    yield leaf(n)


class Thing:
    def __init__(self, n):
        self.n = left(n)

    @property
    def size(self):
        return right(self.n)

    def __getitem__(self, key):
        return leaf(key)

    def __add__(self, other):
        return right(other)


def callbacks(n):
    return sum(map(left, range(3))) + len(sorted([3, 1], key=right)) + \
        functools.reduce(lambda a, b: leaf(a) + b, [1, 2, 3])


def descend(depth, n):
    if depth > 0:
        return descend(depth - 1, n)
    thing = Thing(n)
    return thing.size + thing[n] + (thing + n) + sum(items(n)) + \
        callbacks(n)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def calls():
    descend(5, 3)
    descend(9, 4)


def ones(n):
    for i in range(n):
        yield leaf(i)


def twos(n):
    for i in range(n):
        yield left(i)


def threes(n):
    for i in range(n):
        yield right(i)


def brief():
    """Generators that are over in a microsecond, each in the memory of the
    one before."""
    for _ in range(100):
        sum(ones(1))
        sum(twos(1))
        sum(threes(1))


class Tree:
    """A recursion of generators that give up what is below them."""
    def __init__(self, depth):
        self.below = [Tree(depth - 1) for _ in range(2)] if depth else []

    def nodes(self):
        yield self
        for tree in self.below:
            yield from tree.nodes()

    def none(self):
        yield from ()


TREE = Tree(4)


def first_of(trees):
    """Of a generator that is asked once."""
    return next(iter(trees), None)


def is_any(trees):
    return any(left(1) < 0 for _ in trees)


def reader(lines):
    """What C calls until it ends by an exception, or by a value."""
    source = iter(lines)

    def read_or_stop():
        try:
            return next(source)
        except StopIteration:
            return ''
    return read_or_stop


class Lines:
    def __init__(self, lines):
        self.source = iter(lines)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.source)


def linter():
    """The kinds of calls that programs have which go through trees."""
    for tree in TREE.nodes():
        first_of(tree.nodes())
        first_of(tree.none())
        list(tree.none())
        is_any(tree.below)
    for _ in iter(reader('abcdefgh'), ''):
        pass
    list(Lines('abcdefgh'))


def recursion():
    fib(16)


def long_leaf(n):
    total = 0
    for i in range(300):
        total += i * n
    return total


def slowly(depth):
    if depth > 0:
        return slowly(depth - 1)
    return long_leaf(1) + sum(long_leaf(i) for i in range(2))


def calm():
    slowly(25)


def main():
    work = globals()[sys.argv[1]]
    truth = common.trace(work, 3)
    for _ in range(int(sys.argv[2]) - 1 if len(sys.argv) > 2 else 0):
        threading.Thread(target=common.forever, args=(work,),
                         daemon=True).start()
    common.ready(**truth)
    common.forever(work)


main()
