"""Files of a file system that does not answer any more.

A library, a map of code or the program of a process is on such a one, or memory
that is mapped from it: the others go on, who asks is answered, and the program
ends when it is told to.

Any user may mount a file system of his own (fusermount). The kernel lets nobody
else open its files, root neither, unless it was mounted with `allow_other`. But
it reads memory that is mapped from it for everybody who may read memory.
"""
import contextlib
import os
import platform
import subprocess
import sys
import time

from support import bobbin, case, elves, fuse, hostile
from support.case import expect
from support.daemons import daemon, has

# What it takes to give a file up.
SILENT_SECONDS = 5

NOBODY = 65534

# A Python that lies, when it gets a line, on a file that it has opened before:
# what all readers of its memory begin with is the file's. It never touches that
# itself: the request is that of whoever reads it first.
MEMORY = '''import ctypes, mmap, os, sys
V, Z, I = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
code = mmap.mmap(-1, mmap.PAGESIZE, prot=7)
code.write(bytes.fromhex(sys.argv[3]))
lie = ctypes.CFUNCTYPE(V, V, Z, I, I, I, ctypes.c_long)(
    ctypes.addressof(ctypes.c_char.from_buffer(code)))
page = os.sysconf("SC_PAGESIZE")
at = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
fd = os.open(sys.argv[2], os.O_RDONLY)
print("ready", flush=True)
sys.stdin.readline()
lie(at // page * page, 2 * page, 3, 0x12, fd, 0)
'''
# mmap() with these arguments, and then nothing any more.
LIE = {'x86_64': '4989ca b809000000 0f05 b822000000 0f05 ebf7',
       'aarch64': 'c81b80d2 010000d4 00000014'}

# Each line is one more process of this program.
FORKS = '''import os, sys, time
print("ready", flush=True)
first = os.getpid()
for line in sys.stdin:
    if os.fork() == 0:
        while os.getppid() == first:
            time.sleep(0.01)
        os._exit(0)
'''

# Code without a file, in a process whose /tmp is the file system.
MAPPED = '''import ctypes, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x20000) != 0 or \\
        libc.mount(b"none", b"/", None, 0x44000, None) != 0 or \\
        libc.mount(sys.argv[2].encode(), b"/tmp", None, 0x1000, None) != 0:
    print("no: mount: " + os.strerror(ctypes.get_errno()), flush=True)
    sys.exit()
code = bytes.fromhex(sys.argv[3])
m = mmap.mmap(-1, 4096, prot=7)
m.write(code)
at = ctypes.addressof(ctypes.c_char.from_buffer(m))
print("ready", flush=True)
sys.stdin.readline()
ctypes.CFUNCTYPE(None)(at)()
'''


def need_code():
    if platform.machine() not in elves.LOOP:
        raise case.Skip('no machine code for this machine')


def library():
    path = os.path.join(case.scratch, 'lib.so')
    file = elves.Elf()
    names = file.section('.strtab', elves.STRTAB, b'\0loop\0')
    file.section('.symtab', elves.SYMTAB, elves.symbols(1), link=names)
    file.write(path)
    with open(path, 'rb') as file:
        return file.read()


def run_after_stop(scene, fs, takes):
    """One that runs a file which does not answer any more. It is attached
    before, so that its file is read while it is sampled."""
    child = scene.enter(elves.waits(scene.mark,
                                    os.path.join(fs.path, 'lib.so')))
    scene.daemon.wait(has(child.pid), 'the one with the library')
    fs.stop(takes)
    child.stdin.close()
    return child


@contextlib.contextmanager
def stuck(takes=False):
    need_code()
    with fuse.mounted({'lib.so': library()}) as fs, \
            contextlib.ExitStack() as stack:
        scene = stack.enter_context(
            hostile.scene('--native', env=hostile.SILENT_ENV))
        scene.enter = stack.enter_context
        child = run_after_stop(scene, fs, takes)
        # A process with an open file asks the server when it ends.
        stack.callback(fs.go_on)
        yield scene, fs, child


def lost_loading(pid):
    return lambda status: any(
        w['pid'] == pid and w['lost_by'].get('loading', 0) > 0
        for w in status['workers'])


def goes_on(pid, samples):
    return lambda status: any(w['pid'] == pid and w['samples'] > samples + 20
                              for w in status['workers'])


def test_library_while_it_is_waited_for():
    with stuck() as (scene, _, child):
        scene.daemon.wait(lost_loading(child.pid), 'losses')
        scene.check()
        scene.end()


def test_library_that_is_given_up():
    """Then the process is sampled without its names, which is told once."""
    with stuck() as (scene, _, child):
        status = scene.daemon.wait(lost_loading(child.pid), 'losses')
        worker, = [w for w in status['workers'] if w['pid'] == child.pid]
        time.sleep(SILENT_SECONDS)
        scene.daemon.wait(goes_on(child.pid, worker['samples']),
                          'samples without names')
        scene.check()
        told = scene.end()
    expect(told.count(b'lib.so: no symbols, because its file does not '
                      b'answer') == 1, '%s', told)


def test_library_whose_requests_were_taken():
    """Nothing ends a thread whose request the server has taken, so the end is
    asked for when it is answered."""
    with stuck(takes=True) as (scene, fs, child):
        scene.daemon.wait(lost_loading(child.pid), 'losses')
        scene.check(seconds=SILENT_SECONDS)
        fs.go_on()
        scene.check()
        scene.end()


def test_map_of_code():
    need_code()
    code = elves.LOOP[platform.machine()].hex()
    with fuse.mounted({'x': b''}) as fs, \
            hostile.scene('--native', env=hostile.SILENT_ENV) as scene:
        child = subprocess.Popen(
            [sys.executable, '-c', MAPPED, scene.mark, fs.path, code],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            said = child.stdout.readline().decode().strip()
            if said.startswith('no: '):
                raise case.Skip(said[4:])
            expect(said == 'ready', 'it did not start')
            scene.daemon.wait(has(child.pid), 'the one with the map')
            fs.stop()
            child.stdin.close()
            scene.daemon.wait(lost_loading(child.pid), 'losses')
            scene.check()
            scene.end()
        finally:
            fs.go_on()
            child.kill()
            child.wait()
            child.stdin.close()
            child.stdout.close()


@contextlib.contextmanager
def started(argv, user=None):
    """A process that has said that it is ready."""
    if user is not None and os.geteuid() != 0:
        raise case.Skip('only root can be two users')
    how = {} if user is None else dict(user=user, group=user,
                                       extra_groups=())
    child = subprocess.Popen(argv, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, **how)
    try:
        expect(child.stdout.readline() == b'ready\n', 'it did not start')
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()


def own_python():
    """That of the distribution: everybody may run it."""
    path = os.path.realpath('/usr/bin/python3')
    if not os.path.exists(path):
        raise case.Skip('no Python of the distribution')
    return path


def tell(child):
    child.stdin.write(b'\n')
    child.stdin.flush()


def liar(mark, fs):
    need_code()
    return [own_python(), '-c', MEMORY, mark, os.path.join(fs.path, 'memory'),
            LIE[platform.machine()]]


def test_library_of_a_user():
    """Nobody waits for it: root may not open it."""
    need_code()
    own_python()
    with fuse.mounted({'lib.so': library()}, owner=NOBODY) as fs, \
            hostile.scene('--native', env=hostile.SILENT_ENV) as scene, \
            elves.waits(scene.mark, os.path.join(fs.path, 'lib.so'),
                        user=NOBODY) as child, \
            contextlib.ExitStack() as stack:
        stack.callback(fs.go_on)
        scene.daemon.wait(has(child.pid), 'the one with the library')
        fs.stop(takes=True)
        child.stdin.close()
        scene.daemon.wait(goes_on(child.pid, 0), 'samples without names')
        scene.check()
        scene.end()


def test_memory_of_a_user():
    """The kernel does not ask who reads memory, and lets no thread end that
    waits for the server: the end comes with its answer."""
    with fuse.mounted({'memory': bytes(1 << 16)}, owner=NOBODY) as fs, \
            hostile.scene(env=hostile.SILENT_ENV) as scene, \
            started(liar(scene.mark, fs), NOBODY) as child, \
            contextlib.ExitStack() as stack:
        stack.callback(fs.go_on)
        scene.daemon.wait(has(child.pid), 'the one with the memory')
        fs.stop(takes=True)
        tell(child)
        scene.check(seconds=SILENT_SECONDS)
        fs.go_on()
        scene.end()


def test_another_daemon_takes_the_directory():
    """One that waits for a server cannot end, but it has written its files and
    left its socket."""
    with fuse.mounted({'memory': bytes(1 << 16)}, owner=NOBODY) as fs, \
            hostile.scene(env=hostile.SILENT_ENV) as scene, \
            started(liar(scene.mark, fs), NOBODY) as child, \
            contextlib.ExitStack() as stack:
        stack.callback(fs.go_on)
        scene.daemon.wait(has(child.pid), 'the one with the memory')
        fs.stop(takes=True)
        tell(child)
        scene.check(seconds=SILENT_SECONDS)
        scene.daemon.child.terminate()
        scene.daemon.wait_told(b' samples taken, ')
        files = {path: case.read_file(path) for path in scene.daemon.files()}
        expect(len(files) == 3, '%d files', len(files))
        for path in files:
            bobbin.run('verify', path)
        with daemon(scene.mark, folder=scene.daemon.folder,
                    env=hostile.SILENT_ENV) as other:
            other.wait(has(*scene.pids), 'the others')
            expect(scene.daemon.child.poll() is None, 'nothing was waited for')
            fs.go_on()
            other.end()
        scene.end()
        for path, content in files.items():
            expect(case.read_file(path) == content, '%s has changed', path)


def test_program():
    """One more process of a program whose file does not answer."""
    with open(own_python(), 'rb') as file:
        content = file.read()
    with fuse.mounted({'python3': content}) as fs, \
            hostile.scene(env=hostile.SILENT_ENV) as scene, \
            contextlib.ExitStack() as stack:
        child = stack.enter_context(started(
            [os.path.join(fs.path, 'python3'), '-c', FORKS, scene.mark]))
        stack.callback(fs.go_on)
        scene.daemon.wait(has(child.pid), 'the first process')
        fs.stop(takes=True)
        tell(child)
        scene.check(seconds=SILENT_SECONDS)
        fs.go_on()
        scene.daemon.wait(lambda status: any(
            w['pid'] not in scene.pids + [child.pid]
            for w in status['workers']), 'the second process')
        scene.check()
        scene.end()
