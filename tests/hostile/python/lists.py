"""lists.py KIND: a process whose lists do not end, or are far too long."""
import ctypes
import json
import os
import sys

import own

STATE = 2048     # bytes of a thread's state that are made up
MANY = 100000


def circle():
    """The only thread is its own next one."""
    own.put(own.thread() + own.offset('ts_next'), own.thread())


def long():
    """Many threads that the kernel does not know."""
    first = own.thread()
    room = ctypes.create_string_buffer(STATE * MANY)
    at = (ctypes.addressof(room) + 7) & ~7
    fd = own.memory(os.O_RDWR)
    one = bytearray(os.pread(fd, STATE, first).ljust(STATE, b'\0'))
    next_at = own.offset('ts_next')
    for i in range(MANY - 1):
        follower = at + (i + 1) * STATE if i + 2 < MANY else 0
        one[next_at:next_at + 8] = follower.to_bytes(8, 'little')
        os.pwrite(fd, bytes(one), at + i * STATE)
    own.put(first + next_at, at)
    return room


def interpreters():
    """The only interpreter is its own next one."""
    own.put(own.interpreter() + own.offset('is_next'), own.interpreter())


kept = {'circle': circle, 'long': long,
        'interpreters': interpreters}[sys.argv[1]]()
print(json.dumps(os.getpid()), flush=True)
os.read(0, 1)
os._exit(0)
