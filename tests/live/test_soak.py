"""Long captures, at the highest rate: their memory does not grow with samples,
nor with names that the targets make up, once a file is full.

$BOBBIN_SOAK_SECONDS: how long each takes (3). bench/live_soak.py goes on until
as many samples are taken as two hours of a pool have.
"""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from support import bobbin, case, phps, pythons, soak
from support.case import each, expect
from support.daemons import daemon

SECONDS = float(os.environ.get('BOBBIN_SOAK_SECONDS', 3))
PHP, PYTHON = phps.find()[-1], pythons.find()[-1]
# A sanitizer keeps what is freed for a while; here it may not be much.
SMALL = {'ASAN_OPTIONS': 'quarantine_size_mb=1:thread_local_quarantine_size_kb'
         '=64'}
KIB = 1024


def watch(child, on_step=lambda i: None):
    """The memory of a process, while it runs for the time of a test."""
    sizes = []
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        time.sleep(SECONDS / 100)
        expect(child.poll() is None, 'it has ended')
        sizes.append(soak.resident(child.pid))
        on_step(len(sizes))
    return sizes


def expect_flat(sizes, samples):
    """What it had in the first half is enough for the rest, but for files with
    more in them than those before."""
    early, late = max(sizes[:len(sizes) // 2]), max(sizes[-10:])
    expect(late <= early * 1.5 + 512 * KIB,
           '%d KiB in the beginning, %d at the end of %d samples',
           early // KIB, late // KIB, samples)
    print('%d samples: %d KiB after a tenth, %d at the end' % (
        samples, max(sizes[:10]) // KIB, late // KIB), file=sys.stderr)


@contextlib.contextmanager
def recording(target, *options):
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(target.pid), '-r', 'max',
             *options], stderr=err, env=dict(os.environ, **SMALL))
        try:
            yield child
            child.send_signal(signal.SIGINT)
            expect(child.wait(bobbin.TIMEOUT) == 0, 'exit status %d',
                   child.returncode)
        finally:
            child.kill()
            child.wait()


def total(*paths):
    return sum(json.loads(bobbin.run('info', '--json', path).out)['samples']
               for path in paths)


@contextlib.contextmanager
def busy(language):
    """Calls all the time, the same ones."""
    if language == 'php':
        with phps.started(PHP, 'oracle.php', 'run', '1') as target:
            yield target
    else:
        with pythons.started(PYTHON, 'busy.py', 'calls') as target:
            yield target


@contextlib.contextmanager
def inventive(language):
    """Names that never were before."""
    if language == 'php':
        # Its classes stay.
        with phps.started(PHP, 'names.php',
                          ini=['memory_limit=-1']) as target:
            yield target
    else:
        with pythons.started(PYTHON, 'names.py') as target:
            yield target


@each(['php', 'python'])
def test_samples_take_no_memory(language):
    path = os.path.join(case.scratch, 'out.rbt')
    with busy(language) as target, recording(target, '-o', path) as child:
        sizes = watch(child)
    samples = total(path)
    expect(samples > 100 * SECONDS, '%d samples', samples)
    expect_flat(sizes, samples)


@each(['php', 'python'])
def test_names_of_files_that_were_ended_take_no_memory(language):
    with inventive(language) as target, recording(
            target, '-o', os.path.join(case.scratch, 'out-{}.rbt'),
            '--rotate-time', '%dms' % (SECONDS * 1000 / 30)) as child:
        sizes = watch(child)
    paths = [os.path.join(case.scratch, name)
             for name in os.listdir(case.scratch) if name.startswith('out-')]
    expect(len(paths) > 5, '%d files', len(paths))
    expect_flat(sizes, total(*paths))


@each(['php', 'python'])
def test_a_daemon_stays_as_large_as_it_was(language):
    with inventive(language) as target:
        command = case.read_file('/proc/%d/cmdline' % target.pid)
        pattern = command.split(b'\0')[-2].decode().replace('.', '[.]')
        with daemon(pattern, '-r', '20000', env=SMALL) as d:
            sizes = watch(d.child, lambda i: i % 4 or
                          d.child.send_signal(signal.SIGUSR1))
            d.end()
        expect(len(d.files()) > 5, '%d files', len(d.files()))
        expect_flat(sizes, total(*d.files()))


def test_all_samples_of_a_pool_are_in_files_that_come_and_go():
    """Rotation and --keep at work: nothing is lost on the way but what was
    told, and memory stays as it was."""
    rotate, keep = 50000, 1000000
    s = soak.soak(8, lambda status: status['uptime_s'] >= SECONDS and
                  status['files'] >= 30,
                  ['--rotate', '%dk' % (rotate // 1000), '--keep',
                   '%dk' % (keep // 1000)], looks=SECONDS / 100, env=SMALL)
    expect(s.in_files == s.said >= s.samples,
           '%d samples in %d files, %d written, %d told before', s.in_files,
           s.made, s.said, s.samples)
    # A file may be larger by what comes until the next look at it.
    expect(keep / 2 < s.kept_bytes < keep + 4 * rotate, '%d bytes kept',
           s.kept_bytes)
    expect_flat(s.sizes, s.samples)
