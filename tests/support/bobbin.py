"""The one place where tests start bobbin.

Every invocation has a time limit, and fails the test when the program dies of
a signal, when a sanitizer speaks, or when the exit code is not an expected one.
"""
import collections
import contextlib
import functools
import io
import os
import shlex
import subprocess
import tempfile
import threading

from support import case

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get('BOBBIN') or os.path.join(
    ROOT, os.environ.get('BUILD_DIR', 'build'), 'bobbin'))
# Generous: a sanitizer build on a busy machine is some twenty times slower.
TIMEOUT = float(os.environ.get('BOBBIN_TEST_TIMEOUT', 60))

OK, FAILED, USAGE, GATE, PARTIAL = 0, 1, 2, 3, 4

SANITIZER_MARKS = (b'ERROR: AddressSanitizer', b'ERROR: LeakSanitizer',
                   b'WARNING: ThreadSanitizer', b'WARNING: MemorySanitizer',
                   b'runtime error:')

Result = collections.namedtuple('Result', 'code out err argv stdin')

# The invocation a failure message should show; the runner prints it.
last = None


def run(*args, stdin=None, chunk=None, ok=(OK,), timeout=TIMEOUT):
    """Runs bobbin with args; stdin is bytes, written chunk by chunk."""
    return execute([PROGRAM] + list(args), stdin, chunk, ok, timeout)


@functools.lru_cache()
def has_screens():
    """False in a build without ncurses."""
    done = subprocess.run([PROGRAM, 'explore', '--diagnose'],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          start_new_session=True, check=False,
                          timeout=TIMEOUT)
    return b'built without' not in done.stderr


def need_screens():
    """Skips the test in a build without ncurses."""
    if not has_screens():
        raise case.Skip('built with -Dtui=disabled')


def execute(argv, stdin=None, chunk=None, ok=(OK,), timeout=TIMEOUT):
    """The same for a program that starts bobbin."""
    with tempfile.TemporaryFile() as out:
        with _started(argv, stdin, ok, timeout, out) as child:
            if stdin is not None:
                _feed(child.stdin, stdin, chunk or len(stdin) or 1)
    return last


def stream(*args, ok=(OK,), timeout=10 * TIMEOUT):
    """The lines of an output too large to hold.  The time limit includes
    what the caller does with them."""
    with _started([PROGRAM] + list(args), None, ok, timeout) as child:
        # Unbuffered, each byte would be a read(2).
        yield from io.BufferedReader(child.stdout, 1 << 20)


@contextlib.contextmanager
def _started(argv, stdin, ok, timeout, out=None):
    """The running program; at the end it is waited for and judged."""
    global last
    last = Result(None, b'', b'', argv, stdin)
    case.expect(os.access(PROGRAM, os.X_OK),
                'no program %s: build it or set $BOBBIN', PROGRAM)
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            argv, stdout=out or subprocess.PIPE, stderr=err, bufsize=0,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE)
        expired = threading.Event()
        timer = threading.Timer(timeout, _expire, (child, expired))
        timer.start()
        try:
            yield child
            code = child.wait()
        finally:
            timer.cancel()
            child.kill()
            child.wait()
        last = Result(code, _content(out), _content(err), argv, stdin)
    case.expect(not expired.is_set(), 'still running after %g s', timeout)
    _judge(last, ok)


def _content(file):
    if file is None:
        return b''
    file.seek(0)
    return file.read()


def _expire(child, expired):
    expired.set()
    child.kill()


def _feed(pipe, data, chunk):
    try:
        for start in range(0, len(data), chunk):
            # An unbuffered pipe may take less than it was given.
            part = memoryview(data)[start:start + chunk]
            while part:
                part = part[pipe.write(part):]
    except BrokenPipeError:
        pass        # the program saw enough; its exit code tells the rest
    finally:
        pipe.close()


def _judge(result, ok):
    for mark in SANITIZER_MARKS:
        start = result.err.find(mark)
        if start >= 0:
            line = result.err[start:].split(b'\n')[0]
            raise case.Failure(line.decode('utf-8', 'replace'))
    case.expect(result.code >= 0, 'killed by signal %d', -result.code)
    case.expect(result.code in ok, 'exit code %d, not %s; stderr: %s',
                result.code, ' or '.join(map(str, ok)),
                result.err.decode('utf-8', 'replace').strip()[:300])


def command_line(result):
    """The invocation as a line for a shell."""
    words = ' '.join(shlex.quote(os.fsdecode(word)) for word in result.argv)
    if result.stdin is None:
        return words
    return words + ' < ' + shlex.quote(
        case.write_file(result.stdin, 'stdin'))
