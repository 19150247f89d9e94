"""Collects garbage most of the time, some of which runs Python when it is
collected."""
import gc

import common

kept = [[i] for i in range(300000)]


class Dying:
    def __init__(self):
        self.me = self

    def __del__(self):
        sum(range(1000))


def collects():
    Dying()
    gc.collect()


def main():
    common.ready()
    common.forever(collects)


main()
