"""The scene itself: a daemon beside processes that do nothing bad."""
import subprocess

from support import hostile
from support.case import expect


def test_nothing_hostile():
    with hostile.scene() as scene:
        scene.check()
        told = scene.end()
        expect(b'warning' not in told and b'error' not in told, '%s', told)


def test_a_process_that_never_becomes_a_runtime():
    with hostile.scene() as scene:
        child = subprocess.Popen(['sh', '-c', 'sleep 30; :', scene.mark])
        try:
            scene.check()
        finally:
            child.kill()
            child.wait()
        scene.end()
