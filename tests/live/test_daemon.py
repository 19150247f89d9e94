"""bobbin daemon: processes that come and go, files that stay."""
import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import time

from support import (bobbin, case, fpm, listing, losses, phps, stores,
                     targets)
from support.case import each, expect
from support.daemons import daemon, has, metadata

SCRIPT = '''<?php
function nap() { usleep(1000); }
function work($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i; return $s; }
echo "ready\\n";
while (true) { work(2000); nap(); }
'''

def php():
    return phps.program(phps.find()[0])


@contextlib.contextmanager
def worker(mark):
    """A process of PHP whose command line has the mark."""
    path = os.path.join(case.scratch, 'work.php')
    with open(path, 'w') as file:
        file.write(SCRIPT)
    child = subprocess.Popen([php(), '-n', path, mark],
                             stdout=subprocess.PIPE)
    try:
        expect(child.stdout.readline() == b'ready\n', 'PHP did not start')
        targets.need_permission(child.pid)
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_processes_that_come_and_go_have_a_file_each():
    mark = 'come-and-go-%d' % os.getpid()
    with worker(mark) as first, daemon(mark, '-r', '200') as d:
        d.wait(has(first.pid), 'the first worker')
        with worker(mark) as second:
            d.wait(has(first.pid, second.pid), 'the second worker')
        status = d.wait(lambda s: [w['pid'] for w in s['workers']] ==
                        [first.pid], 'the end of the second worker')
        expect(status['workers'][0]['runtime'] == 'php', '%r', status)
        expect(stat.S_IMODE(os.stat(d.folder).st_mode) == 0o700,
               'others may enter the directory')
        told = d.end()
        expect(b'error' not in told and b'warning' not in told,
               'an end is nothing to warn of: %s', told)
        files = d.files()
        expect(len(files) == 2, 'files %r', files)
        for path in files:
            expect(stat.S_IMODE(os.stat(path).st_mode) == 0o600,
                   'others may read %s', path)
            bobbin.run('verify', path)
            meta = metadata(path)
            expect(int(meta['pid']) in (first.pid, second.pid), '%r', meta)
            expect(mark in meta['command'], '%r', meta)
            expect(abs(int(meta['profiler.start_us']) / 1e6 - time.time())
                   < 3600, '%r', meta)
            expect(meta['profiler.failed_percent'] == '0', '%r', meta)
        report = json.loads(bobbin.run('analyze', '--json', '--no-line',
                                       '--group-by', 'pid', d.folder).out)
        names = sorted(int(row['text'].split()[0]) for row in
                       report['sections']['self']['rows'])
        expect(names == sorted([first.pid, second.pid]), '%r', names)


def test_a_process_that_is_no_runtime_yet_is_looked_at_again():
    mark = 'becomes-%d' % os.getpid()
    with daemon(mark, '-r', '200') as d:
        child = subprocess.Popen(
            ['sh', '-c', 'read go; exec "$0" -n -r "$1" -- "$2"', php(),
             'while (true) usleep(1000);', mark], stdin=subprocess.PIPE)
        try:
            targets.need_permission(child.pid)
            d.wait_told(b'neither PHP nor Python')
            child.stdin.write(b'go\n')
            child.stdin.flush()
            d.wait(has(child.pid), 'what became PHP')
        finally:
            child.kill()
            child.communicate()
        told = d.end()
        expect(told.count(b'neither PHP nor Python') == 1, '%s', told)


def test_a_bundle_holds_all_processes():
    mark = 'bundle-%d' % os.getpid()
    with worker(mark) as a, worker(mark) as b, \
            daemon(mark, '-r', '200', '--bundled') as d:
        d.wait(has(a.pid, b.pid), 'both workers')
        d.end()
        expect(len(d.files()) == 1, 'files %r', d.files())
        runs = listing.parse(bobbin.run('dump', d.files()[0]).out)
        pids = {fields[listing.PID] for _, fields in runs}
        expect(pids == {str(a.pid), str(b.pid)}, 'pids %r', pids)


def test_a_signal_begins_new_files():
    mark = 'rotate-%d' % os.getpid()
    with worker(mark) as w, daemon(mark, '-r', '200') as d:
        d.wait(has(w.pid), 'the worker')
        d.child.send_signal(signal.SIGUSR1)
        d.wait(lambda s: s['files'] == 2, 'the second file')
        before = d.status()['samples']
        d.wait(lambda s: s['samples'] > before + 20, 'samples in it')
        d.end()
        expect(len(d.files()) == 2, 'files %r', d.files())
        for path in d.files():
            bobbin.run('verify', path)
            expect(listing.total(listing.parse(
                bobbin.run('dump', path).out)) > 5, 'nothing in %s', path)


def test_a_killed_daemon_loses_nothing_before_its_last_barrier():
    mark = 'killed-%d' % os.getpid()
    with worker(mark) as w:
        with daemon(mark, '-r', '200') as d:
            # Two barriers after these samples there must be as many.
            least = d.wait(has(w.pid), 'the worker')['samples']
            d.wait(lambda s: s['samples'] > least + 500, 'more samples')
            d.end(signal.SIGKILL)
            path = d.files()[0]
            runs = listing.parse(bobbin.run('dump', path).out)
            expect(listing.total(runs) >= least, '%d samples of %d',
                   listing.total(runs), least)
        # What it left behind is not in the way of the next.
        with daemon(mark, '-r', '200') as d:
            d.wait(has(w.pid), 'the worker')
            d.end()
            expect(len(d.files()) == 2, 'files %r', d.files())


def test_who_asks_slowly_is_heard():
    """As on a machine that is so busy that the daemon is there first."""
    mark = 'slow-%d' % os.getpid()
    with worker(mark), daemon(mark, '-r', '200') as d:
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(bobbin.TIMEOUT)
            s.connect(os.path.join(d.folder, 'daemon.sock'))
            d.status()  # it has seen the connection
            s.sendall(b'json')
            with s.makefile('rb') as file:
                answer = json.loads(file.read())
        expect(answer['pid'] == d.child.pid, '%r', answer)
        d.end()


def test_two_daemons_do_not_share_a_directory():
    mark = 'twice-%d' % os.getpid()
    with worker(mark) as w, daemon(mark) as d:
        d.wait(has(w.pid), 'the worker')
        result = bobbin.run('daemon', '-P', mark, '-o', d.folder, ok=(1,))
        expect(b'another daemon' in result.err, '%r', result.err)
        d.end()
    result = bobbin.run('daemon', 'status', '-o', d.folder, ok=(1,))
    expect(b'no daemon' in result.err, '%r', result.err)


def test_old_files_go_and_others_stay():
    mark = 'keep-%d' % os.getpid()
    folder = os.path.join(case.scratch, 'kept')
    os.mkdir(folder, 0o700)
    for name, age in (('bobbin-php-1-old.rbt', 9 * 86400),
                      ('bobbin-php-1-new.rbt', 60),
                      ('bobbin-php-1-old.rbt.idx', 60),
                      ('bobbin-php-1-new.rbt.idx', 9 * 86400),
                      ('bobbin-php-1-gone.rbt.idx', 60),
                      ('mine.rbt', 9 * 86400), ('mine.rbt.idx', 9 * 86400)):
        path = os.path.join(folder, name)
        with open(path, 'wb') as file:
            file.write(b'x' * 1000)
        os.utime(path, (time.time() - age,) * 2)
    with worker(mark) as w, daemon(mark, '--keep', '7d', '--keep', '1M',
                                   folder=folder) as d:
        d.wait(has(w.pid), 'the worker')
        d.end()
    names = sorted(os.listdir(folder))
    expect('mine.rbt' in names and 'mine.rbt.idx' in names and
           'bobbin-php-1-new.rbt' in names and
           'bobbin-php-1-new.rbt.idx' in names, '%r', names)
    expect(not any(n.startswith(('bobbin-php-1-old', 'bobbin-php-1-gone'))
                   for n in names), '%r', names)


def test_a_pool_of_fpm_has_its_routes():
    def requests(i):
        return (os.path.join(phps.SCRIPTS, 'shop.php'),
                '/shop/%d/cart?token=secret' % i)

    with fpm.pool(4) as pool, pool.busy(requests), \
            daemon('php-fpm: pool www', '-r', '200') as d:
        def all_are_sampled(status):
            return has(*[int(pid) for pid in pool.workers()])(status)

        d.wait(all_are_sampled, 'all workers')
        killed = int(pool.workers()[0])
        os.kill(killed, signal.SIGKILL)
        d.wait(lambda s: all_are_sampled(s) and
               killed not in [w['pid'] for w in s['workers']] and
               killed not in [int(pid) for pid in pool.workers()],
               'a worker in its place')
        d.end()
    report = json.loads(bobbin.run('analyze', '--json', '--requests',
                                   d.folder).out)
    routes = {row['route'] for row in report['sections']['routes']['rows']}
    expect('/shop/{n}/cart' in routes, '%r', routes)
    text = b''.join(case.read_file(path) for path in d.files())
    expect(b'secret' not in text, 'the query was stored')


@each([('by itself', True), ('asked for', True, '--request'),
       ('not wanted', False, '--no-request')])
def test_requests_are_told_unless_they_are_not_wanted(item):
    def requests(i):
        return os.path.join(phps.SCRIPTS, 'shop.php'), '/shop/%d' % i

    with fpm.pool(1) as pool, pool.busy(requests), \
            daemon('php-fpm: pool www', '-r', '200', *item[2:]) as d:
        d.wait(lambda s: sum(w['samples'] for w in s['workers']) > 20,
               'samples')
        d.end()
    text = b''.join(case.read_file(path) for path in d.files())
    for key in (b'request.id', b'request.route'):
        expect((key in text) == item[1], '%s: %s', key, key in text)


def test_a_file_that_cannot_grow_is_told_and_kept():
    mark = 'no-room-%d' % os.getpid()
    folder = os.path.join(case.scratch, 'out')
    with worker(mark):
        child = subprocess.Popen(
            ['sh', '-c', 'ulimit -f 8; exec "$0" "$@"',
             bobbin.PROGRAM, 'daemon', '-P', mark, '-r', '2000', '-o',
             folder], stderr=subprocess.PIPE)
        try:
            lines = iter(child.stderr.readline, b'')
            told = next(line for line in lines if b'cannot write' in line)
            expect(told.count(b'.rbt') == 1, '%s', told)
            expect(b'what was written stays' in next(lines), 'no hint')
            child.terminate()
            log = child.stderr.read()
            expect(child.wait(bobbin.TIMEOUT) == 0, 'how it ended')
        finally:
            child.kill()
            child.wait()
            child.stderr.close()
    losses.check_end(log, folder)
    path = losses.files(folder)[0]
    bobbin.run('verify', path, ok=(bobbin.OK, bobbin.PARTIAL))
    expect(listing.total(listing.parse(bobbin.run(
        'dump', '--recover', path, ok=(bobbin.OK, bobbin.PARTIAL)).out)) > 99,
           'what was written is gone')


def test_mistakes_say_how_to_go_on():
    for args, word in ((('daemon',), b'-P'),
                       (('daemon', 'stop'), b'status'),
                       (('daemon', '-P', 'x', '--keep', '7'), b'--keep'),
                       (('daemon', '-P', 'x', '--rotate', 'x'), b'--rotate'),
                       (('daemon', '-P', 'x', '--max-cpu', 'x'),
                        b'--max-cpu'),
                       (('daemon', '-P', '('), b'pattern')):
        folder = os.path.join(case.scratch, 'none')
        result = bobbin.run(*args, '-o', folder, ok=(2,))
        expect(word in result.err, '%r says %r', args, result.err)


def standstill(child, seconds):
    """Stops a process for a while."""
    child.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
    time.sleep(seconds)
    child.send_signal(signal.SIGCONT)


def test_each_file_tells_its_own_counts():
    """Of files that follow each other: samples, rate and missed moments of
    each, not of all until then."""
    mark = 'counts-%d' % os.getpid()
    with worker(mark) as w, daemon(mark, '-r', '50', '--rotate', '1s') as d:
        d.wait(lambda s: s['files'] >= 2, 'two files')
        standstill(d.child, 0.5)
        n = d.status()['files']
        d.wait(lambda s: s['files'] >= n + 2, 'two more files')
        told = d.status()['missed']
        d.end()
        names = sorted(n for n in os.listdir(d.folder) if n.endswith('.rbt'))
    taken = missed = 0
    for name in names:
        path = os.path.join(d.folder, name)
        meta = metadata(path)
        n = json.loads(bobbin.run('info', '--json', path).out)['samples']
        expect(int(meta['profiler.taken']) == n, '%s: %s of %d', name, meta, n)
        seconds = float(meta['profiler.duration_s'])
        rate = float(meta['profiler.samples_per_s'])
        expect(seconds < 0.1 or abs(rate - n / seconds) < 0.01 * rate + 0.1,
               '%s: %s', name, meta)
        expect(rate < 60 or seconds < 0.5, '%s: %s', name, meta)
        taken += n
        missed += int(meta['profiler.missed'])
    expect(taken > 0 and w, 'nothing was sampled')
    # Half a second at 50 Hz. Each moment is in one file; were they counted
    # from the start, two more files would tell all of them again.
    expect(20 <= told <= missed < 2 * told, '%d missed, %d in files', told,
           missed)


def test_files_are_sealed_and_those_of_a_killed_daemon_too():
    mark = 'sealed-%d' % os.getpid()
    with worker(mark) as w:
        with daemon(mark, '-r', '200', '--service', 'shop') as d:
            d.wait(has(w.pid), 'the worker')
            d.child.send_signal(signal.SIGUSR1)
            d.wait(lambda s: s['files'] >= 2, 'a second file')
            d.wait(has(w.pid), 'the worker')
            d.wait(lambda s: s['sealing']['sealed'] == 1 and
                   s['sealing']['waiting'] == 0, 'the first file sealed')
            states = [s['state'] for s in stores.segments(d.folder).values()]
            expect(states.count('open') == 1, '%r', states)
            d.end(signal.SIGKILL)
        left = stores.segments(d.folder)
        expect([s['state'] for s in left.values()].count('left') in (1, 2),
               '%r', left)
        with daemon(mark, '-r', '200', folder=d.folder) as d:
            d.wait(has(w.pid), 'the worker')
            told = d.end()
    expect(b'warning' not in told, '%s', told)
    found = stores.segments(d.folder, '--check')
    expect(len(found) == 3 and
           all(s['state'] == 'sealed' for s in found.values()), '%r', found)
    for name, s in found.items():
        path = os.path.join(d.folder, name)
        parsed = listing.parse(bobbin.run('dump', '--recover', path,
                                          ok=(0, 4)).out)
        expect(s['samples'] == listing.total(parsed), '%r', s)
        expect(w.pid in [p['pid'] for p in s['processes']], '%r', s)
    expect(sum(s['samples'] for s in found.values()) > 10, '%r', found)
    services = [s['service'] for s in found.values()]
    expect(sorted(services) == ['', 'shop', 'shop'], '%r', services)
    asked = json.loads(bobbin.run(
        'analyze', '--json', '--store', d.folder, '--service', 'shop',
        '--from', '-1h', ok=(0, 4)).out)
    expect(asked['samples']['read'] == sum(
        s['samples'] for s in found.values() if s['service'] == 'shop'),
        '%r', asked['samples'])
