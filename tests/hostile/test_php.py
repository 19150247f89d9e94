"""A process of PHP whose memory says anything.

Every word of its executor_globals, and of the frames on its stack, has every
one of some values that hurt while a daemon samples it, beside well-behaved ones.
It rests in sleep() meanwhile and does not see them itself.
"""
import os
import struct
import subprocess
import time

from support import hostile, phps, targets
from support.case import Skip, each, expect

SCRIPT = '''function f($n) { if ($n > 0) { f($n - 1); } else {
    echo "ready\\n"; sleep(3600); } } f(20);'''
# Bytes of the state, and of the stack from its beginning.
STATE, STACK = 1024, 1024
# From 7.0 on, where the page of the stack is: vm_stack_top, _end, vm_stack.
PAGES = range(400, 640, 8)
VALUES = (0, 1, 0xffffffffffffffff)
# At 200 samples a second some of each.
SECONDS = 0.01
RATE = 200


def symbol(path, name):
    """Where a file of ELF has a symbol that it exports."""
    with open(path, 'rb') as file:
        data = file.read()
    at, = struct.unpack_from('<Q', data, 40)
    size, n = struct.unpack_from('<HH', data, 58)
    sections = [struct.unpack_from('<IIQQQQIIQQ', data, at + size * i)
                for i in range(n)]
    for s in sections:
        if s[1] != 11:  # SHT_DYNSYM
            continue
        strings = sections[s[6]][4]
        for i in range(s[4], s[4] + s[5], 24):
            at, _, _, _, value, _ = struct.unpack_from('<IBBHQQ', data, i)
            if data.startswith(name.encode() + b'\0', strings + at):
                return value
    raise Skip('%s does not export %s' % (path, name))


def base_of(pid, path):
    with open('/proc/%d/maps' % pid) as file:
        for line in file:
            if line.rstrip().endswith(os.path.realpath(path)):
                return int(line.split('-')[0], 16)
    raise Skip('%s is not mapped' % path)


class Memory:
    def __init__(self, pid):
        self.fd = os.open('/proc/%d/mem' % pid, os.O_RDWR)

    def get(self, at):
        return int.from_bytes(os.pread(self.fd, 8, at), 'little')

    def put(self, at, value):
        os.pwrite(self.fd, value.to_bytes(8, 'little'), at)


def stack_of(memory, eg):
    """Where the first page of the stack is: its top and end lie in it."""
    for at in PAGES:
        top, end, page = (memory.get(eg + at + 8 * i) for i in range(3))
        if page and page < top < end and end - page == 256 << 10:
            return page
    raise Skip('no stack was found')


@each(phps.find())
def test_every_word(name):
    path = phps.program(name)
    if not name.split()[0].endswith('-nts'):
        raise Skip('its state is that of a thread')
    with hostile.scene(rate=RATE) as scene:
        child = subprocess.Popen([path, '-n', '-r', SCRIPT, scene.mark],
                                 stdout=subprocess.PIPE)
        try:
            child.stdout.readline()
            targets.need_permission(child.pid)
            scene.daemon.wait(
                lambda status: any(w['pid'] == child.pid and w['samples'] > 5
                                   for w in status['workers']),
                'the hostile process')
            memory = Memory(child.pid)
            eg = base_of(child.pid, path) + symbol(path, 'executor_globals')
            page = stack_of(memory, eg)
            words = list(range(eg, eg + STATE, 8)) + \
                list(range(page, page + STACK, 8))
            for at in words:
                was = memory.get(at)
                for value in VALUES + (at, page):
                    memory.put(at, value)
                    time.sleep(SECONDS)
                memory.put(at, was)
            scene.check()
            expect(any(w['pid'] == child.pid
                       for w in scene.answer()['workers']), 'it is gone')
        finally:
            child.kill()
            child.wait()
            child.stdout.close()
        scene.end()
