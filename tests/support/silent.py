"""A process whose memory does not answer: it has promised to bring pages
(userfaultfd), and does not. Who reads them waits for ever."""
import contextlib
import subprocess
import sys

from support import case
from support.case import expect

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
