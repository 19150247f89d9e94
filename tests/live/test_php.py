"""Stacks of running PHP, read from outside, against what the interpreter knows
about itself: every interpreter that is found."""
import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

from support import bobbin, case, listing, load, phps, targets
from support.case import Skip, each, expect

EVERY = phps.find()
# Samples that are asked for in the oracle's tests, each way.
SAMPLES = int(os.environ.get('BOBBIN_LIVE_SAMPLES', 3000))
RATE = 2000

SHAPES = [
    'main', 'recursion', 'closure', 'internal', 'constructor', 'call',
    'call_static', 'get', 'to_string', 'invoke', 'destructor',
    'array_access', 'iterator', 'generator', 'delegation', 'anonymous',
    'error_handler', 'exception', 'include', 'eval', 'output', 'autoload',
    'fiber', 'resumed_fiber', 'shutdown']


def check_stack(target, runs):
    """Every sample is the stack that the script said."""
    want = [tuple(frame) for frame in target.truth['stack']]
    expect(listing.total(runs) > 5, '%d samples', listing.total(runs))
    for _, fields in runs:
        got = phps.frames(fields)
        for a, b in zip(reversed(want), reversed(got)):
            expect(a == b, '%r instead of %r', b, a)
        expect(len(want) == len(got), '%d frames instead of %d', len(got),
               len(want))


@each(['%s %s' % (name, shape) for name in EVERY for shape in SHAPES])
def test_a_stack_is_what_the_script_says(label):
    name, shape = label.rsplit(' ', 1)
    if 'fiber' in shape and name[0].isdigit() and phps.version_of(name) < 81:
        raise Skip('this PHP has no fibers')
    with phps.started(name, 'shapes.php', shape) as target:
        check_stack(target, target.record('-r', '100', '-d', '300ms',
                                          enough=targets.at_least(6)))
        expect(target.lost_percent() == 0, 'samples were lost')


@each(['%s %d' % (name, n) for name in EVERY for n in (1, 10, 400, 2000)])
def test_deep_stacks_are_whole(label):
    name, depth = label.rsplit(' ', 1)
    with phps.started(name, 'shapes.php', 'recursion', depth) as target:
        runs = target.record('-r', '50', '-d', '300ms')
        check_stack(target, runs)
        runs = target.record('-r', '50', '-d', '300ms', '--depth', '5')
        for _, fields in runs:
            expect(phps.frames(fields) ==
                   [tuple(f) for f in target.truth['stack'][:5]],
                   'the innermost frames are %r', phps.frames(fields))


@each(EVERY)
def test_opcodes_are_named(name):
    with phps.started(name, 'shapes.php', 'generator') as target:
        runs = target.record('-r', '50', '-d', '300ms', '--opcodes')
        expect(runs, 'no samples')
        codes = [text.split(';')[4]
                 for text in runs[0][1][listing.FRAMES:]]
        expect(codes[0] == '' and codes[-1] == 'ZEND_DO_FCALL' and
               codes[3].startswith('ZEND_FE_'), 'opcodes %r', codes)


def judge(runs, calls):
    """How many samples have a call that does not exist, with an example."""
    pairs = {(caller, callee) for caller, _, callee in calls}
    bad, bad_lines, example = 0, 0, None
    for count, fields in runs:
        frames = phps.frames(fields)
        wrong = [(a, b) for b, a in zip(frames, frames[1:])
                 if (a[0], b[0]) not in pairs]
        lines = [(a, b) for b, a in zip(frames, frames[1:])
                 if (a[0], a[2], b[0]) not in calls]
        if wrong or frames[-1][0] != '<main>':
            bad += count
            example = wrong[:1] or frames[-1]
        if lines:
            bad_lines += count
            example = example or lines[0]
    return bad, bad_lines, example


def leaves(runs):
    out = collections.Counter()
    for count, fields in runs:
        out[phps.frames(fields)[0][0]] += count
    return out


def distance(a, b):
    """Total variation between two distributions."""
    n, m = sum(a.values()), sum(b.values())
    return sum(abs(a[k] / n - b[k] / m) for k in set(a) | set(b)) / 2


@each(['%s %s %s' % (name, kind, machine) for name in EVERY
       for kind in ('calm', 'call-heavy') for machine in ('idle', 'busy')])
def test_captured_calls_exist(label):
    """The oracle. What is asserted holds on a machine that does other things
    too; what is printed (-v) is the measure."""
    name, kind, machine = label.rsplit(' ', 2)
    calm = {'calm': 50, 'call-heavy': 1}[kind]
    calls = phps.calls(name, calm)
    seconds = '%dms' % (1000 * SAMPLES // RATE)
    with load.on(machine), \
            phps.started(name, 'oracle.php', 'run', str(calm)) as target:
        paused = target.record('-r', str(RATE), '-d', seconds, '--pause')
        bad, bad_lines, example = judge(paused, calls)
        expect(bad == 0, 'paused: %d of %d are impossible: %r', bad,
               listing.total(paused), example)
        expect(bad_lines == 0, 'paused: %d of %d have wrong lines: %r',
               bad_lines, listing.total(paused), example)
        runs = target.record('-r', str(RATE), '-d', seconds,
                             enough=targets.at_least(100))
        lost = target.lost_percent()
        bad, bad_lines, example = judge(runs, calls)
        n = listing.total(runs)
        expect(n > 20, '%d samples', n)
        print('%s: %d samples, impossible %.3f %%, lines %.3f %%, lost '
              '%.2f %%, distance %.3f' %
              (label, n, 100 * bad / n, 100 * bad_lines / n, lost,
               distance(leaves(paused), leaves(runs))), file=sys.stderr)
        expect(100 * bad <= 1 * n, '%d of %d are impossible: %r', bad, n,
               example)
        expect(100 * bad_lines <= 2 * n, '%d of %d have wrong lines: %r',
               bad_lines, n, example)
        expect(lost <= 2, '%.2f %% lost', lost)


@each(EVERY)
def test_from_its_own_processor_nothing_is_torn(name):
    load.need_realtime()
    with phps.started(name, 'oracle.php', 'run', '1') as target:
        paused, runs = (target.record('-r', '997', '-d', '3s', how,
                                      enough=targets.at_least(2000))
                        for how in ('--pause', '--near'))
    bad, _, example = judge(runs, phps.calls(name, 1))
    expect(bad <= 0.002 * listing.total(runs), '%d are impossible: %r', bad,
           example)
    true, told = ({key: n / listing.total(kind)
                   for key, n in leaves(kind).items()}
                  for kind in (paused, runs))
    if min(map(load.looks, (paused, runs))) < 1500:
        raise Skip('the machine is too busy: it mostly waits')
    limit = 0.06 + load.chance(true, told, load.looks(paused),
                               load.looks(runs))
    far = distance(leaves(paused), leaves(runs))
    expect(far <= limit, 'distance %.3f, not %.3f: %s instead of %s', far,
           limit, told, true)


@each(EVERY)
def test_lines_of_a_loop_are_told_when_paused(name):
    """The loop of Leaf::run calls nothing, and most of it cannot fail: where
    it stands is in a register alone."""
    with open(os.path.join(phps.SCRIPTS, 'oracle.php')) as script:
        first = next(i for i, line in enumerate(script, 1)
                     if 'for ($t = 0' in line)
    with phps.started(name, 'oracle.php', 'run', '50') as target:
        runs = target.record('-r', str(RATE), '-d', '1s', '--pause',
                             enough=targets.at_least(100))
    at = collections.Counter()
    for count, fields in runs:
        frame = phps.frames(fields)[0]
        if frame[0].endswith('Leaf::run'):
            at[int(frame[2])] += count
    total = sum(at.values())
    expect(total > 20, '%d samples', total)
    for line in range(first, first + 3):
        expect(at[line] * 20 >= total, 'line %d: %d of %d: %s', line,
               at[line], total, at)


@each([('not paused',), ('paused', '--pause')])
def test_stacks_that_change_while_they_are_read_are_told(item):
    options = item[1:]
    path = os.path.join(case.scratch, 'out.rbt')
    with phps.started(EVERY[0], 'oracle.php', 'run', '1') as target:
        err = bobbin.run('record', '-p', str(target.pid), '-r', '1000', '-d',
                         '1s', '-o', path, *options).err
    info = json.loads(bobbin.run('info', '--json', '--all', path).out)
    facts = {m['key']: m['value'] for m in info['segments'][0]['metadata']}
    inferred, lost, taken, repaired = (
        int(facts['profiler.' + name])
        for name in ('inferred', 'lost', 'taken', 'repaired'))
    expect(repaired <= inferred <= taken, '%s', facts)
    expect(not (options and inferred), 'what stands changes: %s', facts)
    points = 100 * (inferred + lost) / (taken + lost)
    expect(abs(info['inferred_percent'] - points) < 0.01, '%s, not %s',
           info['inferred_percent'], points)
    shown = re.search(rb'inferred +([\d.e-]+) % of stacks',
                      bobbin.run('info', path).out).group(1)
    expect(float(shown) == info['inferred_percent'], '%s', shown)
    told = re.search(rb'note: (\d+) % of stacks changed .* off by up to '
                     rb'(\d+) points', err)
    expect(bool(told) == (points >= load.BIAS), '%s: %s', points, err)
    expect(not told or all(abs(int(n) - points) <= 0.5
                           for n in told.groups()), '%s: %s', points, err)


@each(EVERY)
def test_the_end_of_a_script_is_the_end_of_a_capture(name):
    path = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run('record', '-o', path, '--', phps.program(name), '-n',
                        '-r', 'usleep(300000);')
    runs = listing.parse(bobbin.run('dump', path).out)
    expect(runs, 'no samples: %s', result.err)
    for _, fields in runs:
        names = [f[0] for f in phps.frames(fields)]
        expect(names in (['usleep', '<main>'], ['<main>']), 'stack %r',
               names)
    bobbin.run('verify', path)
    expect(os.stat(path).st_mode & 0o777 == 0o600, 'others may read it')


@each([signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_capture_well(sig):
    path = os.path.join(case.scratch, 'out.rbt')
    with phps.started(EVERY[0], 'shapes.php', 'main') as target:
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(target.pid), '-o', path],
            stderr=subprocess.PIPE)
        wait_for(lambda: os.path.exists(path) and
                 os.path.getsize(path) > 150)
        child.send_signal(sig)
        _, err = child.communicate(timeout=bobbin.TIMEOUT)
        expect(child.returncode == 0, 'exit status %d: %s', child.returncode,
               err)
        bobbin.run('verify', path)
        expect(target.child.poll() is None, 'the target has ended')


def test_a_killed_capture_can_be_read():
    path = os.path.join(case.scratch, 'out.rbt')
    with phps.started(EVERY[0], 'shapes.php', 'main') as target:
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(target.pid), '-o', path,
             '-r', '500'], stderr=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(path) and
                 os.path.getsize(path) > 600)
        child.kill()
        child.wait()
        runs = listing.parse(bobbin.run('dump', path).out)
        check_stack(target, runs)


def test_a_paused_target_is_never_left_stopped():
    with phps.started(EVERY[0], 'oracle.php', 'run', '1') as target:
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(target.pid), '-r', 'max',
             '--pause', '-t', 'folded', '-o', '/dev/null'],
            stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        child.kill()
        child.wait()
        with open('/proc/%d/stat' % target.pid) as file:
            state = file.read().rsplit(')', 1)[1].split()[0]
        expect(state in 'RS', 'its state is %s', state)
        with open('/proc/%d/status' % target.pid) as file:
            expect('TracerPid:\t0\n' in file.read(), 'it is still traced')


def test_how_long_a_paused_target_stood_is_told():
    path = os.path.join(case.scratch, 'out.rbt')
    with phps.started(EVERY[0], 'oracle.php', 'run', '1') as target:
        for options in ([], ['--pause']):
            err = bobbin.run('record', '-p', str(target.pid), '-r', '200',
                             '-d', '500ms', '-o', path, *options).err
            info = json.loads(bobbin.run('info', '--json', '--all', path).out)
            stood = [float(m['value'])
                     for m in info['segments'][0]['metadata']
                     if m['key'] == 'profiler.stopped_us']
            told = [int(us) for us in
                    re.findall(rb'stopped (\d+) us a sample', err)]
            expect(len(stood) == len(told) == len(options), '%s, %s', stood,
                   err)
    expect(0 < stood[0] < 500000 and abs(told[0] - stood[0]) <= 1,
           'told are %s, kept %s', told, stood)


def wait_for(condition):
    end = time.monotonic() + bobbin.TIMEOUT
    while not condition():
        expect(time.monotonic() < end, 'waited in vain')
        time.sleep(0.02)


def test_an_output_is_not_written_through_a_link():
    real = case.write_file(b'mine', 'real')
    link = os.path.join(case.scratch, 'link.rbt')
    os.symlink(real, link)
    with phps.started(EVERY[0], 'shapes.php', 'main') as target:
        result = bobbin.run('record', '-p', str(target.pid), '-d', '50ms',
                            '-o', link, ok=(bobbin.FAILED,))
    expect(b'link.rbt' in result.err, 'message %s', result.err)
    expect(case.read_file(real) == b'mine', 'the file was written')


def test_who_is_not_there_is_named():
    result = bobbin.run('record', '-p', '2147483646', ok=(bobbin.FAILED,))
    expect(b'no such process: 2147483646' in result.err, 'message %s',
           result.err)


def test_a_program_without_a_runtime_is_told():
    child = subprocess.Popen(['sleep', '60'])
    try:
        result = bobbin.run('record', '-p', str(child.pid),
                            ok=(bobbin.FAILED,))
    finally:
        child.kill()
        child.wait()
    expect(re.search(rb'process \d+ \(\w+\) is neither PHP nor Python',
                     result.err), 'message %s',
           result.err)


@each([
    ('nothing', [], b'no process given'),
    ('both', ['-p', '1', '--', 'true'], b'not both'),
    ('rate', ['-p', '1', '-r', '0'], b"--rate '0'"),
    ('period', ['-p', '1', '--period', 'x'], b"--period 'x'"),
    ('two', ['-p', '1', '-r', '9', '--period', '1s'], b'exclude each other'),
    ('duration', ['-p', '1', '-d', 'never'], b"--duration 'never'"),
    ('depth', ['-p', '1', '--depth', '99999'], b"--depth '99999'"),
    ('pid', ['-p', 'init'], b"'init' is not a process id"),
    ('format', ['-p', '1', '-t', 'nonsense'], b'no such format: nonsense'),
    ('segments', ['-p', '1', '-o', 'x.svg', '--rotate-time', '1m'],
     b'has no segments'),
    ('time', ['-p', '1', '--rotate-time', '0'], b"--rotate-time '0'"),
    ('size', ['-p', '1', '--rotate-size', 'x'], b"--rotate-size 'x'"),
])
def test_mistakes_are_told(wrong):
    _, args, message = wrong
    result = bobbin.run('record', *args, ok=(bobbin.USAGE,))
    expect(message in result.err, 'message %s', result.err)


def test_a_command_that_does_not_exist_is_told():
    result = bobbin.run('record', '--', '/nonexistent/php',
                        ok=(127,))
    expect(b'/nonexistent/php: No such file' in result.err, 'message %s',
           result.err)


def test_the_mode_cpu_leaves_out_who_sleeps():
    with phps.started(EVERY[0], 'shapes.php', 'main') as target:
        runs = target.record('-r', '100', '-d', '200ms', '--mode', 'cpu')
        expect(runs == [], '%d samples', listing.total(runs))
    with phps.started(EVERY[0], 'oracle.php', 'run', '50') as target:
        runs = target.record('-r', '100', '-d', '300ms', '--mode', 'cpu')
        expect(runs, 'no samples')
        result = bobbin.run('record', '-p', str(target.pid), '--mode', 'gil',
                            ok=(bobbin.USAGE,))
        expect(b'no mode gil' in result.err, 'message %s', result.err)


def test_a_target_that_becomes_another_program_ends_the_capture():
    """After some time in which that could have loaded a runtime."""
    if subprocess.run([phps.program(EVERY[-1]), '-r',
                       'exit(function_exists("pcntl_exec") ? 0 : 1);']
                      ).returncode != 0:
        raise Skip('this PHP has no pcntl')
    path = os.path.join(case.scratch, 'out.rbt')
    start = time.monotonic()
    result = bobbin.run(
        'record', '-o', path, '--', phps.program(EVERY[-1]), '-r',
        'usleep(200000); pcntl_exec("/bin/sleep", ["6"]);')
    seconds = time.monotonic() - start
    number, unit = re.search(rb' in ([\d.]+) (m?s)', result.err).groups()
    captured = float(number) / (1000 if unit == b'ms' else 1)
    expect(captured < seconds - 1, 'it did not end with the program: %s',
           result.err)
    bobbin.run('verify', path)


@each(['unpaused', 'paused'])
def test_a_stopped_target_is_read_and_stays_stopped(how):
    with phps.started(EVERY[-1], 'shapes.php', 'main') as target:
        target.child.send_signal(signal.SIGSTOP)
        wait_for(lambda: state_of(target.pid) == 'T')
        options = ['--pause'] if how == 'paused' else []
        check_stack(target, target.record('-r', '50', '-d', '300ms',
                                          *options))
        expect(state_of(target.pid) == 'T', 'it goes on')
        target.child.send_signal(signal.SIGCONT)
        wait_for(lambda: state_of(target.pid) == 'S')


def state_of(pid):
    with open('/proc/%d/stat' % pid) as file:
        return file.read().rsplit(')', 1)[1].split()[0]


def test_signals_reach_a_paused_target():
    with phps.started(EVERY[-1], 'oracle.php', 'run', '1') as target:
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(target.pid), '-r', 'max',
             '--pause', '-t', 'folded', '-o', '/dev/null'],
            stderr=subprocess.PIPE)
        expect(b'pid %d:' % target.pid in child.stderr.readline(),
               'it was not attached')
        time.sleep(0.2)
        target.child.terminate()
        expect(target.child.wait(timeout=bobbin.TIMEOUT) == -signal.SIGTERM,
               'the signal did not arrive')
        _, err = child.communicate(timeout=bobbin.TIMEOUT)
        expect(child.returncode == 0, 'the capture failed: %s', err)


# From 8.5 on opcache is part of PHP.
JIT = (() if phps.version_of(EVERY[-1]) >= 85 else
       ('zend_extension=opcache',)) + ('opcache.enable_cli=1',
                                       'opcache.jit_buffer_size=32M')


def need_compiler(name, ini):
    if subprocess.run(
            [phps.program(name), '-n'] + ['-d' + line for line in ini] +
            ['-r', 'exit(function_exists("opcache_get_status") && '
             'PHP_VERSION_ID >= 80000 ? 0 : 1);'],
            stdout=subprocess.DEVNULL).returncode != 0:
        raise Skip('this PHP has no such compiler')


@each(['disable', 'tracing', 'function'])
def test_compiled_code_has_the_same_calls(jit):
    """With opcache, and with its compiler. Compiled code is faster, so that
    more callers have gone on when they are read: their lines are certain when
    it stands still."""
    name = EVERY[-1]
    ini = JIT + ('opcache.jit=' + jit,)
    need_compiler(name, ini)
    calls = phps.calls(name, 1)
    with phps.started(name, 'oracle.php', 'run', '1', ini=ini) as target:
        for options in ([], ['--pause']):
            runs = target.record('-r', '1000', '-d', '700ms', *options)
            bad, bad_lines, example = judge(runs, calls)
            expect(100 * bad <= listing.total(runs),
                   '%d of %d are impossible: %r', bad, listing.total(runs),
                   example)
            expect(8 * bad_lines <= listing.total(runs),
                   '%d of %d have wrong lines: %r', bad_lines,
                   listing.total(runs), example)
            expect(not options or bad + bad_lines == 0, 'paused: %r', example)


# Everything is compiled at once, or as soon as it has run.
AT_ONCE = {'function': ('opcache.jit=1205',),
           'tracing': ('opcache.jit=tracing', 'opcache.jit_hot_loop=1',
                       'opcache.jit_hot_func=1', 'opcache.jit_hot_return=1',
                       'opcache.jit_hot_side_exit=1')}


@each(['%s %s' % (jit, shape) for jit in AT_ONCE for shape in SHAPES])
def test_a_compiled_stack_is_what_the_script_says(label):
    jit, shape = label.split()
    ini = JIT + AT_ONCE[jit]
    need_compiler(EVERY[-1], ini)
    with phps.started(EVERY[-1], 'shapes.php', shape, ini=ini) as target:
        check_stack(target, target.record('-r', '100', '-d', '600ms',
                                          enough=targets.at_least(6)))
