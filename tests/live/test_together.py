"""One daemon over PHP and Python: one stream, one clock, and names for all."""
import contextlib
import json
import os
import signal
import subprocess

from support import (bobbin, case, clients, fpm, gecko, listing, outputs,
                     perfetto, phps, pythons, targets)
from support.case import expect
from support.daemons import daemon, has

WORKERS = 2


def newest_python():
    # Those of the clients have a loader's options before their own name.
    found = [name for name in pythons.find()
             if name.split()[1] != '-' and pythons.minor_of(name) >= 11
             and not name.split()[1].startswith(clients.HOME)]
    if not found:
        raise case.Skip('no Python from 3.11 on was found')
    return found[-1].split()[1]


@contextlib.contextmanager
def python_workers(mark):
    script = os.path.join(pythons.SCRIPTS, 'consumer.py')
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(targets.started(
            [newest_python(), script, mark])).pid for _ in range(WORKERS)]


def requests(i):
    return os.path.join(phps.SCRIPTS, 'shop.php'), '/shop/%d/cart' % i


class Together:
    """What was captured of a pool and of Python workers."""

    def __init__(self, path, php, python):
        self.path, self.php, self.python = path, php, python
        # Other tests have pools of that name as well.
        self.runs = [run for run in listing.parse(
            bobbin.run('dump', path).out)
            if int(run[1][listing.PID]) in php + python]

    def facts(self):
        info = json.loads(bobbin.run('info', '--json', self.path).out)
        return [{m['key']: m['value'] for m in segment['metadata']}
                for segment in info['segments']]


@contextlib.contextmanager
def captured(*options):
    """A daemon that has sampled all of them, and then the capture."""
    mark = 'together-' + os.path.basename(case.scratch)
    with fpm.pool(2) as pool, pool.busy(requests), \
            python_workers(mark) as python, \
            daemon('php-fpm: pool www|' + mark, '-r', '200', '--bundled',
                   *options) as d:
        php = [int(pid) for pid in pool.workers()]
        d.wait(has(*php, *python), 'all of them')
        yield d, php, python


def check_times_and_languages(t):
    pids = {int(fields[listing.PID]) for _, fields in t.runs}
    expect(pids == {*t.php, *t.python}, 'pids %r', pids)
    last = {}
    for _, fields in t.runs:
        time = int(fields[listing.TIME])
        segment = fields[listing.SEGMENT]
        expect(time >= last.get(segment, 0), 'time goes back: %r', fields)
        last[segment] = time
        want = 'Y;' if int(fields[listing.PID]) in t.python else 'P;'
        for frame in fields[listing.FRAMES:]:
            expect(frame.startswith(want), 'a frame of %r in %r', frame,
                   fields)


def check_facts(t):
    for facts in t.facts():
        for pid in t.php + t.python:
            key = 'process.%d.' % pid
            is_php = pid in t.php
            expect(facts[key + 'runtime'] == ('php' if is_php else 'python'),
                   '%r', facts)
            expect(facts[key + 'version'][0].isdigit(), '%r', facts)
            expect(facts[key + 'parent'].isdigit(), '%r', facts)
            expect(('php-fpm: pool www' if is_php else 'consumer.py') in
                   facts[key + 'command'], '%r', facts)


def check_outputs(t):
    commands = {pid: 'php-fpm: pool www' for pid in t.php}
    commands.update({pid: 'consumer.py' for pid in t.python})
    threads = gecko.Profile(outputs.content('gecko', t.path)).raw['threads']
    processes = perfetto.Trace(outputs.content('perfetto', t.path)).processes
    profiles = [p['name'] for p in json.loads(
        outputs.content('speedscope', t.path))['profiles']]
    for pid, command in commands.items():
        found = [th['processName'] for th in threads if th['pid'] == str(pid)]
        expect(found and all(command in name for name in found), '%r', found)
        expect(command in processes[pid], '%r', processes)
        names = [th['name'] for th in threads if th['pid'] == str(pid)]
        expect(pid in t.php or 'helper' in names, 'threads %r', names)
        expect([name for name in profiles if command in name and
                name.startswith('pid %d' % pid)], '%r', profiles)


def test_a_pool_and_its_workers_are_one_stream():
    with captured() as (d, php, python):
        d.end()
        t = Together(d.files()[0], php, python)
    check_times_and_languages(t)
    check_facts(t)
    check_outputs(t)


def test_helpers_without_a_runtime_are_part_of_it():
    mark = 'helper-' + os.path.basename(case.scratch)
    loop = ['sh', '-c', 'while :; do :; done', mark]
    with python_workers(mark) as python, \
            subprocess.Popen(loop) as helper:
        try:
            with daemon('^(sh|.*/python.*) .*' + mark, '-r', '200',
                        '--bundled', '--native') as d:
                d.wait(has(helper.pid, *python), 'all of them')
                d.end()
                t = Together(d.files()[0], [], python + [helper.pid])
        finally:
            helper.kill()
    key = 'process.%d.' % helper.pid
    for facts in t.facts():
        expect(facts[key + 'runtime'] == 'native', '%r', facts)
        expect(mark in facts[key + 'command'], '%r', facts)
    frames = {frame[:2] for _, fields in t.runs
              if int(fields[listing.PID]) == helper.pid
              for frame in fields[listing.FRAMES:]}
    expect(frames == {'N;'}, 'frames of %r', frames)


def test_every_file_says_who_is_who():
    with captured() as (d, php, python):
        d.child.send_signal(signal.SIGUSR1)
        d.wait(lambda s: s['files'] == 2, 'the second file')
        before = d.status()['samples']
        d.wait(lambda s: s['samples'] > before + 200, 'samples in it')
        d.end()
        files = d.files()
    for path in files:
        t = Together(path, php, python)
        check_facts(t)


def test_a_killed_daemon_leaves_a_stream_with_names():
    with captured() as (d, php, python):
        least = d.status()['samples']
        # Two barriers later there must be as many in the file.
        d.wait(lambda s: s['samples'] > least + 2000, 'more samples')
        d.end(signal.SIGKILL)
        path = d.files()[0]
    mended = os.path.join(case.scratch, 'mended.rbt')
    bobbin.run('recover', '-o', mended, path, ok=(0, 4))
    for found in (path, mended):
        t = Together(found, php, python)
        expect(listing.total(t.runs) >= least, '%d samples of %d',
               listing.total(t.runs), least)
        check_times_and_languages(t)
        check_facts(t)
    check_outputs(t)


def test_the_mode_of_the_daemon_is_stored():
    with captured('--mode', 'cpu', '--threads', 'main') as (d, php, python):
        d.end()
        t = Together(d.files()[0], php, python)
    expect(all(f['profiler.mode'] == 'cpu' for f in t.facts()), 'mode')
    tids = {fields[listing.TID] for _, fields in t.runs
            if int(fields[listing.PID]) in python}
    expect(tids <= {str(pid) for pid in python}, 'threads %r', tids)
