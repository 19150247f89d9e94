"""A process of Python that changes what it says about itself.

Needs ctypes to find its own state. What is written here is written to the
memory of this process alone.
"""
import ctypes
import os
import sys

RUNTIME = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi,
                                                '_PyRuntime'))
MINOR = sys.version_info[1]
# Bytes of _Py_DebugOffsets, and where the sizes of its structures are told,
# with the largest that are believed.
SIZE = {13: 584, 14: 760, 15: 888, 16: 888}.get(MINOR, 0)
SIZES = {13: {24: 64 << 20, 48: 64 << 20, 152: 65536, 536: 256, 512: 256,
              400: 256},
         14: {24: 64 << 20, 48: 64 << 20, 176: 65536, 616: 256, 592: 256,
              448: 256, 664: 65536},
         15: {24: 64 << 20, 48: 64 << 20, 176: 65536, 712: 256, 688: 256,
              544: 256, 792: 65536, 528: 65536}}
# Where lists begin and how they go on, up to 3.12.
OWN = {11: {'interpreters': 40, 'is_next': 0, 'is_threads': 16, 'ts_next': 8,
            'ts_interp': 16, 'ts_frame': 56},
       12: {'interpreters': 40, 'is_next': 0, 'is_threads': 72, 'ts_next': 8,
            'ts_interp': 16, 'ts_frame': 56}}
# And which words of the table tell it since.
TOLD = {13: {'interpreters': 40, 'is_next': 64, 'is_threads': 72,
             'ts_next': 168, 'ts_interp': 176, 'ts_frame': 184},
        14: {'interpreters': 40, 'is_next': 64, 'is_threads': 72,
             'ts_next': 192, 'ts_interp': 200, 'ts_frame': 208}}


def memory(flags):
    # Not kept open: after a fork it would be the parent's.
    return os.open('/proc/self/mem', flags)


def get(at, n=8):
    fd = memory(os.O_RDONLY)
    try:
        return int.from_bytes(os.pread(fd, n, at), 'little')
    finally:
        os.close(fd)


def put(at, value, n=8):
    fd = memory(os.O_RDWR)
    try:
        os.pwrite(fd, (value & ((1 << 8 * n) - 1)).to_bytes(n, 'little'), at)
    finally:
        os.close(fd)


def offset(name):
    if MINOR in OWN:
        return OWN[MINOR][name]
    return get(RUNTIME + TOLD[min(MINOR, 14)][name])


def interpreter():
    return get(RUNTIME + offset('interpreters'))


def thread():
    """The first of the list, which is the newest."""
    return get(interpreter() + offset('is_threads'))


def widen():
    """Structures are as large as they may be: offsets in them are not refused
    for that alone."""
    for at, most in SIZES[min(MINOR, 15)].items():
        put(RUNTIME + at, most)
