"""`bobbin view` of a capture that runs: of a command, of a process."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

from support import bobbin, case, view
from support.case import each, expect

WORK = '''
import os, sys, time
def hot(end):
    while time.time() < end:
        pass
print('own output', flush=True)
hot(time.time() + float(sys.argv[1]))
sys.exit(int(sys.argv[2]))
'''


def command(seconds, status=0):
    return [sys.executable, case.write_file(WORK.encode(), 'work.py'),
            str(seconds), str(status)]


def path_of(name):
    return os.path.join(case.scratch, name)


def until(server, what, holds):
    """Facts of the page as soon as they hold."""
    limit = time.monotonic() + bobbin.TIMEOUT
    while True:
        info = server.ask('info')
        if holds(info):
            return info
        expect(time.monotonic() < limit, 'never %s: %s', what, info)
        time.sleep(0.1)


def counted(path):
    return json.loads(bobbin.run('analyze', '--json', '--idle',
                                 path).out)['samples']['counted']


@contextlib.contextmanager
def running(*argv):
    process = subprocess.Popen(argv, stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


# ---- what is seen ----------------------------------------------------------

def test_a_command_is_shown_while_it_runs():
    path = path_of('kept.rbt')
    with view.serve('-o', path, '-r', '200', '--', *command(3, 7),
                    status=7) as server:
        first = until(server, 'samples', lambda i: i['samples'] > 0)
        expect(first['state'] == 'recording' and first['follows'], '%s', first)
        expect(first['recorded_us'] > 500000, '%s', first['recorded_us'])
        expect('work.py 3 7' in first['title'], '%s', first['title'])
        last = until(server, 'ended', lambda i: i['state'] == 'ended')
        expect(not last['follows'] and last['version'] > first['version'] and
               last['samples'] > first['samples'], '%s', last)
        names = [row['name'] for row in server.ask('rows')['rows']]
        expect('hot' in names, '%s', names)
        later = server.ask('info')
        expect(later['recorded_us'] == last['recorded_us'] and
               later['version'] == last['version'], 'it has ended: %s', later)
    expect(server.out == b'own output\n', 'only the command: %s', server.out)
    expect(counted(path) == last['samples'] > 100, '%d, not %d',
           last['samples'], counted(path))


def test_a_filter_is_of_the_page_only():
    path = path_of('all.rbt')
    with view.serve('-o', path, '--match', 'nobody', '--',
                    *command(1.5)) as server:
        last = until(server, 'ended', lambda i: i['state'] == 'ended')
        expect(last['samples'] == 0, '%d', last['samples'])
    expect(counted(path) > 20, 'the file has all: %d', counted(path))


@each(['process', 'pattern'])
def test_a_process_is_shown_until_a_signal(how):
    path = path_of('out.rbt')
    mark = 'mark-%d' % time.monotonic_ns()
    with running(*command(600), mark) as process:
        which = ['-p', str(process.pid)] if how == 'process' else ['-P', mark]
        with view.serve('-o', path, *which) as server:
            info = until(server, 'samples', lambda i: i['samples'] > 0)
            expect(info['state'] == 'recording', '%s', info)
        expect(process.poll() is None, 'the process goes on')
    expect(counted(path) >= info['samples'], '%d', counted(path))
    expect(bobbin.run('verify', path).out, 'the file is complete')


def test_the_process_ends():
    with running(*command(2)) as process:
        with view.serve('-p', str(process.pid)) as server:
            until(server, 'ended', lambda i: i['state'] == 'ended')
            expect(server.ask('rows')['rows'], 'what it had stays')


# ---- what is left behind ---------------------------------------------------

def test_without_a_name_the_file_is_temporary():
    place = path_of('tmp')
    os.mkdir(place)
    with view.serve('--', *command(1), env=dict(os.environ,
                                                TMPDIR=place)) as server:
        folder, = os.listdir(place)
        stat = os.stat(os.path.join(place, folder))
        expect(stat.st_mode & 0o777 == 0o700, '%o', stat.st_mode)
        until(server, 'ended', lambda i: i['state'] == 'ended')
    expect(os.listdir(place) == [], '%s', os.listdir(place))
    expect(b'temporary' in server.err and b'-o FILE' in server.err and
           place.encode() not in server.err, '%s', server.err)


@each([('interrupt', signal.SIGINT), ('end', signal.SIGTERM)])
def test_a_signal_ends_the_command_too(given):
    path = path_of('out.rbt')
    with view.serve('-o', path, '--', *command(600), ends=given[1],
                    status=128 + given[1]) as server:
        until(server, 'samples', lambda i: i['samples'] > 0)
    expect(counted(path) > 0, 'the file is complete')


def test_a_killed_page_ends_the_recording_cleanly():
    path = path_of('out.rbt')
    with running(*command(600)) as process:
        with view.serve('-o', path, '-p', str(process.pid),
                        ends=signal.SIGKILL, status=-9) as server:
            until(server, 'samples', lambda i: i['samples'] > 0)
            own = server.process.pid
            with open('/proc/%d/task/%d/children' % (own, own)) as file:
                recorder = int(file.read())
        limit = time.monotonic() + bobbin.TIMEOUT
        while os.path.exists('/proc/%d' % recorder):
            with open('/proc/%d/stat' % recorder) as file:
                if file.read().rsplit(')')[1].split()[0] == 'Z':
                    break
            expect(time.monotonic() < limit, 'the recorder goes on')
            time.sleep(0.05)
    expect(bobbin.run('verify', path).out, 'the file is complete')


def test_a_command_that_cannot_start():
    run = bobbin.run('view', '--no-open', '--', path_of('nothing'), ok=(127,))
    expect(b'nothing' in run.err and b'http' not in run.out + run.err, '%s',
           run.err)


def test_a_process_that_is_not_there():
    run = bobbin.run('view', '--no-open', '-p', '4194304',
                     ok=(bobbin.FAILED,))
    expect(b'4194304' in run.err and b'http' not in run.out, '%s', run.err)


@each([('file and command', ['in.rbt', '--', 'true'], b'not both'),
       ('process and command', ['-p', '1', '--', 'true'], b'not both'),
       ('file and pattern', ['-P', 'x', 'in.rbt'], b'for a recording'),
       ('difference', ['--diff', '--', 'true'], b'not both'),
       ('rate of a file', ['-r', '10', 'in.rbt'], b'--rate is for'),
       ('name for a file', ['-o', 'x.rbt', 'in.rbt'], b'--output is for'),
       ('another format', ['-o', 'x.svg', '--', 'true'], b'.rbt file'),
       ('standard output', ['-o', '-', '--', 'true'], b'.rbt file'),
       ('several files', ['-o', 'x-{}.rbt', '--', 'true'], b'.rbt file'),
       ('wrong rate', ['-r', 'x', '--', 'true'], b'is not a rate')])
def test_mistakes(given):
    run = bobbin.run('view', '--no-open', *given[1], ok=(bobbin.USAGE,))
    expect(given[2] in run.err, '%s', run.err)


def test_source_that_is_newer_than_the_recording():
    argv, out = command(1), path_of('work.rbt')
    bobbin.run('record', '-o', out, '--', *argv)
    with view.serve('--source', case.scratch, out) as server:
        def text():
            return json.loads(server.request(
                '%ssource?file=%s' % (server.prefix, argv[1]))[2])
        before = text()
        expect(before['text'] == WORK and not before['is_newer'] and
               0 < before['recorded_us'] - before['modified_us'] < 3e8, '%s',
               before)
        os.utime(argv[1])
        expect(text()['is_newer'], '%s', text())
