"""A pool of php-fpm, and a client that keeps it busy."""
import contextlib
import os
import shutil
import socket
import struct
import subprocess
import threading
import time

from support import case, clients

BEGIN, PARAMS, STDIN, END = 1, 4, 5, 3


def _program():
    """And its environment."""
    path = shutil.which('php-fpm')
    if path:
        return path, dict(os.environ)
    (path,), env = clients.server('fpm', '/usr/sbin/php-fpm*')
    return path, env


def _record(kind, data):
    return struct.pack('>BBHHBB', 1, kind, 1, len(data), 0, 0) + data


def _params(values):
    out = b''
    for key, value in values.items():
        key, value = key.encode(), value.encode()
        for part in (key, value):
            out += struct.pack('>I', len(part) | 1 << 31)
        out += key + value
    return out


def ask(path, script, uri):
    """One request; returns when it has been answered."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(_record(BEGIN, struct.pack('>HB5x', 1, 0)) + _record(
            PARAMS, _params({
                'REQUEST_METHOD': 'GET', 'SCRIPT_FILENAME': script,
                'SCRIPT_NAME': '/index.php', 'REQUEST_URI': uri,
                'QUERY_STRING': uri.partition('?')[2],
                'HTTP_COOKIE': 'session=secret'})) +
                  _record(PARAMS, b'') + _record(STDIN, b''))
        while s.recv(65536):
            pass


class Pool:
    def __init__(self, child, path):
        self.child, self.path = child, path

    def workers(self):
        with open('/proc/%d/task/%d/children' % (self.child.pid,
                                                 self.child.pid)) as file:
            return file.read().split()

    @contextlib.contextmanager
    def busy(self, requests):
        """Asks (script, uri) in turn from as many clients as there are
        workers, until the block is left."""
        with load(lambda i: ask(self.path, *requests(i)),
                  len(self.workers())):
            yield


@contextlib.contextmanager
def load(ask_one, clients):
    """Asks all the time from so many threads, until the block is left."""
    stop = threading.Event()

    def client(i):
        while not stop.is_set():
            # A worker that is killed answers nothing.
            with contextlib.suppress(ConnectionError):
                ask_one(i)
            i += 1
    threads = [threading.Thread(target=client, args=(i * 1000,))
               for i in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@contextlib.contextmanager
def pool(workers, *ini, name='www'):
    """A pool of so many workers; their command line has its name."""
    path = os.path.join(case.scratch, 'fpm.sock')
    user = ''
    if os.getuid() == 0:
        user = 'user = nobody\ngroup = nogroup\nlisten.mode = 0666\n'
    conf = case.write_file((
        '[global]\nerror_log = %s/fpm.log\ndaemonize = no\n[%s]\n'
        'listen = %s\npm = static\npm.max_children = %d\n%s' %
        (case.scratch, name, path, workers, user)).encode(), 'fpm.conf')
    program, env = _program()
    child = subprocess.Popen(
        [program, '-n', '-y', conf] + ['-d' + line for line in ini], env=env,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        result = Pool(child, path)
        for _ in range(1000):
            if os.path.exists(path) and len(result.workers()) == workers:
                break
            case.expect(child.poll() is None, 'php-fpm did not start')
            time.sleep(0.01)
        yield result
    finally:
        child.terminate()
        child.wait()
