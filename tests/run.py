#!/usr/bin/env python3
"""Runs the tests that talk to the bobbin command.

    tests/run.py [-j JOBS] [-k PATTERN] [-v] [-l]

Finds tests/*/test_*.py and runs every function test_* in them; those of
tests/fleet, which need servers and take minutes, only if PATTERN begins with
`fleet/` (make test-fleet).  A failure is
one line that names the test and the reason, and one with the command that
repeats it.  The last line is `N passed, N failed`, and `, N skipped` after it
when tests were skipped.  The exit code is 1 when a test failed or when none
was run.

$BOBBIN names the program (default: bobbin in $BUILD_DIR, default build).
"""
import argparse
import collections
import concurrent.futures.process
import glob
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

TESTS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, TESTS)

from support import bobbin, case  # noqa: E402

# function and index find the test again in a worker process.
Test = collections.namedtuple('Test', 'name path function index')
Outcome = collections.namedtuple('Outcome', 'name verdict seconds report')

OWN_STAGE = 'fleet/'

PASSED, FAILED, SKIPPED = 'passed', 'failed', 'skipped'


def load(path, modules={}):
    """The test module at path; the default argument is the cache."""
    if path not in modules:
        name = os.path.relpath(path, TESTS)[:-len('.py')].replace(os.sep, '.')
        spec = importlib.util.spec_from_file_location(name, path)
        modules[path] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[path])
    return modules[path]


def discover():
    for path in sorted(glob.glob(os.path.join(TESTS, '*', 'test_*.py'))):
        module = load(path)
        for function in sorted(vars(module)):
            if not function.startswith('test_'):
                continue
            name = '%s:%s' % (os.path.relpath(path, TESTS)[:-len('.py')],
                              function[len('test_'):])
            cases = getattr(vars(module)[function], 'cases', None)
            if cases is None:
                yield Test(name, path, function, None)
            for index, value in enumerate(cases or ()):
                label = value[0] if isinstance(value, tuple) else value
                yield Test('%s[%s]' % (name, label), path, function, index)


def perform(test):
    """Runs one test in its own directory."""
    start = time.monotonic()
    bobbin.last = None
    case.scratch = tempfile.mkdtemp(prefix='bobbin-test-')
    function = getattr(load(test.path), test.function)
    try:
        if test.index is None:
            function()
        else:
            function(function.cases[test.index])
        verdict, report = PASSED, ''
    except case.Skip as skip:
        verdict, report = SKIPPED, str(skip)
    except Exception as error:
        verdict, report = FAILED, describe(error)
    os.chdir(bobbin.ROOT)  # a test may have gone elsewhere
    if verdict == FAILED:
        report += '\n    files: ' + case.scratch
    else:
        shutil.rmtree(case.scratch, ignore_errors=True)
    return Outcome(test.name, verdict, time.monotonic() - start, report)


def describe(error):
    """One line on what went wrong, one with the command to see it again."""
    if isinstance(error, case.Failure):
        text = str(error)
    else:
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = '%s: %s (%s:%d)' % (
            type(error).__name__, error,
            os.path.relpath(place.filename, TESTS), place.lineno)
    text = text.replace('\n', ' ')
    if bobbin.last is not None:
        text += '\n    repeat: ' + bobbin.command_line(bobbin.last)
    return text


def run_all(tests, jobs):
    """Outcomes in the order of tests, each as soon as it can be shown."""
    if jobs == 1:
        yield from map(perform, tests)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(perform, tests)
        except concurrent.futures.process.BrokenProcessPool:
            yield Outcome('runner', FAILED, 0, 'a worker process was killed; '
                          'the tests after it did not run')


def show(outcome, verbose):
    if outcome.verdict == FAILED:
        print('FAIL %s: %s' % (outcome.name, outcome.report))
    elif outcome.verdict == SKIPPED:
        print('skipped: %s: %s' % (outcome.name, outcome.report))
    elif verbose:
        print('ok   %s (%.2f s)' % (outcome.name, outcome.seconds))
    sys.stdout.flush()


def heed_signals():
    """A job in the background is born deaf to these, and so would be every
    program that a test sends them to."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def main():
    heed_signals()
    parser = argparse.ArgumentParser(description='runs the black-box tests')
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count(),
                        help='tests to run at the same time')
    parser.add_argument('-k', '--keyword', default='', metavar='PATTERN',
                        help='run only tests whose name contains PATTERN')
    parser.add_argument('-v', '--verbose', action='store_true',
                        help='also show the tests that pass, with their time')
    parser.add_argument('-l', '--list', action='store_true',
                        help='print the names of the tests and stop')
    options = parser.parse_args()

    tests = [test for test in discover() if options.keyword in test.name and
             (options.keyword.startswith(OWN_STAGE) or
              not test.name.startswith(OWN_STAGE))]
    if options.list:
        print('\n'.join(test.name for test in tests))
        return 0
    count = collections.Counter()
    for outcome in run_all(tests, options.jobs):
        count[outcome.verdict] += 1
        show(outcome, options.verbose)
    if not tests:
        print('no test is named like %r' % options.keyword)
    summary = '%d passed, %d failed' % (count[PASSED], count[FAILED])
    if count[SKIPPED]:
        summary += ', %d skipped' % count[SKIPPED]
    print(summary)
    return 0 if tests and not count[FAILED] else 1


if __name__ == '__main__':
    sys.exit(main())
