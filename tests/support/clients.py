"""The programs in which outputs are opened, servers that are captured, and why
one cannot be had.

scripts/install-clients.sh installs them.  Each function gives what a test
needs to start its client, or skips the test with the reason.
"""
import glob
import os
import shutil
import subprocess

from support import bobbin, case
from support.case import Failure, Skip

HOME = os.environ.get('BOBBIN_CLIENTS') or os.path.join(
    os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'),
    'bobbin', 'clients')
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome')


def missing(name):
    """Skips, with the reason that the installation left."""
    try:
        with open(os.path.join(HOME, 'why', name), encoding='utf-8',
                  errors='replace') as file:
            why = file.read().strip()
    except OSError:
        why = 'run scripts/install-clients.sh'
    raise Skip('no %s: %s' % (name, why))


def command(client, *programs):
    """The first of these that is in the clients' bin or in $PATH."""
    own = os.path.join(HOME, 'bin')
    for program in programs:
        path = shutil.which(program, path=own) or shutil.which(program)
        if path:
            return path
    return missing(client)


def server(client, *patterns):
    """The last file of each pattern, all of them installed or all unpacked,
    and the environment in which they find their libraries."""
    for root in ('', os.path.join(HOME, client)):
        found = [sorted(glob.glob(root + pattern)) for pattern in patterns]
        if all(found):
            env = dict(os.environ)
            if root:
                env['LD_LIBRARY_PATH'] = ':'.join(
                    glob.glob(root + '/lib/*-linux-gnu') +
                    glob.glob(root + '/usr/lib/*-linux-gnu'))
            return [files[-1] for files in found], env
    return missing(client)


def pprof():
    path = os.path.join(HOME, 'bin', 'pprof')
    return path if os.access(path, os.X_OK) else missing('pprof')


def node():
    return shutil.which('node') or missing('node')


def module(client, name):
    """The folder of a package of npm."""
    path = os.path.join(HOME, 'npm', client, 'node_modules', *name.split('/'))
    return path if os.path.isdir(path) else missing(client)


def python_packages(client, folder='python'):
    """The environment in which Python finds the clients' packages."""
    path = os.path.join(HOME, folder)
    return {'PYTHONPATH': path} if os.path.isdir(path) else missing(client)


def playwright():
    return module('browser', 'playwright-core')


def browser():
    return command('chromium', *BROWSERS)


def output(argv, stdin=b'', env=None, ok=(0,)):
    """What the client prints; its complaints are the failure."""
    done = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=case.scratch,
                          timeout=4 * bobbin.TIMEOUT,
                          env=dict(os.environ, **env or {}))
    if done.returncode not in ok:
        raise Failure('%s: exit code %d: %s' % (
            ' '.join(argv)[:200], done.returncode,
            done.stderr.decode('utf-8', 'replace').strip()[-400:]))
    return done.stdout
