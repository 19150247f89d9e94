"""Lists that a process makes up: of threads and of interpreters, which do not
end, or are longer than the process can have.

What is not followed to its end is counted in the losses of that process.
"""
import time

from hostile.test_python import end, start
from support import bobbin, case, hostile, pythons, targets
from support.case import each, expect

KINDS = ('circle', 'long', 'interpreters')
MANY = 3000
# Those whose lists the script knows.
VERSIONS = (11, 12, 13, 14, 15, 16)


def found():
    """The oldest and the newest that can be had."""
    names = [name for name in pythons.find()
             if name != 'none -' and pythons.minor_of(name) in VERSIONS and
             not pythons.is_free_threaded(name)]
    return names[:1] + names[1:][-1:]


def cases():
    return ['%s-%s %s' % (name.split()[0], kind, name.split()[1])
            for name in found() for kind in KINDS] or ['none -']


def lost_of(scene, pid, why):
    for _ in range(int(bobbin.TIMEOUT * 10)):
        for worker in scene.answer()['workers']:
            if worker['pid'] == pid and why in worker['lost_by']:
                return worker
        time.sleep(0.1)
    raise case.Failure('nothing is lost by %s in process %d: %r' % (
        why, pid, scene.answer()))


@each(cases())
def test_lists_without_an_end(name):
    kind = name.split()[0].rsplit('-', 1)[-1]
    with hostile.scene() as scene:
        child, pid = start(name, 'lists.py', kind, scene.mark)
        try:
            targets.need_permission(pid)
            worker = lost_of(scene, pid, 'threads')
            # Its true thread is sampled all the same.
            expect(worker['samples'] > 0, '%r', worker)
            scene.check()
        finally:
            end(child)
        scene.end()


@each(found() or ['none -'])
def test_more_threads_than_a_period_has_time_for(name):
    """They are true, and there are so many that one sample takes longer than a
    period: the process is read less often, and the others are not."""
    with hostile.scene() as scene:
        child, pid = start(name, 'many.py', str(MANY), scene.mark)
        try:
            targets.need_permission(pid)
            worker = lost_of(scene, pid, 'steps')
            expect(worker['samples'] > 0, '%r', worker)
            scene.check(seconds=4)
        finally:
            end(child)
        scene.end()
