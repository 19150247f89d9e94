"""Scripts that run while they are captured, whatever their language."""
import contextlib
import json
import os
import re
import subprocess
import tempfile

from support import bobbin, case, listing

# How many times longer captures last, for machines that are slow.
LONGER = int(os.environ.get('BOBBIN_TEST_LONGER', 1))


class Target:
    """A script that runs; `truth` is what it said when it was ready, and `to`
    the file that it is recorded to."""

    def __init__(self, child, truth, to):
        self.child, self.truth, self.pid = child, truth, child.pid
        self.to = to

    def record(self, *options, to=None, ok=(bobbin.OK,),
               enough=lambda runs: True):
        """Runs `bobbin record` on it and returns the runs of its dump. On a
        busy machine the script may hardly have run: while they are not enough
        to judge, it is recorded once more, for twice as long."""
        path = os.path.join(case.scratch, to or self.to)
        for times in (1, 2, 4, 8):
            if os.path.exists(path):
                os.remove(path)
            self.result = bobbin.run('record', '-p', str(self.pid), '-o',
                                     path, *_longer(options, times), ok=ok)
            runs = listing.parse(bobbin.run('dump', path).out)
            if enough(runs):
                break
        return runs

    def lost_percent(self):
        return lost_percent(self.result)


def at_least(n):
    """So many samples are enough."""
    return lambda runs: listing.total(runs) >= n


def _longer(options, times):
    """Options, with the duration behind -d as long as it must be here."""
    options = list(options)
    if '-d' in options:
        at = options.index('-d') + 1
        number, unit = re.fullmatch(r'(\d+)(ms|s)', options[at]).groups()
        options[at] = '%d%s' % (times * LONGER * int(number), unit)
    return options


def lost_percent(result):
    return float(re.search(rb'([\d.]+) % lost', result.err).group(1))


@contextlib.contextmanager
def crowd(commands):
    """Processes that each say a line when they are ready."""
    children = []
    try:
        for argv in commands:
            children.append(subprocess.Popen(argv, stdout=subprocess.PIPE))
        for child in children:
            child.stdout.readline()
        yield children
    finally:
        for child in children:
            child.kill()
            child.wait()
            child.stdout.close()


def _tell_end(argv, code, err):
    """An interpreter that crashes by itself, before anything was done to it,
    as some do whose compiler is young, is not ours to judge."""
    if code < 0:
        raise case.Skip('%s ended by signal %d' % (argv, -code))
    err.seek(0)
    raise case.Failure('%s did not start, exit code %d: %s' % (
        argv, code, err.read()[-300:]))


@contextlib.contextmanager
def started(argv, to='out.rbt', **options):
    """A process that says what it is in a line of JSON, until the block is
    left."""
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=err,
                                 **options)
        try:
            line = child.stdout.readline()
            if not line:
                _tell_end(argv, child.wait(), err)
            need_permission(child.pid)
            yield Target(child, json.loads(line), to)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()


def need_permission(pid):
    try:
        with open('/proc/%d/mem' % pid, 'rb'):
            pass
    except PermissionError:
        raise case.Skip('processes may not be read here (ptrace)')


def plain(text):
    """A field of a listing without its escapes. Bytes that are no UTF-8 stand
    as \\xNN: a case compares names, and says which one was wrong."""
    first, *rest = text.split('%')
    data = first.encode()
    for part in rest:
        data += bytes([int(part[:2], 16)]) + part[2:].encode()
    try:
        return data.decode('utf-8', 'surrogatepass')
    except UnicodeDecodeError:
        return data.decode('utf-8', 'backslashreplace')
