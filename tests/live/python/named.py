"""Threads with names of all kinds; one begins while the others run, when a
line is read."""
import json
import sys
import threading
import time

NAMES = ['worker', 'Fäden \u2603 \U0001f9f5',
         'longer-than-the-fifteen-bytes-of-the-kernel', 'tab\tand\nline']


def rest():
    time.sleep(120)


class Special(threading.Thread):
    """Attributes of its own stand before and behind those of Thread."""

    def __init__(self, name):
        self.first = 1
        super().__init__(name=name, daemon=True)
        self.last = 2

    def run(self):
        rest()


def begin(name):
    thread = threading.Thread(target=rest, name=name, daemon=True)
    thread.start()
    return thread


threads = [begin(name) for name in NAMES]
special = Special('special')
special.start()
# More attributes than objects of a class have in common.
crowded = threading.Thread(target=rest, daemon=True)
for number in range(200):
    setattr(crowded, 'attribute_%d' % number, number)
crowded.name = 'crowded'
crowded.start()
while len(sys._current_frames()) < len(NAMES) + 3:
    time.sleep(0.01)
print(json.dumps({'names': NAMES + ['special', 'crowded', 'MainThread']}),
      flush=True)
if sys.stdin.readline():
    begin('late')
rest()
