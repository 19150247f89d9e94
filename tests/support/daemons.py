"""A daemon that runs beside a test, and what it says of itself."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

from support import bobbin, case
from support.case import expect


class Daemon:
    def __init__(self, child, folder, log):
        self.child, self.folder, self.log = child, folder, log

    def status(self):
        out = bobbin.run('daemon', 'status', '-o', self.folder, '--json').out
        return json.loads(out)

    def wait(self, holds, what):
        """Until the status is as wanted."""
        for _ in range(int(bobbin.TIMEOUT * 10)):
            status = self.status()
            if holds(status):
                return status
            time.sleep(0.1)
        raise case.Failure('%s did not happen: %r, %r' % (
            what, status, self.told()[-500:]))

    def told(self):
        """What it has logged so far; its own place in the log stays."""
        return os.pread(self.log.fileno(), 1 << 24, 0)

    def wait_told(self, what):
        """Until it has logged that."""
        for _ in range(int(bobbin.TIMEOUT * 10)):
            if what in self.told():
                return
            time.sleep(0.1)
        raise case.Failure('%r was not told: %r' % (what, self.told()[-500:]))

    def end(self, how=signal.SIGTERM):
        self.child.send_signal(how)
        code = self.child.wait(bobbin.TIMEOUT)
        text = self.told()
        if how != signal.SIGKILL:
            expect(code == 0, 'exit code %d: %s', code, text[-500:])
        for mark in bobbin.SANITIZER_MARKS:
            expect(mark not in text, 'a sanitizer speaks: %s', text[-2000:])
        return text

    def files(self):
        """Traces; their indexes are beside them."""
        return sorted(os.path.join(self.folder, name)
                      for name in os.listdir(self.folder)
                      if name.startswith('bobbin-') and
                      not name.endswith(('.idx', '.idx.part')))


def _listens(folder):
    with socket.socket(socket.AF_UNIX) as s:
        try:
            s.connect(os.path.join(folder, 'daemon.sock'))
        except OSError:
            return False
        return True


@contextlib.contextmanager
def daemon(pattern, *options, folder=None, env=None, preexec_fn=None):
    folder = folder or os.path.join(case.scratch, 'state')
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'daemon', '-P', pattern, '-o', folder,
             *options], stdout=log, stderr=log,
            env=dict(os.environ, **(env or {})), preexec_fn=preexec_fn)
        try:
            for _ in range(int(bobbin.TIMEOUT * 100)):
                if child.poll() is not None or _listens(folder):
                    break
                time.sleep(0.01)
            yield Daemon(child, folder, log)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()


def has(*pids):
    return lambda status: all(
        any(w['pid'] == pid and w['samples'] > 5 for w in status['workers'])
        for pid in pids)


def metadata(path):
    info = json.loads(bobbin.run('info', '--json', path).out)
    return {m['key']: m['value'] for m in info['segments'][0]['metadata']}
