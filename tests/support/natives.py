"""Frames of C, and a program that has some."""
import contextlib
import os
import re
import shutil
import subprocess

from support import case, listing, targets

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..',
                      'live', 'native')


def compiler(name=None):
    path = shutil.which(name or os.environ.get('CC', 'cc'))
    if not path:
        raise case.Skip('no %s' % (name or 'C compiler'))
    return path


def build(source, *flags, name='program', cc=None):
    """A program of tests/live/native."""
    path = os.path.join(case.scratch, name)
    subprocess.run([compiler(cc), '-D_GNU_SOURCE', '-o', path,
                    os.path.join(SOURCE, source), '-pthread', *flags],
                   check=True)
    return path


def build_go(source, name='program'):
    go = shutil.which('go')
    if not go:
        raise case.Skip('no Go')
    path = os.path.join(case.scratch, name)
    subprocess.run([go, 'build', '-o', path, os.path.join(SOURCE, source)],
                   check=True, env=dict(os.environ, GOFLAGS='',
                                        GOCACHE=case.scratch + '/go'))
    return path


@contextlib.contextmanager
def started(*args, flags=('-O2',), source='chain.c', cc=None):
    """A program, built with these flags, until the block is left."""
    with targets.started([build(source, *flags, cc=cc)] +
                         list(args)) as target:
        yield target


def frames(fields):
    """(kind, function, file) outermost first; kind is N for native."""
    out = []
    for text in reversed(fields[listing.FRAMES:]):
        kind, function, file, *_ = text.split(';')
        out.append((kind, targets.plain(function), targets.plain(file)))
    return out


def functions(fields, module=None):
    """Names outermost first, of native frames in files of this name."""
    return [function for kind, function, file in frames(fields)
            if kind == 'N' and
            (module is None or os.path.basename(file) == module)]


def stopped_us(result):
    """What a recording says about how long threads stood still."""
    found = re.search(rb'stopped (\d+) us a sample', result.err)
    case.expect(found, 'the cost is not told: %s', result.err)
    return int(found.group(1))
