"""A pool of processes under load: pool.py WORKERS MARK. Those that are killed
are replaced. The truth is nothing: who works changes."""
import multiprocessing
import os
import sys
import time

import common


def leaf(n):
    return sum(i * i for i in range(n))


def work(n):
    end = time.time() + 0.02
    while time.time() < end:
        leaf(300 + n % 7)
    return os.getpid()


def main():
    with multiprocessing.get_context('fork').Pool(int(sys.argv[1])) as pool:
        waiting = [pool.apply_async(work, (n,)) for n in range(100)]
        waiting[0].get()
        common.ready()
        while True:
            # What a killed worker had taken never comes back.
            waiting.append(pool.apply_async(work, (len(waiting),)))
            time.sleep(0.002)


if __name__ == '__main__':
    main()
