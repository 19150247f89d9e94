"""The runner itself: programs that misbehave must not pass."""
import os
import re
import subprocess
import sys

from support import bobbin, case
from support.case import each, expect

RUN = os.path.join(bobbin.ROOT, 'tests', 'run.py')
# Any test that starts the program and expects success.
VICTIM = 'golden/test_dump:whole_file_is_silent[tiny]'
SUMMARY = re.compile(r'(\d+) passed, (\d+) failed(, \d+ skipped)?')


def run_with(script, pattern=VICTIM):
    """Output and exit code of the runner on a stand-in for bobbin."""
    path = case.write_file(b'#!/bin/sh\n' + script + b'\n', 'stand-in')
    os.chmod(path, 0o755)
    env = dict(os.environ, BOBBIN=path, BOBBIN_TEST_TIMEOUT='1',
               TMPDIR=case.scratch)
    done = subprocess.run([sys.executable, RUN, '-j', '1', '-k', pattern],
                          env=env, stdout=subprocess.PIPE)
    return done.stdout.decode('utf-8', 'replace'), done.returncode


def counts(output):
    found = SUMMARY.fullmatch(output.splitlines()[-1])
    expect(found, 'last line is %r', output.splitlines()[-1])
    return int(found.group(1)), int(found.group(2))


def test_silent_success_passes():
    output, code = run_with(b'exit 0')
    expect(counts(output) == (1, 0) and code == 0, '%s', output)


@each([
    ('fails', b'exit 1', 'exit code 1'),
    ('crashes', b'kill -SEGV $$', 'signal 11'),
    ('hangs', b'exec sleep 30', 'still running'),
    ('address error', b'echo ERROR: AddressSanitizer: x >&2', 'Sanitizer'),
    ('undefined', b'echo a.c:1: runtime error: x >&2', 'runtime error'),
])
def test_misbehaviour_fails(item):
    _, script, reason = item
    output, code = run_with(script)
    expect(counts(output) == (0, 1) and code == 1, '%s', output)
    expect(reason in output, 'no %r in %s', reason, output)
    expect('repeat: ' in output, 'no command in %s', output)


def test_wrong_samples_fail():
    output, code = run_with(b'exit 0', 'golden/test_dump:strict[tiny]')
    expect(counts(output) == (0, 1) and code == 1, '%s', output)


def test_no_test_is_no_success():
    output, code = run_with(b'exit 0', 'no such test')
    expect(counts(output) == (0, 0) and code == 1, '%s', output)
