"""uWSGI, a server that is not Python, and has it as a library."""
import contextlib
import os
import subprocess

from support import case, clients, web


def start(socket, script, *options):
    """Serves `app` of a script at a socket, with HTTP. The process."""
    (program, plugin), env = clients.server(
        'uwsgi', '/usr/bin/uwsgi-core',
        '/usr/lib/uwsgi/plugins/python3*_plugin.so')
    folder, name = os.path.split(plugin)
    return subprocess.Popen(
        [program, '--plugin-dir', folder, '--plugin',
         name.replace('_plugin.so', ''), '--http-socket', socket, '--master',
         '--need-app', '--die-on-term', '--wsgi-file', script, '--callable',
         'app', *options],
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def server(script, workers, *options):
    """Once all workers are there and one of them has answered."""
    port = web.free_port()
    child = start('127.0.0.1:%d' % port, script, '--processes', str(workers),
                  *options)
    with web.answering(child, port, 'uWSGI', workers=workers) as result:
        yield result
