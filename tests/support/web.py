"""What servers of tests have in common: a port, a client, and waiting until they
answer."""
import contextlib
import socket
import time

from support import case, fpm

# A request that the scripts of tests/truth answer at once, without a log.
QUICK = '/?n=0&ms=0&log=/dev/null'


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, child, port):
        self.child, self.port = child, port

    def workers(self):
        with open('/proc/%d/task/%d/children' % (self.child.pid,
                                                 self.child.pid)) as file:
            return file.read().split()

    def ask(self, uri):
        with socket.create_connection(('127.0.0.1', self.port)) as s:
            s.sendall(b'GET %s HTTP/1.0\r\nCookie: session=secret\r\n\r\n' %
                      uri.encode())
            answer = b''
            while True:
                part = s.recv(65536)
                if not part:
                    return answer
                answer += part

    def busy(self, uri_of, clients):
        """Asks all the time, until the block is left."""
        return fpm.load(lambda i: self.ask(uri_of(i)), clients)


@contextlib.contextmanager
def answering(child, port, name, uri=QUICK, workers=None):
    """A process as a server, once it has answered and has so many workers. It
    ends with the block."""
    try:
        result = Server(child, port)
        for _ in range(1000):
            case.expect(child.poll() is None, '%s did not start', name)
            with contextlib.suppress(OSError):
                result.ask(uri)
                if workers in (None, len(result.workers())):
                    break
            time.sleep(0.02)
        yield result
    finally:
        child.terminate()
        child.wait()
