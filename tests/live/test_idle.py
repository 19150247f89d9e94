"""Servers as `analyze` tells them: an idle one is idle, of a busy one it names the
slow function."""
import json
import os
import sys

from support import (apache, bobbin, case, fpm, gunicorn, phps,
                     uvicorn, waitress)
from support.case import Skip, each, expect

APP, ASGI = (os.path.join(bobbin.ROOT, 'tests', 'live', 'python', name)
             for name in ('slow.py', 'slow_asgi.py'))
SLOW_PHP = os.path.join(bobbin.ROOT, 'tests', 'live', 'php', 'slow.php')

SERVERS = [
    ('gunicorn', lambda: gunicorn.server(sys.executable, APP, 2)),
    ('threads of gunicorn', lambda: gunicorn.server(
        sys.executable, APP, 1, '--threads', '3')),
    ('uvicorn', lambda: uvicorn.server(sys.executable, ASGI)),
    ('waitress', lambda: waitress.server(sys.executable, APP)),
    ('PHP', lambda: apache.command_line(
        [phps.program(phps.find()[-1]), '-n'], SLOW_PHP, '/')),
]


def answer(pids):
    path = os.path.join(case.scratch, 'out.rbt')
    words = [word for pid in pids for word in ('-p', str(pid))]
    result = bobbin.run('record', *words, '--subprocesses', '-d', '1500ms',
                        '-r', '200', '-o', path, '--force',
                        ok=(bobbin.OK, bobbin.FAILED))
    if b'may not be read' in result.err:
        raise Skip('processes may not be read here (ptrace)')
    expect(result.code == 0, '%s', result.err)
    return json.loads(bobbin.run('analyze', '--json', path).out)['answer']


@each(SERVERS)
def test_a_server_without_requests_is_idle(item):
    _, start = item
    with start() as server:
        told = answer([server.child.pid])
    # Workers tell their master now and then that they live.
    expect(told['idle_share'] > 0.97, '%s', told)
    expect('waited for work' in told['sentences'][0], '%s', told)


@each(SERVERS)
def test_a_server_with_requests_names_the_slow_function(item):
    _, start = item
    with start() as server, server.busy(lambda i: '/slow', 2):
        told = answer([server.child.pid])
    names = [told[key]['name'] for key in ('function', 'caller') if told[key]]
    expect('slow_report' in names, '%s', told)
    expect(told['idle_share'] < 0.97, '%s', told)


def test_a_pool_of_fpm_without_requests_is_idle():
    with fpm.pool(2) as pool:
        told = answer(pool.workers())
    expect(told['idle_share'] == 1 and told['function'] is None, '%s', told)
