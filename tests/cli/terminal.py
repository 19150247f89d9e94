"""bobbin on a terminal: standard output or error is a pty."""
import os
import pty
import select
import subprocess
import time

from support import bobbin, case


def run(*args, out=False, err=False, env=None, stdin=subprocess.DEVNULL):
    """(exit code, what the terminal showed, what the other stream held)."""
    master, slave = pty.openpty()
    environ = dict(os.environ, TERM='xterm')
    environ.pop('NO_COLOR', None)
    environ.update(env or {})
    # Below 64 KiB, so the pipe of the other stream cannot block it.
    child = subprocess.Popen([bobbin.PROGRAM] + list(args), env=environ,
                             stdin=stdin,
                             stdout=slave if out else subprocess.PIPE,
                             stderr=slave if err else subprocess.PIPE)
    os.close(slave)
    shown = _read_all(master, child)
    rest = b''.join(p.read() for p in (child.stdout, child.stderr) if p)
    return child.wait(), shown, rest


def _read_all(master, child):
    shown, deadline = b'', time.monotonic() + bobbin.TIMEOUT
    while time.monotonic() < deadline:
        ready, _, _ = select.select([master], [], [], 0.2)
        try:
            part = os.read(master, 65536) if ready else None
        except OSError:     # the other side is closed
            part = b''
        if part == b'':
            os.close(master)
            return shown
        shown += part or b''
    child.kill()
    raise case.Failure('still running after %g s' % bobbin.TIMEOUT)
