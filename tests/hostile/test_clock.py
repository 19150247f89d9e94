"""Somebody sets the clock while a daemon runs."""
import os
import signal
import time

from support import case, losses
from support.case import expect
from support.daemons import daemon, has
from support.losses import worker
from support.shim import Shim

DAY = 86400


def rotate(d, n):
    """A file more, and samples in it."""
    d.child.send_signal(signal.SIGUSR1)
    d.wait(lambda s: s['files'] == n, 'file %d' % n)
    before = d.status()['written']
    d.wait(lambda s: s['written'] > before + 20, 'samples in it')
    return {os.path.basename(path) for path in d.files()}


def stamp(name):
    """What of a name tells the time."""
    return name.split('-')[-1].split('Z')[0]


def test_a_clock_that_is_set_removes_nothing_and_mixes_nothing_up():
    mark = 'clock-%d' % os.getpid()
    folder = os.path.join(case.scratch, 'kept')
    os.mkdir(folder, 0o700)
    old = os.path.join(folder, 'bobbin-php-1-20200101T000000Z.rbt')
    with open(old, 'wb'):
        pass
    os.utime(old, (time.time() - 600,) * 2)
    shim = Shim()
    with worker(mark) as w, daemon(mark, '-r', '200', '--keep', '1h',
                                   folder=folder, env=shim.env) as d:
        d.wait(has(w.pid), 'the worker')
        names = {os.path.basename(path) for path in d.files()}
        made = sorted(names - {os.path.basename(old)})
        for n, shift in enumerate((365 * DAY, 370 * DAY, -365 * DAY, 0)):
            shim.shift(shift)
            now = rotate(d, n + 2)
            expect(names < now, 'from %r to %r after %d days', names, now,
                   shift // DAY)
            new = now - names
            expect(len(new) == 1, 'new files %r', new)
            made += new
            names = now
        stamps = [stamp(name) for name in made]
        expect(stamps == sorted(stamps), 'files were made in the order %r',
               made)
        log = d.end()
        expect(b'set forward by' in log and b'set back by' in log, '%s', log)
        losses.check_end(log, folder)
