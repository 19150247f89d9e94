"""`bobbin view --follow`: inputs that are truncated, replaced or removed while
they are looked at."""
import os
import shutil
import time

from support import bobbin, case, fixtures, view
from support.case import each, expect, read_file

SOME = [b'main;a 10\n', b'main;b 7\n']


def until(server, what, holds):
    limit = time.monotonic() + bobbin.TIMEOUT
    while True:
        info = server.ask('info')
        if holds(info):
            return info
        expect(time.monotonic() < limit, 'never %s: %s', what, info)
        time.sleep(0.1)


def samples(n):
    return lambda info: info['samples'] == n


def names(server):
    return {row['name'] for row in server.ask('rows')['rows']}


def append(path, data):
    with open(path, 'ab') as file:
        file.write(data)


def test_a_file_that_is_removed():
    path = case.write_file(SOME[0], 'in.folded')
    with view.serve('--follow', path) as server:
        os.remove(path)
        info = until(server, 'said', lambda i: i['note'])
        expect('in.folded was removed' in info['note'], '%s', info['note'])
        expect(info['samples'] == 10 and info['follows'], '%s', info)
        case.write_file(SOME[1], 'in.folded')
        info = until(server, 'another', samples(17))
        expect('was replaced' in info['note'], '%s', info['note'])
        expect(names(server) == {'a', 'b', 'main'}, '%s', names(server))
    expect(b'was removed' in server.err, '%s', server.err)


def test_a_file_that_is_rotated():
    path = case.write_file(SOME[0], 'in.folded')
    with view.serve('--follow', path) as server:
        os.rename(path, path + '.1')
        case.write_file(SOME[1], 'in.folded')
        until(server, 'replaced', samples(17))
        append(path + '.1', b'main;late 3\n')
        until(server, 'the rest of the old one', samples(20))
        append(path, b'main;c 5\n')
        until(server, 'more of the new one', samples(25))


@each(['smaller', 'empty first'])
def test_a_file_that_is_truncated(how):
    path = case.write_file(SOME[0] + b'main;old 100\n', 'in.folded')
    with view.serve('--follow', path) as server:
        if how == 'empty first':
            os.truncate(path, 0)
            info = until(server, 'said', lambda i: i['note'])
            expect('was truncated' in info['note'], '%s', info['note'])
            append(path, SOME[1])
        else:
            with open(path, 'r+b') as file:
                file.truncate(0)
                file.write(SOME[1])
        info = until(server, 'written anew', samples(117))
        expect('was truncated' in info['note'], '%s', info['note'])
        append(path, b'main;c 5\n')
        until(server, 'it grows again', samples(122))


def test_a_trace_that_is_cut_and_goes_on():
    whole = read_file(fixtures.rbt_path(fixtures.LARGE))
    path = case.write_file(whole, 'in.rbt')
    with view.serve('--follow', path) as server:
        first = server.ask('info')['samples']
        os.truncate(path, len(whole) // 2)
        info = until(server, 'said', lambda i: i['note'])
        expect('truncated' in info['note'], '%s', info)
        expect(info['samples'] >= first, 'what was read stays: %s', info)
        expect(server.ask('rows')['rows'], 'it answers')


def test_damage_that_is_appended():
    path = case.write_file(read_file(fixtures.rbt_path('tiny')), 'in.rbt')
    with view.serve('--follow', path) as server:
        first = server.ask('info')['samples']
        append(path, b'\xff' * 100000)
        info = until(server, 'said', lambda i: i['note'])
        expect('cannot be read on' in info['note'] and
               info['samples'] == first, '%s', info)
    expect(server.err.count(b'cannot be read on') == 1, 'once: %s', server.err)


def test_a_directory_that_is_removed():
    folder = os.path.join(case.scratch, 'many')
    os.mkdir(folder)
    case.write_file(SOME[0], 'many/a.folded')
    with view.serve('--follow', folder) as server:
        case.write_file(SOME[1], 'many/b.folded')
        until(server, 'a new file', samples(17))
        shutil.rmtree(folder)
        info = until(server, 'said', lambda i: i['note'])
        expect(info['samples'] == 17 and 'No such file' in info['note'], '%s',
               info)


def test_a_name_stays_text():
    path = case.write_file(SOME[0], 'x<img>\x1b[31m.folded')
    with view.serve('--follow', path) as server:
        os.remove(path)
        until(server, 'said', lambda i: '<img>' in i['note'])
    expect(b'\x1b[31m' not in server.err, '%s', server.err)
