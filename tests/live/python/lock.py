"""One thread that computes, one that sleeps, one that handles an exception
while it sleeps."""
import threading
import time

import common


def compute():
    while True:
        sum(range(100))


def sleep():
    while True:
        time.sleep(60)


def handle():
    try:
        raise ValueError
    except ValueError:
        sleep()


def main():
    threads = {}
    for work in (sleep, handle):
        threads[work.__name__] = threading.Thread(target=work, daemon=True)
        threads[work.__name__].start()
    time.sleep(0.2)
    common.ready()
    compute()


main()
