"""A library between bobbin and the system: it sets the clock, makes writes
fail, holds syncs, and keeps the command line of a process from being read.

    shim = Shim()
    with daemon(..., env=shim.env) as d:
        shim.shift(365 * 86400)
        shim.fail_writes(errno.EIO)
"""
import mmap
import os
import shutil
import struct
import subprocess

from support import case

LAYOUT = struct.Struct('=qiiiii')
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'shim.c')


class Shim:
    def __init__(self):
        cc = os.environ.get('CC') or shutil.which('cc')
        if not cc:
            raise case.Skip('no C compiler')
        library = os.path.join(case.scratch, 'shim.so')
        subprocess.run([*cc.split(), '-shared', '-fPIC', '-O1', '-o', library,
                        SOURCE, '-ldl'], check=True)
        path = case.write_file(bytes(LAYOUT.size), 'shim.control')
        with open(path, 'r+b') as file:
            self.map = mmap.mmap(file.fileno(), LAYOUT.size)
        self.env = {'LD_PRELOAD': library, 'SHIM_CONTROL': path,
                    'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') +
                    ':verify_asan_link_order=0'}

    def _set(self, at, value):
        fields = list(LAYOUT.unpack(self.map[:]))
        fields[at] = value
        self.map[:] = LAYOUT.pack(*fields)

    def shift(self, seconds):
        """Sets the clock so far from where it is."""
        self._set(0, seconds)

    def fail_writes(self, sys, partial=False):
        """From now on, with this errno; 0: no more."""
        self._set(2, int(partial))
        self._set(1, sys)

    def hold_syncs(self, holds=True):
        """The disk is so busy that nobody's data reach it."""
        self._set(3, int(holds))

    def silence(self, pid):
        """Who reads its command line waits for ever."""
        self._set(5, pid)

    def failed(self):
        return LAYOUT.unpack(self.map[:])[4]
