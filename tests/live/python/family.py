"""A process with a pool of others, one of which starts a program that is not
Python, and one that starts Python again; workers are killed and replaced."""
import multiprocessing
import os
import subprocess
import sys
import time

import common


def works(n):
    end = time.time() + 60
    while time.time() < end:
        sum(range(1000))


GRANDCHILD = """
import time
def grandchild():
    time.sleep(60)
grandchild()
"""


def starts(n):
    subprocess.Popen(['sleep', '5'])
    subprocess.call([sys.executable, '-c', GRANDCHILD])


def parent(context):
    workers = [context.Process(target=target, args=(i,), daemon=False)
               for i, target in enumerate([works, works, starts])]
    for worker in workers:
        worker.start()
    while True:
        time.sleep(0.5)
        os.kill(workers[0].pid, 9)
        workers[0].join()
        workers[0] = context.Process(target=works, args=(0,))
        workers[0].start()


def main():
    os.setsid()
    common.ready()
    parent(multiprocessing.get_context('fork'))


if __name__ == '__main__':
    main()
