"""Files of names that a program asks for."""
import os
import platform
import struct

from support import case, elves, hostile
from support.case import expect


def linked(folder, name):
    """A program whose names are in another file, with some checksum."""
    file = elves.Elf()
    text = name.encode() + b'\0'
    text += b'\0' * (-len(text) % 4) + struct.pack('<I', 1)
    file.section('.gnu_debuglink', elves.PROGBITS, text)
    path = os.path.join(folder, 'libx.so')
    file.write(path)
    return path


def sparse(path):
    """4 GiB without bytes, that begin as a program does."""
    file = elves.Elf()
    file.size = (4 << 30) - 4096
    file.write(path)


def device(path):
    os.symlink('/dev/zero', path)


def fifo(path):
    os.mkfifo(path)


def circle(path):
    os.symlink(path, path)


FILES = {f.__name__: f for f in (sparse, device, fifo, circle)}


@case.each(FILES)
def test_debug_file(kind):
    if platform.machine() not in elves.LOOP:
        raise case.Skip('no machine code for this machine')
    program = linked(case.scratch, 'libx.debug')
    FILES[kind](os.path.join(case.scratch, 'libx.debug'))
    with hostile.scene('--native') as scene:
        with elves.runs(scene.mark, program):
            scene.check(seconds=3)
            told = scene.end()
    expect(b'error' not in told, '%s', told)
