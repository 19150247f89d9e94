"""What a test module needs from the runner.

A test is a function `test_*` without arguments, or with one argument and the
`each` decorator, which makes one test of it per value.  It fails by raising
anything, and is skipped by raising Skip with a reason.
"""
import os

# Directory of the running test; the runner makes a new one for each and keeps
# it when the test fails, so that printed commands can be repeated.
scratch = None


class Failure(AssertionError):
    """A test's verdict, said in one line."""


class Skip(Exception):
    """The test cannot run here; the text says why."""


def each(values):
    """Runs the decorated test once per value; its first word names it."""
    def mark(function):
        function.cases = list(values)
        return function
    return mark


def expect(condition, message, *args):
    if not condition:
        raise Failure(message % args if args else message)


def write_file(data, name='in.rbt'):
    path = os.path.join(scratch, name)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def read_file(path):
    with open(path, 'rb') as file:
        return file.read()
