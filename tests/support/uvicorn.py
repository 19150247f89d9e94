"""uvicorn, a server of Python whose requests take turns on one thread, with an
application of a test."""
import contextlib
import os
import subprocess

from support import case, clients, web


def environment(python):
    """In which an interpreter finds it."""
    env = dict(os.environ, **clients.python_packages('uvicorn'))
    done = subprocess.run([python, '-c', 'import uvicorn'], env=env,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode == 0:
        return env
    if b"No module named 'uvicorn'" in done.stderr:
        clients.missing('uvicorn')
    raise case.Skip('uvicorn does not run with %s: %s' % (
        python, done.stderr.decode().strip().splitlines()[-1]))


@contextlib.contextmanager
def server(python, script):
    """With `app` of a script, once it has answered."""
    env = environment(python)
    folder, name = os.path.split(script)
    port = web.free_port()
    child = subprocess.Popen(
        [python, '-m', 'uvicorn', '--port', str(port), '--app-dir', folder,
         '--http', 'h11', '--loop', 'asyncio', '--no-access-log',
         os.path.splitext(name)[0] + ':app'],
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with web.answering(child, port, 'uvicorn') as result:
        yield result
