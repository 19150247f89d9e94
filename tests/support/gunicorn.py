"""gunicorn, a server of Python, with an application of a test."""
import contextlib
import os
import subprocess

from support import case, clients, web


def environment(python):
    """In which an interpreter finds it."""
    env = dict(os.environ, **clients.python_packages('gunicorn'))
    done = subprocess.run([python, '-c', 'import gunicorn.app.wsgiapp'],
                          env=env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    if done.returncode == 0:
        return env
    if b"No module named 'gunicorn'" in done.stderr:
        clients.missing('gunicorn')
    raise case.Skip('gunicorn does not run with %s: %s' % (
        python, done.stderr.decode().strip().splitlines()[-1]))


@contextlib.contextmanager
def server(python, script, workers, *options):
    """With `app` of a script, once all workers are there and one of them has
    answered."""
    env = environment(python)
    folder, name = os.path.split(script)
    port = web.free_port()
    child = subprocess.Popen(
        [python, '-m', 'gunicorn', '-b', '127.0.0.1:%d' % port, '-w',
         str(workers), '--chdir', folder, *options,
         os.path.splitext(name)[0] + ':app'],
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with web.answering(child, port, 'gunicorn', workers=workers) as result:
        yield result
