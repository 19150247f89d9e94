"""Segments that are shipped to object storage."""
import json
import os
import random
import re
import signal
import subprocess

from support import bobbin, case, fleet, stores
from support.case import expect

ROUNDS = int(os.environ.get('FLEET_ROUNDS', 10))


def stock(name, *sizes):
    folder = stores.folder(name)
    for i, n in enumerate(sizes):
        stores.put(folder, 'f%d.rbt' % i, stores.segment(
            [stores.Sample(stores.START + 10_000 * k + i, ('b', 'a'), 7, '/r')
             for k in range(n)]))
    return folder


def ship(server, folder, url, ok=(0,)):
    return bobbin.run('ship', folder, '--once', '--retry', '1ms', '--login',
                      server.login, '--to', url, ok=ok)


def status(folder):
    return json.loads(bobbin.run('ship', folder, '--status', '--json').out)[-1]


def objects(server, base):
    """The names of all objects, from the disk of the server."""
    top = os.path.join(server.folder, 'fleet', base)
    return sorted(os.path.relpath(root, top)
                  for root, _, files in os.walk(top) if 'xl.meta' in files)


def test_objects_are_the_segments():
    folder = stock('store', 5, 4000)
    with fleet.server('minio') as s:
        ship(s, folder, s.url('fleet/a'))
        for name in ('f0.rbt', 'f1.rbt'):
            expect(s.get('fleet/a/web1/' + name) ==
                   case.read_file(os.path.join(folder, name)), '%s', name)
        expect(status(folder)['acknowledged'] == 4005, '%s', status(folder))
        other = stock('other', 5, 4000)
        ship(s, other, s.url('fleet/a'))
        expect(status(other)['bytes_sent'] == 0, 'sent again')
        expect(objects(s, 'a') == ['web1/f0.rbt', 'web1/f1.rbt'], 'others')


def test_another_object_of_that_name_stays():
    with fleet.server('minio') as s:
        ship(s, stock('one', 5), s.url('fleet/a'))
        before = s.get('fleet/a/web1/f0.rbt')
        ship(s, stock('two', 6), s.url('fleet/a'))
        expect(s.get('fleet/a/web1/f0.rbt') == before, 'it is replaced')
        names = objects(s, 'a')
        expect(len(names) == 2 and re.fullmatch(
            r'web1/[0-9a-f]{16}-f0\.rbt', names[0]), '%s', names)


def test_a_wrong_password_acknowledges_nothing():
    folder = stock('store', 5)
    with fleet.server('minio') as s:
        case.write_file(b'default login bobbin password wrong', s.login)
        err = ship(s, folder, s.url('fleet/a'), ok=(1,)).err
        expect(b'403' in err, '%s', err)
        expect(status(folder)['waiting'] == 5, '%s', status(folder))


def test_every_fault_leaves_each_segment_once():
    with fleet.server('minio') as s:
        for seed in range(ROUNDS):
            base = 'round%d' % seed
            folder = stock(base, *(10 * seed + i + 1 for i in range(3)))
            dice = random.Random(seed)
            with fleet.proxy(s.port, fleet.seeded_faults(seed)) as p:
                url = s.url('fleet/' + base, p.server_port)
                for _ in range(3):
                    child = subprocess.Popen(
                        [bobbin.PROGRAM, 'ship', folder, '--once', '--quiet',
                         '--retry', '1ms', '--login', s.login, '--to', url],
                        stderr=subprocess.DEVNULL)
                    try:
                        child.wait(dice.random() * 0.3)
                    except subprocess.TimeoutExpired:
                        child.send_signal(signal.SIGKILL)
                        child.wait()
                p.settle()
                p.fault = lambda path: None
                ship(s, folder, url)
            out = status(folder)
            expect(out['acknowledged'] == out['recorded'] ==
                   30 * seed + 6, 'round %d: %s', seed, out)
            names = objects(s, base)
            expect(names == ['web1/f%d.rbt' % i for i in range(3)],
                   'round %d: %s', seed, names)
