"""A process of PHP whose memory says anything.

Every word of its executor_globals, and of the frames on its stack, has every
one of some values that hurt while a daemon samples it, beside well-behaved ones;
with threads also the words by which the state of a thread is found. It rests in
sleep() meanwhile and does not see them itself.
"""
import contextlib
import os
import struct
import subprocess
import time

from support import hostile, phps, targets
from support.case import Skip, each, expect

SCRIPT = '''function f($n) { if ($n > 0) { f($n - 1); } else {
    echo "ready\\n"; sleep(3600); } } f(20);'''
# Bytes of the state before and behind the pointers to the stack, and of the
# stack from its beginning.
BEFORE, BEHIND, STACK = 640, 384, 1024
VALUES = (0, 1, 0xffffffffffffffff)
# At 200 samples a second some of each.
SECONDS = 0.01
RATE = 200
# Which threads there are is looked at once a second.
LOOK_SECONDS = 1.2
# struct _tsrm_tls_entry: a list of resources, their number, the thread.
ENTRY, ENTRY_THREAD, MAX_RESOURCES = 24, 16, 1024


class Memory:
    def __init__(self, pid):
        self.pid = pid
        self.fd = os.open('/proc/%d/mem' % pid, os.O_RDWR)

    def close(self):
        os.close(self.fd)

    def get(self, at):
        return int.from_bytes(os.pread(self.fd, 8, at), 'little')

    def put(self, at, value):
        os.pwrite(self.fd, value.to_bytes(8, 'little'), at)

    def areas(self):
        """What is written to: the address, and words."""
        with open('/proc/%d/maps' % self.pid) as file:
            lines = [line.split() for line in file]
        for line in lines:
            start, end = (int(n, 16) for n in line[0].split('-'))
            if line[1].startswith('rw') and end - start < 64 << 20:
                with contextlib.suppress(OSError):
                    data = os.pread(self.fd, end - start, start)
                    yield start, struct.unpack(
                        '<%dQ' % (len(data) // 8), data[:len(data) // 8 * 8])


def stack_of(memory):
    """Where the state points to the first page of the stack (vm_stack_top,
    vm_stack_end, vm_stack), and the page, which ends there, too."""
    for start, words in memory.areas():
        for i in range(len(words) - 2):
            top, end, page = words[i:i + 3]
            if end - page == 256 << 10 and page < top < end:
                with contextlib.suppress(OSError):
                    if memory.get(page + 8) == end:
                        return start + 8 * i, page
    raise Skip('no stack was found')


def entries_of(memory):
    """Where the entries of the first thread are."""
    areas = list(memory.areas())
    pointers = {start + 8 * i for start, words in areas
                for i in range(len(words) - 2)
                if words[i] == start + 8 * i == words[i + 2]}
    return [start + 8 * (i - ENTRY_THREAD // 8) for start, words in areas
            for i in range(2, len(words))
            if words[i] in pointers and start + 8 * i - 16 not in pointers and
            0 < words[i - 1] & 0xffffffff <= MAX_RESOURCES]


@contextlib.contextmanager
def hostile_php(name, scene):
    """Its memory, when it is sampled."""
    child = subprocess.Popen([phps.program(name), '-n', '-r', SCRIPT,
                              scene.mark], stdout=subprocess.PIPE)
    try:
        child.stdout.readline()
        targets.need_permission(child.pid)
        scene.daemon.wait(
            lambda status: any(w['pid'] == child.pid and w['samples'] > 5
                               for w in status['workers']),
            'the hostile process')
        memory = Memory(child.pid)
        with contextlib.closing(memory):
            yield memory
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def lie(memory, words, values, seconds):
    for at in words:
        was = memory.get(at)
        for value in values + (at,):
            memory.put(at, value)
            time.sleep(seconds)
        memory.put(at, was)


def is_sampled(scene, pid):
    return any(w['pid'] == pid for w in scene.answer()['workers'])


@each(phps.find())
def test_every_word(name):
    with hostile.scene(rate=RATE) as scene:
        with hostile_php(name, scene) as memory:
            pointers, page = stack_of(memory)
            lie(memory, range(pointers - BEFORE, pointers + BEHIND, 8),
                VALUES + (page,), SECONDS)
            lie(memory, range(page, page + STACK, 8), VALUES + (page,),
                SECONDS)
            scene.check()
            expect(is_sampled(scene, memory.pid), 'it is gone')
        scene.end()


@each(phps.find())
def test_entry_of_a_thread(name):
    if not name.split()[0].endswith('-zts'):
        raise Skip('it has no threads')
    if os.uname().machine != 'x86_64':
        raise Skip('the thread pointer is known on x86-64 only')
    with hostile.scene(rate=RATE) as scene:
        with hostile_php(name, scene) as memory:
            entries = entries_of(memory)
            expect(entries, 'no entry was found')
            for at in entries:
                resources = memory.get(at)
                lie(memory, range(at, at + ENTRY, 8), VALUES, LOOK_SECONDS)
                lie(memory, [resources + 8 * i for i in range(
                    memory.get(at + 8) & 0xff)], (1,), LOOK_SECONDS / 4)
            scene.check()
        scene.end()
