"""A process that becomes another program, or has children, or runs more than
one interpreter."""
import os
import sys
import threading
import time

import common


def before():
    end = time.time() + 0.8
    while time.time() < end:
        sum(range(100))


AFTER = """
import time
def after():
    time.sleep(60)
after()
"""


def child():
    end = time.time() + 0.02
    while time.time() < end:
        pass
    os._exit(0)


def forks():
    if os.fork() == 0:
        child()
    os.wait()


SECOND = """
import time
def second():
    end = time.time() + 60
    while time.time() < end:
        time.sleep(0.01)
second()
"""


def interpreters():
    """The module that makes them, if there is one."""
    for name in ('_interpreters', '_xxsubinterpreters'):
        try:
            return __import__(name)
        except ImportError:
            continue
    return None


def run_second(module):
    module.run_string(module.create(), SECOND)


def first():
    time.sleep(60)


def main():
    if sys.argv[1] == 'exec':
        common.ready()
        before()
        os.execv(sys.executable, [sys.executable, '-c', AFTER])
    elif sys.argv[1] == 'fork':
        common.ready()
        common.forever(forks)
    else:
        module = interpreters()
        if module is not None:
            threading.Thread(target=run_second, args=(module,),
                             daemon=True).start()
            time.sleep(0.5)
        common.ready(has_second=module is not None)
        first()


main()
