"""Servers that samples are shipped to, and a proxy that spoils requests.

A server is a real one, started for one test in its directory, and killed by
its pid.
"""
import contextlib
import http.client
import http.server
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from support import case, clients
from support.case import Failure, expect

CONFIG = '''<yandex>
<logger><level>warning</level><log>log</log><errorlog>err</errorlog></logger>
<http_port>%d</http_port><tcp_port>%d</tcp_port>
<interserver_http_port>%d</interserver_http_port>
<listen_host>127.0.0.1</listen_host><path>./data/</path>
<tmp_path>./tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile>
<default_database>default</default_database>
<mark_cache_size>100000000</mark_cache_size>
</yandex>'''
USERS = '''<yandex><profiles><default/></profiles><users><default>
<password>%s</password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users>
<quotas><default/></quotas></yandex>'''


def recent():
    """A time that a server keeps: a quarter of an hour ago, at a full minute,
    in microseconds."""
    return (int(time.time()) // 60 - 15) * 60_000_000


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Server:
    """What both servers have: statements, and an end."""
    child = None
    password = ''

    def sql(self, text):
        """The rows of an answer, each a list of strings."""
        request = urllib.request.Request(
            'http://127.0.0.1:%d/' % self.port, text.encode(), {
                'X-ClickHouse-User': 'default',
                'X-ClickHouse-Key': self.password})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                out = answer.read().decode('utf-8', 'surrogateescape')
        except urllib.error.HTTPError as error:
            raise Failure('%s: %s' % (text[:100], error.read()[:300]))
        return [line.split('\t') for line in out.splitlines()]

    def number(self, text):
        return int(self.sql(text)[0][0])

    def url(self, base, port=None):
        return 'clickhouse://127.0.0.1:%d/%s' % (port or self.port, base)

    def kill(self):
        if self.child is not None:
            self.child.send_signal(signal.SIGKILL)
            self.child.wait()
            self.child = None


class ClickHouse(Server):
    """ClickHouse 18.16, as Debian 12 has it."""
    name = '18.16'

    def __init__(self, password=''):
        self.password = password
        (self.program,), self.env = clients.server(
            'clickhouse', '/usr/sbin/clickhouse-server')
        self.folder = os.path.join(case.scratch, 'clickhouse')
        os.makedirs(self.folder)
        self.port = free_port()
        case.write_file((CONFIG % (self.port, free_port(), free_port()))
                        .encode(), 'clickhouse/config.xml')
        case.write_file((USERS % password).encode(), 'clickhouse/users.xml')
        self.start()

    def start(self):
        with open(os.path.join(self.folder, 'out'), 'ab') as out:
            self.child = subprocess.Popen(
                [self.program, '--config-file=config.xml'], env=self.env,
                cwd=self.folder, stdout=out, stderr=out,
                stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.child.poll() is None:
            try:
                if self.sql('SELECT 1') == [['1']]:
                    return
            except OSError:
                time.sleep(0.1)
        raise Failure('ClickHouse does not answer; see ' + self.folder)


class Chdb(Server):
    """The engine of a current ClickHouse, behind our own HTTP."""
    name = 'chdb'

    def __init__(self):
        packages = clients.python_packages('chdb', 'chdb')['PYTHONPATH']
        self.child = subprocess.Popen(
            [sys.executable, os.path.join(os.path.dirname(__file__),
                                          'chdb_server.py'),
             packages, os.path.join(case.scratch, 'chdb')],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL)
        line = self.child.stdout.readline()
        expect(line, 'chdb does not start')
        self.port = int(line)


class Minio(Server):
    """Object storage, with a bucket `fleet`."""
    name = 'minio'

    def __init__(self):
        program = clients.command('minio', 'minio')
        self.port, console = free_port(), free_port()
        self.folder = os.path.join(case.scratch, 'minio')
        os.makedirs(os.path.join(self.folder, 'fleet'))
        self.login = case.write_file(
            b'default login bobbin password s3cret-of-minio', 'minio.login')
        os.chmod(self.login, 0o600)
        env = dict(os.environ, MINIO_ROOT_USER='bobbin', MINIO_UPDATE='off',
                   MINIO_ROOT_PASSWORD='s3cret-of-minio')
        with open(os.path.join(case.scratch, 'minio.log'), 'ab') as out:
            self.child = subprocess.Popen(
                [program, 'server', '--address', '127.0.0.1:%d' % self.port,
                 '--console-address', '127.0.0.1:%d' % console, self.folder],
                env=env, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while self.child.poll() is None:
            expect(time.monotonic() < deadline, 'minio does not answer')
            try:
                with urllib.request.urlopen(
                        'http://127.0.0.1:%d/minio/health/ready' % self.port):
                    return
            except OSError:
                time.sleep(0.1)
        raise Failure('minio has ended')

    def url(self, base, port=None):
        return 's3+http://127.0.0.1:%d/%s' % (port or self.port, base)

    def get(self, path):
        """An object, fetched by curl."""
        done = subprocess.run(
            ['curl', '-sf', '--aws-sigv4', 'aws:amz:us-east-1:s3', '-u',
             'bobbin:s3cret-of-minio',
             'http://127.0.0.1:%d/%s' % (self.port, path)],
            capture_output=True, check=False)
        return done.stdout if done.returncode == 0 else None


SERVERS = {'18.16': ClickHouse, 'chdb': Chdb}


@contextlib.contextmanager
def server(name, **options):
    s = Minio() if name == 'minio' else SERVERS[name](**options)
    try:
        yield s
    finally:
        s.kill()


# --- a proxy that spoils requests ----------------------------------------------

# Before the server sees anything of it, and after it has done its work.
FAULTS = ('422', '429', '500', 'garbage', 'empty', 'nothing', 'cut',
          'done-nothing', 'done-500', 'done-garbage', 'done-cut')


class Proxy(http.server.ThreadingHTTPServer):
    """Passes requests on.  `fault(path)` says how to spoil one, or None."""
    daemon_threads = True

    def __init__(self, port, fault):
        super().__init__(('127.0.0.1', 0), ProxyHandler)
        self.target, self.fault = port, fault
        self.spoiled = []
        self.n_busy = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # the client was killed

    def busy(self, n):
        with self.lock:
            self.n_busy += n

    def settle(self):
        """Waits until no request is on its way to the server."""
        deadline = time.monotonic() + 60
        while self.n_busy > 0:
            expect(time.monotonic() < deadline, 'a request does not end')
            time.sleep(0.01)


class ProxyHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        fault = self.server.fault(self.path)
        length = int(self.headers.get('Content-Length', 0))
        if fault:
            self.server.spoiled.append(fault)
        if fault == 'cut':  # in the middle of the request
            self.rfile.read(length // 2)
            return self.drop()
        body = self.rfile.read(length)
        if fault is None or fault.startswith('done-'):
            self.server.busy(1)
            try:
                answer = self.forward(body)
            finally:
                self.server.busy(-1)
            fault = fault and fault[len('done-'):]
            if fault is None:
                return self.answer(*answer)
        if fault in ('nothing', 'cut'):
            return self.drop()
        if fault == 'garbage':
            return self.answer(200, [], b'\x1b[2J<html>\0' + bytes(range(256)))
        if fault == 'empty':
            return self.answer(200, [], b'')
        extra = [('Retry-After', '0')] if fault == '429' else []
        return self.answer(int(fault), extra, b'resource_exhausted')

    do_PUT = do_HEAD = do_GET = do_POST

    def forward(self, body):
        """The headers too, which may be signed, with the name of the host."""
        c = http.client.HTTPConnection('127.0.0.1', self.server.target,
                                       timeout=60)
        keep = {k: v for k, v in self.headers.items()
                if k.lower() not in ('connection', 'expect')}
        c.request(self.command, self.path, body, keep)
        r = c.getresponse()
        data = r.read()
        head = [(k, v) for k, v in r.getheaders()
                if k.lower().startswith(('x-clickhouse', 'x-amz')) or
                (self.command == 'HEAD' and k.lower() == 'content-length')]
        c.close()
        return r.status, head, data

    def answer(self, status, head, data):
        self.send_response(status)
        for key, value in head:
            self.send_header(key, value)
        if self.command != 'HEAD':
            self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(data)

    def drop(self):
        """Ends the connection without an answer."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def proxy(port, fault):
    p = Proxy(port, fault)
    try:
        yield p
    finally:
        p.shutdown()
        p.server_close()


def seeded_faults(seed, share=0.4):
    """Spoils a share of the requests, each time the same for a seed."""
    dice = random.Random(seed)
    lock = threading.Lock()

    def fault(path):
        with lock:
            return dice.choice(FAULTS) if dice.random() < share else None
    return fault
