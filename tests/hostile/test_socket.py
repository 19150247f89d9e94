"""Sockets that somebody else made: what they say is shown as text, and they
are not waited for; and directories that are not for a daemon."""
import contextlib
import multiprocessing
import os
import socket
import subprocess

from cli import terminal
from support import bobbin, case, chars, daemons
from support.case import each, expect

OTHER = 65534   # nobody
SOCKET = 'daemon.sock'


def need_root():
    if os.geteuid() != 0:
        raise case.Skip('only root can be another user')


def serve(listener, answer, uid):
    if uid:
        os.setuid(uid)
        listener.listen(5)
    with contextlib.suppress(OSError):
        while True:
            peer = listener.accept()[0]
            with peer, contextlib.suppress(OSError):
                answer(peer)


@contextlib.contextmanager
def stranger(answer, uid=0):
    """A process that listens where a daemon would."""
    os.chdir(case.scratch)
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(SOCKET)
        s.listen(5)
        child = multiprocessing.get_context('fork').Process(
            target=serve, args=(s, answer, uid))
        child.start()
        try:
            yield
        finally:
            child.kill()
            child.join()


def status(*options, ok=(bobbin.OK,)):
    return bobbin.run('daemon', 'status', '-o', case.scratch, *options, ok=ok)


TEXT = ('bobbin daemon 1: \x1b]0;owned\x07\x1b[2J\x9b2J\u202e\u2028' +
        ''.join(chars.ODD) + '\nsecond line\n').encode()


def say_odd(peer):
    peer.recv(4)
    peer.sendall(TEXT)


def test_characters_that_act():
    with stranger(say_odd):
        out = status().out.decode()
        found = chars.ACTS.search(out.replace('\n', ''))
        expect(found is None, 'U+%04X', ord(found[0]) if found else 0)
        expect('\nsecond line\n' in out, 'not shown: %r', out)
        done = status('--json', ok=(bobbin.FAILED,))
        expect(done.out == b'', 'shown: %r', done.out)


WIDE = '''bobbin daemon 1: 1 worker in /var/lib/bobbin/traces
  not sampled: 3 processes: they have no known runtime (4711, 4712, 4713)

     pid    samples     lost  command
    4710        299        0  php -n -r éééé a long command
'''


def say_wide(peer):
    peer.recv(4)
    peer.sendall(WIDE.encode())


@each(['40', '50', '200'])
def test_lines_fit_the_terminal(columns):
    """Sentences are broken, rows of the table are cut; a pipe gets all."""
    with stranger(say_wide):
        code, shown, _ = terminal.run(
            'daemon', 'status', '-o', case.scratch, out=True,
            env={'COLUMNS': columns})
        out = status().out.decode()
    expect(code == bobbin.OK and out == WIDE, '%r', out)
    lines = shown.decode().replace('\r', '').split('\n')[:-1]
    widest = max(len(line) for line in lines)
    expect(widest <= int(columns), '%d columns: %r', widest, lines)
    sentences, rows = '\n'.join(lines).split('\n\n')
    expect(sentences.split() == WIDE.split('\n\n')[0].split(), '%r',
           sentences)
    expect(rows.endswith('...' if columns != '200' else 'command'), '%r', rows)


def say_bytes(peer):
    peer.recv(4)
    peer.sendall(bytes(range(256)))


def test_what_is_no_text():
    with stranger(say_bytes):
        status().out.decode('utf-8')
        status('--json', ok=(bobbin.FAILED,))


def say_without_end(peer):
    peer.recv(4)
    while True:
        peer.sendall(b'{' * 65536)


@each(['', '--json'])
def test_an_answer_without_end(options):
    with stranger(say_without_end):
        done = status(*options.split(), ok=(bobbin.FAILED,))
        expect(done.out == b'', '%d bytes are shown', len(done.out))
        expect(b'too long' in done.err, '%s', done.err)


def say_nothing(peer):
    peer.recv(4)
    peer.recv(4)


def say_slowly(peer):
    import time
    while True:
        peer.sendall(b'x')
        time.sleep(0.5)


def hang_up(peer):
    peer.recv(4)


@each([('nothing', say_nothing), ('slowly', say_slowly),
       ('hangs up', hang_up)])
def test_no_answer(how):
    """It is not waited for without end."""
    with stranger(how[1]):
        done = status(ok=(bobbin.FAILED,))
        expect(done.out == b'' and b'does not answer' in done.err, '%s',
               done.err)


def test_another_user():
    """Who listens is neither root nor the owner of the directory."""
    need_root()
    with stranger(say_odd, OTHER):
        # The mark of who listens is made by listen(2).
        for _ in range(100):
            done = status(ok=(bobbin.OK, bobbin.FAILED))
            if done.code == bobbin.FAILED:
                break
        expect(b'another user, %d' % OTHER in done.err, '%s', done.err)
        expect(done.out == b'', 'shown: %s', done.out)


def test_nobody_takes_the_call():
    """A queue that is full: neither who asks nor a new daemon waits."""
    os.chdir(case.scratch)
    with contextlib.ExitStack() as stack:
        s = stack.enter_context(socket.socket(socket.AF_UNIX))
        s.bind(SOCKET)
        s.listen(0)
        for _ in range(10):
            waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect(SOCKET)
        done = status(ok=(bobbin.FAILED,))
        expect(b'does not answer' in done.err, '%s', done.err)
        done = bobbin.run('daemon', '-P', 'nothing-like-it', '-o',
                          case.scratch, ok=(bobbin.FAILED,))
        expect(b'another daemon' in done.err, '%s', done.err)


def make_file(path):
    with open(path, 'wb') as file:
        file.write(b'keep')


def make_link(path):
    make_file(os.path.join(case.scratch, 'victim'))
    os.symlink('victim', path)


@each([('file', make_file), ('link', make_link), ('fifo', os.mkfifo)])
def test_something_in_the_way(kind):
    path = os.path.join(case.scratch, SOCKET)
    kind[1](path)
    done = bobbin.run('daemon', '-P', 'nothing-like-it', '-o', case.scratch,
                      ok=(bobbin.FAILED,))
    expect(SOCKET.encode() in done.err, '%s', done.err)
    expect(os.path.lexists(path), 'it was removed')


def start(folder):
    return bobbin.run('daemon', '-P', 'nothing-like-it', '-o', folder,
                      ok=(bobbin.FAILED,))


def test_directories_that_are_refused():
    need_root()
    folder = os.path.join(case.scratch, 'folder')
    os.mkdir(folder)
    for mode in (0o1777, 0o770, 0o707):
        os.chmod(folder, mode)
        expect(b'others may write' in start(folder).err, 'mode %o', mode)
    os.chmod(folder, 0o700)
    os.chown(folder, OTHER, OTHER)
    expect(b'belongs to another user' in start(folder).err, 'foreign')
    os.chown(folder, 0, 0)
    link = os.path.join(case.scratch, 'link')
    os.symlink('folder', link)
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    expect(b'belongs to another user' in start(link).err, 'foreign link')
    expect(os.listdir(folder) == [], 'left there: %s', os.listdir(folder))


def test_socket_is_for_its_owner():
    with daemons.daemon('nothing-like-it') as d:
        mode = os.stat(os.path.join(d.folder, SOCKET)).st_mode & 0o777
        expect(mode & 0o077 == 0, 'mode %o', mode)
        d.status()
        child = subprocess.run([bobbin.PROGRAM, 'daemon', 'status', '-o',
                                d.folder], stdout=subprocess.PIPE,
                               timeout=bobbin.TIMEOUT)
        expect(child.stdout.startswith(b'bobbin daemon '), '%s', child.stdout)
