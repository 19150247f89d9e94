"""Requests as `analyze --requests` tells them, against what they say about
themselves: how many there were, and how long they took."""
import contextlib
import os
import subprocess
import time

from support import apache, bobbin, fpm, load, phps, requests
from support.case import each, expect

SCRIPTS = os.path.join(bobbin.ROOT, 'tests', 'truth', 'php')
ROUTE, PLAIN = (os.path.join(SCRIPTS, name + '.php')
                for name in ('route', 'plain'))


@each(['idle', 'busy'])
def test_a_pool_of_fpm(kind):
    with fpm.pool(6) as pool, load.on(kind), requests.Load(
            lambda uri: fpm.ask(pool.path, ROUTE, uri), 6) as asked:
        recording = requests.Recording(pool.workers())
    requests.check(recording, asked.requests())


def test_scripts_that_never_ask_for_the_time():
    """All routes are one, whose requests differ by the server's counter
    alone."""
    with fpm.pool(3) as pool, requests.Load(
            lambda uri: fpm.ask(pool.path, PLAIN, uri), 3) as asked:
        recording = requests.Recording(pool.workers())
    rows = recording.routes()
    expect(set(rows) == {'/index.php'}, 'routes %s', sorted(rows))
    requests.Judge(recording, asked.requests()).count(rows['/index.php'])


@contextlib.contextmanager
def command_line_server(script):
    names = phps.find()
    port = apache._free_port()
    child = subprocess.Popen(
        [phps.program(names[-1]), '-n', '-S', '127.0.0.1:%d' % port, script],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        server = apache.Server(child, port)
        for _ in range(500):
            expect(child.poll() is None, 'php -S did not start')
            with contextlib.suppress(ConnectionError):
                server.ask('/?n=0&ms=0&log=/dev/null')
                break
            time.sleep(0.02)
        yield server
    finally:
        child.terminate()
        child.wait()


@each(['idle', 'busy'])
def test_the_server_of_the_command_line(kind):
    with command_line_server(ROUTE) as server, load.on(kind), requests.Load(
            server.ask, 1) as asked:
        recording = requests.Recording([server.child.pid])
    requests.check(recording, asked.requests())


@each(['idle', 'busy'])
def test_apache(kind):
    with apache.server(4, ROUTE) as server, load.on(kind), requests.Load(
            server.ask, 4) as asked:
        recording = requests.Recording(server.workers())
    requests.check(recording, asked.requests())
