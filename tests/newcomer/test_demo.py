"""`make demo`: the story is told to its end, also where PHP is not there or
processes may not be read, and nothing keeps running."""
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

from support import bobbin, case, newcomer, pages
from support.case import each, expect

SCRIPT = os.path.join(bobbin.ROOT, 'scripts', 'demo.sh')
SECONDS = '4'
UNREADABLE = '''#!/bin/sh
case $1 in
doctor) echo "problem  permission"; exit 1 ;;
esac
exec %s "$@"
'''


def build_dir(program=None):
    """A build directory of this test's own, so that tests do not meet."""
    build = os.path.join(case.scratch, 'build')
    os.makedirs(os.path.join(build, 'tools'))
    ours = os.path.dirname(bobbin.PROGRAM)
    os.symlink(os.path.join(ours, 'tools', 'make-trace'),
               os.path.join(build, 'tools', 'make-trace'))
    path = os.path.join(build, 'bobbin')
    if program is None:
        os.symlink(bobbin.PROGRAM, path)
    else:
        with open(path, 'w') as file:
            file.write(program)
        os.chmod(path, 0o755)
    return build


def path_without_php():
    """PATH, with a folder of links in place of each folder that has PHP."""
    places = os.environ['PATH'].split(':')
    for i, place in enumerate(places):
        if not os.path.exists(os.path.join(place, 'php')):
            continue
        folder = os.path.join(case.scratch, 'bin%d' % i)
        os.makedirs(folder)
        for name in os.listdir(place):
            if not name.startswith('php'):
                os.symlink(os.path.join(place, name),
                           os.path.join(folder, name))
        places[i] = folder
    return ':'.join(places)


def tell(build, **environ):
    # Processes are found by the name of the folder: one for each test.
    folder = os.path.join(case.scratch, 'demo-%d' % os.getpid())
    done = subprocess.run(
        ['bash', SCRIPT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False, timeout=6 * bobbin.TIMEOUT,
        env=dict(os.environ, BUILD_DIR=build, DEMO_SECONDS=SECONDS,
                 DEMO_DIR=folder, **environ))
    text = done.stdout.decode(errors='replace')
    expect(done.returncode == 0, 'exit status %d: %s', done.returncode,
           text[-1500:])
    for mark in bobbin.SANITIZER_MARKS:
        expect(mark not in done.stdout, '%s', text[-1500:])
    expect_nothing_left(folder)
    return text


def left_over(folder):
    """Command lines of processes that work in this folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.readlink('/proc/%s/cwd' % pid).startswith(folder):
                found.append(case.read_file('/proc/%s/cmdline' % pid))
        except OSError:
            pass
    return found


def expect_nothing_left(folder):
    """A process that was ended is there for a moment yet."""
    end = time.monotonic() + bobbin.TIMEOUT
    while left_over(folder) and time.monotonic() < end:
        time.sleep(0.1)
    expect(not left_over(folder), 'still running: %s', left_over(folder))


def test_customers_come_back_to_a_shop_that_does_not_answer():
    """A busy machine may keep one of them waiting too long."""
    with socket.create_server(('127.0.0.1', 0)) as shop, \
            socket.create_server(('127.0.0.1', 0)) as worker:
        ports = [str(server.getsockname()[1]) for server in (shop, worker)]
        worker.close()    # refuses
        customers = subprocess.Popen(
            [sys.executable, os.path.join(bobbin.ROOT, 'demo', 'visitors.py'),
             *ports], stderr=subprocess.DEVNULL)
        shop.settimeout(bobbin.TIMEOUT)
        try:
            for _ in range(10):    # more than two rounds
                shop.accept()[0].close()
        finally:
            customers.kill()
            customers.wait()


def names_of(picture):
    """What has the names of a page, or of the picture in its place."""
    if not picture.endswith('.html'):
        return case.read_file(picture)
    (trace,) = pages.traces(picture)
    return bobbin.run('convert', '-q', '-t', 'folded',
                      case.write_file(trace, 'carried.rbt')).out


@each(['PHP', 'Python alone'])
def test_the_story_is_told_to_its_end(language):
    environ, culprit = {}, 'PriceList'
    if language == 'Python alone':
        environ, culprit = {'PATH': path_without_php()}, 'is_spam'
    elif not shutil.which('php'):
        raise case.Skip('no php')
    with newcomer.shop():
        pass    # skips where it cannot be read
    text = tell(build_dir(), **environ)
    steps = re.split(r'^\d+\. ', text, flags=re.M)
    where = [step for step in steps if step.startswith('Where did')]
    expect(len(where) == 1 and culprit in where[0], '%s', where)
    page = re.search(r'^file://(\S+)$', text, re.M).group(1)
    expect(culprit.encode() in names_of(page), 'the page lacks it')
    better = [step for step in steps if step.startswith('Is it better')][0]
    expect('exit status 0' in better and 'FAILED' not in better, '%s', better)
    worse = [step for step in steps if step.startswith('And if someone')][0]
    expect('FAILED' in worse and culprit in worse and
           'exit status 3' in worse, '%s', worse)
    expect('samples' in steps[-1] and 'recovered' in steps[-1], '%s',
           steps[-1])


def test_where_processes_cannot_be_read_doctor_says_why():
    text = tell(build_dir(UNREADABLE % bobbin.PROGRAM))
    expect('cannot be read here' in text and 'problem  permission' in text,
           '%s', text)
    expect('recovered' in text, '%s', text)


def read_until(master, text, seconds):
    """What a terminal shows until it shows the text; None: it does not."""
    shown, end = b'', time.monotonic() + seconds
    while text not in shown:
        ready, _, _ = select.select([master], [], [], 0.2)
        try:
            part = os.read(master, 65536) if ready else b''
        except OSError:
            return None
        shown += part
        if time.monotonic() > end:
            return None
    return shown


def test_it_waits_for_the_reader_on_a_terminal():
    """And Ctrl-C leaves nothing running."""
    build = build_dir(UNREADABLE % bobbin.PROGRAM)
    folder = os.path.join(case.scratch, 'demo-%d' % os.getpid())
    child, master = pty.fork()
    if child == 0:
        os.execvpe('bash', ['bash', SCRIPT], dict(
            os.environ, BUILD_DIR=build, DEMO_DIR=folder, TERM='xterm'))
    try:
        expect(read_until(master, b'Enter goes on', bobbin.TIMEOUT),
               'it does not wait')
        expect(read_until(master, b'disk', 1) is None, 'it went on alone')
        os.write(master, b'\n')
        expect(read_until(master, b'recovered', bobbin.TIMEOUT),
               'it does not go on')
    finally:
        try:
            os.kill(child, signal.SIGINT)
        except ProcessLookupError:
            pass
        os.close(master)
        os.waitpid(child, 0)
    expect_nothing_left(folder)


def test_an_end_in_the_middle_leaves_nothing_running():
    build = build_dir()
    folder = os.path.join(case.scratch, 'demo-%d' % os.getpid())
    child = subprocess.Popen(
        ['bash', SCRIPT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        env=dict(os.environ, BUILD_DIR=build, DEMO_DIR=folder))
    for line in child.stdout:
        if b'bobbin top' in line:
            break
    expect(left_over(folder), 'nothing runs')
    child.kill()
    child.wait()
    child.stdout.close()
    expect_nothing_left(folder)
