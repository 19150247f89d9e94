"""bobbin store: segments, their indexes, and sealing."""
import collections
import fcntl
import hashlib
import os
import shutil
import struct

from support import bobbin, case, stores
from support.case import each, expect
from support.fixtures import RBT
from support.stores import segments

TRACES = ['tiny.rbt', 'metadata.rbt', 'pid-bundled-ts.rbt', 'truncated.rbt',
          'corrupt-middle.rbt', 'annotations.rbt', 'rle-runs.rbt']


def stock(*names, below=''):
    """A directory with copies of these traces."""
    folder = os.path.join(case.scratch, 'store')
    os.makedirs(os.path.join(folder, below), exist_ok=True)
    for name in names:
        path = os.path.join(folder, below, name)
        shutil.copyfile(os.path.join(RBT, name), path)
    return folder


def count(path):
    lines = bobbin.run('dump', '--recover', path, ok=(0, 4)).out.splitlines()
    return sum(int(line.split(b'\t')[0]) for line in lines)


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


@each(TRACES)
def test_a_sealed_segment_says_what_is_in_it(name):
    folder = stock(name)
    path = os.path.join(folder, name)
    before = read(path)
    expect(segments(folder)[name] == {
        'name': name, 'state': 'left', 'size': len(before)}, 'not left')
    seg = segments(folder, '--seal')[name]
    expect(seg['state'] == 'sealed' and seg['format'] == 'rbt', '%r', seg)
    expect(seg['sha256'] == hashlib.sha256(before).hexdigest(), '%r', seg)
    expect(seg['samples'] == count(path), '%r', seg)
    expect(seg['cut'] == (name == 'truncated.rbt'), '%r', seg)
    expect((seg['gaps'] > 0) == (name in ('corrupt-middle.rbt',
                                          'truncated.rbt')), '%r', seg)
    expect(read(path) == before, 'sealing has changed the segment')
    expect(sorted(os.listdir(folder)) == [name, name + '.idx'],
           'files %r', os.listdir(folder))


def test_an_index_can_be_made_again_from_the_segment_alone():
    folder = stock(*TRACES)
    first = segments(folder, '--seal')
    bytes_of = {n: read(os.path.join(folder, n + '.idx')) for n in TRACES}
    expect(segments(folder, '--rebuild') == first, 'other facts')
    for name in TRACES:
        os.unlink(os.path.join(folder, name + '.idx'))
    expect(segments(folder, '--seal') == first, 'other facts')
    for name in TRACES:
        expect(read(os.path.join(folder, name + '.idx')) == bytes_of[name],
               'another index of %s', name)


def test_processes_are_those_of_the_samples():
    folder = stock('pid-bundled-ts.rbt')
    path = os.path.join(folder, 'pid-bundled-ts.rbt')
    lines = bobbin.run('dump', path).out.splitlines()
    pids = sorted({int(line.split(b'\t')[2]) for line in lines})
    seg = segments(folder, '--seal')['pid-bundled-ts.rbt']
    expect([p['pid'] for p in seg['processes']] == pids, '%r', seg)


def test_routes_and_dates_are_those_of_the_samples():
    samples = [stores.Sample(stores.START + 1000 * i, ('f%d' % (i % 3), 'main'),
                             100 + i % 2, '/r/%d' % (i % 5) if i % 7 else None)
               for i in range(200)]
    folder = stock()
    stores.put(folder, 'dated.rbt', stores.segment(samples))
    seg = segments(folder, '--seal')['dated.rbt']
    routes = collections.Counter(s.route for s in samples if s.route)
    expect({r['route']: r['samples'] for r in seg['routes']} == routes,
           '%r', seg)
    expect(seg['first_us'] == samples[0].time and
           seg['last_us'] == samples[-1].time, '%r', seg)
    expect(seg['samples_undated'] == 0 and seg['service'] == 'shop' and
           seg['host'] == 'web1', '%r', seg)
    expect(seg['processes'] == [
        {'pid': pid, 'runtime': 'php', 'command': 'fpm %d' % pid}
        for pid in (100, 101)], '%r', seg)


def test_no_byte_of_an_index_may_be_another():
    """Then there is no index, and it can be made again."""
    folder = stock('metadata.rbt')
    index = os.path.join(folder, 'metadata.rbt.idx')
    good = segments(folder, '--seal')
    data = read(index)
    for at in range(len(data)):
        write(index, data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:])
        expect(segments(folder)['metadata.rbt']['state'] == 'left',
               'byte %d was changed', at)
    for n in range(0, len(data), 7):
        write(index, data[:n])
        expect(segments(folder)['metadata.rbt']['state'] == 'left',
               '%d bytes are left', n)
    expect(segments(folder, '--seal') == good, 'other facts')
    expect(read(index) == data, 'another index')


def test_an_index_of_another_version_is_made_again():
    folder = stock('tiny.rbt')
    index = os.path.join(folder, 'tiny.rbt.idx')
    segments(folder, '--seal')
    data = read(index)
    write(index, data[:7] + b'\x7f' + data[8:])
    expect(segments(folder)['tiny.rbt']['state'] == 'left', 'it counts')
    segments(folder, '--seal')
    expect(read(index) == data, 'another index')


def test_a_segment_that_grew_is_not_sealed():
    folder = stock('tiny.rbt')
    segments(folder, '--seal')
    with open(os.path.join(folder, 'tiny.rbt'), 'ab') as file:
        file.write(b'\0')
    expect(segments(folder)['tiny.rbt']['state'] == 'left', 'still sealed')


def test_check_finds_changed_bytes():
    folder = stock('tiny.rbt', 'metadata.rbt')
    segments(folder, '--seal', '--check')
    path = os.path.join(folder, 'metadata.rbt')
    data = read(path)
    write(path, data[:-1] + bytes([data[-1] ^ 1]))
    out = bobbin.run('store', '--check', folder, ok=(1,))
    expect(b'metadata.rbt: it is not what was sealed' in out.err, '%r',
           out.err)
    expect(b'tiny.rbt:' not in out.err, '%r', out.err)


def lock(file):
    """As a writer does: until it is closed (F_OFD_SETLK)."""
    fcntl.fcntl(file, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))


def test_what_is_being_written_is_not_sealed():
    folder = stock('tiny.rbt')
    path = os.path.join(folder, 'tiny.rbt')
    with open(path, 'r+b') as file:
        lock(file)
        expect(segments(folder, '--seal')['tiny.rbt']['state'] == 'open',
               'not open')
        expect(os.listdir(folder) == ['tiny.rbt'], '%r', os.listdir(folder))
    expect(segments(folder, '--seal')['tiny.rbt']['state'] == 'sealed',
           'not sealed')


def test_two_do_not_seal_one_segment():
    folder = stock('tiny.rbt')
    with open(os.path.join(folder, 'tiny.rbt.idx.part'), 'wb') as file:
        lock(file)
        expect(segments(folder, '--seal')['tiny.rbt']['state'] == 'left',
               'sealed')
    # Its writer was killed.
    expect(segments(folder, '--seal')['tiny.rbt']['state'] == 'sealed',
           'not sealed')
    expect(sorted(os.listdir(folder)) == ['tiny.rbt', 'tiny.rbt.idx'],
           '%r', os.listdir(folder))


def test_segments_of_hosts_lie_in_subdirectories():
    folder = stock('tiny.rbt')
    stock('tiny.rbt', 'metadata.rbt', below='web1')
    stock('tiny.rbt', below='web2/pool')
    stock('tiny.rbt', below='too/deep/for/this')
    names = ['tiny.rbt', 'web1/metadata.rbt', 'web1/tiny.rbt',
             'web2/pool/tiny.rbt']
    found = segments(folder, '--seal', '--check')
    expect(list(found) == names, '%r', list(found))
    expect(all(s['state'] == 'sealed' for s in found.values()), '%r', found)


def test_links_and_devices_are_left_alone():
    folder = stock('tiny.rbt')
    outside = case.write_file(read(os.path.join(folder, 'tiny.rbt')), 'a.rbt')
    os.symlink(outside, os.path.join(folder, 'link.rbt'))
    os.symlink('/', os.path.join(folder, 'root'))
    os.mkfifo(os.path.join(folder, 'fifo.rbt'))
    os.mkdir(os.path.join(folder, 'folder.rbt'))
    expect(list(segments(folder, '--seal')) == ['tiny.rbt'], 'others too')


def test_an_index_is_not_written_through_a_link():
    folder = stock('tiny.rbt')
    victim = case.write_file(b'precious', 'victim')
    os.symlink(victim, os.path.join(folder, 'tiny.rbt.idx.part'))
    out = bobbin.run('store', '--seal', folder, ok=(1,))
    expect(b'cannot create tiny.rbt.idx.part' in out.err, '%r', out.err)
    expect(read(victim) == b'precious', 'it was overwritten')
    os.unlink(os.path.join(folder, 'tiny.rbt.idx.part'))
    os.symlink(victim, os.path.join(folder, 'tiny.rbt.idx'))
    expect(segments(folder, '--seal')['tiny.rbt']['state'] == 'sealed',
           'not sealed')
    expect(read(victim) == b'precious', 'it was overwritten')


def test_what_is_no_trace_has_no_samples():
    folder = stock('tiny.rbt')
    write(os.path.join(folder, 'bad.rbt'), b'not a trace at all' * 100)
    write(os.path.join(folder, 'empty.rbt'), b'')
    found = segments(folder, '--seal')
    expect(found['bad.rbt']['samples'] == 0 and
           found['bad.rbt']['gaps'] == 1, '%r', found)
    expect(found['empty.rbt']['samples'] == 0 and
           found['empty.rbt']['gaps'] == 0, '%r', found)
    expect(found['tiny.rbt']['samples'] == 3, '%r', found)


def test_a_store_is_a_directory():
    for args in ([], [os.path.join(RBT, 'tiny.rbt')], ['/nowhere/at/all']):
        bobbin.run('store', *args, ok=(1, 2))
