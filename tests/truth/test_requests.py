"""Requests as `analyze --requests` tells them, against what they say about
themselves: how many there were, and how long they took."""
import os
import sys

from support import (apache, bobbin, fpm, frankenphp, gunicorn, load, phps,
                     pythons, requests, uvicorn, uwsgi)
from support.case import each, expect
from support.daemons import metadata

SCRIPTS = os.path.join(bobbin.ROOT, 'tests', 'truth', 'php')
ROUTE, PLAIN, WORKER = (os.path.join(SCRIPTS, name + '.php')
                        for name in ('route', 'plain', 'worker'))
APP, BITS, ASGI = (
    os.path.join(bobbin.ROOT, 'tests', 'truth', 'python', name + '.py')
    for name in ('route', 'bits', 'asgi'))
# Workers of gunicorn, and how many requests each serves at a time.
SYNC = (4,)
THREADS = (2, '--threads', '2')


@each(['idle', 'busy'])
def test_a_pool_of_fpm(kind):
    with fpm.pool(6) as pool, load.on(kind), requests.Load(
            lambda uri: fpm.ask(pool.path, ROUTE, uri), 6) as asked:
        recording = asked.record(pool.workers())
    requests.check(recording, asked.requests())


def test_scripts_that_never_ask_for_the_time():
    """All routes are one, whose requests differ by the server's counter
    alone."""
    with fpm.pool(3) as pool, requests.Load(
            lambda uri: fpm.ask(pool.path, PLAIN, uri), 3) as asked:
        recording = asked.record(pool.workers())
    rows = recording.routes()
    expect(set(rows) == {'/index.php'}, 'routes %s', sorted(rows))
    requests.Judge(recording, asked.requests()).count(rows['/index.php'])


def command_line_server(script):
    return apache.command_line([phps.program(phps.find()[-1]), '-n'], script,
                               '/?n=0&ms=0&log=/dev/null')


@each(['idle', 'busy'])
def test_the_server_of_the_command_line(kind):
    with command_line_server(ROUTE) as server, load.on(kind), requests.Load(
            server.ask, 1) as asked:
        recording = asked.record([server.child.pid])
    requests.check(recording, asked.requests())


@each(['idle', 'busy'])
def test_apache(kind):
    with apache.server(4, ROUTE) as server, load.on(kind), requests.Load(
            server.ask, 4) as asked:
        recording = asked.record(server.workers())
    requests.check(recording, asked.requests())


def check_frankenphp(kind, *options):
    with frankenphp.server(*options) as server, load.on(kind), \
            requests.Load(server.ask, 4) as asked:
        recording = asked.record([server.child.pid])
    requests.check(recording, asked.requests())


@each(['idle', 'busy'])
def test_threads_of_frankenphp(kind):
    check_frankenphp(kind, ROUTE, 4)


@each(['idle', 'busy'])
def test_workers_of_frankenphp(kind):
    """One script serves one request after the other, and never ends."""
    check_frankenphp(kind, WORKER, 4, 'worker')


def test_scripts_of_frankenphp_that_never_ask_for_the_time():
    with frankenphp.server(PLAIN, 4) as server, requests.Load(
            server.ask, 4) as asked:
        recording = asked.record([server.child.pid])
    rows = recording.routes()
    expect(len(rows) == 1, 'routes %s', sorted(rows))
    requests.Judge(recording, asked.requests()).count(*rows.values())


def check_gunicorn(python, options, kind='idle', seconds=6):
    with gunicorn.server(python, APP, *options) as server, load.on(kind), \
            requests.Load(server.ask, 4) as asked:
        recording = asked.record(server.workers(), seconds)
    requests.check(recording, asked.requests())
    # That a request is another one is no stack that has changed.
    told = sum(row['requests'] for row in recording.routes().values())
    retried = int(metadata(recording.path)['profiler.retried'])
    expect(retried < told / 2, 'retried %d times for %d requests', retried,
           told)


def check_uwsgi(options, kind='idle', app=APP):
    with uwsgi.server(app, *options) as server, load.on(kind), \
            requests.Load(server.ask, 4) as asked:
        recording = asked.record(server.workers())
    requests.check(recording, asked.requests())


@each(['idle', 'busy'])
def test_workers_of_gunicorn(kind):
    check_gunicorn(sys.executable, SYNC, kind)


@each(['idle', 'busy'])
def test_threads_of_gunicorn(kind):
    check_gunicorn(sys.executable, THREADS, kind)


@each(pythons.find())
def test_gunicorn_of_each_python(name):
    check_gunicorn(pythons.program(name), SYNC, seconds=3)


@each(['idle', 'busy'])
def test_workers_of_uwsgi(kind):
    check_uwsgi((4,), kind)


@each(['idle', 'busy'])
def test_threads_of_uwsgi(kind):
    check_uwsgi((2, '--threads', '2'), kind)


def test_an_answer_that_uwsgi_takes_bit_by_bit():
    """From C, after the application has returned."""
    check_uwsgi((4,), app=BITS)


def check_uvicorn(python, options, kind='idle', more='', seconds=6):
    with uvicorn.server(python, ASGI) as server, load.on(kind), \
            requests.Load(server.ask, 4, more) as asked:
        recording = asked.record([server.child.pid], seconds,
                                 options=options)
    requests.check(recording, asked.requests())


@each(['idle', 'busy'])
def test_requests_of_uvicorn_that_take_turns(kind):
    """Each of them waits for half of its time, while others work."""
    check_uvicorn(sys.executable, ['--async', 'all'], kind)


@each(['no', 'running'])
def test_requests_of_uvicorn_that_work(tasks):
    """Then no task has to be read to see them."""
    check_uvicorn(sys.executable, ['--async', tasks] if tasks != 'no' else [],
                  more='&how=work')


@each(pythons.find())
def test_uvicorn_of_each_python(name):
    check_uvicorn(pythons.program(name), ['--async', 'all'], seconds=3)
