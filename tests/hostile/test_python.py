"""Processes of Python that lie about where things are.

From 3.13 on an interpreter has a table of offsets. Here every word of it has
every one of some values that hurt, in a process of its own each; all of them
are beside well-behaved ones.
"""
import json
import os
import re
import subprocess
import time

from support import bobbin, case, hostile, memory, pythons, targets
from support.case import each, expect

SCRIPTS = os.path.join(bobbin.ROOT, 'tests', 'hostile', 'python')
FIRST_WITH_TABLE = 13
# Nothing, near the sizes of buffers, and what wraps. With True structures are
# told to be as large as they may be.
VALUES = [('0', False), ('1', False), ('252', True), ('505', True),
          ('1273', True), ('65000', True), ('0x8000000000000000', False),
          ('0xffffffffffffffff', False)]
# A build with sanitizers takes its time to attach to hundreds.
LOOK_SECONDS = bobbin.TIMEOUT * (4 if memory.sanitized() else 1)


def tables():
    return [name for name in pythons.find() if name != 'none -' and
            pythons.minor_of(name) >= FIRST_WITH_TABLE] or ['none -']


def start(name, script, *args):
    path = name.split()[1]
    if path == '-':
        raise case.Skip('no CPython from 3.%d on was found' % FIRST_WITH_TABLE)
    child = subprocess.Popen([path, os.path.join(SCRIPTS, script), *args],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    line = child.stdout.readline()
    if not line:
        child.wait()
        raise case.Skip('%s: %s did not start, exit code %d' % (
            path, script, child.returncode))
    return child, json.loads(line)


def end(child):
    child.stdin.close()
    child.kill()
    child.wait()
    child.stdout.close()


def told(scene):
    """What the daemon has said so far; its place in the file stays."""
    log = scene.daemon.log.fileno()
    return os.pread(log, os.fstat(log).st_size, 0)


def wait_for(scene, pids):
    """Until each is sampled, or refused."""
    until = time.monotonic() + LOOK_SECONDS
    while time.monotonic() < until:
        refused = set(map(int, re.findall(rb'process (\d+): ', told(scene))))
        sampled = {w['pid'] for w in scene.answer()['workers']}
        left = set(pids) - refused - sampled
        if not left:
            return refused & set(pids)
        time.sleep(0.1)
    raise case.Failure('%d of %d were neither sampled nor refused' % (
        len(left), len(pids)))


@each(tables())
def test_every_word_of_the_table(name):
    with hostile.scene() as scene:
        n_refused = 0
        for value, is_wide in VALUES:
            child, pids = start(name, 'tables.py', value, str(int(is_wide)),
                                scene.mark)
            try:
                targets.need_permission(pids[0])
                refused = wait_for(scene, pids)
            finally:
                end(child)
            n_refused += len(refused)
            for pid in refused:
                lines = re.findall(rb'.*process %d: .*' % pid, told(scene))
                expect(len(lines) == 1, 'told more than once: %s', lines)
                # Where the first interpreter is not, there is none.
                expect(re.search(rb'offset|size|free_threaded|version|'
                                 rb'in all versions|no runtime', lines[0]),
                       'the field is not named: %s', lines[0])
        # Most fields cannot have most of these values.
        expect(n_refused > 100, '%d were refused', n_refused)
        scene.check()
        scene.end()
