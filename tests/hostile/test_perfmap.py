"""/tmp/perf-PID.map, which the process itself writes."""
import contextlib
import os
import platform
import subprocess
import sys

from support import case, elves, hostile
from support.case import expect

# Code without a file, which is what a map is asked about. What is behind the
# code writes the map, or makes it something else.
RUN = '''import ctypes, mmap, os, sys, threading, time
path = "/tmp/perf-%d.map" % os.getpid()
code = bytes.fromhex(sys.argv[2])
m = mmap.mmap(-1, 4096, prot=7)
m.write(code)
at = ctypes.addressof(ctypes.c_char.from_buffer(m))
def endless():
    with open(path, "w") as f:
        n = 0
        while True:
            f.write("".join("%x 10 f%d\\\\n" % (at + 64 * k, k)
                            for k in range(n, n + 4000)))
            n += 4000
            if n > 3000000:
                f.truncate(0)
                f.seek(0)
                n = 0
            time.sleep(0.001)
def long_lines():
    with open(path, "w") as f:
        f.write("%x 10 " % at + "y" * (60 << 20))
def long_names():
    with open(path, "w") as f:
        for k in range(110000):
            f.write("%x 10 %s\\\\n" % (k, "y" * 590))
def many():
    with open(path, "w") as f:
        for k in range(3000000):
            f.write("%x 10 a\\\\n" % (at + 4096 * (k % 7) - k))
def fifo():
    os.mkfifo(path)
def link():
    os.symlink("/dev/zero", path)
def anew():
    while True:
        with open(path, "w") as f:
            for k in range(60000):
                f.write("%x 10 b%d\\\\n" % (at + k, k))
kind = globals()[sys.argv[3]]
if sys.argv[3] in ("endless", "anew"):
    threading.Thread(target=kind, daemon=True).start()
else:
    kind()
print("ready", flush=True)
ctypes.CFUNCTYPE(None)(at)()
'''.replace('\\\\n', '\\n')

KINDS = ('endless', 'long_lines', 'long_names', 'many', 'fifo', 'link',
         'anew')


@contextlib.contextmanager
def maps(mark, kind):
    code = elves.LOOP[platform.machine()].hex()
    child = subprocess.Popen([sys.executable, '-c', RUN, mark, code, kind],
                             stdout=subprocess.PIPE)
    try:
        expect(child.stdout.readline() == b'ready\n', 'it did not start')
        yield
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink('/tmp/perf-%d.map' % child.pid)


@case.each(KINDS)
def test_map(kind):
    if platform.machine() not in elves.LOOP:
        raise case.Skip('no machine code for this machine')
    with hostile.scene('--native') as scene:
        with maps(scene.mark, kind):
            scene.check(seconds=3, most=hostile.MEMORY + (192 << 20))
            scene.end()
