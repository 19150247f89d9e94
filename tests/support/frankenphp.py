"""FrankenPHP, PHP in threads of a program of Go, with a script of a test."""
import contextlib
import os
import subprocess

from support import case, web

VARIABLE = 'BOBBIN_FRANKENPHP'


@contextlib.contextmanager
def server(script, threads, *mode):
    """Once it has answered. The program is tests/truth/frankenphp."""
    program = os.environ.get(VARIABLE)
    if not program:
        raise case.Skip('%s does not name a program (see '
                        'tests/truth/frankenphp/main.go)' % VARIABLE)
    port = web.free_port()
    child = subprocess.Popen(
        [program, '127.0.0.1:%d' % port, script, str(threads), *mode],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with web.answering(child, port, 'FrankenPHP') as result:
        yield result
