"""Outputs where others may write: no file of theirs is written into, none of
ours is overwritten through a link, and a folder that is swapped for a link
gets nothing."""
import os
import stat
import subprocess
import sys
import time

from support import bobbin, case, fixtures
from support.case import each, expect, read_file, write_file

OTHER = 65534   # nobody
TINY = fixtures.rbt_path('tiny')
KEPT = b'do not touch\n'


def need_root():
    if os.geteuid() != 0:
        raise case.Skip('only root can make files of another user')


def path_of(name):
    return os.path.join(case.scratch, name)


def victim():
    return write_file(KEPT, 'victim')


def check(path=None):
    expect(read_file(path or path_of('victim')) == KEPT,
           'it was written into')


def give_away(path):
    os.chown(path, OTHER, OTHER, follow_symlinks=False)


def refused(*args, why=b'', stdin=None):
    done = bobbin.run(*args, ok=(bobbin.FAILED,), stdin=stdin)
    expect(why in done.err, 'says %s', done.err)


def live(out):
    return 'convert', '-q', '--live', '-o', out, TINY


def record(out):
    return ('record', '-q', '-d', '300ms', '-o', out, '--', sys.executable,
            '-c', 'import time; time.sleep(30)')


WAYS = [('convert', live), ('record', record)]


@each(WAYS)
def test_file_of_another_user(way):
    need_root()
    out = write_file(KEPT, 'out.rbt')
    give_away(out)
    refused(*way[1](out), why=b'it belongs to another user')
    check(out)


@each(WAYS)
def test_another_name_of_a_file(way):
    """A hard link to a file of ours."""
    victim()
    os.link(path_of('victim'), path_of('out.rbt'))
    refused(*way[1](path_of('out.rbt')), why=b'hard link')
    check()
    # One that is replaced when the output is whole may have any name.
    bobbin.run('convert', '-o', path_of('out.rbt'), TINY)
    check()
    expect(read_file(path_of('out.rbt')) != KEPT, 'nothing is written')


@each(WAYS)
def test_link_of_another_user(way):
    need_root()
    victim()
    os.symlink('victim', path_of('out.rbt'))
    give_away(path_of('out.rbt'))
    refused(*way[1](path_of('out.rbt')))
    check()
    refused('convert', '-o', path_of('out.rbt'), TINY)
    check()


def test_link_of_ours_is_followed():
    write_file(b'', 'real.rbt')
    os.symlink('real.rbt', path_of('out.rbt'))
    bobbin.run('convert', '-o', path_of('out.rbt'), TINY)
    expect(os.path.islink(path_of('out.rbt')), 'the link is gone')
    expect(read_file(path_of('real.rbt')), 'nothing is written')
    refused(*record(path_of('out.rbt')), why=b'it is a link')


@each([('part', 'out.tach', '.part'), ('defs', 'out.tach', '.part.defs'),
       ('live', 'out.rbt.gz', '.live')])
def test_link_at_a_side_file(names):
    victim()
    out = path_of(names[1])
    os.symlink('victim', out + names[2])
    refused(*live(out))
    check()


@each([('part', 'out.tach', '.part'), ('defs', 'out.tach', '.part.defs'),
       ('live', 'out.rbt.gz', '.live')])
def test_fifo_at_a_side_file(names):
    out = path_of(names[1])
    os.mkfifo(out + names[2])
    refused(*live(out))


def test_side_file_of_another_user():
    need_root()
    side = write_file(KEPT, 'out.rbt.gz.live')
    give_away(side)
    refused(*live(path_of('out.rbt.gz')), why=b'another user')
    check(side)


@each([('convert', ('convert', '-q', '-o')), ('live', live('')[:4]),
       ('svg', ('convert', '-q', '-t', 'flamegraph', '-o'))])
def test_fifo_of_another_user(way):
    """Nothing is waited for, and nothing is given away."""
    need_root()
    out = path_of('out.rbt')
    os.mkfifo(out)
    give_away(out)
    refused(*way[1], out, TINY, why=b'it belongs to another user')


def test_mode_of_another_user():
    """A file that is replaced hands on its mode only when it is ours."""
    need_root()
    out = write_file(KEPT, 'out.rbt')
    os.chmod(out, 0o777)
    give_away(out)
    bobbin.run('convert', '-o', out, TINY)
    st = os.stat(out)
    expect(st.st_uid == os.geteuid(), 'it is of another user still')
    expect(not stat.S_IMODE(st.st_mode) & 0o022, 'others may write: %o',
           st.st_mode)


@each([('rbt', 'rbt'), ('svg', 'flamegraph'), ('live', 'rbt')])
def test_folder_that_is_swapped_for_a_link(kind):
    os.mkdir(path_of('folder'))
    os.mkdir(path_of('other'))
    options = ['--live'] if kind[0] == 'live' else []
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'convert', '-q', *options, '-t', kind[1], '-o',
         path_of('folder/out')], stdin=subprocess.PIPE)
    try:
        data = read_file(TINY)
        child.stdin.write(data[:20])
        child.stdin.flush()
        limit = time.monotonic() + bobbin.TIMEOUT
        while not os.listdir(path_of('folder')):
            expect(time.monotonic() < limit, 'nothing is made')
            time.sleep(0.01)
        os.rename(path_of('folder'), path_of('moved'))
        os.symlink('other', path_of('folder'))
        child.stdin.write(data[20:])
        child.stdin.close()
        expect(child.wait(bobbin.TIMEOUT) == 0, 'exit %s', child.returncode)
    finally:
        child.kill()
        child.wait()
    expect(os.listdir(path_of('other')) == [], 'in the other folder: %s',
           os.listdir(path_of('other')))
    expect(os.listdir(path_of('moved')) == ['out'], 'in its own: %s',
           os.listdir(path_of('moved')))


def test_what_is_no_file_and_ours():
    want = bobbin.run('convert', '-t', 'folded', TINY).out
    for name in ('/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'):
        child = subprocess.run(
            [bobbin.PROGRAM, 'convert', '-q', '-t', 'folded', '-o', name,
             TINY], stdout=subprocess.PIPE, timeout=bobbin.TIMEOUT)
        expect(child.returncode == 0 and child.stdout == want, '%s', name)
    expect(os.path.islink('/dev/stdout'), 'the link is gone')
    bobbin.run('convert', '-t', 'folded', '-o', '/dev/null', TINY)
    expect(not os.path.isfile('/dev/null'), 'the device is gone')
