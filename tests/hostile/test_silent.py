"""Memory that never answers.

A page that a process has promised to bring (userfaultfd) blocks whoever reads
it, for ever: the samples of others go on, and the program ends when it is told
to.
"""
import contextlib
import os
import subprocess
import sys
import tempfile
import time

from support import bobbin, case, hostile, listing
from support.case import expect
from support.daemons import has

# A Python that takes a part of its memory away from itself: the table that all
# readers begin with, or its command line. It says so before it does, as it
# stands still from then on.
SILENT = '''import ctypes, os, struct, sys, time
kind, wait = sys.argv[2], float(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
V, Z, I = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
libc.mmap.restype = libc.mremap.restype = V
libc.mmap.argtypes = [V, Z, I, I, I, ctypes.c_long]
libc.mremap.argtypes = [V, Z, Z, I, V]
libc.madvise.argtypes = [V, Z, I]
libc.memmove.argtypes = [V, V, Z]
libc.ioctl.argtypes = [I, ctypes.c_ulong, V]
number = {"x86_64": 323, "aarch64": 282}[os.uname().machine]
fd = libc.syscall(number, os.O_CLOEXEC)
if fd < 0:
    print("no: userfaultfd: " + os.strerror(ctypes.get_errno()), flush=True)
    sys.exit()
api = ctypes.create_string_buffer(struct.pack("<QQQ", 0xaa, 0, 0))
assert libc.ioctl(fd, 0xc018aa3f, api) == 0, ctypes.get_errno()
page = os.sysconf("SC_PAGESIZE")
if kind == "arguments":
    fields = open("/proc/self/stat").read().rpartition(")")[2].split()
    first, last = int(fields[45]), int(fields[46])
else:
    first = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi,
                                                  "_PyRuntime"))
    last = first + 4096
at = first // page * page
n = (last - at + page - 1) // page * page
if kind != "arguments":
    # A copy that belongs to no file, in its place.
    copy = libc.mmap(None, n, 3, 0x22, -1, 0)
    libc.memmove(copy, at, n)
    assert libc.mremap(copy, n, n, 3, at) == at, ctypes.get_errno()
area = ctypes.create_string_buffer(struct.pack("<QQQQ", at, n, 1, 0))
if libc.ioctl(fd, 0xc020aa00, area) != 0:
    print("no: cannot register: " + os.strerror(ctypes.get_errno()),
          flush=True)
    sys.exit()
print("ready", flush=True)
time.sleep(wait)
libc.madvise(at, n, 4)
while True:
    time.sleep(0.01)
'''

ENV = hostile.SILENT_ENV


@contextlib.contextmanager
def silent(mark, kind, wait):
    child = subprocess.Popen([sys.executable, '-c', SILENT, mark, kind,
                              str(wait)], stdout=subprocess.PIPE)
    try:
        said = child.stdout.readline().decode().strip()
        if said.startswith('no: '):
            raise case.Skip(said[4:])
        expect(said == 'ready', 'it did not start')
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


@case.each(['wall', 'pause', 'native'])
def test_memory_while_it_is_sampled(how):
    options = [] if how == 'wall' else ['--' + how]
    with hostile.scene(*options, env=ENV) as scene:
        with silent(scene.mark, 'runtime', 3) as child:
            time.sleep(3.5)
            scene.check()
            told = scene.end()
        what = b'process %d: its memory or its files do not answer' % child.pid
        expect(told.count(what) == 1, '%s', told)


def test_memory_while_it_is_attached():
    with hostile.scene(env=ENV) as scene:
        with silent(scene.mark, 'runtime', 0):
            time.sleep(1.5)
            scene.check()
            scene.end()


def test_a_recording_of_it_alone_ends_when_it_is_told_to():
    """Nobody else waits, so it is not given up before."""
    path = os.path.join(case.scratch, 'out.rbt')
    with silent('alone', 'runtime', 2) as child, \
            tempfile.TemporaryFile() as log:
        record = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(child.pid), '-o', path],
            stderr=log, env=ENV)
        try:
            time.sleep(4)
            expect(record.poll() is None, 'it gave up')
            record.terminate()
            record.wait(bobbin.TIMEOUT)
        finally:
            record.kill()
            record.wait()
        log.seek(0)
        expect(b'samples in' in log.read(), 'no summary')
    runs = listing.parse(bobbin.run('dump', path).out)
    expect(listing.total(runs) > 20, '%d samples', listing.total(runs))


def test_a_recording_of_it_alone_tells_why_it_ends():
    """After 10 s it is given up. It has not ended, and there are no others."""
    path = os.path.join(case.scratch, 'out.rbt')
    with silent('alone', 'runtime', 2) as child:
        result = subprocess.run(
            [bobbin.PROGRAM, 'record', '-p', str(child.pid), '-o', path],
            stderr=subprocess.PIPE, env=ENV, timeout=bobbin.TIMEOUT)
        text = result.stderr
        expect(result.returncode == bobbin.OK, '%s', text)
        what = (b'process %d: its memory or its files do not answer; not '
                b'sampled after ' % child.pid)
        expect(text.count(what) == 1, '%s', text)
        expect(b'has ended' not in text and b'the others' not in text, '%s',
               text)
        expect(b'samples in' in text, 'no summary: %s', text)
    runs = listing.parse(bobbin.run('dump', path).out)
    expect(listing.total(runs) > 20, '%d samples', listing.total(runs))


def test_a_command_line():
    with hostile.scene(env=ENV) as scene:
        with silent(scene.mark, 'arguments', 0):
            time.sleep(1)
            scene.check()
            # Who comes later is found all the same.
            late = subprocess.Popen(
                [sys.executable, '-c', 'import time; time.sleep(60)',
                 scene.mark])
            try:
                scene.daemon.wait(has(late.pid), 'one that came later')
            finally:
                late.kill()
                late.wait()
            scene.end()


def test_several():
    with hostile.scene(env=ENV) as scene:
        with contextlib.ExitStack() as stack:
            for _ in range(4):
                stack.enter_context(silent(scene.mark, 'runtime', 2))
            stack.enter_context(silent(scene.mark, 'arguments', 2))
            time.sleep(3)
            scene.check()
            scene.end()
