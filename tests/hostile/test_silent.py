"""Memory that never answers.

A page that a process has promised to bring (userfaultfd) blocks whoever reads
it, for ever: the samples of others go on, and the program ends when it is told
to.
"""
import contextlib
import os
import subprocess
import sys
import tempfile
import time

from support import bobbin, case, hostile, listing
from support.case import expect
from support.daemons import has
from support.silent import silent

ENV = hostile.SILENT_ENV


@case.each(['wall', 'pause', 'native'])
def test_memory_while_it_is_sampled(how):
    options = [] if how == 'wall' else ['--' + how]
    with hostile.scene(*options, env=ENV) as scene:
        with silent(scene.mark, 'runtime', 3) as child:
            time.sleep(3.5)
            scene.check()
            told = scene.end()
        what = b'process %d: its memory or its files do not answer' % child.pid
        expect(told.count(what) == 1, '%s', told)


def test_memory_while_it_is_attached():
    with hostile.scene(env=ENV) as scene:
        with silent(scene.mark, 'runtime', 0):
            time.sleep(1.5)
            scene.check()
            scene.end()


def test_a_recording_of_it_alone_ends_when_it_is_told_to():
    """Nobody else waits, so it is not given up before."""
    path = os.path.join(case.scratch, 'out.rbt')
    with silent('alone', 'runtime', 2) as child, \
            tempfile.TemporaryFile() as log:
        record = subprocess.Popen(
            [bobbin.PROGRAM, 'record', '-p', str(child.pid), '-o', path],
            stderr=log, env=ENV)
        try:
            time.sleep(4)
            expect(record.poll() is None, 'it gave up')
            record.terminate()
            record.wait(bobbin.TIMEOUT)
        finally:
            record.kill()
            record.wait()
        log.seek(0)
        expect(b'samples in' in log.read(), 'no summary')
    runs = listing.parse(bobbin.run('dump', path).out)
    expect(listing.total(runs) > 20, '%d samples', listing.total(runs))


def test_a_recording_of_it_alone_tells_why_it_ends():
    """After 10 s it is given up. It has not ended, and there are no others."""
    path = os.path.join(case.scratch, 'out.rbt')
    with silent('alone', 'runtime', 2) as child:
        result = subprocess.run(
            [bobbin.PROGRAM, 'record', '-p', str(child.pid), '-o', path],
            stderr=subprocess.PIPE, env=ENV, timeout=bobbin.TIMEOUT)
        text = result.stderr
        expect(result.returncode == bobbin.OK, '%s', text)
        what = (b'process %d: its memory or its files do not answer; not '
                b'sampled after ' % child.pid)
        expect(text.count(what) == 1, '%s', text)
        expect(b'has ended' not in text and b'the others' not in text, '%s',
               text)
        expect(b'samples in' in text, 'no summary: %s', text)
    runs = listing.parse(bobbin.run('dump', path).out)
    expect(listing.total(runs) > 20, '%d samples', listing.total(runs))


def test_a_command_line():
    with hostile.scene(env=ENV) as scene:
        with silent(scene.mark, 'arguments', 0):
            time.sleep(1)
            scene.check()
            # Who comes later is found all the same.
            late = subprocess.Popen(
                [sys.executable, '-c', 'import time; time.sleep(60)',
                 scene.mark])
            try:
                scene.daemon.wait(has(late.pid), 'one that came later')
            finally:
                late.kill()
                late.wait()
            scene.end()


def test_several():
    with hostile.scene(env=ENV) as scene:
        with contextlib.ExitStack() as stack:
            for _ in range(4):
                stack.enter_context(silent(scene.mark, 'runtime', 2))
            stack.enter_context(silent(scene.mark, 'arguments', 2))
            time.sleep(3)
            scene.check()
            scene.end()
