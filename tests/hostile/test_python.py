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


def wait_for(scene, holds, what):
    """Until what the daemon says is as wanted; that."""
    until = time.monotonic() + LOOK_SECONDS
    while time.monotonic() < until:
        status = scene.answer()
        if holds(status):
            return status
        time.sleep(0.1)
    raise case.Failure('%s did not happen: %r, %s' % (
        what, status['not_sampled'], scene.daemon.told()[-500:]))


def count_refused(scene, pids):
    """When each is sampled, or refused: how many are refused."""
    def all_are_known(status):
        sampled = {w['pid'] for w in status['workers']} & set(pids)
        return status['not_sampled']['count'] == len(pids) - len(sampled)

    status = wait_for(scene, all_are_known, 'a look at all of them')
    return status['not_sampled']['count']


def check_told(scene, pids):
    """Of those that are told, and not only counted, the field is named."""
    text = scene.daemon.told()
    for pid in pids:
        lines = re.findall(rb'.*process %d: .*' % pid, text)
        expect(len(lines) <= 1, 'told more than once: %s', lines)
        # Where the first interpreter is not, there is none.
        expect(not lines or re.search(
            rb'offset|size|free_threaded|version|in all versions|'
            rb'no runtime', lines[0]), 'the field is not named: %s', lines)


@each(tables())
def test_every_word_of_the_table(name):
    with hostile.scene() as scene:
        n_refused = 0
        for value, is_wide in VALUES:
            child, pids = start(name, 'tables.py', value, str(int(is_wide)),
                                scene.mark)
            try:
                targets.need_permission(pids[0])
                n_refused += count_refused(scene, pids)
            finally:
                end(child)
            check_told(scene, pids)
            wait_for(scene, lambda status: status['not_sampled']['count'] == 0,
                     'the end of all of them')
        # Most fields cannot have most of these values.
        expect(n_refused > 100, '%d were refused', n_refused)
        expect(b'offset' in scene.daemon.told(), 'no field is named')
        scene.check()
        scene.end()
