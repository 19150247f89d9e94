"""A disk that is full, has a quota, or fails: what is taken is in a file, or it
is counted as lost."""
import contextlib
import errno
import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import time

from support import bobbin, case, losses, stores
from support.case import each, expect
from support.daemons import daemon, has
from support.losses import worker
from support.shim import Shim


@contextlib.contextmanager
def small_disk(size):
    """A file system of its own with so many bytes."""
    folder = os.path.join(case.scratch, 'disk')
    os.mkdir(folder, 0o700)
    if os.geteuid() != 0:
        raise case.Skip('a file system can be mounted by root only')
    made = subprocess.run(['mount', '-t', 'tmpfs', '-o',
                           'size=%d,mode=0700' % size, 'bobbin-test', folder],
                          stderr=subprocess.PIPE)
    if made.returncode != 0:
        raise case.Skip('no file system can be mounted here: %s' %
                        made.stderr.decode().strip())
    try:
        yield folder
    finally:
        subprocess.run(['umount', '-l', folder], check=True)


def fill(folder, leave):
    """A file that takes all room but `leave` bytes."""
    path = os.path.join(folder, 'x.filler')
    room = os.statvfs(folder)
    with open(path, 'wb') as file:
        file.write(b'x' * max(room.f_bavail * room.f_frsize - leave, 0))
    return path


FORMATS = (('rbt',), ('rbt-bundled', '--bundled'),
           ('rbt-packed', '--compress'), ('tach', '-t', 'tach'),
           ('tach-raw', '-t', 'tach', '--compression', 'none'),
           ('phpspy', '-t', 'phpspy'))


@each(' '.join(f) for f in FORMATS)
def test_a_daemon_goes_on_when_there_is_room_again(how):
    options = how.split()[1:]
    mark = 'full-disk-%d' % os.getpid()
    with worker(mark) as w, small_disk(1 << 20) as folder, \
            daemon(mark, '-r', '500', *options, folder=folder) as d:
        losses.check_status(d.wait(has(w.pid), 'the worker'))
        filler = fill(folder, 16 << 10)
        status = d.wait(lambda s: s['outage'], 'a full disk')
        losses.check_status(status)
        expect('No space left' in status['outage'], '%r', status)
        status = d.wait(lambda s: s['lost_by']['disk'] > 1000, 'losses')
        losses.check_status(status)
        text = bobbin.run('daemon', 'status', '-o', folder).out
        expect(b'disk ' in text and b'nothing can be written' in text,
               '%s', text)
        os.unlink(filler)
        d.wait(lambda s: not s['outage'], 'room again')
        before = d.status()['written']
        status = d.wait(lambda s: s['written'] > before + 100, 'more samples')
        losses.check_status(status)
        log = d.end()
        expect(log.count(b'No space left') == 1, 'told %s', log)
        expect(b'can be written again' in log, '%s', log)
        by = losses.check_end(log, folder)[2]
        expect(by['disk'] >= status['lost_by']['disk'] > 1000, '%r', by)
        if 'rbt' in how:
            losses.check_files(folder, by)


def test_a_disk_that_is_full_for_long_costs_nothing():
    """No files are left behind by tries, no lines are logged, and names do
    not gather in memory."""
    mark = 'full-long-%d' % os.getpid()
    with worker(mark) as w, small_disk(1 << 20) as folder, \
            daemon(mark, '-r', '500', folder=folder) as d:
        d.wait(has(w.pid), 'the worker')
        fill(folder, 0)
        d.wait(lambda s: s['outage'], 'a full disk')
        names = sorted(os.listdir(folder))
        with open('/proc/%d/stat' % d.child.pid) as file:
            before = file.read().split()[23]
        time.sleep(8)
        d.child.send_signal(signal.SIGUSR1)
        lost = d.status()['lost_by']['disk']
        d.wait(lambda s: s['lost_by']['disk'] > lost + 500, 'more losses')
        expect(sorted(os.listdir(folder)) == names, 'from %r to %r', names,
               os.listdir(folder))
        with open('/proc/%d/stat' % d.child.pid) as file:
            after = file.read().split()[23]
        expect(int(after) < int(before) + 1024, 'from %s to %s pages',
               before, after)
        log = d.end()
        expect(log.count(b'No space left') == 1, '%s', log)
        losses.check_end(log, folder)


@each((2000, 5000, 9000, 20000))
def test_a_daemon_whose_files_may_not_grow_begins_others(limit):
    mark = 'file-limit-%d' % os.getpid()
    folder = os.path.join(case.scratch, 'state')
    with worker(mark) as w, daemon(mark, '-r', '500', folder=folder) as d:
        d.wait(has(w.pid), 'the worker')
        resource.prlimit(d.child.pid, resource.RLIMIT_FSIZE, (limit, limit))
        status = d.wait(lambda s: s['files'] >= 3, 'more files')
        losses.check_status(status)
        losses.check_end(d.end(), folder)


def test_a_daemon_that_is_killed_has_what_it_said():
    mark = 'killed-%d' % os.getpid()
    with worker(mark) as w, daemon(mark, '-r', '500') as d:
        d.wait(has(w.pid), 'the worker')
        status = d.wait(lambda s: s['written'] > 500, 'a barrier')
        losses.check_status(status)
        d.end(signal.SIGKILL)
        there = losses.in_folder(d.folder)
        expect(there >= status['written'], '%d samples, %d were written',
               there, status['written'])


def record(w, path, limit, *options):
    """A recording into files of so many bytes."""
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'record', '-p', str(w.pid), '-r', '1000', '-o', path,
         '-d', '20s', *options], stderr=subprocess.PIPE, preexec_fn=lambda:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    try:
        return child.communicate(timeout=bobbin.TIMEOUT)[1], child.returncode
    finally:
        child.kill()
        child.wait()


RECORDED = [(name, limit, name, options)
            for name, *options in (('a.rbt',), ('a.rbt', '--compress'),
                                   ('a.tach',), ('a-{}.rbt',),
                                   ('a.phpspy', '-t', 'phpspy'))
            for limit in (100, 3000, 17000)]


@each('%s-%d %s' % (name, limit, ' '.join(o))
      for name, limit, _, o in RECORDED)
def test_a_recording_that_cannot_be_written_says_where_samples_are(how):
    name, *options = how.split()
    name, limit = name.rsplit('-', 1)
    folder = os.path.join(case.scratch, 'out')
    os.mkdir(folder)
    with worker('record-%d' % os.getpid()) as w:
        text, code = record(w, os.path.join(folder, name), int(limit),
                            *options)
    expect(code == bobbin.FAILED, 'exit code %d: %s', code, text)
    expect(b'File too large' in text, '%s', text)
    by = losses.check_end(text, folder)[2]
    expect(by['disk'] > 0, '%r', by)


FAULTS = ('EIO', 'EDQUOT', 'EROFS', 'ENOSPC', 'EIO-partial',
          'ENOSPC-partial')


@each(FAULTS)
def test_an_error_of_the_disk_is_an_outage(how):
    name, partial = how.split('-')[0], how.endswith('partial')
    sys = getattr(errno, name)
    mark = 'fault-%s-%d' % (how, os.getpid())
    shim = Shim()
    with worker(mark) as w, daemon(mark, '-r', '500', env=shim.env) as d:
        d.wait(has(w.pid), 'the worker')
        shim.fail_writes(sys, partial)
        status = d.wait(lambda s: s['outage'], 'an outage')
        expect(os.strerror(sys) in status['outage'], '%r', status)
        status = d.wait(lambda s: s['lost_by']['disk'] > 500, 'losses')
        losses.check_status(status)
        shim.fail_writes(0)
        d.wait(lambda s: not s['outage'], 'the end of it')
        before = d.status()['written']
        d.wait(lambda s: s['written'] > before + 100, 'more samples')
        log = d.end()
        expect(shim.failed() > 1, 'nothing failed')
        expect(log.count(os.strerror(sys).encode()) == 1, '%s', log)
        by = losses.check_end(log, d.folder)[2]
        losses.check_files(d.folder, by)


@each(('rbt', 'tach'))
def test_a_daemon_does_not_wait_for_the_disk(to):
    """On a busy disk a sync takes tens of seconds, and no signal ends it. Only
    sealing waits, which others can do later."""
    mark = 'sync-%d' % os.getpid()
    shim = Shim()
    with worker(mark) as w, daemon(mark, '-r', '500', '-t', to, '--rotate',
                                   '1s', env=shim.env) as d:
        shim.hold_syncs()
        d.wait(has(w.pid), 'the worker')
        d.wait(lambda status: len(d.files()) > 2, 'new files')
        log = d.end()
        losses.check_end(log, d.folder)


@each(('a.rbt', 'a.rbt.gz', 'a.bin', 'a.svg'))
def test_a_recording_does_not_wait_for_the_disk(name):
    shim = Shim()
    shim.hold_syncs()
    with worker('record-%d' % os.getpid()) as w:
        path = os.path.join(case.scratch, name)
        result = bobbin.execute(
            ['env', *map('='.join, shim.env.items()), bobbin.PROGRAM, 'record',
             '-p', str(w.pid), '-r', '500', '-o', path, '-d', '500ms'])
    expect(shim.failed() == 0, '%d syncs', shim.failed())
    expect(os.path.getsize(path) > 0, '%s', result.err)


def test_a_file_that_is_replaced_waits_for_the_disk():
    """Or a crash could lose the old content and the new."""
    shim = Shim()
    trace = os.path.join(case.scratch, 'in.folded')
    with open(trace, 'w') as file:
        file.write('main;work 3\n')
    path = os.path.join(case.scratch, 'out.svg')
    bobbin.run('convert', '-o', path, trace)
    old = case.read_file(path)
    shim.hold_syncs()
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'convert', '--hide', 'work', '-o', path, trace],
        env=dict(os.environ, **shim.env))
    try:
        while shim.failed() == 0 and child.poll() is None:
            time.sleep(0.01)
        expect(child.poll() is None, 'it did not wait')
        expect(case.read_file(path) == old, 'it is replaced already')
        shim.hold_syncs(False)
        expect(child.wait(bobbin.TIMEOUT) == 0, 'it failed')
    finally:
        child.kill()
        child.wait()
    expect(case.read_file(path) != old, 'it is not replaced')


@each(('EIO', 'EIO-partial'))
def test_the_last_write_of_a_recording_fails(how):
    folder = os.path.join(case.scratch, 'out')
    os.mkdir(folder)
    shim = Shim()
    with worker('record-%d' % os.getpid()) as w:
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(w.pid), '-r', '500', '-o',
             os.path.join(folder, 'a.rbt'), '-d', '2500ms'],
            stderr=subprocess.PIPE, env=dict(os.environ, **shim.env))
        try:
            time.sleep(1.5)
            shim.fail_writes(errno.EIO, how.endswith('partial'))
            text = child.communicate(timeout=bobbin.TIMEOUT)[1]
        finally:
            child.kill()
            child.wait()
    expect(child.returncode == bobbin.FAILED, '%d: %s', child.returncode,
           text)
    by = losses.check_end(text, folder)[2]
    expect(by['disk'] > 0, '%r', by)


def written_formats():
    rows = map(json.loads, bobbin.run('formats', '--json').out.splitlines())
    return [row['name'] for row in rows if row['can_write']]


def large_trace():
    """More than a small disk holds, in any format."""
    path = os.path.join(case.scratch, 'in.folded')
    with open(path, 'wb') as file:
        for i in range(60000):
            file.write(b'main.py;f%d_%d 1\n' % (i, i * 7919 % 60013))
    return path


def test_a_conversion_to_a_full_disk():
    """An error that names the disk's; the old file stays, and nothing else."""
    trace = large_trace()
    with small_disk(64 << 10) as folder:
        for to in written_formats():
            out = os.path.join(folder, 'out')
            with open(out, 'wb') as file:
                file.write(b'older')
            # A heat map has a line for each file; there is hardly one.
            fits = to.startswith('heatmap')
            done = bobbin.run('convert', '-q', '-t', to, '-o', out, trace,
                              ok=(bobbin.OK if fits else bobbin.FAILED,))
            if fits:
                continue
            expect(b'No space left on device' in done.err, '%s: %s', to,
                   done.err)
            expect(os.listdir(folder) == ['out'], '%s: %r', to,
                   os.listdir(folder))
            expect(case.read_file(out) == b'older', '%s: the old file is '
                   'gone', to)


def test_a_full_disk_for_temporary_files():
    """A packed profile whose tables are at its end is unpacked there."""
    trace, out = large_trace(), os.path.join(case.scratch, 'out.rbt')
    packed = os.path.join(case.scratch, 'in.speedscope.json.gz')
    plain = bobbin.run('convert', '-q', '-t', 'speedscope', trace).out
    with gzip.open(packed, 'wb') as file:
        file.write(plain)
    with open(out, 'wb') as file:
        file.write(b'older')
    with small_disk(64 << 10) as folder:
        for args in (['info', packed], ['verify', packed],
                     ['analyze', packed], ['diff', packed, packed],
                     ['convert', '-q', '-o', out, packed]):
            done = bobbin.execute(['env', 'TMPDIR=' + folder, bobbin.PROGRAM,
                                   *args], ok=(bobbin.FAILED,))
            expect(b'No space left on device' in done.err, '%s: %s', args[0],
                   done.err)
            expect(b'temporary' in done.err, '%s: %s', args[0], done.err)
            expect(os.listdir(folder) == [], '%s: %r', args[0],
                   os.listdir(folder))
    expect(case.read_file(out) == b'older', 'the old file is gone')


def test_a_reader_that_goes_away():
    """As `| head -1`: it ends by itself, soon, and never by success."""
    trace = large_trace()
    for to in written_formats():
        child = subprocess.Popen([bobbin.PROGRAM, 'convert', '-q', '-t', to,
                                  trace], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        try:
            child.stdout.close()
            err = child.stderr.read()
            code = child.wait(bobbin.TIMEOUT)
        finally:
            child.kill()
            child.wait()
            child.stderr.close()
        expect(code in (bobbin.FAILED, -signal.SIGPIPE), '%s: %d %s', to,
               code, err)
        expect(code < 0 or b'Broken pipe' in err, '%s: %s', to, err)


def shipped(folder, *argv, ok=(0,)):
    """Ships once; what the status says then."""
    bobbin.run('ship', folder, '--once', '-q', '--retry', '1ms', *argv, ok=ok)
    out = bobbin.run('ship', folder, '--status', '--json').out
    return json.loads(out)[-1]


@each(['store', 'target'])
def test_a_shipper_goes_on_when_there_is_room_again(where):
    """The disk of the store, where the spool is, or that of the target."""
    folder = stores.folder()
    stores.put(folder, 'a.rbt', stores.segment(
        [stores.Sample(stores.START + 10_000 * k, ('b', 'a'), 7, '/r')
         for k in range(3000)]))
    bobbin.run('store', '--seal', folder)
    with small_disk(1 << 20) as disk:
        to = os.path.join(disk, 'to') if where == 'target' else stores.folder(
            'to')
        if where == 'store':
            shutil.copytree(folder, os.path.join(disk, 'store'))
            os.chmod(os.path.join(disk, 'store'), 0o700)
            folder = os.path.join(disk, 'store')
        os.makedirs(to, exist_ok=True)
        path = fill(disk, 0)
        if where == 'target':
            out = shipped(folder, '--to', 'dir:' + to, ok=(1,))
            expect(out['acknowledged'] == 0 and out['recorded'] == 3000,
                   '%s', out)
            expect(out['waiting'] + out['unknown'] == 3000, '%s', out)
        else:
            err = bobbin.run('ship', folder, '--once', '--retry', '1ms',
                             '--to', 'dir:' + to, ok=(1,)).err
            expect(b'No space left' in err, '%s', err)
        os.remove(path)
        out = shipped(folder, '--to', 'dir:' + to)
        expect(out['acknowledged'] == out['recorded'] == 3000, '%s', out)
        expect(os.listdir(os.path.join(to, 'web1')) == ['a.rbt'], 'others')
