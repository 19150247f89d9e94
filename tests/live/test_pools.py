"""Pools of workers under load, with workers that are killed and a daemon that
is: what was written is what it had counted."""
import collections
import contextlib
import glob
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

from support import (bobbin, case, clients, fpm, listing, phps, pythons,
                     uwsgi)
from support.case import Skip, each, expect
from support.daemons import daemon, has

WORKERS = 20
# A daemon writes everything to its files so often, in seconds.
BARRIER = 1


def counts_of(d):
    """Samples in the files of a daemon, by process."""
    out = collections.Counter()
    for path in d.files():
        one = re.match(r'bobbin-(?:php|python)-(\d+)-',
                       os.path.basename(path))
        for count, fields in listing.parse(bobbin.run('dump', path).out):
            out[int(one.group(1) if one else fields[listing.PID])] += count
    return out


def counted(status):
    return {w['pid']: w['samples'] for w in status['workers']}


def expect_all(d, sure):
    """Whoever had samples has at least as many in the files."""
    found = counts_of(d)
    for pid, n in sure.items():
        expect(found[pid] >= n, 'process %d: %d samples of %d', pid,
               found[pid], n)
    return found


def killed_on_the_way(d, workers):
    """Kills some workers, and says who is in their place, sampled too."""
    before = set(workers())
    dead = sorted(before)[::4]
    sure = counted(d.status())
    for pid in dead:
        os.kill(pid, signal.SIGKILL)
    d.wait(lambda s: len(workers()) == len(before) and
           not set(dead) & set(workers()) and has(*workers())(s) and
           not set(dead) & set(counted(s)), 'others in their place')
    return {pid: sure[pid] for pid in dead}


def check_a_pool(pattern, workers, options):
    """Workers are killed, then the daemon is; then one ends in peace."""
    with daemon(pattern, '-r', '99', *options) as d:
        d.wait(lambda s: has(*workers())(s), 'all workers')
        sure = killed_on_the_way(d, workers)
        status = d.status()
        sure.update(counted(status))
        d.wait(lambda s: s['uptime_s'] > status['uptime_s'] + 2 * BARRIER,
               'two barriers')
        d.end(signal.SIGKILL)
        expect_all(d, sure)
    with daemon(pattern, '-r', '99', *options,
                folder=os.path.join(case.scratch, 'second')) as d:
        d.wait(lambda s: has(*workers())(s), 'all workers')
        text = d.end()
        n = sum(counts_of(d).values())
        said = re.search(rb' taken, (\S+) written', text)
        expect(said, 'no sum in %r', text[-300:])
        expect(re.sub(rb'\D', b'', said.group(1)) == b'%d' % n,
               '%s samples, and %d in the files', said.group(1), n)
        for path in d.files():
            bobbin.run('verify', path)
        return d


@each([('each', []), ('bundled', ['--bundled'])])
def test_a_pool_of_fpm(kind):
    def requests(i):
        return (os.path.join(phps.SCRIPTS, ('shop', 'user')[i % 2] + '.php'),
                '/shop/%d/cart' % i)

    name = 'pool%d' % os.getpid()
    with fpm.pool(WORKERS, name=name) as pool, pool.busy(requests):
        d = check_a_pool('php-fpm: pool ' + name,
                         lambda: [int(pid) for pid in pool.workers()],
                         kind[1])
    report = json.loads(bobbin.run('analyze', '--json', '--requests',
                                   d.folder).out)
    rows = report['sections']['routes']['rows']
    expect('/shop/{n}/cart' in {row['route'] for row in rows}, '%r', rows)


def children_of(pid):
    """Of all threads: any of them may start one."""
    out = []
    for path in glob.glob('/proc/%d/task/*/children' % pid):
        with open(path) as file:
            out += [int(word) for word in file.read().split()]
    return out


def test_a_pool_of_multiprocessing():
    mark = 'mark%d' % os.getpid()
    with pythons.started(pythons.find()[-1], 'pool.py', '6', mark) as target:
        try:
            check_a_pool(mark, lambda: children_of(target.pid), [])
        finally:
            for pid in children_of(target.pid):
                os.kill(pid, signal.SIGKILL)


APP = b'''
def leaf(n):
    return sum(i * i for i in range(n))
def app(environ, start_response):
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return [str(leaf(20000)).encode()]
'''


@contextlib.contextmanager
def gunicorn(mark):
    """A server with workers, and somebody who asks all the time."""
    env = dict(os.environ, **clients.python_packages('gunicorn'))
    if subprocess.run([sys.executable, '-c', 'import gunicorn'], env=env,
                      stderr=subprocess.DEVNULL).returncode != 0:
        clients.missing('gunicorn')
    path = os.path.join(case.scratch, 'http.sock')
    case.write_file(APP, 'app.py')
    child = subprocess.Popen(
        [sys.executable, '-m', 'gunicorn', '-w', '4', '-b', 'unix:' + path,
         '--chdir', case.scratch, '--env', 'MARK=' + mark, 'app:app'],
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with served(child, path):
        yield child.pid, path


@contextlib.contextmanager
def uwsgi_pool(mark, *options):
    """The same of a server that is not Python, and has it as a library."""
    path = os.path.join(case.scratch, 'http.sock')
    child = uwsgi.start(path, case.write_file(APP, 'app.py'), '--set',
                        'mark=' + mark, *options)
    with served(child, path):
        yield child.pid, path


@contextlib.contextmanager
def served(child, path):
    """From the moment when there is a socket until the block is left."""
    try:
        while not os.path.exists(path):
            expect(child.poll() is None, '%s did not start', child.args[0])
            time.sleep(0.02)
        yield
    finally:
        child.terminate()
        child.wait()


def ask_http(path):
    with contextlib.suppress(OSError), \
            socket.socket(socket.AF_UNIX) as s:
        s.settimeout(2)
        s.connect(path)
        s.sendall(b'GET / HTTP/1.0\r\n\r\n')
        while s.recv(65536):
            pass


def test_a_pool_of_gunicorn():
    mark = 'mark%d' % os.getpid()
    with gunicorn(mark) as (pid, path), fpm.load(
            lambda i: ask_http(path), 4):
        check_a_pool(mark, lambda: children_of(pid), ['--bundled'])


def test_a_pool_of_uwsgi():
    mark = 'mark%d' % os.getpid()
    with uwsgi_pool(mark, '--processes', '4') as (pid, path), fpm.load(
            lambda i: ask_http(path), 4):
        check_a_pool(mark, lambda: children_of(pid), ['--bundled'])


def test_threads_of_uwsgi():
    """The first of a worker was made before it was forked, and Python calls
    it by its parent's number."""
    with uwsgi_pool('threads', '--processes', '2', '--threads', '2') as \
            (pid, path), fpm.load(lambda i: ask_http(path), 8):
        while len(children_of(pid)) != 2:
            time.sleep(0.02)
        workers = children_of(pid)
        known, seen = set(), set()
        # Requests are served, and all that is imported for them is.
        for _ in range(50):
            ask_http(path)
        for worker in workers:
            known |= {int(tid) for tid in os.listdir('/proc/%d/task' %
                                                     worker)}
        for _ in range(20):
            out = os.path.join(case.scratch, 'out.tach')
            bobbin.run('record', *[word for worker in workers
                                   for word in ('-p', str(worker))],
                       '-r', '200', '-d', '500ms', '-o', out, '--pause')
            for _, fields in listing.parse(bobbin.run('dump', out).out):
                names = [f[0] for f in pythons.frames(fields)]
                expect(names[0] == 'app' and names[1:2] in ([], ['leaf']),
                       'a stack of thread %s: %r', fields[listing.TID],
                       names)
                seen.add(int(fields[listing.TID]))
            os.remove(out)
            if len(seen) == 4:
                break
        expect(len(seen) == 4 and seen <= known, 'threads %r of %r', seen,
               known)
