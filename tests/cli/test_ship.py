"""bobbin ship: the spool, directories as targets, servers that are none."""
import contextlib
import fcntl
import json
import os
import re
import subprocess

from support import bobbin, case, fleet, stores
from support.case import each, expect

START = stores.START


def stock(*sizes, folder=None):
    """A store with a segment of each size."""
    folder = folder or stores.folder()
    for i, n in enumerate(sizes):
        stores.put(folder, 'f%d.rbt' % i, stores.segment(
            [stores.Sample(START + 10_000 * k + i, ('b', 'a'), 7, '/r')
             for k in range(n)]))
    return folder


def target(name='target'):
    path = os.path.join(case.scratch, name)
    os.makedirs(path, exist_ok=True)
    return path


def ship(folder, url, *options, ok=(0,)):
    return bobbin.run('ship', folder, '--once', '--retry', '1ms', '--to', url,
                      *options, ok=ok)


def status(folder):
    out = json.loads(bobbin.run('ship', folder, '--status', '--json').out)
    for t in out:
        places = sum(t[k] for k in ('waiting', 'sent', 'unknown',
                                    'acknowledged', 'expired'))
        expect(places + sum(t['dropped'].values()) == t['recorded'],
               'does not add up: %s', t)
    return out


def spool(folder):
    top = os.path.join(folder, '.ship')
    name, = os.listdir(top)
    return os.path.join(top, name)


def test_segments_are_copied_whole():
    folder, to = stock(5, 9), target()
    ship(folder, 'dir:' + to)
    for name in ('f0.rbt', 'f1.rbt'):
        expect(case.read_file(os.path.join(to, 'web1', name)) ==
               case.read_file(os.path.join(folder, name)), '%s', name)
    out, = status(folder)
    expect(out['acknowledged'] == 14 and out['segments'] == 2, '%s', out)
    expect(sorted(os.listdir(spool(folder))) == ['journal', 'lock'],
           'links stay')
    ship(folder, 'dir:' + to)
    expect(status(folder) == [out], 'again: %s', status(folder))


def test_another_file_of_that_name_stays():
    folder, to = stock(5), target()
    stores.put(to, 'web1/f0.rbt', b'mine')
    ship(folder, 'dir:' + to)
    expect(case.read_file(os.path.join(to, 'web1/f0.rbt')) == b'mine',
           'it is overwritten')
    names = sorted(os.listdir(os.path.join(to, 'web1')))
    expect(len(names) == 2 and names[0].endswith('-f0.rbt'), '%s', names)


def test_a_removed_segment_is_shipped_from_its_link():
    folder = stock(5, 7)
    to = os.path.join(case.scratch, 'later')
    ship(folder, 'dir:' + to, ok=(1,))
    out, = status(folder)
    expect(out['waiting'] == 12 and out['segments_waiting'] == 2, '%s', out)
    os.remove(os.path.join(folder, 'f0.rbt'))
    os.mkdir(to)
    ship(folder, 'dir:' + to)
    out, = status(folder)
    expect(out['acknowledged'] == 12, '%s', out)


def test_a_segment_without_a_link_is_counted():
    folder = stock(5, 7)
    to = os.path.join(case.scratch, 'later')
    ship(folder, 'dir:' + to, ok=(1,))
    for name in os.listdir(spool(folder)):
        if name not in ('journal', 'lock'):
            os.remove(os.path.join(spool(folder), name))
    os.remove(os.path.join(folder, 'f0.rbt'))
    os.mkdir(to)
    ship(folder, 'dir:' + to, ok=(4,))
    out, = status(folder)
    expect(out['dropped']['gone'] == 5 and out['acknowledged'] == 7, '%s', out)


def test_a_changed_segment_is_not_passed_on():
    folder, to = stock(5, 7), target()
    bobbin.run('store', '--seal', folder)
    with open(os.path.join(folder, 'f0.rbt'), 'r+b') as file:
        file.seek(-3, os.SEEK_END)
        file.write(b'!')
    ship(folder, 'dir:' + to, ok=(4,))
    out, = status(folder)
    expect(out['acknowledged'] == 7, '%s', out)
    expect(out['dropped']['unreadable'] == 5, '%s', out)
    expect(os.listdir(os.path.join(to, 'web1')) == ['f1.rbt'], 'it is there')


def test_a_full_spool_gives_up_the_oldest():
    folder = stock(7, 50)
    size = os.path.getsize(os.path.join(folder, 'f1.rbt'))
    ship(folder, 'dir:/nonexistent/x', '--max-spool', '%dB' % (size + 10),
         ok=(1,))
    out, = status(folder)
    expect(out['dropped']['full'] == 7 and out['waiting'] == 50, '%s', out)
    expect(out['bytes_waiting'] == size, '%s', out)


def test_what_waits_too_long_is_given_up():
    folder = stock(5)
    ship(folder, 'dir:/nonexistent/x', '--max-wait', '1d', ok=(4,))
    out, = status(folder)
    expect(out['dropped']['old'] == 5, '%s', out)


def test_each_cut_of_the_journal_loses_no_segment():
    """A kill leaves the beginning of a line; a segment whose line is lost is
    found again, and one that has arrived is not sent again."""
    folder, to = stock(3, 4), target()
    ship(folder, 'dir:' + to)
    path = os.path.join(spool(folder), 'journal')
    whole = case.read_file(path)
    for end in range(len(whole)):
        with open(path, 'wb') as file:
            file.write(whole[:end])
        ship(folder, 'dir:' + to)
        out, = status(folder)
        expect(out['acknowledged'] == out['recorded'] == 7,
               'cut at %d: %s', end, out)
    expect(sorted(os.listdir(os.path.join(to, 'web1'))) ==
           ['f0.rbt', 'f1.rbt'], 'sent twice')


@each(range(0, 400, 7))
def test_garbage_in_the_journal_is_survived(at):
    folder, to = stock(3), target()
    ship(folder, 'dir:' + to)
    path = os.path.join(spool(folder), 'journal')
    data = bytearray(case.read_file(path))
    data[at % len(data)] ^= 0xff
    case.write_file(bytes(data), path)
    ship(folder, 'dir:' + to)
    out, = status(folder)
    expect(out['acknowledged'] == 3, '%s', out)


def test_a_long_journal_is_written_anew():
    folder, to = stock(3), target()
    ship(folder, 'dir:' + to)
    path = os.path.join(spool(folder), 'journal')
    url = case.read_file(path).split(b'\n')[0] + b'\n'
    data = case.read_file(path)
    case.write_file(data[:len(url)] + url * 3000 + data[len(url):], path)
    ship(folder, 'dir:' + to)
    expect(os.path.getsize(path) < 2000, 'it stays long')
    out, = status(folder)
    expect(out['acknowledged'] == 3 and out['segments'] == 1, '%s', out)
    ship(folder, 'dir:' + to)
    expect(status(folder) == [out], 'other: %s', status(folder))


def test_a_segment_without_samples_is_done():
    folder, to = stock(3), target()
    stores.put(folder, 'empty.rbt', b'')
    err = ship(folder, 'dir:' + to).err
    expect(b'warning' not in err, '%s', err)
    out, = status(folder)
    expect(out['acknowledged'] == 3 and out['segments_waiting'] == 0 and
           out['failures'] == 0, '%s', out)


def test_one_shipper_for_a_target():
    folder, to = stock(3), target()
    ship(folder, 'dir:' + to)
    with open(os.path.join(spool(folder), 'lock'), 'rb') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        err = ship(folder, 'dir:' + to, ok=(2,)).err
    expect(b'another process' in err, '%s', err)


@each(['422', '429', '500', 'garbage', 'empty', 'nothing', 'cut'])
def test_a_server_that_is_none_gets_nothing_acknowledged(fault):
    folder = stock(5)
    with fleet.proxy(1, lambda path: fault) as p:
        err = ship(folder, 'clickhouse://127.0.0.1:%d/x' % p.server_port,
                   ok=(1,)).err
    out, = status(folder)
    expect(out['acknowledged'] == 0 and out['waiting'] == 5, '%s', out)
    expect(out['failures'] == 5, '%s', out)
    expect(re.fullmatch(rb'[\x20-\x7e\n]*', err), 'unsafe: %r', err)


def test_an_endless_answer_is_cut():
    """With the memory that it takes."""
    folder = stock(5)

    class Endless(fleet.ProxyHandler):
        def do_POST(self):
            self.send_response(500)
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b'x' * 65536)

    with fleet.proxy(1, None) as p:
        p.RequestHandlerClass = Endless
        err = ship(folder, 'clickhouse://127.0.0.1:%d/x' % p.server_port,
                   ok=(1,)).err
    expect(len(err) < 2000, '%d bytes of messages', len(err))


def test_metrics_have_each_state():
    folder, to = stock(5), target()
    ship(folder, 'dir:' + to)
    out = bobbin.run('ship', folder, '--status', '--metrics').out.decode()
    expect('state="acknowledged",cause=""} 5\n' in out, '%s', out)
    expect(out.endswith('# EOF\n'), 'no end')
    families = [line.split('{')[0] for line in out.splitlines()
                if not line.startswith('#')]
    seen = [f for i, f in enumerate(families)
            if i == 0 or families[i - 1] != f]
    expect(len(seen) == len(set(seen)), 'a family is in two places: %s', seen)


@each(['clickhouse://u:secret@h/d', 'gopher://h/d', 'clickhouse://h/a;b',
       'clickhouse:///d', 'clickhouse://h:99999/d', 'dir:',
       'clickhouse://h/d?x=1'])
def test_a_bad_address_is_a_mistake(url):
    err = ship(stock(1), url, ok=(2,)).err
    expect(b'secret' not in err, '%s', err)


def test_a_start_loads_no_libcurl():
    """A library that every start would pay for."""
    out = subprocess.run(['ldd', bobbin.PROGRAM], capture_output=True,
                         check=True).stdout
    expect(b'libcurl' not in out, '%s', out)
