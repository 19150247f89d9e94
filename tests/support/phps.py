"""Interpreters of PHP to look at, and what they know about themselves.

$PHP_BINS names interpreters, ':' between them; else those of the distribution
are taken.
"""
import contextlib
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import time

from support import bobbin, case, clients, listing, targets

SCRIPTS = os.path.join(bobbin.ROOT, 'tests', 'live', 'php')


def _candidates():
    if os.environ.get('PHP_BINS'):
        return os.environ['PHP_BINS'].split(':')
    return sorted(glob.glob('/usr/bin/php[0-9].[0-9]')) or \
        [path for path in [shutil.which('php')] if path]


@functools.lru_cache(None)
def _kind_of(path):
    """"8.2-nts", or None."""
    try:
        out = subprocess.run(
            [path, '-n', '-r', 'echo PHP_MAJOR_VERSION, ".", '
             'PHP_MINOR_VERSION, PHP_ZTS ? "-zts" : "-nts";'],
            capture_output=True, timeout=30).stdout.decode()
    except (OSError, subprocess.TimeoutExpired):
        return None
    return out if re.match(r'\d\.\d-[nz]ts$', out) else None


def find():
    """Cases for `each`: "8.2-nts /usr/bin/php8.2", ..."""
    found = {}
    for path in _candidates():
        kind = _kind_of(path)
        if kind:
            found.setdefault(kind, path)
    return ['%s %s' % item for item in sorted(found.items())] or ['none -']


def version_of(name):
    """82 for 8.2; 0: there is none."""
    return int(name[0] + name[2]) if name[0].isdigit() else 0


def program(name):
    path = name.split()[1]
    if path == '-':
        raise case.Skip('no PHP was found')
    return path


def with_packages(name, client, modules):
    """The interpreter with packages that were only unpacked, and modules of
    theirs or its own."""
    root = os.path.join(clients.HOME, client)
    if not os.path.isdir(root):
        clients.missing(client)
    argv = [program(name), '-n', '-d',
            'include_path=%s/usr/share/php' % root]
    for module in modules:
        found = glob.glob('%s/usr/lib/php/*/%s.so' % (root, module)) or \
            glob.glob('/usr/lib/php/*/%s.so' % module)
        argv += ['-d', 'extension=' + found[0]] if found else []
    return argv


@contextlib.contextmanager
def started(name, script, *args, ini=()):
    """The script of tests/live/php, until the block is left."""
    with targets.started(
            [program(name), '-n'] + ['-d' + line for line in ini] +
            [os.path.join(SCRIPTS, script)] + list(args)) as target:
        if script == 'shapes.php':
            wait_for_sleep(target.pid)
        yield target


def wait_for_sleep(pid):
    for _ in range(3000):
        with open('/proc/%d/stat' % pid) as file:
            if file.read().rsplit(')', 1)[1].split()[0] == 'S':
                return
        time.sleep(0.01)


def frames(fields):
    """(function, file, line) of a run of PHP, innermost first. Closures are
    called {closure}, as they call themselves."""
    out = []
    for text in fields[listing.FRAMES:]:
        kind, function, file, line, _ = text.split(';')
        case.expect(kind == 'P', 'a frame of another language: %s', text)
        out.append((re.sub(r'\{closure:\d+-\d+\}$', '{closure}',
                           targets.plain(function)),
                    targets.plain(file), int(line)))
    return out


def calls(name, calm):
    """Every call of oracle.php: {(caller, line, callee)}."""
    out = subprocess.run(
        [program(name), '-n', os.path.join(SCRIPTS, 'oracle.php'), 'truth',
         str(calm)], capture_output=True, timeout=60, check=True).stdout
    return {tuple(json.loads(line)) for line in out.splitlines()}
