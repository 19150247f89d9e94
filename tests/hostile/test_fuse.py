"""Files of a file system that does not answer any more.

A library or a map of code of a process is on such a one: the others go on, who
asks is answered, and the program ends when it is told to.
"""
import contextlib
import os
import platform
import subprocess
import sys
import time

from support import case, elves, fuse, hostile
from support.case import expect
from support.daemons import has

# What it takes to give a file up.
SILENT_SECONDS = 5

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
