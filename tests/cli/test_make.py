"""The Makefile, in a tree whose scripts only note when they ran: with any -j
packages come before the build, and nothing runs twice at once."""
import os
import shutil
import subprocess

from support import bobbin, case
from support.case import each, expect, read_file

STUB = '''#!/bin/sh
echo "begin $(basename "$0") $*" >>"$LOG"
sleep 0.05
[ "$(basename "$0") $1" != "meson setup" ] || mkdir -p build
[ "$(basename "$0") $1" != "meson setup" ] || touch build/build.ninja
[ "$1" != --check ] || [ -z "$MISSING" ] || exit 1
echo "end $(basename "$0") $*" >>"$LOG"
'''


def run(*args, missing=''):
    """What ran, as (when, name, arguments), and make's exit code."""
    scripts = os.path.join(case.scratch, 'scripts')
    os.makedirs(scripts, exist_ok=True)
    names = os.listdir(os.path.join(bobbin.ROOT, 'scripts'))
    stubs = [n for n in names if n.endswith('.sh')]
    for name in stubs + ['meson', 'ninja', 'python3']:
        path = os.path.join(scripts, name)
        with open(path, 'w') as file:
            file.write(STUB)
        os.chmod(path, 0o755)
    shutil.copy(os.path.join(bobbin.ROOT, 'Makefile'), case.scratch)
    log = os.path.join(case.scratch, 'log')
    tools = ['%s=%s' % (name.upper().replace('3', ''),
                        os.path.join(scripts, name))
             for name in ('meson', 'ninja', 'python3')]
    # What make itself hands on to those that it starts is not for this one.
    environ = {k: v for k, v in os.environ.items()
               if k not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
    environ.update(LOG=log, MISSING=missing)
    code = subprocess.run(['make', '-C', case.scratch, *args, *tools],
                          env=environ, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode
    lines = read_file(log).decode().splitlines()
    return [(line.split(' ', 2) + [''])[:3] for line in lines], code


def names_of(log):
    return [(name, args) for when, name, args in log if when == 'begin']


@each(['-j1', '-j8'])
def test_goals_install_first_and_one_at_a_time(jobs):
    log, code = run(jobs, 'demo', 'test', 'bench')
    expect(code == 0, 'make failed: %s', log)
    for begin, end in zip(log[::2], log[1::2]):
        expect((begin[0], end[0]) == ('begin', 'end') and
               begin[1:] == end[1:], 'at once: %s %s', begin, end)
    names = names_of(log)
    expect(names[0] == ('install-deps.sh', 'build'), 'first is %s', names[0])
    for name in ('demo.sh', 'test.sh', 'install-clients.sh'):
        expect([n for n, _ in names].count(name) == 1, '%s: %s', name, names)


@each(['-j1', '-j8'])
def test_plain_make_installs_nothing(jobs):
    log, code = run(jobs)
    expect(code == 0, 'make failed: %s', log)
    expect(names_of(log)[0] == ('install-deps.sh', '--check build'), '%s', log)
    expect([args for name, args in names_of(log) if 'install' in name] ==
           ['--check build'], '%s', log)
    expect(names_of(log)[-1][0] == 'ninja', 'nothing was built: %s', log)


def test_plain_make_ends_where_something_is_missing():
    log, code = run('-j8', missing='1')
    expect(code != 0 and names_of(log) == [
        ('install-deps.sh', '--check build')], '%d %s', code, log)
