"""Targets in other namespaces, with files that we cannot see under their names,
or that are not there any more."""
import contextlib
import os
import shutil
import subprocess

from live import sandbox
from support import bobbin, case, containers, listing, phps, pythons, targets
from support.case import Skip, each, expect

# All that a daemon keeps: the files that a process has mapped cannot be opened
# by the kernel's links to them (/proc/PID/map_files).
FEW = '+sys_ptrace,+dac_read_search'
ENTITLED = ['root', 'few']
PYTHONS = pythons.find()
PHP = phps.find()[-1]


def record(target, how, *options, to='out.rbt'):
    """Runs of a capture by root, or by one who has few capabilities."""
    path = os.path.join(case.scratch, to)
    words = []
    if how == 'few':
        sandbox.need_setpriv()
        words = ['setpriv', '--bounding-set', '-all,' + FEW]
    bobbin.execute(words + [bobbin.PROGRAM, 'record', '-p', str(target.pid),
                            '-r', '100', '-d', '300ms', '-o', path] +
                   list(options))
    runs = listing.parse(bobbin.run('dump', path).out)
    expect(listing.total(runs) > 5, '%d samples', listing.total(runs))
    return runs


def php_shape():
    return [os.path.join(phps.SCRIPTS, 'shapes.php'), 'recursion', '20']


def expect_shape(target, runs):
    want = [tuple(frame) for frame in target.truth['stack']]
    for _, fields in runs:
        got = phps.frames(fields)
        expect(got == want, '%r instead of %r', got, want)


def static_python():
    """A program that is Python, and not linked with a library of it."""
    for name in PYTHONS:
        path = name.split()[1]
        if path != '-' and libpython_of(path) is None:
            return os.path.realpath(path)
    raise Skip('no Python without a library was found')


def shared_python():
    """A program and the library that is its Python."""
    for name in reversed(PYTHONS):
        path = name.split()[1]
        if path != '-' and libpython_of(path) is not None:
            return os.path.realpath(path), libpython_of(path)
    raise Skip('no Python with a library was found')


def libpython_of(path):
    out = subprocess.run(['ldd', path], capture_output=True).stdout.decode()
    for line in out.splitlines():
        if 'libpython' in line:
            return line.split()[2]
    return None


def threads_script():
    return os.path.join(pythons.SCRIPTS, 'threads.py')


def expect_threads(target, runs):
    """Each thread has its own stack, and the number that it has here."""
    here = containers.numbers_inside(target.pid)
    want = {here[inside]: name for name, inside in target.truth.items()}
    got = {}
    for _, fields in runs:
        names = [frame[0] for frame in pythons.frames(fields)]
        got.setdefault(fields[listing.TID], set()).update(
            {'first', 'second', 'third'} & set(names))
    expect(got == {tid: {name} for tid, name in want.items()},
           'threads %r instead of %r', got, want)


@each(ENTITLED)
def test_php_whose_file_is_in_another_namespace(how):
    path = phps.program(PHP)
    inside = '/mnt/' + os.path.basename(path)
    with containers.started([inside, '-n'] + php_shape(), [path],
                            own_pids=True) as target:
        expect(not os.path.exists(inside), '%s is here too', inside)
        expect_shape(target, record(target, how))


@each(ENTITLED)
def test_python_whose_library_is_in_another_namespace(how):
    program, library = shared_python()
    env = dict(os.environ, LD_LIBRARY_PATH='/mnt')
    with containers.started([program, threads_script()], [library],
                            own_pids=True, env=env) as target:
        with open('/proc/%d/maps' % target.pid) as file:
            expect('/mnt/libpython' in file.read(), 'another library')
        expect_threads(target, record(target, how, to='out.tach'))


@each(PYTHONS)
def test_threads_have_the_numbers_that_we_know_them_by(name):
    """Inside they have others, and those are what the interpreter knows."""
    python = name.split()[1]
    if python == '-':
        raise Skip('no Python was found')
    with containers.started([python, threads_script()], [],
                            own_pids=True) as target:
        expect('1' in target.truth.values(), '%r', target.truth)
        runs = record(target, 'root', '--on-cpu', to='out.tach')
        expect_threads(target, runs)
        for _, fields in runs:
            status = int(fields[listing.STATUS])
            expect(status & 4 == 0, 'not known whether on a CPU')
            expect(bool(status & 32) == (fields[listing.TID] ==
                                         str(target.pid)),
                   'thread %s has status %d', fields[listing.TID], status)


def test_a_pause_stops_nobody_else():
    """The main thread of a container is number 1, and so is init."""
    python = static_python()
    with containers.started(
            [python, os.path.join(pythons.SCRIPTS, 'busy.py'), 'calm'], [],
            own_pids=True) as target:
        expect(containers.numbers_inside(target.pid)['1'] ==
               str(target.pid), 'it is not number 1')
        trace = os.path.join(case.scratch, 'strace')
        if not shutil.which('strace'):
            raise Skip('no strace to see who is stopped')
        # Leaks cannot be looked for while somebody traces.
        bobbin.execute(['env', 'ASAN_OPTIONS=detect_leaks=0', 'strace', '-f',
                        '-e', 'trace=ptrace', '-o', trace,
                        bobbin.PROGRAM, 'record', '-p', str(target.pid),
                        '--pause', '-r', '50', '-d', '300ms', '-o',
                        os.path.join(case.scratch, 'out.tach')])
        with open(trace) as file:
            seized = [line for line in file if 'PTRACE_SEIZE' in line]
        expect(seized, 'nobody was stopped')
        for line in seized:
            expect('PTRACE_SEIZE, %d,' % target.pid in line, '%s', line)


@contextlib.contextmanager
def copied(path):
    """A copy of a program, with a name that tells what it is."""
    copy = os.path.join(case.scratch, os.path.basename(path))
    shutil.copy(path, copy)
    yield copy


@each(['%s %s' % (what, how) for what in ('removed', 'replaced')
       for how in ENTITLED])
def test_php_whose_file_is_gone(label):
    what, how = label.split()
    path = phps.program(PHP)
    with copied(path) as copy, \
            targets.started([copy, '-n'] + php_shape()) as target:
        go_away(copy, what)
        expect_shape(target, record(target, how))


def go_away(path, what):
    """As a package manager does it: the new file takes the old one's name."""
    if what == 'removed':
        os.remove(path)
    else:
        new = case.write_file(b'not a program', 'new')
        os.rename(new, path)


@each(['%s %s' % (what, how) for what in ('removed', 'replaced')
       for how in ENTITLED])
def test_python_whose_library_is_gone(label):
    what, how = label.split()
    program, library = shared_python()
    with copied(library) as copy:
        env = dict(os.environ, LD_LIBRARY_PATH=case.scratch)
        with targets.started([program, threads_script()],
                             env=env) as target:
            go_away(copy, what)
            expect_threads(target, record(target, how, to='out.tach'))


@each(ENTITLED)
def test_python_in_another_root_only(how):
    """chroot(2) without a namespace: names of files are those of the host, and
    the process sees others."""
    program, library = shared_python()
    root = os.path.join(case.scratch, 'jail')
    os.mkdir(root)
    with copied(library) as copy:
        env = dict(os.environ, LD_LIBRARY_PATH=case.scratch)
        argv = [program, '-c', JAILED, root]
        expect(os.path.exists(copy), 'no library')
        sandbox.need_root()
        with targets.started(argv, env=env) as target:
            runs = record(target, how, to='out.tach')
    names = {frame[0] for _, fields in runs
             for frame in pythons.frames(fields)}
    expect('jailed' in names, 'functions %r', names)


JAILED = '''
import os, sys, time
def jailed():
    print("{}", flush=True)
    while True:
        time.sleep(0.001)
os.chroot(sys.argv[1])
os.chdir("/")
jailed()
'''


def test_a_process_of_another_user():
    sandbox.need_root()
    with sandbox.process(phps.program(PHP), '-n',
                         sandbox.script(sandbox.PHP_SCRIPT, 'work.php'),
                         user=sandbox.NOBODY) as child:
        sandbox.readable(child.pid)
        path = os.path.join(case.scratch, 'out.rbt')
        bobbin.run('record', '-p', str(child.pid), '-r', '100', '-d',
                   '300ms', '-o', path)
        info = bobbin.run('dump', path).out
        expect(b'App\\Work' in info, 'its functions are not there')
