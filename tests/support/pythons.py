"""Interpreters of Python to look at, and what they know about themselves.

$PYTHON_BINS names interpreters, ':' between them; else those of pyenv, those
that scripts/install-clients.sh has brought, and those of the distribution are
taken, one for each version.
"""
import contextlib
import functools
import glob
import os
import shutil
import subprocess

from support import bobbin, case, clients, listing, targets

SCRIPTS = os.path.join(bobbin.ROOT, 'tests', 'live', 'python')
OLDEST, NEWEST = (3, 7), (3, 16)


def _candidates():
    if os.environ.get('PYTHON_BINS'):
        return os.environ['PYTHON_BINS'].split(':')
    names = ['python3.%d' % minor for minor in range(OLDEST[1],
                                                     NEWEST[1] + 1)]
    root = os.environ.get('PYENV_ROOT', os.path.expanduser('~/.pyenv'))
    return (sorted(glob.glob(root + '/versions/*/bin/python')) +
            sorted(glob.glob(clients.HOME + '/pythons/usr/bin/python3.*')) +
            ['/usr/bin/' + name for name in names] +
            [path for path in map(shutil.which, names) if path])


@functools.lru_cache(None)
def _version_of(path):
    """(3, 14), and True when it has no lock."""
    try:
        out = subprocess.run(
            [path, '-c', 'import sys, sysconfig; '
             'print(*sys.version_info[:2], '
             'sysconfig.get_config_var("Py_GIL_DISABLED") or 0)'],
            capture_output=True, timeout=30).stdout
        major, minor, is_free = map(int, out.split())
        return major, minor, bool(is_free)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ()


def find():
    """Cases for `each`: "3.11 /usr/bin/python3.11", ...; "3.14t" without the
    lock."""
    found = {}
    for path in _candidates():
        version = _version_of(path)
        kind = 'dist' if path.startswith('/usr/bin/') else 'own'
        if OLDEST <= version[:2] <= NEWEST:
            found.setdefault((version, kind), path)
    return ['%d.%d%s%s %s' % (version[0], version[1],
                              't' if version[2] else '',
                              '' if kind == 'own' else '-dist', path)
            for (version, kind), path in sorted(found.items())] or ['none -']


def minor_of(name):
    return int(name.split()[0].split('.')[1].split('-')[0].rstrip('t'))


def is_free_threaded(name):
    return 't' in name.split()[0].split('-')[0]


def program(name):
    """The interpreter of a case."""
    path = name.split()[1]
    if path == '-':
        raise case.Skip('no such Python from %d.%d on was found' % OLDEST)
    return path


@contextlib.contextmanager
def started(name, script, *args, **options):
    """The script of tests/live/python, until the block is left."""
    with targets.started([program(name), os.path.join(SCRIPTS, script)] +
                         list(args), to='out.tach', **options) as target:
        yield target


def frames(fields):
    """(function, file, line, (end_line, col, end_col) or None, opcode) of a
    run of Python, outermost first."""
    out = []
    for text in reversed(fields[listing.FRAMES:]):
        kind, function, file, line, *place, opcode = text.split(';')
        case.expect(kind == 'Y', 'a frame of another language: %s', text)
        if line == '-':
            line, place = None, None
        out.append((targets.plain(function), targets.plain(file),
                    line and int(line),
                    tuple(map(int, place)) if place and '-' not in place
                    else None,
                    None if opcode == '-' else int(opcode)))
    return out
