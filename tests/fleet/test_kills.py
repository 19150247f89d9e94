"""A shipper that is killed at its n-th system call, for each n."""
import json
import os
import shutil
import subprocess

from support import bobbin, case, fleet, stores
from support.case import each, expect

DISK = ('mkdirat', 'flock', 'pwrite64', 'write', 'fsync', 'fdatasync',
        'ftruncate', 'linkat', 'unlinkat', 'renameat', 'close')
NETWORK = ('pwrite64', 'fdatasync', 'linkat', 'unlinkat', 'connect', 'sendto',
           'recvfrom')


def killed_at(n, call, argv):
    """Runs bobbin under strace, which kills it before its n-th call of this
    name.  False if it came to its end."""
    strace = shutil.which('strace')
    if not strace:
        raise case.Skip('no strace')
    done = subprocess.run(
        [strace, '-f', '-qq', '-o', '/dev/null', '-e', 'trace=' + call, '-e',
         'inject=%s:signal=KILL:when=%d' % (call, n), bobbin.PROGRAM] + argv,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, timeout=60, check=False)
    if b'ptrace' in done.stderr:
        raise case.Skip(done.stderr.decode())
    return done.returncode != 0


def stock(name, *sizes):
    folder = stores.folder(name)
    start = fleet.recent()
    for i, n in enumerate(sizes):
        stores.put(folder, 'f%d.rbt' % i, stores.segment(
            [stores.Sample(start + 10_000 * k + i, ('b', 'a'), 7, '/r')
             for k in range(n)]))
    return folder


def status(folder):
    out = json.loads(bobbin.run('ship', folder, '--status', '--json').out)[-1]
    places = sum(out[k] for k in ('waiting', 'sent', 'unknown',
                                  'acknowledged', 'expired'))
    expect(places + sum(out['dropped'].values()) == out['recorded'],
           'does not add up: %s', out)
    return out


@each(DISK)
def test_with_a_directory_at_each(call):
    n = 1
    while True:
        folder, to = stock('s%d' % n, 3, 4), stores.folder('t%d' % n)
        argv = ['ship', folder, '--once', '-q', '--to', 'dir:' + to]
        was_killed = killed_at(n, call, argv)
        bobbin.run(*argv)
        out = status(folder)
        expect(out['acknowledged'] == out['recorded'] == 7, 'call %d: %s', n,
               out)
        for name in ('f0.rbt', 'f1.rbt'):
            expect(case.read_file(os.path.join(to, 'web1', name)) ==
                   case.read_file(os.path.join(folder, name)),
                   'call %d: %s', n, name)
        left = [f for _, _, files in os.walk(os.path.join(folder, '.ship'))
                for f in files if f not in ('journal', 'lock')]
        expect(not left, 'call %d: %s stays', n, left)
        if not was_killed:
            break
        n += 1
    expect(n > 1, 'there is no such call')


@each(NETWORK)
def test_with_a_server_at_each(call):
    n = 1
    with fleet.server('18.16') as s:
        while True:
            base = 'b%d' % n
            bobbin.run('fleet', 'init', '-q', s.url(base))
            folder = stock('s%d' % n, 30, 40)
            argv = ['ship', folder, '--once', '-q', '--retry', '1ms', '--to',
                    s.url(base)]
            was_killed = killed_at(n, call, argv)
            bobbin.run(*argv)
            out = status(folder)
            expect(out['acknowledged'] == out['recorded'] == 70,
                   'call %d: %s', n, out)
            sums = s.sql('SELECT (SELECT sum(value) FROM %s.samples), (SELECT '
                         'sum(value) FROM %s.minutes)' % (base, base))
            expect(sums == [['70', '70']], 'call %d: %s', n, sums)
            s.sql('DROP DATABASE ' + base)
            if not was_killed:
                break
            n += 1
    expect(n > 1, 'there is no such call')
