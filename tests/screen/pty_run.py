"""The explorer on a terminal of our own, to see every byte of it."""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

from support import bobbin, case

ENTERED = b'\033[?1049h'
LEFT = b'\033[?1049l'
MOUSE_ON, MOUSE_OFF = b'\033[?1000h', b'\033[?1000l'
CURSOR_OFF, CURSOR_ON = b'\033[?25l', b'\033[?25h'


def fresh_modes():
    """What a terminal has that nobody has changed yet."""
    master, slave = pty.openpty()
    modes = termios.tcgetattr(slave)
    os.close(master)
    os.close(slave)
    return modes


def become_job(report):
    """The rest runs as a job in the foreground, as under a shell; this
    process stays behind and tells when it stops and how it ends."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.write(report, b'%d\n' % os.getpid())
        return
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)
        os.write(report, b'stopped\n')


class Pty:
    """with Pty('trace.rbt') as p: p.wait_for(b'quit'); p.write(b'q')"""

    def __init__(self, *args, cols=80, rows=24, env=None, command='explore',
                 is_job=False):
        bobbin.need_screens()
        environ = dict(os.environ, LC_ALL='C.UTF-8', TERM='xterm-256color')
        for name in ('NO_COLOR', 'COLORTERM', 'COLORFGBG'):
            environ.pop(name, None)
        environ.update(env or {})
        self.out = b''
        self.status = None
        self.errors = os.path.join(case.scratch, 'stderr')
        bobbin.last = bobbin.Result(None, b'', b'', [
            bobbin.PROGRAM, command] + list(args), None)
        self.report, report = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                if is_job:
                    become_job(report)
                err = os.open(self.errors, os.O_WRONLY | os.O_CREAT, 0o600)
                os.dup2(err, 2)
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                # The size is there before the program looks.
                fcntl.ioctl(0, termios.TIOCSWINSZ,
                            struct.pack('HHHH', rows, cols, 0, 0))
                os.execve(bobbin.PROGRAM, [bobbin.PROGRAM, command] +
                          list(args), environ)
            finally:
                os._exit(127)
        os.close(report)
        self.job = int(self.told()) if is_job else self.pid
        self.before = fresh_modes()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        os.close(self.report)
        text = case.read_file(self.errors)
        for mark in bobbin.SANITIZER_MARKS:
            case.expect(mark not in text or self.may_crash, '%s',
                        text[-3000:].decode('utf-8', 'replace'))

    may_crash = False

    def told(self):
        """The next line of the process that watches a job."""
        line = b''
        while not line.endswith(b'\n'):
            self.read(0)
            ready, _, _ = select.select([self.report], [], [], 0.05)
            part = os.read(self.report, 1) if ready else None
            case.expect(part != b'', 'the job is gone')
            line += part or b''
        return line.strip()

    def resize(self, cols, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack('HHHH', rows, cols, 0, 0))

    def read(self, seconds=0.05):
        """What there is; b'' when nothing comes, None at the end."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return b''
        try:
            part = os.read(self.fd, 65536)
        except OSError:
            return None
        self.out += part
        return part or None

    def write(self, data):
        """Without getting stuck when the other side writes as well."""
        while data:
            _, ready, _ = select.select([], [self.fd], [], 0)
            if ready:
                data = data[os.write(self.fd, data[:256]):]
            self.read(0)

    def wait_for(self, text):
        deadline = time.monotonic() + bobbin.TIMEOUT
        while text not in self.out:
            case.expect(self.read() is not None and
                        time.monotonic() < deadline,
                        '%r never came; %r', text, self.out[-500:])

    def end(self):
        """Reads to the end; the status of waitpid."""
        deadline = time.monotonic() + bobbin.TIMEOUT
        while self.status is None:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
            case.expect(time.monotonic() < deadline, 'it does not end')
        while self.read(0):
            pass
        return self.status

    def expect_restored(self):
        """Terminal modes, screen, mouse and cursor are as they were."""
        after = termios.tcgetattr(self.fd)
        case.expect(after == self.before, 'modes %r, not %r', after,
                    self.before)
        for on, off in ((ENTERED, LEFT), (MOUSE_ON, MOUSE_OFF),
                        (CURSOR_OFF, CURSOR_ON)):
            case.expect(self.out.rfind(off) > self.out.rfind(on) >= 0,
                        'no %r after %r in %r', off, on, self.out[-300:])
