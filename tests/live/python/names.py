"""Functions with names that never were before, for ever: what is remembered of
names must not grow with them."""
import common

SOURCE = '''
def made_%(n)d():
    return sum(i for i in range(2000))
'''
n = 0


def work():
    global n
    n += 1
    made = {}
    exec(SOURCE % {'n': n}, made)
    for _ in range(5):
        made['made_%d' % n]()


common.ready()
common.forever(work)
