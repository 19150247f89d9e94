"""A file system of one folder that stops answering, by /dev/fuse alone.

    with fuse.mounted({'lib.so': content}) as fs:
        ... os.path.join(fs.path, 'lib.so') can be mapped and run ...
        fs.stop()      # from here on no request is answered
        fs.go_on()     # and those that wait are answered now

`stop(takes=True)` takes requests and does not answer them; the kernel lets
nobody end who waits for such an answer, whatever the signal. Otherwise requests
stay with the kernel, and SIGKILL ends who waits.

A server is a process of its own: who runs the test may open the files, too.
With `owner` the mount is that of an ordinary user: without `allow_other`, which
his administrator would have to grant.
"""
import contextlib
import ctypes
import os
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

from support import case
from support.case import expect

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, OPENDIR, \
    READDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = \
    1, 2, 3, 14, 15, 17, 18, 25, 26, 27, 28, 29, 36, 42
ENOENT, ENOSYS = 2, 38
MNT_DETACH = 2
HEAD = struct.Struct('<IIQQIIII')


class Server:
    def __init__(self, fd, files):
        self.fd, self.waiting = fd, []
        self.names = sorted(files)
        self.content = [files[name] for name in self.names]
        self.is_stopped = self.takes = False

    def attributes(self, node):
        size = len(self.content[node - 2]) if node > 1 else 0
        mode = stat.S_IFDIR | 0o755 if node == 1 else stat.S_IFREG | 0o755
        return struct.pack('<QQQQQQIIIIIIIIII', node, size, size // 512 + 1,
                           0, 0, 0, 0, 0, 0, mode, 1, os.getuid(),
                           os.getgid(), 0, 4096, 0)

    def answer_of(self, op, node, rest):
        """The body, or an errno."""
        if op == INIT:
            return struct.pack('<IIIIHHIIHHIIII', 7, 31, 65536, 0, 8, 4,
                               65536, 1, 0, 0, 0, 0, 0, 0)[:64].ljust(64,
                                                                      b'\0')
        if op == LOOKUP:
            name = rest.split(b'\0')[0].decode()
            if name not in self.names:
                return ENOENT
            node = 2 + self.names.index(name)
            # Nothing is kept for later: each look is a request.
            return struct.pack('<QQQQII', node, 0, 0, 0, 0,
                               0) + self.attributes(node)
        if op == GETATTR:
            return struct.pack('<QII', 0, 0, 0) + self.attributes(node)
        if op in (OPEN, OPENDIR):
            return struct.pack('<QII', 0, 0, 0)
        if op == READ:
            offset, size = struct.unpack_from('<QI', rest, 8)
            return self.content[node - 2][offset:offset + size]
        if op == STATFS:
            return b'\0' * 80
        if op in (RELEASE, RELEASEDIR, FLUSH, READDIR):
            return b''
        return ENOSYS

    def answer(self, request):
        _, op, unique, node, *_ = HEAD.unpack_from(request)
        if op in (FORGET, BATCH_FORGET, INTERRUPT):
            return
        body = self.answer_of(op, node, request[HEAD.size:])
        error = -body if isinstance(body, int) else 0
        body = b'' if error else body
        with contextlib.suppress(OSError): # who asked may be gone
            os.write(self.fd, struct.pack('<IiQ', 16 + len(body), error,
                                          unique) + body)

    def change(self, number, _):
        self.is_stopped = number != signal.SIGUSR2
        self.takes = number == signal.SIGHUP
        for request in [] if self.is_stopped else self.waiting:
            self.answer(request)
        if not self.is_stopped:
            self.waiting = []
        print('ok', flush=True)

    def run(self):
        while True:
            if self.is_stopped and not self.takes:
                time.sleep(0.01)
                continue
            try:
                request = os.read(self.fd, 1 << 20)
            except BlockingIOError:
                time.sleep(0.001)
                continue
            if self.is_stopped:
                self.waiting.append(request)
            else:
                self.answer(request)


def main(path, fd, folder):
    """In the process of the server."""
    files = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), 'rb') as file:
            files[name] = file.read()
    os.set_blocking(fd, False)
    server = Server(fd, files)
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
        signal.signal(number, server.change)
    print('ok', flush=True)
    server.run()


class Mounted:
    def __init__(self, path, child):
        self.path, self.child = path, child

    def _tell(self, number):
        self.child.send_signal(number)
        expect(self.child.stdout.readline() == b'ok\n', 'no server')

    def stop(self, takes=False):
        self._tell(signal.SIGHUP if takes else signal.SIGUSR1)

    def go_on(self):
        self._tell(signal.SIGUSR2)


def _mount(fd, path, owner):
    libc = ctypes.CDLL(None, use_errno=True)
    options = b'fd=%d,rootmode=40000,user_id=%d,group_id=%d' % (
        (fd, os.getuid(), os.getgid()) if owner is None else
        (fd, owner, owner))
    if owner is None:
        options += b',allow_other'
    if libc.mount(b'test', path.encode(), b'fuse', 6, options) != 0:
        raise case.Skip('mount: ' + os.strerror(ctypes.get_errno()))


@contextlib.contextmanager
def mounted(files, owner=None):
    """A folder with these files, as long as it is used."""
    try:
        fd = os.open('/dev/fuse', os.O_RDWR)
    except OSError as e:
        raise case.Skip('/dev/fuse: ' + e.strerror)
    with tempfile.TemporaryDirectory() as at:
        path, source = os.path.join(at, 'fs'), os.path.join(at, 'source')
        os.mkdir(path)
        os.mkdir(source)
        if owner is not None:
            os.chmod(at, 0o755)
        for name, content in files.items():
            with open(os.path.join(source, name), 'wb') as file:
                file.write(content)
        try:
            _mount(fd, path, owner)
            child = subprocess.Popen(
                [sys.executable, '-c', 'import sys; sys.path.insert(0, %r)\n'
                 'from support import fuse; fuse.main(*%r)' %
                 (os.path.dirname(os.path.dirname(__file__)),
                  (path, fd, source))],
                stdout=subprocess.PIPE, pass_fds=[fd])
        finally:
            os.close(fd)
        try:
            expect(child.stdout.readline() == b'ok\n', 'no server')
            yield Mounted(path, child)
        finally:
            # Who waits gets an error when nobody has the descriptor any more.
            child.kill()
            child.wait()
            child.stdout.close()
            ctypes.CDLL(None).umount2(path.encode(), MNT_DETACH)
