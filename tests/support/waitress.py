"""waitress, a server of Python whose threads get requests from a queue, with an
application of a test."""
import contextlib
import os
import subprocess

from support import clients, web


@contextlib.contextmanager
def server(python, script):
    """With `app` of a script, once it has answered."""
    env = dict(os.environ, **clients.python_packages('waitress'))
    folder, name = os.path.split(script)
    if subprocess.run([python, '-c', 'import waitress'], env=env,
                      stderr=subprocess.DEVNULL).returncode != 0:
        clients.missing('waitress')
    env['PYTHONPATH'] += os.pathsep + folder
    port = web.free_port()
    child = subprocess.Popen(
        [python, '-m', 'waitress', '--host', '127.0.0.1', '--port', str(port),
         os.path.splitext(name)[0] + ':app'],
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with web.answering(child, port, 'waitress') as result:
        yield result
