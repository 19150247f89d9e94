"""Source of processes that run is shown as they see it: below their root, and
only what their user may read. The names of files are what a process says, so it
could name any."""
import contextlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from support import bobbin, case, targets
from support.case import each, expect
from support.daemons import daemon, has

NOBODY, GROUP = 65534, 54321

# Has a frame in line 2 of each file that it is told, one after the other. With
# a root of its own it goes there; it changes its user before that is said, or
# when it is told to.
SCRIPT = r'''
import os, sys, time
root, uid, gid, groups, late = sys.argv[2:7]
groups = [int(g) for g in groups.split(',') if g]
def f(t):
    end = time.monotonic() + t
    while time.monotonic() < end:
        sum(range(100))
calls = [compile('\ndef g(f): f(0.02)\n', path, 'exec')
         for path in sys.argv[7:]]
if root:
    os.chroot(root)
    os.chdir('/')
def drop():
    os.setgroups(groups)
    os.setgid(int(gid))
    os.setuid(int(uid))
if not int(late):
    drop()
all = []
for code in calls:
    names = {}
    exec(code, names)
    all.append(names['g'])
print('ready', flush=True)
end = time.monotonic() + 1
while True:
    for g in all:
        g(f)
    if int(late) and time.monotonic() > end:
        drop()
        late = '0'
'''


@contextlib.contextmanager
def folder():
    """One that everybody may search."""
    if os.geteuid() != 0:
        raise case.Skip('only root can be two users')
    path = tempfile.mkdtemp(prefix='bobbin-source-')
    os.chmod(path, 0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def put(path, mode=0o644, owner=(0, 0), text=b'shown'):
    """A file with three lines, which say its name."""
    missing = []
    parent = os.path.dirname(path)
    while not os.path.isdir(parent):
        missing.append(parent)
        parent = os.path.dirname(parent)
    for name in reversed(missing):
        os.mkdir(name)
        os.chmod(name, 0o755)
    with open(path, 'wb') as file:
        file.write((text + b':' + os.path.basename(path).encode() +
                    b'\n') * 3)
    os.chown(path, *owner)
    os.chmod(path, mode)
    return path


@contextlib.contextmanager
def running(paths, root='', uid=NOBODY, gid=NOBODY, groups=(), late=0,
            mark='live-source-%d' % os.getpid()):
    argv = [sys.executable, '-c', SCRIPT, mark, root, str(uid), str(gid),
            ','.join(map(str, groups)), str(late), *paths]
    with targets.crowd([argv]) as children:
        targets.need_permission(children[0].pid)
        yield children[0].pid


def record(pids, source, *options, seconds=1):
    path = os.path.join(case.scratch, 'out.txt')
    args = [a for pid in pids for a in ('-p', str(pid))]
    args += [a for s in source for a in ('--source', s)]
    result = bobbin.run('record', *args, '-t', 'heatmap', '-o', path, '-r',
                        '500', '-d', '%ds' % seconds, *options)
    with open(path, 'rb') as file:
        return file.read(), result.err


def shown(page, names):
    """Which of the files are: their text is."""
    for name in names:
        expect(os.path.basename(name).encode() in page, 'no line of %s in %s',
               name, page)
    return {os.path.basename(n) for n in names
            if re.search(rb'\w:' + re.escape(os.path.basename(n).encode()),
                         page)}


def acl_of_other(path):
    """A list that forbids it to one user, while the mode allows it to all."""
    entry = struct.Struct('<HHI')
    nobody = 0xffffffff
    data = struct.pack('<I', 2) + b''.join((
        entry.pack(1, 6, nobody), entry.pack(2, 0, NOBODY),
        entry.pack(4, 4, nobody), entry.pack(0x10, 4, nobody),
        entry.pack(0x20, 4, nobody)))
    try:
        os.setxattr(path, 'system.posix_acl_access', data)
    except OSError as error:
        raise case.Skip('no access control lists here: %s' % error)


def test_a_directory_that_nobody_has():
    """It need not be here: the process may have a root of its own. But one that
    neither has is a mistake, and is told before anything is recorded."""
    with folder() as top:
        put(os.path.join(top, 'root', 'app', 'a.py'))
        root = os.path.join(top, 'root')
        out = os.path.join(case.scratch, 'out.txt')
        mark = 'nobody-has-%d' % os.getpid()
        with running(['/app/a.py'], root=root, mark=mark) as pid:
            page, _ = record([pid], ['/app'])
            expect(shown(page, ['/app/a.py']) == {'a.py'}, '%s', page)
            os.unlink(out)
            result = bobbin.run(
                'record', '-p', str(pid), '--source', '/app', '--source',
                '/no/such', '-t', 'heatmap', '-o', out, '-d', '1s',
                ok=(bobbin.FAILED,))
            expect(b'source directory /no/such: no process has it' in
                   result.err, '%s', result.err)
            expect(not os.path.exists(out), 'a file was left behind')
            with daemon(mark, '-t', 'heatmap', '--source',
                        '/no/such') as d:
                d.wait(has(pid), 'the process')
                told = d.end()
            expect(told.count(b'source directory /no/such: no process has '
                              b'it') == 1, '%s', told)


def test_what_the_user_may_read():
    with folder() as top:
        app = os.path.join(top, 'app')
        files = [put(app + '/open.py'), put(app + '/roots.py', 0o600),
                 put(app + '/own.py', 0o400, (NOBODY, 0)),
                 put(app + '/not-even-own.py', 0o044, (NOBODY, 0)),
                 put(app + '/group.py', 0o640, (0, GROUP)),
                 put(app + '/other-group.py', 0o640, (0, GROUP + 1)),
                 put(app + '/all-but-group.py', 0o604, (0, GROUP)),
                 put(app + '/closed/in.py'), put(app + '/passed/on.py')]
        os.chmod(app + '/closed', 0o700)
        os.chmod(app + '/passed', 0o711)
        with running(files, groups=[GROUP]) as pid:
            page, err = record([pid], [app])
            expect(shown(page, files) == {'open.py', 'own.py', 'group.py',
                                          'on.py'},
                   '%s\n%s', err, page)
            os.chmod(app, 0o700)
            page, err = record([pid], [app])
            expect(shown(page, files) == set(), '%s', page)
            page, err = record([pid], [app], '--no-sandbox')
            expect(shown(page, files) == set(), '%s', page)
        with running(files, uid=0, gid=0) as pid:
            page, err = record([pid], [app])
            expect(shown(page, files) == {os.path.basename(f)
                                          for f in files}, '%s', page)


def test_access_control_lists():
    with folder() as top:
        files = [put(top + '/app/a.py'), put(top + '/app/listed.py')]
        acl_of_other(files[1])
        with running(files) as pid:
            page, err = record([pid], [top + '/app'])
            expect(shown(page, files) == {'a.py'}, '%s', page)


def test_links():
    """A link leads to what the user may read below the directory."""
    with folder() as top:
        app = top + '/app'
        put(app + '/secret/s.py', 0o600)
        put(app + '/dir/t.py')
        put(top + '/out.py')
        os.symlink('secret/s.py', app + '/to-secret.py')
        os.symlink('dir', app + '/to-dir')
        os.symlink('../out.py', app + '/to-out.py')
        os.symlink(top + '/out.py', app + '/to-out-too.py')
        files = [app + '/to-secret.py', app + '/to-dir/t.py',
                 app + '/to-out.py', app + '/to-out-too.py',
                 app + '/../out.py']
        with running(files) as pid:
            page, err = record([pid], [app])
            found = {n for n in (b's.py', b't.py', b'out.py')
                     if b'shown:' + n in page}
            expect(found == {b't.py'}, '%s', page)


def test_below_its_own_root():
    """Where it lives, and not where we do."""
    with folder() as top:
        name = top + '/app/a.py'
        put(name, text=b'host')
        root = top + '/root'
        put(root + name, text=b'container')
        put(root + '/app/only.py')
        os.symlink(top + '/app/a.py', root + '/app/abs.py')
        put(top + '/outside.py')
        with running([name, '/app/only.py', '/app/../../outside.py'],
                     root=root) as pid:
            page, err = record([pid], [top + '/app', '/app'])
            expect(b'container:a.py' in page and b'shown:only.py' in page,
                   '%s\n%s', err, page)
            expect(b'host:' not in page and b'shown:outside' not in page,
                   '%s', page)


def test_a_directory_of_ours_in_its_place():
    """FROM=DIR is here, whatever the way to it; the user's rights count
    below it."""
    with folder() as top:
        here = top + '/mine/copy'
        put(here + '/a.py', text=b'copy')
        put(here + '/roots.py', 0o600, text=b'copy')
        os.chmod(top + '/mine', 0o700)
        files = ['/nowhere/a.py', '/nowhere/roots.py']
        with running(files) as pid:
            page, err = record([pid], ['/nowhere=' + here])
            expect(shown(page, files) == {'a.py'}, '%s', page)


def test_processes_of_two_users():
    """One cannot name what only the other may read."""
    with folder() as top:
        files = [put(top + '/app/open.py'), put(top + '/app/roots.py', 0o600)]
        with running(files, uid=0, gid=0, mark='a') as a, \
                running(files, mark='b') as b:
            for pids in ([a, b], [b, a]):
                page, err = record(pids, [top + '/app'])
                expect(shown(page, files) == {'open.py'}, '%s', page)


def test_a_user_that_changes():
    """Rights that it has given up meanwhile do not count."""
    with folder() as top:
        files = [put(top + '/app/open.py'), put(top + '/app/roots.py', 0o600)]
        with running(files, uid=NOBODY, late=1) as pid:
            page, err = record([pid], [top + '/app'], seconds=4)
            expect(shown(page, files) == {'open.py'}, '%s', page)


def test_a_process_that_has_ended():
    with folder() as top:
        files = [put(top + '/app/open.py'), put(top + '/app/roots.py', 0o600)]
        path = os.path.join(case.scratch, 'out.txt')
        with running(files) as pid:
            child = subprocess.Popen(
                [bobbin.PROGRAM, 'record', '-p', str(pid), '--source',
                 top + '/app', '-t', 'heatmap', '-o', path, '-r', '500'],
                stderr=subprocess.PIPE)
            try:
                while b'python' not in child.stderr.readline():
                    expect(child.poll() is None, 'it has ended')
                time.sleep(1)
                os.kill(pid, 9)
                child.communicate(timeout=bobbin.TIMEOUT)
            finally:
                child.kill()
                child.wait()
        with open(path, 'rb') as file:
            page = file.read()
        expect(shown(page, files) == {'open.py'}, '%s', page)


@each(['', '--bundled'])
def test_daemon(how):
    mark = 'live-source-daemon-%d' % os.getpid()
    with folder() as top:
        files = [put(top + '/app/open.py'), put(top + '/app/roots.py', 0o600)]
        with running(files, mark=mark) as pid, \
                daemon(mark, '-r', '200', '-t', 'heatmap', '--source',
                       top + '/app', *how.split()) as d:
            d.wait(lambda s: any(w['pid'] == pid and w['samples'] > 100
                                 for w in s['workers']), 'samples')
            log = d.end()
        pages = [case.read_file(os.path.join(d.folder, name))
                 for name in os.listdir(d.folder)
                 if os.path.isfile(os.path.join(d.folder, name))]
        page = b''.join(pages)
        expect(shown(page, files) == {'open.py'}, '%s %s', log, page)
