"""What somebody has who has just installed bobbin: the installed files, the
shop of `make demo` running, and a page with commands to type.

Commands run as they are written, in a shell, in an empty directory. Where
namespaces can be made, bobbin is in /usr/local/bin and the source tree is not
there at all; elsewhere PATH begins with the installed copy. These rules, and no
others, change what is typed:

* PID is the process of the shop; without PHP, of its worker.
* `sudo` is left out.
* A program of `STUBS` is replaced by one that reads its input and does nothing.
* A full screen (explore, top) gets the key q after a while; a capture without
  an end gets Ctrl-C.
"""
import contextlib
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time

from support import bobbin, case
from support.case import expect

# What opens windows, waits for people, or may not be there.
STUBS = ['go', 'kcachegrind', 'less', 'jq', 'docker', 'kubectl',
         'flamegraph.pl']
SCREENS = ('explore', 'top')
ENDLESS = ('record', 'daemon', 'top', 'run', 'attach')
PATIENCE = 2 * float(os.environ.get('BOBBIN_TEST_LONGER', 1))    # seconds


def blocks(path, kinds=('sh', 'console')):
    """The blocks of a page that hold commands, as lists of lines."""
    text = case.read_file(path).decode()
    for kind, body in re.findall(r'^```(\w+)\n(.*?)^```$', text,
                                 re.M | re.S):
        if kind in kinds:
            lines = body.replace('\\\n', '').splitlines()
            if kind == 'console':
                lines = [row[2:] for row in lines if row.startswith('$ ')]
            yield [row for row in lines if row.split('#')[0].strip()]


def commands(path):
    return [row for block in blocks(path) for row in block]


@contextlib.contextmanager
def shop(*options, name='shop'):
    """The folder of the running shop, and the process that PID stands for."""
    folder = os.path.join(case.scratch, name)
    child = subprocess.Popen(
        [sys.executable, os.path.join(bobbin.ROOT, 'demo', 'start.py'),
         *options, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        expect(b'started' in child.stdout.readline(), 'the shop did not start')
        pid = _process(child.pid)
        if bobbin.run('doctor', '-p', str(pid),
                      ok=(bobbin.OK, bobbin.FAILED)).code != bobbin.OK:
            raise case.Skip('processes may not be read here (bobbin doctor)')
        yield folder, pid
    finally:
        child.stdin.close()
        child.wait(bobbin.TIMEOUT)
        child.stdout.close()


def _process(parent):
    """The shop among the children of a process, or else the worker."""
    found = {}
    for pid in filter(str.isdigit, os.listdir('/proc')):
        with contextlib.suppress(OSError, IndexError):
            with open('/proc/%s/stat' % pid) as file:
                if int(file.read().rsplit(')', 1)[1].split()[1]) != parent:
                    continue
            words = case.read_file('/proc/%s/cmdline' % pid).split(b'\0')
            found[os.path.basename(words[-2]).decode()] = int(pid)
            found[os.path.basename(words[1]).decode()] = int(pid)
    expect('worker.py' in found, 'children are %s', found)
    return found.get('index.php', found['worker.py'])


def _install(folder):
    done = subprocess.run(
        [os.environ.get('MESON', 'meson'), 'install', '--no-rebuild', '-C',
         os.path.dirname(bobbin.PROGRAM), '--destdir', folder],
        capture_output=True, check=False)
    expect(done.returncode == 0, 'meson install: %s', done.stderr[-300:])
    path = [path for path, _, names in os.walk(folder) if 'bobbin' in names
            and os.path.basename(path) == 'bin']
    expect(path, 'no bobbin was installed')
    return path[0]


class Machine:
    """An installed copy and an empty directory to type commands in."""

    def __init__(self):
        folder = os.path.join(case.scratch, 'root')
        self.bin = _install(folder)
        self.home = os.path.join(case.scratch, 'home')
        stubs = os.path.join(case.scratch, 'stubs')
        os.makedirs(self.home)
        os.makedirs(stubs)
        for name in STUBS:
            path = os.path.join(stubs, name)
            with open(path, 'w') as file:
                file.write('#!/bin/sh\nexec cat >/dev/null\n')
            os.chmod(path, 0o755)
        path = ':'.join([stubs, self.bin, '/usr/local/bin', '/usr/bin',
                         '/bin'])
        self.environ = {k: v for k, v in os.environ.items()
                        if k.startswith(('ASAN_', 'UBSAN_', 'LSAN_'))}
        self.environ.update(HOME=self.home, PATH=path, TERM='xterm-256color',
                            LANG='C.UTF-8', LINES='24', COLUMNS='80')
        self.wrap = self._namespace()

    def _namespace(self):
        """What hides the source tree; nothing if that cannot be done."""
        prefix = os.path.dirname(self.bin)
        hide = 'mount --bind %s /usr/local && mount -t tmpfs none %s' % (
            shlex.quote(prefix), shlex.quote(bobbin.ROOT))
        wrap = ['unshare', '-m', 'sh', '-c', hide + ' && exec "$@"', 'sh']
        inside = ['sh', '-c', 'test "$(command -v bobbin)" = "$1" && '
                  'test ! -e "$2/README.md" && bobbin --version', 'sh',
                  '/usr/local/bin/bobbin', bobbin.ROOT]
        environ = dict(self.environ)
        environ['PATH'] = environ['PATH'].replace(self.bin + ':', '')
        if not shutil.which('unshare') or self.home.startswith(bobbin.ROOT):
            return []
        done = subprocess.run(wrap + inside, env=environ, check=False,
                              capture_output=True)
        if done.returncode != 0:
            return []
        self.environ = environ
        return wrap

    def type(self, line, pid=None, seconds=bobbin.TIMEOUT):
        """Types a line. Returns the exit status and what was shown."""
        line = re.sub(r'\bPID\b', str(pid), line)
        line = re.sub(r'\bsudo ', '', line)
        command = re.search(r'\bbobbin (\S+)', line)
        command = command.group(1) if command else ''
        if command in SCREENS and '--count' not in line:
            return self._on_a_terminal(line)
        child = subprocess.Popen(
            self.wrap + ['bash', '-c', line], cwd=self.home, env=self.environ,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        if command in ENDLESS and not re.search(
                r' -d | -- |status|--count', line):
            time.sleep(PATIENCE)
            os.killpg(child.pid, signal.SIGINT)
        try:
            shown, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            raise case.Failure('still running: ' + line)
        return child.returncode, self.judge(line, shown)

    def judge(self, line, shown):
        for mark in bobbin.SANITIZER_MARKS:
            expect(mark not in shown, '%s: %s', line, shown[-2000:])
        return shown.decode(errors='replace')

    def _on_a_terminal(self, line):
        child, master = pty.fork()
        if child == 0:
            os.chdir(self.home)
            os.execvpe((self.wrap + ['bash'])[0],
                       self.wrap + ['bash', '-c', line], self.environ)
        shown, end = b'', time.monotonic() + bobbin.TIMEOUT
        key = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            ready, _, _ = select.select([master], [], [], 0.2)
            try:
                part = os.read(master, 65536) if ready else None
            except OSError:
                break
            if part == b'':
                break
            shown += part or b''
            if time.monotonic() > key:
                os.write(master, b'q')
                key = end
        else:
            os.kill(child, signal.SIGKILL)
        os.close(master)
        _, status = os.waitpid(child, 0)
        return os.WEXITSTATUS(status), self.judge(line, shown)
