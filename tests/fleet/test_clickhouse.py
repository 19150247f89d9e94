"""Samples that are shipped to real servers: counts on both sides are equal."""
import collections
import json
import os
import random
import signal
import subprocess
import time

from support import bobbin, case, fleet, stores
from support.case import each, expect

SERVERS = list(fleet.SERVERS)
ROUNDS = int(os.environ.get('FLEET_ROUNDS', 10))
MINUTE = 60_000_000


def make(folder, name, n, seed=1, start=None, **options):
    """A segment of n samples in two processes and some routes."""
    dice = random.Random(seed)
    t, samples = start or fleet.recent(), []
    for _ in range(n):
        t += dice.randrange(1, 20_000)
        depth = dice.randrange(1, 6)
        samples.append(stores.Sample(
            t, tuple('%s%d' % (dice.choice('abc'), i)
                     for i in range(depth, 0, -1)),
            dice.choice((11, 12)), dice.choice((None, '/cart', "/o'b\\x"))))
    stores.put(folder, name, stores.segment(samples, **options))
    return samples


def ship(folder, url, *options, ok=(0,)):
    return bobbin.run('ship', folder, '--once', '--retry', '1ms', '--to', url,
                      *options, ok=ok)


def init(server, base='fleet', *options):
    bobbin.run('fleet', 'init', *options, server.url(base))


def status(folder):
    """The status of the only target; its places add up."""
    out, = json.loads(bobbin.run('ship', folder, '--status', '--json').out)
    places = sum(out[k] for k in ('waiting', 'sent', 'unknown',
                                  'acknowledged', 'expired'))
    expect(places + sum(out['dropped'].values()) == out['recorded'],
           'does not add up: %s', out)
    return out


def sums(server, base='fleet'):
    """Samples in the table, samples in the sums per minute, rows."""
    return [int(v) for v in server.sql(
        'SELECT (SELECT sum(value) FROM %s.samples), '
        '(SELECT sum(value) FROM %s.minutes), '
        '(SELECT count() FROM %s.samples)' % (base, base, base))[0]]


def nameless(server, base='fleet'):
    """Samples and sums whose stack is not there."""
    return [server.number(
        'SELECT count() FROM %s.%s WHERE toUInt64(stack) NOT IN '
        '(SELECT stack FROM %s.stacks)' % (base, table, base))
            for table in ('samples', 'minutes')]


@each(SERVERS)
def test_the_server_has_each_sample(name):
    folder = stores.folder()
    samples = make(folder, 'a.rbt', 3000) + make(
        folder, 'web2/b.rbt', 2000, seed=2, host='web2')
    with fleet.server(name) as s:
        init(s)
        ship(folder, s.url('fleet'))
        expect(sums(s) == [5000, 5000, 5000], 'sums: %s', sums(s))
        rows = s.sql(
            "SELECT toString(ts), toString(pid), hex(route), "
            "arrayStringConcat(frames, '|'), toString(value), runtime FROM "
            "(SELECT ts, pid, route, stack, value, runtime FROM fleet.samples)"
            " AS a ALL INNER JOIN (SELECT stack, any(frames) AS frames FROM "
            "fleet.stacks GROUP BY stack) AS b USING stack")
        there = collections.Counter()
        for ts, pid, route, frames, value, runtime in rows:
            expect(runtime == 'php', 'runtime: %s', runtime)
            there[int(ts), int(pid), bytes.fromhex(route).decode(),
                  frames] += int(value)
        here = collections.Counter(
            (x.time, x.pid, x.route or '', '|'.join(reversed(x.stack)))
            for x in samples)
        expect(there == here, 'differ: %s', list((there - here).items())[:3] +
               list((here - there).items())[:3])
        expect(s.sql('SELECT host, count() FROM fleet.samples GROUP BY host '
                     'ORDER BY host') == [['web1', '3000'], ['web2', '2000']],
               'hosts')
        minutes = collections.Counter(
            (x.time // MINUTE * 60, x.route or '') for x in samples)
        got = {(int(m), bytes.fromhex(r).decode()): int(v)
               for m, r, v in s.sql(
                   'SELECT toUInt32(minute), hex(route), sum(value) FROM '
                   'fleet.minutes GROUP BY minute, route')}
        expect(got == minutes, 'minutes differ')


@each(SERVERS)
def test_what_is_there_is_not_sent_again(name):
    folder = stores.folder()
    make(folder, 'a.rbt', 500)
    with fleet.server(name) as s:
        init(s)
        ship(folder, s.url('fleet'))
        # Another machine has the same file, and knows of nothing.
        other = stores.folder('other')
        with open(os.path.join(folder, 'a.rbt'), 'rb') as file:
            stores.put(other, 'copy.rbt', file.read())
        ship(other, s.url('fleet'))
        expect(sums(s) == [500, 500, 500], 'sums: %s', sums(s))
        expect(status(other)['bytes_sent'] == 0, 'sent: %s', status(other))


@each(SERVERS)
def test_every_fault_leaves_equal_counts(name):
    """Requests spoiled before and after the server does its work, shippers
    killed at any moment; then one that is left alone."""
    with fleet.server(name) as s:
        for seed in range(ROUNDS):
            base = 'round%d' % seed
            folder = stores.folder(base)
            n = sum(len(make(folder, 'f%d.rbt' % i, 200 + 50 * i,
                             seed=1000 * seed + i)) for i in range(3))
            init(s, base)
            dice = random.Random(seed)
            with fleet.proxy(s.port, fleet.seeded_faults(seed)) as p:
                for _ in range(3):
                    child = subprocess.Popen(
                        [bobbin.PROGRAM, 'ship', folder, '--once', '--quiet',
                         '--retry', '1ms', '--to', s.url(base, p.server_port)],
                        stderr=subprocess.DEVNULL)
                    try:
                        child.wait(dice.random() * 0.6)
                    except subprocess.TimeoutExpired:
                        child.send_signal(signal.SIGKILL)
                        child.wait()
                p.settle()
                spoiled = list(p.spoiled)
            # The address is another one, so the spool is too: nothing is
            # known, and the server is asked.
            ship(folder, s.url(base))
            out = sums(s, base)
            expect(out == [n, n, n], 'round %d: %s of %d; %s', seed, out, n,
                   spoiled)
            expect(nameless(s, base) == [0, 0], 'round %d: no names', seed)
            s.sql('DROP DATABASE ' + base)


@each(['garbage', 'empty'])
def test_an_answer_of_a_stranger_is_none(fault):
    """A proxy that answers 200 itself: no sample is without its names."""
    folder = stores.folder()
    make(folder, 'a.rbt', 50)
    left = [3]

    def spoil(path):
        left[0] -= 'INTO%20fleet.stacks' in path
        return fault if 'INTO%20fleet.stacks' in path and left[0] > 0 else None

    with fleet.server('18.16') as s:
        init(s)
        with fleet.proxy(s.port, spoil) as p:
            ship(folder, s.url('fleet', p.server_port))
            expect(p.spoiled == [fault] * 2, 'spoiled: %s', p.spoiled)
        expect(sums(s) == [50, 50, 50], 'sums: %s', sums(s))
        expect(nameless(s) == [0, 0], 'no names: %s', nameless(s))


@each(SERVERS)
def test_a_killed_shipper_goes_on(name):
    """The same spool for all of them."""
    folder = stores.folder()
    n = sum(len(make(folder, 'f%d.rbt' % i, 300, seed=i)) for i in range(4))
    faults = {'fn': fleet.seeded_faults(7, 0.5)}
    with fleet.server(name) as s:
        init(s)
        with fleet.proxy(s.port, lambda path: faults['fn'](path)) as p:
            url = s.url('fleet', p.server_port)
            dice = random.Random(3)
            for _ in range(8):
                child = subprocess.Popen(
                    [bobbin.PROGRAM, 'ship', folder, '--quiet', '--retry',
                     '1ms', '--interval', '10ms', '--to', url],
                    stderr=subprocess.DEVNULL)
                time.sleep(dice.random() * 0.5)
                child.send_signal(signal.SIGKILL)
                child.wait()
                got = status(folder) if os.path.exists(
                    os.path.join(folder, '.ship')) else None
                expect(got is None or got['acknowledged'] <= sums(s)[0],
                       'acknowledged more than is there: %s', got)
            faults['fn'] = lambda path: None
            ship(folder, url)
        out = status(folder)
        expect(out['acknowledged'] == out['recorded'] == n, '%s', out)
        expect(sums(s) == [n, n, n], 'sums: %s', sums(s))
        expect(not [f for f in os.listdir(spool_of(folder))
                    if f not in ('journal', 'lock')], 'links stay')


def spool_of(folder):
    top = os.path.join(folder, '.ship')
    name, = os.listdir(top)
    return os.path.join(top, name)


def test_a_killed_server_comes_back():
    folder = stores.folder()
    n = sum(len(make(folder, 'f%d.rbt' % i, 20_000, seed=i))
            for i in range(3))
    with fleet.server('18.16') as s:
        init(s)
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'ship', folder, '--retry', '50ms', '--interval',
             '100ms', '--to', s.url('fleet')], stderr=subprocess.PIPE)
        try:
            for i in range(4):
                time.sleep(0.15)
                s.kill()
                s.start()
            deadline = time.monotonic() + 60
            while (status(folder)['acknowledged'] < n and
                   time.monotonic() < deadline):
                time.sleep(0.1)
        finally:
            child.terminate()
            err = child.communicate()[1]
        out = status(folder)
        expect(out['acknowledged'] == n, '%s; %s', out, err[-300:])
        expect(sums(s) == [n, n, n], 'sums: %s', sums(s))


def test_a_current_server_keeps_what_is_young():
    """What it would remove at once is not sent, and counted."""
    folder = stores.folder()
    make(folder, 'young.rbt', 100)
    make(folder, 'old.rbt', 70, seed=2, start=fleet.recent() - 20 * 1440 * MINUTE)
    with fleet.server('chdb') as s:
        init(s, 'fleet', '--keep', '14d')
        ship(folder, s.url('fleet'), ok=(4,))
        out = status(folder)
        expect(out['acknowledged'] == 100 and out['expired'] == 70, '%s', out)
        expect(sums(s) == [100, 100, 100], 'sums: %s', sums(s))


@each(SERVERS)
def test_tables_are_made_once(name):
    with fleet.server(name) as s:
        dry = bobbin.run('fleet', 'init', '--dry-run', s.url('fleet'))
        expect(b'CREATE TABLE' in dry.out, 'no statements')
        expect(not s.sql("SELECT name FROM system.databases WHERE name = "
                         "'fleet'"), 'it has changed something')
        for keep in ('14d', '7d', '0'):
            init(s, 'fleet', '--keep', keep)
        tables = [t for t, in s.sql('SHOW TABLES FROM fleet')]
        expect(sorted(tables) == ['fleet', 'minutes', 'samples', 'stacks'],
               'tables: %s', tables)


def test_no_tables_is_said():
    folder = stores.folder()
    make(folder, 'a.rbt', 5)
    with fleet.server('18.16') as s:
        err = ship(folder, s.url('fleet'), ok=(1,)).err
        expect(b'bobbin fleet init' in err, '%s', err)
        expect(status(folder)['waiting'] == 5, '%s', status(folder))


def test_a_password_comes_from_a_file():
    folder = stores.folder()
    make(folder, 'a.rbt', 5)
    login = case.write_file(b'machine 127.0.0.1 login default password s3cret',
                            'login')
    with fleet.server('18.16', password='s3cret') as s:
        expect(bobbin.run('fleet', 'init', '--login', login, s.url('fleet'),
                          ok=(2,)), 'others may read it')
        os.chmod(login, 0o600)
        bobbin.run('fleet', 'init', '--login', login, s.url('fleet'))
        err = ship(folder, s.url('fleet'), ok=(1,)).err
        expect(b'Code: 193' in err or b'password' in err.lower(), '%s', err)
        ship(folder, s.url('fleet'), '--login', login)
        expect(sums(s)[0] == 5, 'sums: %s', sums(s))
        for root, _, files in os.walk(folder):
            for name in files:
                with open(os.path.join(root, name), 'rb') as file:
                    expect(b's3cret' not in file.read(), '%s', name)
