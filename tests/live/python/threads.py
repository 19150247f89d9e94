"""Three threads that sleep in functions of their own. The truth is what each
calls itself: its number in the innermost namespace."""
import os
import threading
import time

import common

numbers = {}


def note(name):
    # As /proc says it; threading knows from 3.8 on only.
    numbers[name] = os.readlink('/proc/thread-self').split('/')[-1]


def second():
    note('second')
    time.sleep(120)


def third():
    note('third')
    time.sleep(120)


def first():
    note('first')
    while len(numbers) < 3:
        time.sleep(0.01)
    common.ready(**numbers)
    time.sleep(120)


for function in (second, third):
    threading.Thread(target=function, daemon=True).start()
first()
