"""A process that becomes another program, or has children, or runs more than
one interpreter."""
import os
import signal
import sys
import threading
import time

import common


def before():
    """Until it is told to go on: only who records knows when it has begun."""
    told = []
    signal.signal(signal.SIGUSR1, lambda *_: told.append(1))
    common.ready()
    while not told:
        sum(range(100))


AFTER = """
import time
def after():
    print('after', flush=True)
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
