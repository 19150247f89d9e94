"""Native frames, against programs whose calls are known."""
import contextlib
import json
import os
import platform
import re
import signal
import subprocess
import sys

from live import sandbox
from support import bobbin, case, listing, natives, phps, pythons, \
    targets
from support.case import Skip, each, expect

CHAIN = ['main', 'first', 'second']

# What programs are built with, and whether their functions have names.
BUILDS = [('tables', ('-O2', '-fomit-frame-pointer')),
          ('pie-less', ('-O1', '-no-pie', '-fomit-frame-pointer')),
          ('static', ('-O2', '-static')),
          ('frame pointers alone',
           ('-O0', '-mno-omit-leaf-frame-pointer',
            '-fno-asynchronous-unwind-tables', '-fno-unwind-tables'))]


# Holds a process until its input ends.
TRACER = '''
import ctypes, sys
libc = ctypes.CDLL(None)
libc.ptrace.argtypes = 4 * [ctypes.c_long]
print(libc.ptrace(0x4206, int(sys.argv[1]), 0, 0), flush=True)
sys.stdin.read()
'''


def state(pid):
    with open('/proc/%d/stat' % pid) as file:
        return file.read().rpartition(') ')[2][0]


def of_thread(runs, tid):
    return [(n, f) for n, f in runs if f[listing.TID] == str(tid)]


def check_chain(runs, depth, on_top=('leaf', 'compute'), may_lack=()):
    """Each stack is the known one, or an outer part of it."""
    whole = CHAIN + depth * ['descend'] + list(on_top)
    known = [whole, [name for name in whole if name not in may_lack]]
    found = full = 0
    for n, fields in runs:
        names = natives.functions(fields, 'program')
        expect('main' in names, '%s', names)
        names = names[names.index('main'):]
        expect(any(names == w[:len(names)] for w in known), '%s', names)
        found += n
        full += n * (names == whole)
    expect(found > 0 and full >= found / 2, '%d of %d are whole', full, found)


@each(BUILDS)
def test_known_calls(item):
    with natives.started('3', flags=item[1]) as target:
        runs = target.record('--native-only', '-r', '200', '-d', '1s')
        # While a function begins and ends, the frame pointer is still, or
        # again, its caller's.
        check_chain(of_thread(runs, target.pid), 3,
                    may_lack=['leaf'] if 'alone' in item[0] else [])
        natives.stopped_us(target.result)


def test_jumps_of_the_linker_have_no_tables():
    """Not on all machines, at least, and not from all linkers."""
    chain = ['main', 'outer', 'calls']
    flags = ['-O2', '-fomit-frame-pointer']
    if platform.machine() == 'x86_64':
        flags.append('-Wl,--no-ld-generated-unwind-info')
    with natives.started(flags=flags, source='jumps.c') as target:
        runs = target.record('--native-only', '-r', '500', '-d', '2s')
        jumps = 0
        for n, fields in runs:
            names = natives.functions(fields, 'program')
            expect('main' in names, '%s', names)
            names = names[names.index('main'):]
            if len(names) == 4 and names[-1].startswith('program+0x'):
                names.pop()
                jumps += n
            expect(names == chain[:len(names)], '%s', names)
        expect(jumps > 0, 'none of %d in a jump', sum(n for n, _ in runs))


def told_broken(result):
    told = re.search(rb'(\d+) broken', result.err)
    return int(told.group(1)) if told else 0


def test_goroutines():
    """No tables, and a return address that no call has left: of Go's code it is
    the frame pointer that tells where a stack begins."""
    with targets.started([natives.build_go('goroutines.go')]) as target:
        runs = target.record('--native-only', '-r', '200', '-d', '1s')
        n = listing.total(runs)
        expect(told_broken(target.result) <= n / 20, '%s', target.result.err)
        whole = 0
        for count, fields in runs:
            names = natives.functions(fields, 'program')
            if names[-1] in ('main.inner', 'main.step'):
                # The caller of one that has no frame is not seen.
                expect(names[1:3] == ['main.outer', 'main.middle'] and
                       len(names) <= 5, '%s', names)
                whole += count
        expect(whole > n / 4, '%d of %d', whole, n)


@each([[], ['signal']])
def test_a_c_library_without_tables(args):
    """Its functions wait, are interrupted, and call what threads begin with."""
    with natives.started('3', *args, cc='musl-gcc') as target:
        runs = target.record('--native-only', '-r', '200', '-d', '1s')
        expect(told_broken(target.result) == 0, '%s', target.result.err)
        check_chain(of_thread(runs, target.pid), 3,
                    ('leaf', 'on_signal', 'compute') if args
                    else ('leaf', 'compute'))
        for _, fields in runs:
            if fields[listing.TID] != str(target.pid):
                names = natives.functions(fields)
                at = names.index('main_of_sleeper')
                expect(names[at + 1] == 'pause', '%s', names)


def test_deep_recursion():
    with natives.started('3000') as target:
        runs = target.record('--native-only', '-r', '50', '-d', '1s')
        check_chain(of_thread(runs, target.pid), 3000)
        runs = target.record('--native-only', '-r', '50', '-d', '1s',
                             '--depth', '10')
        for _, fields in of_thread(runs, target.pid):
            names = natives.functions(fields)
            expect(len(names) == 10 and set(names[:8]) == {'descend'}, '%s',
                   names)


def test_stacks_above_the_copy_are_cut():
    """What lies too far out is left away, and the rest is given."""
    with natives.started('30000') as target:
        runs = target.record('--native-only', '-r', '20', '-d', '1s')
        cut = 0
        for _, fields in of_thread(runs, target.pid):
            names = natives.functions(fields)
            if names[0] == '_start':
                continue  # it was on its way there
            cut += 1
            expect(len(names) > 1000 and set(names[:-2]) == {'descend'},
                   '%d frames: %s', len(names), names[:3] + names[-3:])
        expect(cut > 0, 'none was cut')


def test_signal_handlers_stand_on_what_they_interrupt():
    with natives.started('2', 'signal') as target:
        runs = of_thread(target.record('--native-only', '-r', '200', '-d',
                                       '1s'), target.pid)
        check_chain(runs, 2, ('leaf', 'on_signal', 'compute'))


def test_all_threads_with_their_names():
    with natives.started('1') as target:
        out = bobbin.run('stack', '--native-only', '-p',
                         str(target.pid)).out.decode()
        expect('Thread %d program: main' % target.pid in out, '%s', out)
        expect(' sleeper: idle' in out and 'main_of_sleeper' in out, '%s',
               out)
        runs = target.record('--native-only', '-r', '100', '-d', '500ms')
        expect(len({f[listing.TID] for _, f in runs}) == 2, 'two threads')
        runs = target.record('--native-only', '-r', '100', '-d', '500ms',
                             '--mode', 'cpu')
        expect({f[listing.TID] for _, f in runs} == {str(target.pid)},
               'the sleeper is not on a processor')
        runs = target.record('--native-only', '-r', '100', '-d', '300ms',
                             '--threads', 'main')
        expect({f[listing.TID] for _, f in runs} == {str(target.pid)},
               'the main thread alone')


def test_stripped_functions_are_called_by_where_they_begin():
    """And these places are those of the program that was not stripped."""
    with natives.started('1', flags=('-O2', '-s')) as target:
        runs = of_thread(target.record('--native-only', '-r', '200', '-d',
                                       '500ms'), target.pid)
        names = max((natives.functions(f, 'program') for _, f in runs),
                    key=len)
    whole = natives.build('chain.c', '-O2', name='whole')
    listed = subprocess.run(['nm', whole], capture_output=True, text=True)
    begin = {int(row.split()[0], 16): row.split()[2]
             for row in listed.stdout.splitlines() if ' T ' in row}
    found = [begin.get(int(name.rpartition('+')[2], 16), name)
             for name in names]
    expect(found == ['_start'] + CHAIN + ['descend', 'leaf', 'compute'],
           '%s', found)


def test_builds_are_told():
    with natives.started('1') as target:
        target.record('--native-only', '-r', '100', '-d', '200ms')
        program = os.path.join(case.scratch, 'program')
        notes = subprocess.run(['readelf', '-n', program],
                               capture_output=True, text=True).stdout
        build = notes.partition('Build ID: ')[2].split()[0]
        info = bobbin.run('info', '--json', '--all',
                          os.path.join(case.scratch, 'out.rbt')).out.decode()
        expect('native.buildid.' + program in info and build in info,
               'build %s: %s', build, info)


def test_names_come_from_files_of_their_own():
    """As distributions keep them: by the name and checksum in the program."""
    path = natives.build('chain.c', '-O2', '-Wl,--build-id=none')
    names = os.path.join(case.scratch, '.debug', 'program.debug')
    os.mkdir(os.path.dirname(names))
    subprocess.run(['objcopy', '--only-keep-debug', path, names], check=True)
    subprocess.run(['objcopy', '--strip-all', '--add-gnu-debuglink=' + names,
                    path], check=True)

    def names_found():
        with targets.started([path, '1']) as target:
            runs = target.record('--native-only', '-r', '100', '-d', '300ms')
            return any('first' in natives.functions(f) for _, f in runs)
    expect(names_found(), 'no names')
    with open(names, 'ab') as file:
        file.write(b'another file')
    expect(not names_found(), 'names of a file with another checksum')


def test_process_that_ends_meanwhile():
    with natives.started('1') as target:
        record = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '--native-only', '-p', str(target.pid),
             '-r', 'max', '-o', os.path.join(case.scratch, 'end.rbt')],
            stderr=subprocess.PIPE)
        sandbox.until(lambda: os.path.exists(
            os.path.join(case.scratch, 'end.rbt')), 'a recording')
        os.kill(target.pid, signal.SIGKILL)
        err = record.communicate()[1]
        expect(record.returncode == 0, '%s', err)
        bobbin.run('verify', os.path.join(case.scratch, 'end.rbt'))


def test_target_runs_on_when_we_are_killed():
    with natives.started('1') as target:
        record = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '--native-only', '-p', str(target.pid),
             '-r', 'max', '-o', os.path.join(case.scratch, 'end.rbt')],
            stderr=subprocess.DEVNULL)
        sandbox.until(lambda: os.path.exists(
            os.path.join(case.scratch, 'end.rbt')), 'a recording')
        record.kill()
        record.wait()
        sandbox.until(lambda: state(target.pid) in 'RS', 'it runs')


def test_needs_to_stop_the_process():
    with natives.started('1') as target:
        tracer = subprocess.Popen(
            [sys.executable, '-c', TRACER, str(target.pid)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            expect(tracer.stdout.readline() == b'0\n', 'no tracer')
            result = bobbin.run('stack', '--native-only', '-p',
                                str(target.pid), ok=(bobbin.FAILED,))
            expect(b'process %d traces it' % tracer.pid in result.err, '%s',
                   result.err)
        finally:
            tracer.communicate()


@each(['php', 'python'])
def test_interpreters_need_to_be_stopped_too(name):
    argv = {'php': lambda: [phps.program(phps.find()[-1]), '-r',
                            'echo "r\\n"; while (1) usleep(1000);'],
            'python': lambda: [sys.executable, '-uc', 'import time\n'
                               'print("r")\nwhile 1: time.sleep(0.001)']}
    target = subprocess.Popen(argv[name](), stdout=subprocess.PIPE)
    try:
        target.stdout.readline()
        tracer = subprocess.Popen(
            [sys.executable, '-c', TRACER, str(target.pid)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            expect(tracer.stdout.readline() == b'0\n', 'no tracer')
            for command in ('stack', 'record'):
                result = bobbin.run(command, '--native', '-p',
                                    str(target.pid), ok=(bobbin.FAILED,))
                expect(b'process %d traces it' % tracer.pid in result.err,
                       '%s', result.err)
            result = bobbin.run('stack', '--pause', str(target.pid),
                                ok=(bobbin.PARTIAL,))
            expect(b"'bobbin doctor' tells why" in result.out, '%s', result.out)
            result = bobbin.run('record', '--pause', '-p', str(target.pid),
                                '-d', '200ms', '-o',
                                os.path.join(case.scratch, 'out.rbt'))
            expect(b'a debugger traces it' in result.err, '%s', result.err)
        finally:
            tracer.communicate()
    finally:
        target.kill()
        target.communicate()


def test_elfutils_is_loaded_only_when_it_is_needed():
    """One that cannot be loaded matters to native frames alone."""
    case.write_file(b'not a library', 'libdw.so.1')

    def run(*args, ok=(bobbin.OK,)):
        return bobbin.execute(['env', 'LD_LIBRARY_PATH=' + case.scratch,
                               bobbin.PROGRAM] + list(args), ok=ok)
    with natives.started('1') as target:
        result = run('stack', '--native-only', '-p', str(target.pid),
                     ok=(bobbin.FAILED,))
        for part in b'native frames need libdw.so.1', b'libdw1', \
                b'leave out --native':
            expect(part in result.err, '%s', result.err)
    with targets.started([sys.executable, '-c',
                          'print("{}", flush=True)\nwhile True: pass']) as t:
        for what in '--native', '--native-only':
            result = run('doctor', what, '-p', str(t.pid),
                         ok=(bobbin.FAILED,))
            expect(b'libdw1' in result.out and b'newer' not in result.out,
                   '%s', result.out)
    run('--version')
    found = json.loads(run('doctor', '--json',
                           ok=(bobbin.OK, bobbin.FAILED)).out)
    health = {c['name']: c['health'] for c in found['machine']}
    expect(health['native'] == 'warning', '%s', found)


def test_usage():
    for other in (['--native'], ['--runtime', 'php']):
        result = bobbin.run('stack', '--native-only', *other, '-p', '1',
                            ok=(bobbin.USAGE,))
        expect(b'--native-only and ' + other[0].encode() in
               result.err, '%s', result.err)


# --- between frames of an interpreter --------------------------------------

EVERY_PYTHON = pythons.find()
EVERY_PHP = phps.find()

# So many samples, at most, may come without their frames of C in between.
FEW = 0.02


def own_frames(fields, functions):
    """(function, names of C before it) of these functions."""
    out, before = [], []
    for kind, function, _ in natives.frames(fields):
        if kind == 'N':
            before.append(function)
        elif function in functions:
            out.append((function, before))
            before = []
    return out


def links(chain):
    """The same of a chain as scripts tell it, where a word with a colon is
    part of what C has between two functions."""
    out, word = [], ''
    for name in chain:
        if name.startswith(':'):
            word = name[1:]
        else:
            out.append((name, word))
            word = ''
    return out


def is_outer_part(own, chain, calls_by_c):
    """And C is there where it must be, and nowhere else, unless all calls
    are made by C."""
    if len(own) > len(chain):
        return False
    for i, ((name, before), (want, word)) in enumerate(zip(own, chain)):
        if name != want:
            return False
        if i > 0 and before and not word and not calls_by_c:
            return False
        # A function of a stripped program has no name.
        if i > 0 and word and not any(word in n or '+0x' in n
                                      for n in before):
            return False
    return True


def check_between(target, runs, calls_by_c=False):
    """Every sample is one of the script's chains, or an outer part of it; but
    for those of which is told that C could not be put between."""
    chains = [links(chain) for chain in target.truth['chains']]
    others = [links(chain) for chain in target.truth.get('others', ())]
    functions = {name for chain in chains for name, _ in chain}
    deepest = {len(chain): 0 for chain in chains}
    found = apart = 0
    for n, fields in runs:
        own = own_frames(fields, functions)
        if natives.frames(fields)[0][0] != 'N':
            apart += n
            expect(not any(before for _, before in own), '%s', own)
            continue
        if not own:
            continue
        expect(any(is_outer_part(own, chain, calls_by_c)
                   for chain in chains + others),
               'not as it calls: %s', own)
        found += n
        for chain in chains:
            if len(own) == len(chain):
                deepest[len(chain)] += n
        # But for one on top that has just begun, or is about to end.
        frames = natives.frames(fields)
        while frames[-1][0] == 'N':
            frames.pop()
        names = [f[1] for f in frames if f[0] == 'N']
        expect('_PyEval_EvalFrameDefault' not in names and
               'execute_ex' not in names, 'a loop: %s', names)
    expect(found >= 20 and all(deepest.values()), '%d samples: %s', found,
           deepest)
    # Chance may make it three standard deviations more.
    few = FEW * (apart + found)
    expect(apart == unmerged(target) and apart <= few + 3 * few ** 0.5 + 1,
           '%d of %d, and told: %d', apart, apart + found, unmerged(target))


def unmerged(target):
    told = re.search(rb'(\d+) unmerged', target.result.err)
    return int(told.group(1)) if told else 0


@each(EVERY_PYTHON)
def test_python_calls_through_c(name):
    with pythons.started(name, 'through.py') as target:
        runs = target.record('--native', '-r', '300', '-d', '3s',
                             to='out.rbt')
        # Up to 3.10 a function is called through C, whoever calls it.
        check_between(target, runs, pythons.minor_of(name) <= 10)


@each(EVERY_PYTHON)
def test_python_recursion_that_comes_and_goes(name):
    """Its frames lie in pieces of memory that are given back and come again,
    in another order; but a thread that is stopped can always be read."""
    script = case.write_file(b'''
def f(n):
    return f(n - 1) + 1 if n else 0
print('{}', flush=True)
while True:
    f(900)
''', 'recursion.py')
    if name == 'none -':
        raise Skip('no Python was found')

    def depths_of(runs):
        return {sum(kind != 'N' for kind, *_ in natives.frames(fields))
                for _, fields in runs}
    with targets.started([name.split()[1], script]) as target:
        for option in '--pause', '--native':
            runs = target.record(option, '-r', '300', '-d', '1s',
                                 enough=lambda runs: len(depths_of(runs)) > 3)
            # On a busy machine it may not have stopped in time; and one was
            # seen, of some ten thousand, that could not be read.
            told = re.search(rb'lost, by reason: (.*)', target.result.err)
            expect(not told or re.fullmatch(
                rb'pause \d+|read 1|read 1, pause \d+', told.group(1)),
                   '%s', target.result.err)
            expect(b'changed' not in target.result.err, '%s',
                   target.result.err)
            for _, fields in runs:
                own = [f for kind, f, _ in natives.frames(fields)
                       if kind != 'N']
                expect(own == ['<module>'] + (len(own) - 1) * ['f'], '%s',
                       own)
            expect(len(depths_of(runs)) > 3, '%s', depths_of(runs))


def test_python_threads():
    with pythons.started(EVERY_PYTHON[-1], 'through.py',
                         'threads') as target:
        runs = target.record('--native', '-r', '300', '-d', '2s',
                             to='out.rbt')
        tids = {f[listing.TID] for _, f in runs}
        expect(len(tids) == 2, '%s', tids)
        roots = {natives.frames(f)[0][1] for _, f in runs
                 if natives.frames(f)[0][0] == 'N'}
        expect('_start' in roots and len(roots) == 2,
               'the other thread begins elsewhere: %s', roots)


@each(EVERY_PHP)
def test_php_calls_through_c(name):
    with phps.started(name, 'through.php') as target:
        runs = target.record('--native', '-r', '300', '-d', '3s')
        check_between(target, runs)


def jit_options(name, mode):
    """What makes PHP compile to machine code, where it can."""
    ini = ['zend_extension=opcache', 'opcache.enable_cli=1',
           'opcache.jit_buffer_size=16M', 'opcache.jit=' + mode]
    try:
        out = subprocess.run(
            [phps.program(name), '-n'] + ['-d' + line for line in ini] +
            ['-r', 'echo opcache_get_status()["jit"]["on"] ? "on" : "off";'],
            capture_output=True, timeout=60).stdout
    except OSError as why:
        out = str(why).encode()
    if out != b'on':
        raise Skip('this PHP makes no machine code: %r' % out)
    return ini


def expect_few_broken(target, runs):
    """Small parts of such code move the stack for a moment."""
    expect(told_broken(target.result) <= FEW * listing.total(runs) + 1, '%s',
           target.result.err)


@each(['%s %s' % (name, mode) for name in EVERY_PHP
       for mode in ('tracing', 'function')])
def test_php_compiled_to_machine_code(item):
    """Such code has neither tables nor frame pointers, but runs on the frame
    of PHP's loop."""
    name, mode = item.rsplit(' ', 1)
    with phps.started(name, 'through.php',
                      ini=jit_options(name, mode)) as target:
        runs = target.record('--native', '-r', '300', '-d', '3s')
        check_between(target, runs)
        expect_few_broken(target, runs)
        runs = target.record('--native-only', '-r', '300', '-d', '2s')
        expect_few_broken(target, runs)
        expect(any('<jit>' in natives.functions(f)[1:-1] for _, f in runs),
               'no such code between others')
        for _, fields in runs:
            names = natives.functions(fields)
            if '<jit>' in names:
                expect(names[0] == '_start' and 'zend_execute' in names,
                       '%s', names)


def test_fibers_stand_on_what_resumed_them():
    """Their C stacks are their own: of what resumed them PHP alone is
    known."""
    if phps.version_of(EVERY_PHP[-1]) < 81:
        raise Skip('no fibers')
    script = case.write_file(b'''<?php
function work() { for ($i = $s = 0; $i < 3000; $i++) $s += $i; }
function mapped($x) { work(); }
function in_fiber() { array_map('mapped', [1, 2, 3]); }
echo "{}\\n";
while (true) (new Fiber('in_fiber'))->start();
''', 'fiber.php')
    with targets.started([phps.program(EVERY_PHP[-1]), '-n',
                          script]) as target:
        runs = target.record('--native', '-r', '300', '-d', '1s')
        chain = links(['<main>', 'Fiber::start', ':zend_call_function',
                       'in_fiber', 'array_map', ':zend_call_function',
                       'mapped', 'work'])
        whole = 0
        for n, fields in runs:
            own = own_frames(fields, {name for name, _ in chain})
            if natives.frames(fields)[0][0] == 'N' or len(own) < 3:
                continue  # in the main program
            if any(before for _, before in own):
                expect(is_outer_part(own, chain, False), '%s', own)
                whole += n * (len(own) == len(chain))
        expect(whole > 0, '%s', target.result.err)


# --- code made at run time -------------------------------------------------

@contextlib.contextmanager
def with_trampolines():
    """Python that makes a piece of code for each function, and says where in
    /tmp/perf-PID.map."""
    names = [n for n in EVERY_PYTHON if n != 'none -' and
             pythons.minor_of(n) >= 12]
    if not names:
        raise Skip('no Python from 3.12 on was found')
    script = os.path.join(pythons.SCRIPTS, 'through.py')
    with targets.started([names[-1].split()[1], script],
                         env=dict(os.environ,
                                  PYTHONPERFSUPPORT='1')) as target:
        path = '/tmp/perf-%d.map' % target.pid
        try:
            if not os.path.exists(path):
                raise Skip('this Python makes no such code')
            yield target, path
        finally:
            os.remove(path)


def test_code_made_at_run_time_has_names():
    with with_trampolines() as (target, _):
        runs = target.record('--native', '-r', '300', '-d', '2s')
        check_between(target, runs, calls_by_c=True)
        for _, fields in runs:
            frames = natives.frames(fields)
            if frames[0][0] != 'N':
                continue
            for (_, before, _), (kind, name, _) in zip(frames, frames[1:]):
                if kind != 'N' and name == 'work':
                    expect(before.startswith('py::work:'), '%s', before)


def test_map_of_code_by_another_user_is_not_believed():
    if os.geteuid() != 0:
        raise Skip('not root: no file can be given away')
    with with_trampolines() as (target, path):
        stack = ('stack', '--native', '-p', str(target.pid))
        expect(b'py::' in bobbin.run(*stack).out, 'the map is not read')
        os.chown(path, 12345, 12345)
        expect(b'py::' not in bobbin.run(*stack).out, 'the map is believed')


@each([('lines', lambda path: hostile_lines(path)),
       ('fifo', lambda path: os.mkfifo(path)),
       ('directory', lambda path: os.mkdir(path)),
       ('link', lambda path: os.symlink('/dev/zero', path))])
def test_hostile_map_of_code(item):
    with with_trampolines() as (target, path):
        os.remove(path)
        item[1](path)
        try:
            result = bobbin.run('stack', '--native', '-p', str(target.pid),
                                ok=(bobbin.OK, bobbin.PARTIAL))
            expect(b'<module>' in result.out and b'\x1b' not in result.out,
                   '%s', result.out)
        finally:
            if os.path.isdir(path):
                os.rmdir(path)
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)
            open(path, 'w').close()


def hostile_lines(path):
    with open(path, 'wb') as file:
        file.write(b'0 ffffffffffffffff \x1b[31mall of it\x07\n')
        file.write(b'ffffffffffffffff 2 wraps\n-1 -1 x\n \n\0\0\0\n')
        file.write(b'1 1 ' + 100000 * b'n' + b'\n')
        file.write(200000 * b'7f 10 again\n')
        file.write(100000 * b'a')


@each([(4095, False), (4096, True)])
def test_threads_that_are_left_out_are_counted(item):
    """4096 are followed, the first one among them."""
    with natives.started(str(item[0]), source='threads.c') as target:
        if target.truth['threads'] < item[0]:
            raise Skip('only %d threads can be' % target.truth['threads'])
        runs = target.record('--native-only', '--mode', 'cpu', '-r', '10',
                             '-d', '1s', enough=targets.at_least(1))
    expect(listing.total(runs) > 0, 'the one that computes is not there')
    told = re.search(rb'lost, by reason:.*threads \d', target.result.err)
    expect(bool(told) == item[1], '%s', target.result.err)
