"""Processes that change while they are looked at: that end, run another
program, change their user, become zombies, leave their memory to others."""
import os
import subprocess
import sys
import time

from support import case, hostile, pythons, targets
from support.case import expect
from support.daemons import daemon

# Each has the mark as its last argument, and starts others with it.
ENDS = '''import os, sys, time
while True:
    pid = os.fork()
    if pid == 0:
        time.sleep(int.from_bytes(os.urandom(1), "big") / 4000)
        os._exit(0)
    if os.urandom(1)[0] < 128:
        os.waitpid(pid, 0)
    else:
        time.sleep(0.01)
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    break
            except ChildProcessError:
                break
'''

EXECS = '''import os, sys, time
time.sleep(int.from_bytes(os.urandom(1), "big") / 2000)
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1], sys.argv[1],
                          sys.argv[2]])
'''

ZOMBIES = '''import os, time
for _ in range(200):
    if os.fork() == 0:
        os._exit(0)
time.sleep(1000)
'''

# The main thread ends; another one stays.
HEADLESS = '''import ctypes, threading, time
def stay():
    while True:
        time.sleep(0.01)
threading.Thread(target=stay).start()
time.sleep(0.5)
ctypes.CDLL(None).pthread_exit(None)
'''

UNDUMPABLE = '''import ctypes, time
libc = ctypes.CDLL(None)
while True:
    libc.prctl(4, 0, 0, 0, 0)
    time.sleep(0.02)
    libc.prctl(4, 1, 0, 0, 0)
    time.sleep(0.02)
'''

USERS = '''import os, time
for n in range(200):
    if os.fork() == 0:
        time.sleep(0.02 * (n % 20))
        os.setgid(12345)
        os.setuid(12345)
        time.sleep(1000)
time.sleep(1000)
'''


def check(argv, *options):
    with hostile.scene(*options) as scene:
        child = subprocess.Popen([*argv, scene.mark], start_new_session=True,
                                 stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        try:
            scene.check()
        finally:
            os.killpg(child.pid, 9)
            child.wait()
        scene.end()


@case.each([('ends', [ENDS]), ('becomes', [EXECS, EXECS]),
            ('zombies', [ZOMBIES]), ('headless', [HEADLESS]),
            ('undumpable', [UNDUMPABLE])])
def test_others_go_on(item):
    check([sys.executable, '-c', *item[1]])


@case.each([('ends', [ENDS]), ('becomes', [EXECS, EXECS])])
def test_others_go_on_with_native_frames(item):
    check([sys.executable, '-c', *item[1]], '--native')


def test_others_go_on_when_users_change():
    if os.geteuid() != 0:
        raise case.Skip('not root: the user cannot be changed')
    check([sys.executable, '-c', USERS])


def python():
    name = pythons.find()[-1]
    if name.startswith('none'):
        raise case.Skip('no Python was found')
    return name.split()[1]


# A child that shares the memory, and is no thread, lives on when the process
# has ended.
HEIR = '''import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
FN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
print("ready", flush=True)
time.sleep(float(sys.argv[1]))
stack = ctypes.create_string_buffer(1 << 16)
top = ctypes.cast(ctypes.addressof(stack) + (1 << 16) - 64, ctypes.c_void_p)
pause = ctypes.cast(libc.pause, ctypes.c_void_p)
libc.clone.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int,
                       ctypes.c_void_p]
# CLONE_VM | SIGCHLD
heir = libc.clone(pause, top, 0x100 | 17, None)
os.write(1, b"%d\\n" % heir)
libc._exit(0)
'''


def test_memory_that_outlives_its_process_is_not_the_process():
    """Its number may be used again, and whoever has it then is to be
    sampled."""
    mark = 'heir-%d' % time.monotonic_ns()
    child = subprocess.Popen([python(), '-c', HEIR, '3', mark],
                             stdout=subprocess.PIPE)
    heir = 0
    try:
        child.stdout.readline()
        targets.need_permission(child.pid)
        with daemon(mark, '-r', '100') as d:
            d.wait(lambda s: any(w['pid'] == child.pid
                                 for w in s['workers']), 'the process')
            heir = int(child.stdout.readline())
            child.wait()
            expect(os.path.exists('/proc/%d' % heir), 'no heir')
            d.wait(lambda s: all(w['pid'] != child.pid
                                 for w in s['workers']),
                   'the end of the process')
            d.end()
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        if heir:
            os.kill(heir, 9)


def test_program_that_unmaps_its_file_is_not_taken_for_another():
    """That an address is not there any more is no end."""
    script = ('import ctypes, sys, time\n'
              'print("ready", flush=True)\n'
              'time.sleep(2)\n'
              'libc = ctypes.CDLL(None)\n'
              'with open("/proc/self/maps") as f:\n'
              '    at, end = (int(x, 16) for x in\n'
              '               f.readline().split()[0].split("-"))\n'
              'libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]\n'
              'libc.munmap(at, 4096)\n'
              'while True: time.sleep(0.01)\n')
    mark = 'unmaps-%d' % time.monotonic_ns()
    # With all symbols looked up, nobody needs the head of the program.
    with targets.crowd([['env', 'LD_BIND_NOW=1', python(), '-c', script,
                         mark]]) as (child,):
        targets.need_permission(child.pid)
        with daemon(mark, '-r', '100') as d:
            d.wait(lambda s: s['samples'] > 100, 'samples')
            time.sleep(3)
            expect(child.poll() is None, 'it has ended itself')
            before = d.status()
            time.sleep(1)
            after = d.status()
            expect(len(after['workers']) == 1 and
                   after['samples'] > before['samples'] + 50, '%r %r', before,
                   after)
            expect(after['files'] == 1, 'it was attached again: %r', after)
            d.end()
