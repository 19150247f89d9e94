"""Functions that are made, called and freed all the time, so that the memory
of their code is used again: outer_N calls inner_N and nothing else."""
import gc

import common

SOURCE = '''
def outer_%(n)d():
    return inner_%(n)d()
def inner_%(n)d():
    return [i for i in range(200)]
outer_%(n)d()
'''


def main():
    common.ready()
    n = 0

    def work():
        nonlocal n
        n += 1
        exec(SOURCE % {'n': n}, {'__name__': 'made'})
        if n % 50 == 0:
            gc.collect()

    common.forever(work)


main()
