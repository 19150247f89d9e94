"""Names of threads, as Python has them, in what is made of a capture."""
import gzip
import json
import os
import subprocess
import time

from support import bobbin, case, pages, pythons, targets
from support.case import Skip, each, expect

EVERY = pythons.find()


def names_of(pid):
    """Names of threads in the JSON of `bobbin stack`."""
    process, = json.loads(bobbin.run('stack', '--json', '-p', str(pid)).out)[
        'processes']
    return sorted(thread['name'] for thread in process['threads'])


@each(EVERY)
def test_threads_have_the_names_that_python_gave_them(name):
    with pythons.started(name, 'named.py') as target:
        found, truth = names_of(target.pid), sorted(target.truth['names'])
        expect(found == truth, '%r instead of %r', found, truth)


def any_python():
    name = EVERY[-1]
    if name.split()[1] == '-':
        raise Skip('no Python was found')
    return name


def test_a_thread_that_begins_later_has_its_name():
    path = os.path.join(case.scratch, 'late.rbt')
    script = os.path.join(pythons.SCRIPTS, 'named.py')
    with targets.started([any_python().split()[1], script],
                         stdin=subprocess.PIPE) as target:
        recorder = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(target.pid), '-r', '200',
             '-d', '2s', '-o', path], stderr=subprocess.PIPE)
        # The file is there once the process is sampled.
        while not os.path.exists(path) and recorder.poll() is None:
            time.sleep(0.01)
        target.child.stdin.write(b'\n')
        target.child.stdin.close()
        recorder.communicate()
    expect(b'late' in bobbin.run('analyze', '--group-by', 'thread', path).out,
           'its name is not there')


@each(['rbt', 'jsonl', 'gecko', 'chrome', 'perfetto', 'speedscope', 'pprof',
       'html'])
def test_names_of_threads_are_in_the_output(kind):
    path = os.path.join(case.scratch, 'out')
    with pythons.started(any_python(), 'named.py') as target:
        bobbin.run('record', '-p', str(target.pid), '-d', '200ms', '-t', kind,
                   '-o', path)
    with open(path, 'rb') as f:
        data = f.read()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    if kind == 'html':
        data, = pages.carried(data)
    expect(b'longer-than-the-fifteen-bytes-of-the-kernel' in data,
           'no name in %s', kind)
