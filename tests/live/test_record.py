"""bobbin record through the real command: which processes, which files, and
the words that users of other profilers know."""
import glob
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time

from oracle import rbt_oracle
from support import bobbin, case, fpm, listing, phps, targets
from support.case import Skip, each, expect

PHP = phps.find()[-1]
SCRIPTS = os.path.join(bobbin.ROOT, 'tests', 'live', 'python')

# Says that it is ready, and works until it is killed.
WORKER = '''
import json, os, sys, time
def inner(n):
    return sum(i * i for i in range(n))
def outer():
    inner(3000)
print(json.dumps({'pid': os.getpid()}), flush=True)
while True:
    outer()
'''


def python():
    return targets.started([sys.executable, '-c', WORKER])


def path_of(name):
    return os.path.join(case.scratch, name)


def wait_for(condition):
    end = time.monotonic() + bobbin.TIMEOUT
    while not condition():
        expect(time.monotonic() < end, 'waited in vain')
        time.sleep(0.02)


class Recording:
    """A capture that runs; left by its end, or by SIGTERM."""

    def __init__(self, *args, command='record', **options):
        self.argv = [bobbin.PROGRAM, command] + list(args)
        self.options = dict({'stderr': subprocess.PIPE}, **options)

    def __enter__(self):
        self.child = subprocess.Popen(self.argv, **self.options)
        return self

    def __exit__(self, *error):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        if self.child.stderr is not None:
            self.child.stderr.close()

    def end(self, sig=signal.SIGTERM, status=0):
        """What it says at its end."""
        self.child.send_signal(sig)
        return self.wait(status)

    def wait(self, status=0):
        _, err = self.child.communicate(timeout=bobbin.TIMEOUT)
        expect(self.child.returncode == status, 'status %d: %s',
               self.child.returncode, err)
        for mark in bobbin.SANITIZER_MARKS:
            expect(mark not in err, '%s', err)
        return err


def samples_told(err):
    """How many samples the summary speaks of."""
    return int(re.search(rb': ([\d,]+) samples? in ', err).group(1)
               .replace(b',', b''))


def runs_of(path):
    return listing.parse(bobbin.run('dump', path).out)


def samples_in(path):
    return listing.total(runs_of(path))


def functions(runs):
    return {targets.plain(text.split(';')[1]) for _, fields in runs
            for text in fields[listing.FRAMES:]}


def metadata(path):
    """(segment, key) -> value."""
    facts = json.loads(bobbin.run('info', '--json', '--all', path).out)
    return {(segment['index'], m['key']): m['value']
            for segment in facts['segments'] for m in segment['metadata']}


# ---- which processes --------------------------------------------------------

def test_all_that_match_are_sampled():
    mark = 'match-%d-%d' % (os.getpid(), time.monotonic_ns())
    argv = [sys.executable, '-c', WORKER, mark]
    path = path_of('out.rbt')
    with targets.started(argv) as a, targets.started(argv) as b, \
            phps.started(PHP, 'shapes.php', 'main', mark) as c:
        bobbin.run('record', '-P', mark, '-r', '200', '-d', '500ms', '-o',
                   path)
        want = {str(t.pid) for t in (a, b, c)}
        expect({fields[listing.PID] for _, fields in runs_of(path)} == want,
               'pids')
        facts = metadata(path)
        for t, runtime in ((a, 'python'), (b, 'python'), (c, 'php')):
            key = 'process.%d.runtime' % t.pid
            expect(facts[0, key] == runtime, '%s is %s', key, facts)


def test_a_pattern_that_matches_nothing_is_told():
    result = bobbin.run('record', '-P', 'no-such-%d-process$' % os.getpid(),
                        ok=(bobbin.FAILED,))
    expect(b'no process that can be read matches' in result.err and
           b'bobbin doctor' in result.err, '%s', result.err)


def test_children_of_what_matches_are_sampled_too():
    mark = 'family-%d-%d' % (os.getpid(), time.monotonic_ns())
    script = ('import json, subprocess, sys, time\n'
              'child = subprocess.Popen([sys.executable, "-c", '
              '"import time\\ndef child():\\n time.sleep(0.01)\\n'
              'while True: child()"])\n'
              'print(json.dumps({"child": child.pid}), flush=True)\n'
              'try:\n time.sleep(600)\nfinally:\n child.kill()\n')
    path = path_of('out.rbt')
    with targets.started([sys.executable, '-c', script, mark]) as target:
        try:
            bobbin.run('record', '-P', mark, '--subprocesses', '-r', '100',
                       '-d', '2s', '-o', path)
        finally:
            os.kill(target.truth['child'], signal.SIGKILL)
        pids = {fields[listing.PID] for _, fields in runs_of(path)}
        expect(pids == {str(target.pid), str(target.truth['child'])},
               'pids %s', pids)


def test_children_of_a_process_that_is_no_runtime_are_sampled():
    """As of the first process of a container, which is often a shell."""
    path = path_of('out.rbt')
    shell = subprocess.Popen(
        ['sh', '-c', 'read x; "$0" -c "$1"; true', sys.executable,
         'import time\ndef works(): time.sleep(0.7)\nworks()'],
        stdin=subprocess.PIPE)
    try:
        with Recording('-p', str(shell.pid), '--subprocesses', '-o',
                       path) as capture:
            wait_for(lambda: os.path.exists(path))
            shell.communicate(b'go\n')
            capture.wait()
    finally:
        shell.kill()
        shell.wait()
    expect('works' in functions(runs_of(path)), '%s', runs_of(path))


def test_a_command_that_is_no_runtime_needs_no_name_for_the_file():
    before = os.getcwd()
    os.chdir(case.scratch)
    try:
        bobbin.run('record', '--subprocesses', '--', 'sh', '-c',
                   'sleep 0.3; "$0" -c "import time; time.sleep(0.5)"; true',
                   sys.executable)
    finally:
        os.chdir(before)
    expect(glob.glob(path_of('bobbin-*.rbt')), 'no file')


def test_one_that_is_gone_does_not_hurt_the_others():
    path = path_of('out.rbt')
    with python() as target:
        result = bobbin.run('record', '-p', '2147483646', '-p',
                            str(target.pid), '-d', '300ms', '-o', path)
        expect(b'no such process: 2147483646' in result.err, '%s', result.err)
        expect(samples_in(path) > 0, 'no samples')


def test_a_program_that_follows_another_is_sampled_on():
    """exec, from Python to Python."""
    then = ('import time\ndef second():\n time.sleep(0.005)\n'
            'end = time.monotonic() + 1\n'
            'while time.monotonic() < end: second()\n')
    script = ('import os, sys, time\ndef first():\n time.sleep(0.3)\n'
              'first()\nos.execv(sys.executable, [sys.executable, "-c", '
              'sys.argv[1]])\n')
    path = path_of('out.rbt')
    bobbin.run('record', '-r', '500', '-o', path, '--', sys.executable, '-c',
               script, then)
    expect({'first', 'second'} <= functions(runs_of(path)), 'functions %s',
           functions(runs_of(path)))
    facts = metadata(path)
    expect('def first' in facts[0, 'command'] and
           'def first' not in facts[1, 'command'] and
           'def second' in facts[1, 'command'], '%s', facts)


@each([['record', '-d', '0.3s', '-o', 'out.rbt'], ['stack']])
def test_a_process_that_has_just_been_started_is_waited_for(command):
    """As `python x.py & bobbin record -p $!` does."""
    child = subprocess.Popen(['sh', '-c', 'sleep 0.3; exec "$0" -c "$1"',
                              sys.executable, WORKER],
                             stdout=subprocess.DEVNULL)
    try:
        os.chdir(case.scratch)
        bobbin.run(*command, '-p', str(child.pid))
    finally:
        child.kill()
        child.wait()


def test_a_command_that_becomes_python_while_it_is_looked_at():
    """Wherever in a look the exec comes: each file is opened late, so that
    these eight are spread over the whole of one."""
    if not shutil.which('strace'):
        raise Skip('no strace to make us slow')
    for i in range(8):
        bobbin.execute(
            ['env', 'ASAN_OPTIONS=detect_leaks=0', 'strace', '-o',
             '/dev/null', '-e', 'trace=openat', '-e',
             'inject=openat:delay_exit=6000', bobbin.PROGRAM, 'record',
             '-o', path_of('out.rbt'), '--', 'sh', '-c',
             'sleep %g; exec "$0" -c "import time; time.sleep(0.3)"'
             % (0.1 + 0.006 * i), sys.executable])


def test_a_process_that_is_stopped_and_goes_on():
    path = path_of('out.rbt')
    with python() as target, Recording('-p', str(target.pid), '-r', '200',
                                       '-o', path) as capture:
        wait_for(lambda: os.path.exists(path))
        target.child.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        target.child.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        err = capture.end()
        expect(samples_told(err) > 50, '%s', err)
        expect(samples_in(path) == samples_told(err), '%s', err)


def test_a_thread_of_the_kernel_is_told():
    for pid in ('2', *os.listdir('/proc')):
        if not pid.isdigit():
            continue
        with open('/proc/%s/stat' % pid) as file:
            flags = int(file.read().rsplit(')', 1)[1].split()[6])
        if flags & 0x200000:
            break
    else:
        raise Skip('no thread of the kernel can be seen')
    for command in ('record', 'stack'):
        result = bobbin.run(command, '-p', pid, ok=(bobbin.FAILED,))
        expect(b'is a thread of the kernel' in result.err, '%s', result.err)


@each([('record', '--annotate', 'x'), ('record', '--match', '('),
       ('record', '-t', 'flamegraph', '--width', 'x'),
       ('record', '-t', 'tach', '--compression', 'x')])
def test_what_is_refused_is_told_before_a_command_is_started(item):
    mark = path_of('started')
    result = bobbin.run(*item, '-o', path_of('out'), '--', 'sh', '-c',
                        ': > ' + mark, ok=(bobbin.USAGE,))
    expect(item[-2].lstrip('-').encode() in result.err, '%s', result.err)
    expect(not os.path.exists(mark) and not os.path.exists(path_of('out')),
           'something was begun')


@each([signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_reaches_the_command_that_was_started(sig):
    path = path_of('out.rbt')
    with Recording('-o', path, '--', sys.executable, '-c', WORKER,
                   stdout=subprocess.PIPE) as capture:
        capture.child.stdout.readline() # Python listens now
        wait_for(lambda: os.path.exists(path))
        err = capture.end(sig, status=128 + sig)
        expect(b'ended by signal %d' % sig in err, '%s', err)
    bobbin.run('verify', path)


def test_a_signal_reaches_a_command_that_has_just_been_started():
    with Recording('-o', path_of('out.rbt'), '--', 'sleep', '100') as capture:
        children = '/proc/%d/task/%d/children' % ((capture.child.pid,) * 2)
        wait_for(lambda: case.read_file(children).strip())
        err = capture.end(status=128 + signal.SIGTERM)
        expect(b'ended by signal 15' in err, '%s', err)


def test_a_signal_reaches_a_command_that_outlives_the_capture():
    path = path_of('out.rbt')
    with Recording('-o', path, '-d', '50ms', '--', sys.executable, '-c',
                   WORKER, stdout=subprocess.DEVNULL) as capture:
        while b'still runs' not in capture.child.stderr.readline():
            expect(capture.child.poll() is None, 'it did not wait')
        bobbin.run('verify', path)
        err = capture.end(status=128 + signal.SIGTERM)
        expect(b'ended by signal 15' in err, '%s', err)


# ---- files ------------------------------------------------------------------

def test_signals_begin_new_files_and_no_sample_is_lost():
    pattern = path_of('out-{}.rbt')
    with phps.started(PHP, 'oracle.php', 'run', '50') as target, \
            Recording('-p', str(target.pid), '-r', '2000', '-o',
                      pattern) as capture:
        for n in range(4):
            name = path_of('out-%04d.rbt' % n)
            wait_for(lambda: os.path.exists(name))
            time.sleep(0.3)
            if n < 3:
                capture.child.send_signal(signal.SIGUSR1)
        err = capture.end()
    files = sorted(glob.glob(path_of('out-*.rbt')))
    expect(len(files) == 4 and b' in 4 files' in err, '%s: %s', files, err)
    counts = [samples_in(file) for file in files]
    expect(all(counts), 'empty files: %s', counts)
    expect(sum(counts) == samples_told(err), '%s are not those of %s', counts,
           err)
    for file, count in zip(files, counts):
        bobbin.run('verify', file)
        expect(os.stat(file).st_mode & 0o777 == 0o600, 'others may read it')
        facts = metadata(file)
        expect(float(facts[0, 'profiler.taken']) == count, '%s', facts)
        expect('profiler.lost' in {key for _, key in facts} and
               'profiler.missed_percent' in {key for _, key in facts},
               '%s', facts)


def test_signals_begin_new_segments_of_one_file():
    path = path_of('out.rbt')
    with python() as target, Recording('-p', str(target.pid), '-r', '1000',
                                       '-o', path) as capture:
        wait_for(lambda: os.path.exists(path))
        time.sleep(0.4)
        capture.child.send_signal(signal.SIGUSR1)
        time.sleep(0.4)
        err = capture.end()
    facts = metadata(path)
    counts = [float(facts[segment, 'profiler.taken'])
              for segment in (0, 1)]
    expect(all(counts), 'samples of segments: %s', counts)
    expect(sum(counts) == samples_told(err) == samples_in(path), '%s: %s',
           counts, err)


def test_no_sample_of_a_segment_is_behind_its_end():
    """Segments that signals have ended: what each says of its length has room
    for all of its samples."""
    path = path_of('out.rbt')
    with python() as target, Recording('-p', str(target.pid), '-r', '500',
                                       '-o', path) as capture:
        wait_for(lambda: os.path.exists(path))
        for _ in range(5):
            time.sleep(0.25)
            capture.child.send_signal(signal.SIGUSR1)
        time.sleep(0.25)
        capture.end()
    info = json.loads(bobbin.run('info', '--json', path).out)
    segments = [s for s in info['segments'] if s['samples'] > 0]
    expect(len(segments) > 2, '%s', info['segments'])
    for segment in segments:
        meta = {m['key']: m['value'] for m in segment['metadata']}
        expect(segment['t_last_us'] <=
               float(meta['profiler.duration_s']) * 1e6, '%s', segment)


@each(['time', 'size', 'packed'])
def test_files_are_rotated_by(what):
    suffix = '.rbt.gz' if what == 'packed' else '.rbt'
    options = {'time': ['--rotate-time', '300ms'],
               'size': ['--rotate-size', '4k'],
               'packed': ['--rotate-size', '4k']}[what]
    with python() as target, Recording('-p', str(target.pid), '-r', '1000',
                                       '-o', path_of('out-{}' + suffix),
                                       *options) as capture:
        wait_for(lambda: os.path.exists(path_of('out-0002' + suffix)))
        err = capture.end()
    files = sorted(glob.glob(path_of('out-*')))
    expect(files == [path_of('out-%04d%s' % (n, suffix))
                     for n in range(len(files))], '%s', files)
    expect(sum(map(samples_in, files)) == samples_told(err), '%s', err)
    if what == 'packed':
        expect(case.read_file(files[0])[:2] == b'\x1f\x8b', 'not packed')


def test_a_file_that_is_removed_meanwhile_is_told():
    path = path_of('out.rbt')
    with python() as target, \
            Recording('-p', str(target.pid), '-o', path) as capture:
        wait_for(lambda: os.path.exists(path))
        os.unlink(path)
        err = capture.end()
        expect(b'out.rbt was removed or renamed' in err, '%s', err)


def test_the_end_of_the_process_is_told():
    path = path_of('out.rbt')
    with python() as target, \
            Recording('-p', str(target.pid), '-o', path) as capture:
        wait_for(lambda: os.path.exists(path))
        os.kill(target.pid, signal.SIGKILL)
        err = capture.wait()
        expect(b'process %d has ended' % target.pid in err, '%s', err)
    bobbin.run('verify', path)


def test_an_aggregated_output_is_there_at_the_end():
    path = case.write_file(b'older', 'out.svg')
    with python() as target, Recording('-p', str(target.pid), '-r', '200',
                                       '-o', path) as capture:
        time.sleep(0.5)
        expect(case.read_file(path) == b'older', 'the old one is gone')
        capture.end()
    expect(b'inner' in case.read_file(path), 'no function in the picture')
    expect(os.stat(path).st_mode & 0o777 == 0o600, 'others may read it')


def test_what_a_format_cannot_carry_is_told():
    with phps.started(PHP, 'shapes.php', 'main') as target:
        result = bobbin.run('record', '-p', str(target.pid), '--memory',
                            '--subprocesses', '-d', '200ms', '-o',
                            path_of('out.tach'))
        expect(b'tach cannot carry: pids, annotations, counts of lost '
               b'samples\n' in result.err, '%s', result.err)
        target.record('-d', '200ms', '--memory', '--subprocesses')
        expect(b'cannot carry' not in target.result.err, '%s',
               target.result.err)


@each([('.tach', 1), ('.folded', 1), ('.html', 0), ('.rbt', 0)])
def test_that_lost_samples_are_not_counted_is_told(item):
    """Before the first sample, where a format has no metadata."""
    suffix, is_told = item
    with python() as target:
        told = bobbin.run('record', '-p', str(target.pid), '-d', '100ms',
                          '-o', path_of('out' + suffix)).err
        at = told.find(b'cannot carry: counts of lost samples\n')
        expect((at >= 0) == is_told and at < told.index(b' samples in '),
               '%s', told)


@each(['.html', '.speedscope.json', '.pb.gz', '.folded', '.tach',
       '.trace.json', '.gecko.json', '.pstats', '.jsonl'])
def test_the_suffix_says_the_format(suffix):
    path = path_of('out' + suffix)
    with python() as target:
        bobbin.run('record', '--pid', str(target.pid), '--rate', '200',
                   '--duration', '0.5', '-o', path)
    data = case.read_file(path)
    if suffix == '.pb.gz':
        expect(data[:2] == b'\x1f\x8b', 'not packed')
    elif suffix.endswith('.json'):
        expect('inner' in json.dumps(json.loads(data)), 'no function')
    else:
        expect(b'inner' in data or suffix == '.tach', 'no function')


def test_times_and_packing_while_it_is_recorded():
    with python() as target:
        for name, options in (('none.rbt', ['--timestamps', 'none']),
                              ('delta.rbt', ['--timestamps', 'delta']),
                              ('packed.rbt', ['--compress'])):
            bobbin.run('record', '-p', str(target.pid), '-r', '200', '-d',
                       '400ms', '-o', path_of(name), *options)
            times = {fields[listing.TIME] for _, fields in
                     runs_of(path_of(name))}
            expect((times == {'-'}) == (name == 'none.rbt'), '%s: %s', name,
                   times)
    expect(case.read_file(path_of('packed.rbt'))[:2] == b'\x1f\x8b',
           'not packed')
    expect(not os.path.exists(path_of('packed.rbt.live')),
           'the file beside it is left')


def test_samples_keep_no_step_with_the_clock():
    """Each period has its sample, in any quarter of it."""
    with phps.started(PHP, 'shapes.php', 'main') as target:
        runs = target.record('-r', '200', '-d', '2s')
    quarters = [0] * 4
    for count, fields in runs:
        quarters[int(fields[listing.TIME]) % 5000 // 1250] += count
    for n in quarters:
        expect(n * 10 >= sum(quarters), 'quarters of the period: %s', quarters)


def test_numbered_files_of_earlier_captures_stay():
    for name in ('out-0000.rbt', 'out-0001.rbt.part'):
        with open(path_of(name), 'wb') as file:
            file.write(b'earlier')
    with python() as target:
        bobbin.run('record', '-p', str(target.pid), '-d', '200ms', '-o',
                   path_of('out-{}.rbt'))
    for name in ('out-0000.rbt', 'out-0001.rbt.part'):
        with open(path_of(name), 'rb') as file:
            expect(file.read() == b'earlier', '%s was overwritten', name)
    expect(samples_in(path_of('out-0002.rbt')) > 0, 'no samples')


# How often everything that was sampled goes to the disk, in seconds.
BARRIER = 1


def ticks(pid):
    """How often it has waited for its next sample."""
    with open('/proc/%d/status' % pid) as file:
        return int(re.search(r'^voluntary_ctxt_switches:\s+(\d+)',
                             file.read(), re.M).group(1))


def samples_until(path):
    """The time of the last sample, in Unix seconds."""
    info = json.loads(bobbin.run('info', '--json', path).out)
    start, = [pair['value'] for pair in info['segments'][0]['metadata']
              if pair['key'] == 'profiler.start_us']
    return (int(start) + info['t_last_us']) / 1e6


def kill_after(capture, seconds):
    """Kills it after so much of its time. The moment at which it has looked
    for the last time at what was due, or before."""
    end = time.time() + seconds
    while time.time() < end:
        time.sleep(0.02)
    moment, before = time.time(), ticks(capture.child.pid)
    wait_for(lambda: ticks(capture.child.pid) > before + 20)
    capture.child.kill()
    capture.child.wait()
    return moment


def check_killed(pids):
    """Kills a capture of some processes, whose second file must have all but
    the samples behind the last barrier. False when it had too little of the
    processor to have sampled them."""
    for name in glob.glob(path_of('out-*')) + glob.glob(path_of('fixed*')):
        os.remove(name)
    first, second = path_of('out-0000.rbt'), path_of('out-0001.rbt')
    fixed = path_of('fixed.rbt')
    with Recording(*[word for pid in pids for word in ('-p', str(pid))],
                   '-r', '1000', '-o', path_of('out-{}.rbt')) as capture:
        wait_for(lambda: os.path.exists(first))
        capture.child.send_signal(signal.SIGUSR1)
        wait_for(lambda: os.path.exists(second))
        moment = kill_after(capture, 3 * BARRIER)
    bobbin.run('verify', first)
    bobbin.run('recover', '-o', fixed, second,
               ok=(bobbin.OK, bobbin.PARTIAL))
    bobbin.run('verify', fixed)
    # Not a sample that is on the disk is lost.
    on_disk = sum(count for count, _ in rbt_oracle.runs(
        case.read_file(second)))
    kept = samples_in(fixed)
    expect(kept == on_disk, '%d samples of %d on the disk', kept, on_disk)
    return kept > 0 and samples_until(fixed) > moment - BARRIER - 0.1


def test_a_killed_capture_keeps_all_but_the_last_second():
    with python() as target:
        expect(any(check_killed([target.pid]) for _ in range(3)),
               'samples of more than a second are lost')


def test_a_killed_capture_of_a_pool_keeps_all_but_the_last_second():
    def requests(i):
        return (os.path.join(phps.SCRIPTS, 'shop.php'), '/shop/%d/cart' % i)

    with fpm.pool(4) as pool, pool.busy(requests):
        targets.need_permission(int(pool.workers()[0]))
        expect(any(check_killed(pool.workers()) for _ in range(3)),
               'samples of more than a second are lost')


def test_what_is_written_can_be_chosen():
    with python() as target:
        def record(*options, name='out.rbt'):
            path = path_of(name)
            result = bobbin.run('record', '-p', str(target.pid), '-r', '500',
                                '-d', '600ms', '-o', path, *options)
            runs = runs_of(path)
            expect(listing.total(runs) == samples_told(result.err), '%s',
                   result.err)
            return runs, result

        for option in ('--match', '--filter', '-m'):
            runs, _ = record(option, '^inner ')
            expect(runs and all('inner' in functions([run])
                                for run in runs), '%s', runs)
        runs, _ = record('--hide', '^inner')
        expect(runs and not any(name.startswith('inner')
                                for name in functions(runs)), '%s',
               functions(runs))
        runs, _ = record('--no-line')
        expect(runs and all(text.split(';')[3] == '-1'
                            for _, fields in runs
                            for text in fields[listing.FRAMES:]), '%s',
               runs[:1])
        runs, _ = record('--status', 'main', name='out.tach')
        expect(runs, 'no samples of the main thread')
        runs, _ = record('--thread', str(target.pid))
        expect(runs, 'no samples of the thread')
        runs, result = record('--match', 'nothing is called so')
        expect(runs == [] and b'no sample passes the filters' in result.err,
               '%s', result.err)


def test_annotations_choose_samples():
    with phps.started(PHP, 'shapes.php', 'main') as target:
        runs = target.record('-r', '100', '-d', '400ms', '--memory', '-a',
                             'memory.usage')
        expect(runs, 'no samples')
        runs = target.record('-r', '100', '-d', '300ms', '-a',
                             'memory.usage')
        expect(runs == [], 'samples without the annotation')


def test_a_bad_pattern_is_told_before_anything_is_written():
    path = case.write_file(b'older', 'out.rbt')
    with python() as target:
        result = bobbin.run('record', '-p', str(target.pid), '--match', '(',
                            '-o', path, ok=(bobbin.USAGE,))
    expect(b'missing' in result.err or b'pattern' in result.err, '%s',
           result.err)
    expect(case.read_file(path) == b'older', 'the file was touched')


def test_rights_are_given_up():
    if os.geteuid() != 0:
        raise Skip('there are no rights to give up')
    path = path_of('out.rbt')
    with python() as target, Recording('-p', str(target.pid), '-o',
                                       path) as capture:
        def rights():
            with open('/proc/%d/status' % capture.child.pid) as file:
                return int(re.search(r'CapEff:\t(\w+)', file.read())
                           .group(1), 16)
        with open('/proc/self/status') as file:
            before = int(re.search(r'CapEff:\t(\w+)', file.read())
                         .group(1), 16)
        # CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_SYS_NICE
        want = before & (1 << 19 | 1 << 2 | 1 << 23)
        wait_for(lambda: rights() == want)
        capture.end()


def test_files_go_on_in_a_folder_of_somebody_else():
    """Rights are given up, but not that of writing where it began."""
    if os.geteuid() != 0:
        raise Skip('only root may write there')
    folder = path_of('theirs')
    os.mkdir(folder, 0o755)
    os.chown(folder, 65534, 65534)
    with python() as target:
        bobbin.run('record', '-p', str(target.pid), '-r', '200', '-d', '1s',
                   '--rotate-time', '300ms', '-o', folder + '/out-{}.rbt')
        bobbin.run('record', '-p', str(target.pid), '-r', '200', '-d', '300ms',
                   '-o', folder + '/out.tach')
    expect(len(glob.glob(folder + '/out-*.rbt')) >= 3, 'files %s',
           os.listdir(folder))
    expect(samples_in(folder + '/out.tach') > 0, 'no samples')


def test_what_a_command_prints_is_not_in_the_trace():
    result = bobbin.run('record', '-t', 'folded', '-o', '-', '--',
                        sys.executable, '-c',
                        'import time\nprint("hello")\ntime.sleep(0.3)')
    expect(b'hello' in result.err and b'hello' not in result.out, '%s',
           result)
    expect(re.search(rb'^\S.* \d+$', result.out, re.M), '%s', result.out)


def test_a_terminal_shows_how_it_goes():
    """Rate, losses, our own processor time and bytes, in one line."""
    master, slave = pty.openpty()
    with python() as target, Recording(
            '-p', str(target.pid), '-r', '200', '-d', '3s', '-o',
            path_of('out.rbt'), stderr=slave,
            env=dict(os.environ, TERM='xterm')) as capture:
        os.close(slave)
        text = b''
        while capture.child.poll() is None:
            ready, _, _ = select.select([master], [], [], 0.1)
            if ready:
                try:
                    text += os.read(master, 65536)
                except OSError:     # nobody has the other end any more
                    break
        expect(capture.child.wait() == 0, '%s', text)
    os.close(master)
    line = rb'\d s  [\d,]+ samples?, [\d.]+/s, [\d.]+ % lost.*, ' \
        rb'[\d.]+ % CPU, [\d.]+ k?B'
    expect(re.search(line, text), '%s', text)


# ---- words of others --------------------------------------------------------

def test_run_starts_scripts_of_python():
    script = case.write_file(
        b'import sys, time\ndef work():\n time.sleep(0.5)\n'
        b'print(sys.argv[1:])\nwork()\n', 'script.py')
    result = bobbin.run('run', '--collapsed', '-o', path_of('out.txt'),
                        script, '-d', '--mode', 'x')
    expect(b"['-d', '--mode', 'x']" in result.out, '%s', result.out)
    expect(b'script.py:work:' in case.read_file(path_of('out.txt')), 'work')


def test_run_starts_modules_of_python():
    result = bobbin.run('run', '-r', '1k', '--binary', '-o', path_of('x.bin'),
                        '-m', 'timeit', '-n', '3', '-r', '2',
                        'import time; time.sleep(0.05)')
    expect(b'2' in result.out, '%s', result.out)
    expect(any('timeit' in name for name in functions(
        runs_of(path_of('x.bin'))) | {'timeit'}), 'timeit')
    expect('main' in functions(runs_of(path_of('x.bin'))), '%s',
           functions(runs_of(path_of('x.bin'))))


def test_run_starts_scripts_of_php():
    phps.program(PHP)
    script = case.write_file(b'<?php function work() { usleep(500000); }\n'
                             b'work(); echo $argv[1];\n', 'script.php')
    result = bobbin.run('run', '--flamegraph', '-o', path_of('out.html'),
                        script, '-x')
    expect(result.out.endswith(b'-x'), '%s', result.out)
    expect(b'work' in case.read_file(path_of('out.html')), 'work')


@each(['#!/usr/bin/env python3', '#! /usr/bin/env  -S python3 -O '])
def test_run_starts_what_the_first_line_names(line):
    """Python's scripts, which their names do not tell; neither are they
    executable."""
    script = case.write_file(line.encode() + b"""
import sys, time
def work():
 time.sleep(0.5)
print(sys.argv[1:], sys.flags.optimize)
work()
""", 'script.php')
    result = bobbin.run('run', '--collapsed', '-o', path_of('out.txt'),
                        script, '-x')
    expect(b"['-x'] %d" % line.endswith('-O ') in result.out, '%s',
           result.out)
    expect(b':work:' in case.read_file(path_of('out.txt')), 'work')


def test_run_starts_php_where_the_first_line_names_it():
    script = case.write_file(
        b'#!%s\n<?php function work() { usleep(500000); }\n'
        b'work(); echo $argv[1];\n' % phps.program(PHP).encode(), 'script')
    result = bobbin.run('run', '--collapsed', '-o', path_of('out.txt'),
                        script, '-x')
    expect(result.out == b'-x', '%s', result.out)
    expect(b'work' in case.read_file(path_of('out.txt')), 'work')


def test_a_first_line_that_names_nothing_is_a_comment():
    script = case.write_file(b'#!/usr/bin/nothing/python\r\nimport time\n'
                             b'time.sleep(0.3)\nprint(1)\n', 'script')
    result = bobbin.run('run', '--collapsed', '-o', path_of('out.txt'),
                        script)
    expect(result.out == b'1\n', '%s', result.out)


def test_run_ends_with_a_report():
    script = case.write_file(
        b'import time\ndef work():\n time.sleep(0.4)\nwork()\n', 'script.py')
    before = os.getcwd()
    os.chdir(case.scratch)
    try:
        result = bobbin.run('run', script)
    finally:
        os.chdir(before)
    expect(b'work' in result.out and b'%' in result.out, '%s', result.out)
    expect(glob.glob(path_of('bobbin-*.rbt')), 'no file')


@each([
    ('run', [], b'no process given'),
    ('run', ['--flamegraph', '--gecko', 'x.py'], b'--flamegraph or --gecko'),
    ('attach', ['--diff-flamegraph', 'x.bin', '1'], b'cannot be compared'),
    ('attach', ['init'], b'not a process id'),
    ('attach', ['--live', '1'], b'bobbin top'),
    ('run', ['-l', '5', 'x.py'], b'analyze --top'),
    ('dump', ['--core', 'x'], b'core files are not read'),
    ('stack', ['-s', '1'], b'stack -P PATTERN'),
    ('dump', ['--native', 'x.rbt'], b"'bobbin stack --native -p PID'"),
    ('record', ['-t', '-p', '1'], b"py-spy's -t"),
    ('record', ['-t', 'svg', '-p', '1'], b'-t flamegraph writes .svg'),
    ('attach', ['-r', 'x', '1'], b"--rate 'x'"),
    ('record', ['-t', 'rbt', '--flamegraph', '-p', '1'], b'--to or'),
    ('inspector:trace', ['-s', '1', '-p', '1'], b"--period '1ns'"),
    ('inspector:trace', ['-d', 'x', '-p', '1'], b"--depth 'x'"),
])
def test_mistakes_are_told(wrong):
    command, args, message = wrong
    result = bobbin.run(command, *args, ok=(bobbin.USAGE,))
    expect(message in result.err, 'message %s', result.err)


def test_attach_takes_the_main_thread_a_thousand_times_a_second():
    path = path_of('out.rbt')
    with targets.started([sys.executable, '-c', WORKER.replace(
            'print(', 'import threading; threading.Thread(target=lambda: '
            'time.sleep(600), daemon=True).start()\nprint(')]) as target:
        bobbin.run('attach', str(target.pid), '-d', '1', '-o', path)
        tids = {fields[listing.TID] for _, fields in runs_of(path)}
        expect(tids == {str(target.pid)}, 'threads %s', tids)
        facts = json.loads(bobbin.run('info', '--json', path).out)
        expect(facts['segments'][0]['period_us'] == 1000, '%s',
               facts['segments'])
        bobbin.run('attach', '-a', str(target.pid), '-d', '1', '-o', path)
        tids = {fields[listing.TID] for _, fields in runs_of(path)}
        expect(len(tids) == 2, 'threads %s', tids)


@each([
    ('svg', ['--format', 'flamegraph'], b'<svg'),
    ('raw', ['--format', 'raw', '--function'], b';inner '),
    ('speedscope', ['-f', 'speedscope', '--threads'], b'speedscope'),
    ('chrome', ['-f', 'chrometrace', '--idle', '--nonblocking'],
     b'traceEvents'),
    ('all', ['-f', 'raw', '--full-filenames', '-s', '--gil'], b'inner'),
    ('pause', ['-f', 'raw', '--blocking'], b'outer'),
    ('cpython', ['--pstats'], b'inner'),
    ('gecko', ['--gecko', '--sampling-rate', '200hz'], b'inner'),
    ('heatmap', ['--heatmap'], b'<html'),
    ('binary', ['--binary', '--all-threads'], b''),
])
def test_options_of_other_profilers(options):
    name, args, content = options
    path = path_of('out.' + name)
    with python() as target:
        bobbin.run('record', '-o', path, '--pid', str(target.pid),
                   '--duration', '1', '--rate', '300', *args)
    data = case.read_file(path)
    expect(data and content in data, '%s: %r', name, data[:300])


def test_dump_and_top_take_the_options_of_other_profilers():
    with python() as target:
        out = bobbin.run('dump', '--pid', str(target.pid),
                         '--nonblocking').out
        expect(b'inner' in out, '%s', out)
        out = bobbin.run('dump', '--pid', str(target.pid), '-n',
                         '--full-filenames', '--blocking',
                         stdin=b'main 1\n').out
        expect(b'inner' in out and b'PyEval_EvalCode' in out, '%s', out)
        out = bobbin.run('stack', '-a', '--blocking', str(target.pid)).out
        expect(b'inner' in out, '%s', out)
        out = bobbin.run('top', '--pid', str(target.pid), '--rate', '200',
                         '--duration', '1', '--count', '1', '--function',
                         '--gil', '--nonblocking', '--full-filenames',
                         '--delay', '0.5').out
        expect(b'inner' in out, '%s', out)


def test_reli_traces_as_text():
    with phps.started(PHP, 'shapes.php', 'recursion', '30') as target, \
            Recording('-p', str(target.pid), '-d', '3', '-s', '5000000',
                      '-r', '10', '--php-version', 'auto', '--no-cache',
                      command='inspector:trace',
                      stdout=subprocess.PIPE) as capture:
        first = [capture.child.stdout.readline() for _ in range(3)]
        expect([line.split()[0] for line in first] == [b'0', b'1', b'2'],
               '%s', first)
        rest = capture.child.stdout.readline()
        expect(not rest.startswith(b'3 '), 'four frames: %s', rest)
        capture.child.send_signal(signal.SIGTERM)
        capture.child.stdout.close()


def test_reli_writes_rbt_by_name():
    path = path_of('out.rbt')
    with phps.started(PHP, 'shapes.php', 'main') as target, \
            Recording('-p', str(target.pid), '-S', '-o', path,
                      command='inspector:trace') as capture:
        time.sleep(0.5)
        capture.end()
    facts = json.loads(bobbin.run('info', '--json', path).out)
    expect(facts['format'] == 'rbt' and
           facts['segments'][0]['period_us'] == 10000, '%s', facts)


def test_reli_watches_pools():
    mark = 'pool-%d-%d' % (os.getpid(), time.monotonic_ns())
    folder = path_of('traces')
    with phps.started(PHP, 'shapes.php', 'main', mark), \
            Recording('-P', mark, '-d', '5', '-s', '2000000', '-T', '4',
                      '-f', 'rbt-bundled', '-o', folder,
                      command='inspector:daemon') as daemon:
        wait_for(lambda: glob.glob(folder + '/bobbin-bundle-*.rbt'))
        time.sleep(0.5)
        daemon.end()
        result = bobbin.run('inspector:top', '-P', mark, '-d', '5', '-s',
                            '2000000', '--count', '1', '--json')
        expect(json.loads(result.out)['window_samples'] > 20, '%s',
               result.out)
    path, = glob.glob(folder + '/bobbin-bundle-*.rbt')
    expect(samples_in(path) > 20, 'few samples')


def test_the_help_lists_the_words_of_others():
    text = bobbin.run('record', '--help-all').out.decode()
    expect("(as CPython's profiler spells it)" in text, 'no spellings')
    for name, lines in (
            ('reli', ['Options of bobbin inspector:trace:',
                      '-s, --sleep-ns NS', '--period NSns']),
            ('tachyon', ['Options of bobbin run:']),
            ('py-spy', ['--to folded'])):
        text = bobbin.run('help', 'coming-from', name).out.decode()
        for line in lines:
            expect(line in text, 'no %r for %s', line, name)