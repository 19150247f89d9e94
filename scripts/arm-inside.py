#!/usr/bin/env python3
"""Runs tests inside the machine of arm-machine.sh.

    arm-inside.py BUILD PATTERN

First the C tests, which meson has listed in BUILD/tests.json, then the Python
tests that are named like PATTERN, then the sum.
"""
import json
import os
import subprocess
import sys
import time

# Seconds for one start of a program, and how many times longer captures last.
TIMEOUT = 600
LONGER = 4
SKIPPED = 77


def run_c(build):
    """Leaves behind what `meson test` would, as far as sum-tests.py looks."""
    with open(os.path.join(build, 'tests.json')) as file:
        tests = json.load(file)
    with open(os.path.join(build, 'testlog.json'), 'w') as log:
        for test in tests:
            start = time.monotonic()
            result, out = run_program(test)
            print('%s %s (%.0f s)' % (result.lower(), test['name'],
                                      time.monotonic() - start), flush=True)
            if result not in ('OK', 'SKIP'):
                print(out[-2000:])
            print(json.dumps({'result': result, 'stdout': out}), file=log)


def run_program(test):
    try:
        done = subprocess.run(test['cmd'], cwd=test['workdir'],
                              env=dict(os.environ, **test['env']),
                              stdout=subprocess.PIPE, timeout=TIMEOUT,
                              stderr=subprocess.STDOUT, errors='replace')
    except (OSError, subprocess.TimeoutExpired) as error:
        return 'FAIL', str(error)
    result = {0: 'OK', SKIPPED: 'SKIP'}.get(done.returncode, 'FAIL')
    return result, done.stdout


def run_python(build, pattern):
    env = dict(os.environ, BOBBIN=os.path.join(build, 'bobbin'),
               BOBBIN_TEST_TIMEOUT=str(TIMEOUT),
               BOBBIN_TEST_LONGER=str(LONGER))
    log = os.path.join(build, 'python.log')
    # One at a time: a capture and what it captures are two already.
    command = [sys.executable, 'tests/run.py', '-j1', '-v', '-k', pattern]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as child, \
            open(log, 'w') as file:
        for line in child.stdout:
            print(line, end='', flush=True)
            file.write(line)
    with open(log + '.rc', 'w') as file:
        file.write(str(child.returncode))
    return log


def main(build, pattern):
    with open('/proc/version') as file:
        print(file.read(), end='')
    print('pages of %d bytes' % os.sysconf('SC_PAGE_SIZE'))
    print('== C tests', flush=True)
    run_c(build)
    print('== Python tests', flush=True)
    log = run_python(build, pattern)
    print('== sum', flush=True)
    return subprocess.run([sys.executable, 'scripts/sum-tests.py',
                           'C=' + os.path.join(build, 'testlog.json'),
                           'python=' + log]).returncode


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
