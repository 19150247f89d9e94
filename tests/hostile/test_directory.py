"""The directory of a daemon, or the file of a recording, is taken away while it
is written."""
import os
import shutil
import signal
import subprocess
import time

from support import bobbin, case, losses
from support.case import each, expect
from support.daemons import daemon, has
from support.losses import worker

HOW = (('rbt',), ('bundled', '--bundled'), ('packed', '--compress'),
       ('tach', '-t', 'tach'))


def listens(d):
    """Waits until the daemon can be asked at its path."""
    for _ in range(int(bobbin.TIMEOUT * 10)):
        if os.path.exists(os.path.join(d.folder, 'daemon.sock')):
            return
        time.sleep(0.1)
    raise case.Failure('the daemon cannot be asked any more')


def goes_on(d):
    listens(d)
    before = d.status()['written']
    status = d.wait(lambda s: s['written'] > before + 100, 'more samples')
    losses.check_status(status)
    return status


@each(' '.join(h) for h in HOW)
def test_a_directory_that_is_removed_is_made_anew(how):
    mark = 'removed-%d' % os.getpid()
    with worker(mark) as w, daemon(mark, '-r', '500',
                                   *how.split()[1:]) as d:
        d.wait(has(w.pid), 'the worker')
        d.wait(lambda s: s['written'] > 100, 'samples in files')
        shutil.rmtree(d.folder)
        status = goes_on(d)
        expect(status['lost_by']['removed'] > 100, '%r', status)
        log = d.end()
        expect(log.count(b'removed or renamed') == 1, '%s', log)
        by = losses.check_end(log, d.folder)[2]
        expect(by['removed'] > 100, '%r', by)
        if 'tach' not in how:
            losses.check_files(d.folder, by)


@each(' '.join(h) for h in HOW)
def test_a_directory_that_is_renamed_keeps_its_samples(how):
    mark = 'renamed-%d' % os.getpid()
    with worker(mark) as w, daemon(mark, '-r', '500',
                                   *how.split()[1:]) as d:
        d.wait(has(w.pid), 'the worker')
        d.wait(lambda s: s['written'] > 100, 'samples in files')
        away = d.folder + '.away'
        os.rename(d.folder, away)
        os.remove(os.path.join(away, 'daemon.sock'))
        goes_on(d)
        log = d.end()
        taken, written, by = losses.told(log)
        there = losses.in_folder(d.folder) + losses.in_folder(away)
        expect(losses.in_folder(away) > 100, 'nothing stayed')
        expect(written == there, '%d written, %d in files: %s', written,
               there, log)
        expect(taken == there + sum(by.values()), '%d of %d, %r', there,
               taken, by)


def put_file(path):
    with open(path, 'wb'):
        pass


def put_link(path):
    other = path + '.elsewhere'
    os.mkdir(other, 0o700)
    os.symlink(other, path)


def put_open_folder(path):
    os.mkdir(path)
    os.chmod(path, 0o777)


def put_foreign_folder(path):
    if os.geteuid() != 0:
        raise case.Skip('only root can make directories of others')
    os.mkdir(path, 0o700)
    os.chown(path, 65534, 65534)


STRANGERS = (put_file, put_link, put_open_folder, put_foreign_folder)


@each(f.__name__ for f in STRANGERS)
def test_samples_are_not_given_to_a_stranger(name):
    mark = 'stranger-%d' % os.getpid()
    put = next(f for f in STRANGERS if f.__name__ == name)
    with worker(mark) as w, daemon(mark, '-r', '500') as d:
        d.wait(has(w.pid), 'the worker')
        away = d.folder + '.away'
        os.rename(d.folder, away)
        put(d.folder)
        code = d.child.wait(bobbin.TIMEOUT)
        log = d.told()
        expect(code == bobbin.FAILED, 'exit code %d: %s', code, log)
        expect(b'replaced' in log, '%s', log)
        if os.path.isdir(d.folder):
            expect(os.listdir(d.folder) == [], 'written there: %r',
                   os.listdir(d.folder))
        losses.check_end(log, away)


def test_a_directory_of_ours_in_its_place_is_used():
    mark = 'replaced-%d' % os.getpid()
    with worker(mark) as w, daemon(mark, '-r', '500') as d:
        d.wait(has(w.pid), 'the worker')
        away = d.folder + '.away'
        os.mkdir(d.folder + '.new', 0o700)
        os.rename(d.folder, away)
        os.rename(d.folder + '.new', d.folder)
        goes_on(d)
        log = d.end()
        expect(b'replaced' in log, '%s', log)
        taken, written, by = losses.told(log)
        there = losses.in_folder(d.folder) + losses.in_folder(away)
        expect(written == there and taken == there + sum(by.values()),
               '%d in files: %s', there, log)


def test_a_directory_that_may_not_be_written_is_an_outage():
    """New files cannot begin; those that are open go on."""
    mark = 'read-only-%d' % os.getpid()
    with worker(mark) as w, daemon(mark, '-r', '500') as d:
        d.wait(has(w.pid), 'the worker')
        os.chmod(d.folder, 0o500)
        try:
            d.child.send_signal(signal.SIGUSR1)
            status = d.wait(lambda s: s['outage'], 'an outage')
            expect('denied' in status['outage'], '%r', status)
            before = status['written']
            status = d.wait(lambda s: s['written'] > before + 500,
                            'samples in the old file')
            expect(status['files'] == 1 and losses.lost(status) == 0, '%r',
                   status)
        finally:
            os.chmod(d.folder, 0o700)
        d.wait(lambda s: s['files'] == 2 and not s['outage'], 'the new file')
        log = d.end()
        expect(log.count(b'denied') == 1, '%s', log)
        losses.check_end(log, d.folder)


@each(('removed', 'cut'))
def test_a_file_that_is_taken_away_is_followed_by_another(what):
    mark = 'file-%s-%d' % (what, os.getpid())
    with worker(mark) as w, daemon(mark, '-r', '500') as d:
        d.wait(has(w.pid), 'the worker')
        d.wait(lambda s: s['written'] > 100, 'samples in files')
        if what == 'removed':
            os.remove(d.files()[0])
        else:
            os.truncate(d.files()[0], 0)
        status = d.wait(lambda s: s['lost_by']['removed'] > 100, 'the loss')
        losses.check_status(status)
        goes_on(d)
        log = d.end()
        by = losses.check_end(log, d.folder)[2]
        losses.check_files(d.folder, by)


def record(w, path):
    return subprocess.Popen([bobbin.PROGRAM, 'record', '-p', str(w.pid), '-r',
                             '500', '-o', path], stderr=subprocess.PIPE)


def wait_for(path):
    for _ in range(int(bobbin.TIMEOUT * 10)):
        if os.path.exists(path) and os.path.getsize(path) > 1000:
            return
        time.sleep(0.1)
    raise case.Failure('no samples in %s' % path)


@each(('one a.rbt a.rbt', 'several a-{}.rbt a-0000.rbt'))
def test_a_recording_whose_file_is_removed_begins_another(how):
    _, name, first = how.split()
    folder = os.path.join(case.scratch, 'out')
    os.mkdir(folder)
    with worker('record-%d' % os.getpid()) as w:
        child = record(w, os.path.join(folder, name))
        try:
            wait_for(os.path.join(folder, first))
            os.remove(os.path.join(folder, first))
            wait_for(os.path.join(folder, first.replace('0000', '0001')))
            child.send_signal(signal.SIGINT)
            text = child.communicate(timeout=bobbin.TIMEOUT)[1]
        finally:
            child.kill()
            child.wait()
    expect(child.returncode == bobbin.OK, '%d: %s', child.returncode, text)
    expect(b'its samples are lost' in text, '%s', text)
    told = losses.in_metadata(losses.files(folder))
    expect(told['removed'] > 10, '%r', told)
    expect(b'removed %d' % told['removed'] in text, '%r, %s', told, text)


def test_a_recording_does_not_write_over_a_file_of_somebody_else():
    folder = os.path.join(case.scratch, 'out')
    os.mkdir(folder)
    path = os.path.join(folder, 'a.rbt')
    with worker('record-%d' % os.getpid()) as w:
        child = record(w, path)
        try:
            wait_for(path)
            with open(path + '.new', 'wb') as file:
                file.write(b'precious')
            os.rename(path + '.new', path)
            text = child.communicate(timeout=bobbin.TIMEOUT)[1]
        finally:
            child.kill()
            child.wait()
    expect(child.returncode == bobbin.FAILED, '%d: %s', child.returncode,
           text)
    expect(case.read_file(path) == b'precious', 'it was written over')
    taken, written, by = losses.told(text)
    expect(written == 0 and taken == by['removed'] > 0, '%s', text)
