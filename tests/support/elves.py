"""ELF files made by hand, as hostile as need be, and a process that runs one.

    file = elves.Elf()
    names = file.section('.strtab', elves.STRTAB, b'\\0' + b'A' * 100)
    file.section('.symtab', elves.SYMTAB, elves.symbols(...), link=names)
    file.write(path)
    with elves.runs(path, mark) as pid: ...
"""
import array
import contextlib
import platform
import struct
import subprocess
import sys

from support.case import expect

PROGBITS, SYMTAB, STRTAB, DYNSYM = 1, 2, 3, 11
PAGE = 0x10000
# A loop that does nothing, for ever.
LOOP = {'x86_64': b'\xf3\x90\xeb\xfc',
        'aarch64': struct.pack('<II', 0xd503203f, 0x17ffffff)}
MACHINE = {'x86_64': 62, 'aarch64': 183}


def symbols(n, name=1, at=0x100, size=4, step=0, name_step=0):
    """A table of n functions."""
    table = array.array('Q', bytes(24)) * n
    function = 0x12 << 32 | 1 << 48
    for k, first, more in ((0, name | function, name_step), (1, at, step),
                           (2, size, 0)):
        table[k::3] = array.array('Q', range(first, first + n * more, more)
                                  if more else [first] * n)
    return table.tobytes()


class Elf:
    """The first page holds the header and, from 0x100 on, the loop."""

    def __init__(self):
        self.parts = []       # (offset, bytes)
        self.end = PAGE
        self.sections = [(b'', 0, 0, 0, 0)]
        self.size = None      # of the file, when it is sparse

    def section(self, name, kind, data=b'', link=0, at=None, size=None):
        """Its number. `at` and `size` may say what is not so."""
        offset = self.end
        if data:
            self.parts.append((offset, data))
            self.end += (len(data) + 15) // 16 * 16
        self.sections.append((name.encode(), kind,
                              offset if at is None else at,
                              len(data) if size is None else size, link))
        return len(self.sections) - 1

    def offset(self, number):
        return self.sections[number][2]

    def write(self, path):
        names, at = b'\0', []
        for name, *_ in self.sections:
            at.append(len(names))
            names += name + b'\0'
        self.section('.shstrtab', STRTAB, names)
        at.append(0)
        machine = platform.machine()
        head = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', 3,
                           MACHINE[machine], 1, 0x100, 64, self.end, 0, 64,
                           56, 1, 64, len(self.sections),
                           len(self.sections) - 1)
        load = struct.pack('<IIQQQQQQ', 1, 5, 0, 0, 0, PAGE, PAGE, PAGE)
        with open(path, 'wb') as f:
            f.write(head + load)
            f.seek(0x100)
            f.write(LOOP[machine])
            for offset, data in self.parts:
                f.seek(offset)
                f.write(data)
            f.seek(self.end)
            for where, (name, kind, offset, size, link) in zip(
                    at, self.sections):
                f.write(struct.pack('<IIQQQQIIQQ', where, kind, 0, 0, offset,
                                    size, link, 0, 1, 24))
            if self.size is not None:
                f.truncate(self.size)


RUN = '''import ctypes, mmap, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [
    ctypes.c_long]
at = []
for path in sys.argv[2:]:
    file = open(path, "rb")
    at.append(libc.mmap(None, 0x10000, 5, 2, file.fileno(), 0))
    assert at[-1] not in (None, 2 ** 64 - 1), ctypes.get_errno()
    ctypes.string_at(at[-1] + 0x100, 1)
print("ready", flush=True)
sys.stdin.readline()
ctypes.CFUNCTYPE(None)(at[0] + 0x100)()
'''


@contextlib.contextmanager
def waits(mark, *paths, user=None):
    """A Python that has mapped these files and, once it gets a line or the
    end of its input, runs the loop in the first."""
    how = {} if user is None else dict(user=user, group=user,
                                       extra_groups=())
    # That of the distribution is for everybody.
    python = sys.executable if user is None else '/usr/bin/python3'
    child = subprocess.Popen([python, '-c', RUN, mark, *paths],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             **how)
    try:
        expect(child.stdout.readline() == b'ready\n', 'it did not start')
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()


@contextlib.contextmanager
def runs(mark, *paths):
    """The same, which runs it at once."""
    with waits(mark, *paths) as child:
        child.stdin.close()
        yield child
