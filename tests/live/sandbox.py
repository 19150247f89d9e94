"""Processes that bobbin looks at, and ways to be less than root."""
import contextlib
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

from support import bobbin, case

PHP_SCRIPT = b'''<?php
namespace App;
class Work {
    public function run(int $n) { return $this->inner($n); }
    private function inner(int $n) {
        $s = 0;
        for ($i = 0; $i < $n; $i++) {
            $s += $i % 7;
        }
        return $s;
    }
}
function nap() { usleep(1000); }
while (true) { (new Work)->run(mt_rand(100000, 300000)); nap(); }
'''

PYTHON_SCRIPT = b'''
import threading, time
def busy(n):
    s = 0
    for i in range(n):
        s += i
    return s
def waits():
    while True:
        time.sleep(0.01)
threading.Thread(target=waits, daemon=True).start()
while True:
    busy(20000)
'''

NOBODY = 65534


def need_root():
    if os.geteuid() != 0:
        raise case.Skip('needs root to become someone else')


def need_setpriv():
    need_root()
    if not shutil.which('setpriv'):
        raise case.Skip('no setpriv (util-linux)')


def php():
    path = os.environ.get('PHP') or shutil.which('php')
    if not path:
        raise case.Skip('no php: install php-cli or set PHP=')
    return path


@contextlib.contextmanager
def process(*argv, user=None, **options):
    """A process that runs meanwhile; what it prints is nobody's business."""
    def become():
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, preexec_fn=become,
                             **options)
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
        child.wait()


def script(data, name):
    path = case.write_file(data, name)
    os.chmod(case.scratch, 0o755)
    os.chmod(path, 0o644)
    return path


def until(condition, what):
    deadline = time.monotonic() + bobbin.TIMEOUT
    while not condition():
        case.expect(time.monotonic() < deadline, 'never: %s', what)
        time.sleep(0.02)


def readable(pid):
    """Waits until the interpreter is up and something runs in it."""
    def runs():
        result = bobbin.run('stack', '-p', str(pid),
                            ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))
        if b'may not be read' in result.err:
            raise case.Skip('processes may not be read here')
        return b'<main>' in result.out or b'<module>' in result.out
    until(runs, 'a stack of process %d' % pid)


def threads(pid):
    """The threads that a stack of the process has, by their numbers."""
    result = bobbin.run('stack', '--json', '-p', str(pid),
                        ok=(bobbin.OK, bobbin.PARTIAL))
    process, = json.loads(result.out)['processes']
    return {thread['tid'] for thread in process['threads']}


@contextlib.contextmanager
def php_process(**options):
    with process(php(), script(PHP_SCRIPT, 'work.php'), **options) as child:
        readable(child.pid)
        yield child.pid


def without_ptrace(*args, ok, user=None):
    """bobbin as a user (root: without the capability)."""
    need_setpriv()
    words = ['setpriv', '--bounding-set', '-sys_ptrace',
             '--inh-caps', '-sys_ptrace']
    if user is not None:
        words += ['--reuid', str(user), '--regid', str(user),
                  '--clear-groups']
    return bobbin.execute(words + [bobbin.PROGRAM] + list(args), ok=ok)


def with_hidden(*args, ok):
    """bobbin as a user who sees his own processes only."""
    need_setpriv()
    script = ('mount -t proc -o hidepid=2 proc /proc || exit 77; '
              'exec setpriv --reuid %d --regid %d --clear-groups "$@"'
              % (NOBODY, NOBODY))
    words = ['unshare', '-m', 'sh', '-c', script, 'sh', bobbin.PROGRAM]
    result = bobbin.execute(words + list(args), ok=tuple(ok) + (1, 77))
    if result.code == 77 or b'unshare' in result.err:
        raise case.Skip('/proc cannot be mounted here')
    return result


SYS_PROCESS_VM_READV = {'x86_64': (310, 0xc000003e),
                        'aarch64': (270, 0xc00000b7)}


def filtered(*args, error, ok):
    """bobbin under a seccomp filter that answers process_vm_readv."""
    machine = os.uname().machine
    if machine not in SYS_PROCESS_VM_READV:
        raise case.Skip('no number of process_vm_readv for ' + machine)
    number, _ = SYS_PROCESS_VM_READV[machine]
    code = b''.join(struct.pack('HBBI', *line) for line in [
        (0x20, 0, 0, 0),                    # the number of the call
        (0x15, 0, 1, number),
        (0x06, 0, 0, 0x00050000 | error),   # errno
        (0x06, 0, 0, 0x7fff0000)])          # allow
    helper = case.write_file(HELPER, 'filtered.py')
    return bobbin.execute([sys.executable, helper, code.hex(),
                           bobbin.PROGRAM] + list(args), ok=ok)


HELPER = b'''
import ctypes, os, struct, sys
code = bytes.fromhex(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
buf = ctypes.create_string_buffer(code)
prog = struct.pack('HxxxxxxQ', len(code) // 8, ctypes.addressof(buf))
prog = ctypes.create_string_buffer(prog)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(prog), 0, 0) == 0, os.strerror(
    ctypes.get_errno())
os.execv(sys.argv[2], sys.argv[2:])
'''
