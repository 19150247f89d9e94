"""Side files that are no files: readers neither wait nor fail."""
import contextlib
import gzip
import os
import re
import signal
import socket
import subprocess
import time

from cli import beside
from oracle import rbt_wire as wire
from support import bobbin, case, fixtures, listing
from support.case import each, expect, read_file


def make_fifo(path):
    os.mkfifo(path)


def make_folder(path):
    os.mkdir(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(os.path.relpath(path))


def make_zero_link(path):
    os.symlink('/dev/zero', path)


def make_terminal_link(path):
    os.symlink('/dev/tty', path)


def make_fifo_link(path):
    os.mkfifo(path + '.fifo')
    os.symlink(path + '.fifo', path)


KINDS = [('fifo', make_fifo), ('folder', make_folder),
         ('socket', make_socket), ('zeros', make_zero_link),
         ('terminal', make_terminal_link), ('link to a fifo', make_fifo_link)]


def dump(*args, ok=(bobbin.OK,)):
    return listing.parse(bobbin.run('dump', *args, ok=ok).out)


@each(KINDS)
def test_beside_rbt(kind):
    """recover gives what is in the file itself."""
    os.chdir(case.scratch)
    path = case.write_file(read_file(fixtures.rbt_path('no-segment-end')))
    ok = (bobbin.OK, bobbin.PARTIAL)
    alone = dump('--recover', path, ok=ok)
    kind[1](path + '.live')
    for command in (['verify'], ['info'], ['recover', '-o', 'out.rbt']):
        bobbin.run(*command, path, ok=ok)
    expect(dump('--recover', path, ok=ok) == alone, 'other samples')
    expect(alone, 'there are no samples')


@each([('empty', b''), ('noise', b'\x00\xff' * 500), ('text', b'garbage'),
       ('packed noise', gzip.compress(b'garbage')), ('cut', b'RBT'),
       ('without offset', wire.header() + wire.one_frame(b'other') +
        wire.compact(0))])
def test_content_that_is_no_side_file(content):
    """A writer that dies leaves an empty one, if it had just begun it."""
    path = case.write_file(wire.header() + wire.one_frame() + wire.compact(0))
    case.write_file(content[1], os.path.basename(path) + '.live')
    ok = (bobbin.OK, bobbin.PARTIAL) # noise is a loss, which is told
    for command in (['info'], ['analyze'],
                    ['recover', '-o', os.path.join(case.scratch, 'out.rbt')]):
        bobbin.run(*command, path, ok=ok)
    out = bobbin.run('recover', '-t', 'folded', path, ok=ok).out
    expect(b'/a.php' in out and b'other' not in out, '%s', out)


def test_link_to_a_trace_is_no_side_file():
    """Else samples of a file that only root can read end up in a report."""
    ok = (bobbin.OK, bobbin.PARTIAL)
    path = case.write_file(wire.header() + wire.one_frame() + wire.compact(0))
    case.write_file(wire.header() + wire.metadata(b'bobbin.offset', b'0') +
                    wire.one_frame(b'secret') + wire.compact(0), 'secret')
    os.symlink('secret', path + '.live')
    out = bobbin.run('recover', '-t', 'folded', path, ok=ok).out
    expect(b'secret' not in out and b'/a.php' in out, '%s', out)
    # A side file that is no link belongs to it.
    os.rename(os.path.join(case.scratch, 'secret'), path + '.live')
    out = bobbin.run('recover', '-t', 'folded', path, ok=ok).out
    expect(b'secret' in out, '%s', out)


@contextlib.contextmanager
def unfinished():
    """A TACH file whose writer was killed, without its journal."""
    out = os.path.join(case.scratch, 'out.tach')
    source = beside.make_trace('--samples', 3000, '--times', '--pids', 3,
                               '--run-mean', 2, name='source')
    child = subprocess.Popen([bobbin.PROGRAM, 'convert', '-q', '--live', '-o',
                              out], stdin=subprocess.PIPE)
    try:
        child.stdin.write(read_file(source)[:-100])
        child.stdin.flush()
        limit = time.monotonic() + bobbin.TIMEOUT
        while (not os.path.exists(out + '.part.defs') or
               os.path.getsize(out + '.part') <= 64):
            expect(time.monotonic() < limit, 'nothing is written')
            time.sleep(0.01)
    finally:
        child.kill()
        child.stdin.close()
        child.wait()
    os.rename(out + '.part.defs', out + '.kept')
    yield out + '.part'


@each(KINDS)
def test_beside_tach(kind):
    os.chdir(case.scratch)
    ok = (bobbin.FAILED, bobbin.PARTIAL)
    with unfinished() as path:
        alone = bobbin.run('recover', '-t', 'dump', path, ok=ok)
        kind[1](path + '.defs')
        other = bobbin.run('recover', '-t', 'dump', path, ok=ok)
        expect((other.code, other.out) == (alone.code, alone.out),
               '%s instead of %s', other, alone)
        bobbin.run('info', path, ok=ok + (bobbin.OK,))


@each(kind for kind in KINDS if kind[0] != 'folder')
def test_followed_tach(kind):
    """Who follows waits for the names, and sees them when they come."""
    os.chdir(case.scratch)
    with unfinished() as path:
        kind[1](path + '.defs')
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'analyze', '--follow', path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        time.sleep(1)
        expect(child.poll() is None, 'it ended: %s', child.poll())
        os.rename(path[:-len('.part')] + '.kept', path + '.defs')
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        try:
            err = child.communicate(timeout=bobbin.TIMEOUT)[1]
        finally:
            child.kill()
        expect(re.search(rb'[1-9][\d,]* samples, period', err), '%s',
               err[-300:])


def test_fifo_in_a_folder():
    """A folder of traces with a FIFO whose name is that of a trace."""
    case.write_file(read_file(fixtures.rbt_path('tiny')), 'good.rbt')
    os.mkfifo(os.path.join(case.scratch, 'bad.rbt'))
    os.symlink('bad.rbt', os.path.join(case.scratch, 'worse.rbt'))
    bobbin.run('analyze', case.scratch)
