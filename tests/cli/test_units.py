"""Times and sizes: all options of all commands take the same units."""
import os

from support import bobbin, case, fixtures
from support.case import each, expect

TIMES = ['1d', '1.5s', '500ms', '2m', '0.5h', '250000us', '9']
NO_TIMES = ['1.5', '1.', 's', '1x', '1 s', '-1s', '1M', '']
SIZES = ['2G', '64MiB', '64k', '64K', '1.5MB', '3000000', '100Ki']
NO_SIZES = ['x', '1.', '1s', '-1', '64 k', '']

# No such process: what is right about the options is told before that.
NOBODY = ['-p', '4194304']


def convert(option, value):
    return ['convert', option, value, '-o',
            os.path.join(case.scratch, 'x.rbt'), fixtures.rbt_path('tiny')]


TIME_OPTIONS = {
    'convert --rotate-time': lambda v: convert('--rotate-time', v),
    'record --rotate-time': lambda v: ['record', *NOBODY, '--rotate-time', v],
    'record --duration': lambda v: ['record', *NOBODY, '--duration', v],
    'daemon --rotate': lambda v: ['daemon', '-P', '(', '--rotate', v, '-o',
                                  case.scratch],
    'daemon --keep': lambda v: ['daemon', '-P', '(', '--keep', v, '-o',
                                case.scratch],
}
SIZE_OPTIONS = {
    'convert --rotate-size': lambda v: convert('--rotate-size', v),
    'convert --max-memory': lambda v: convert('--max-memory', v),
    'convert --max-output': lambda v: convert('--max-output', v),
    'record --rotate-size': lambda v: ['record', *NOBODY, '--rotate-size', v],
    'daemon --rotate': TIME_OPTIONS['daemon --rotate'],
    'daemon --keep': TIME_OPTIONS['daemon --keep'],
}


def is_refused(argv, option, value):
    """The error names the option and the value."""
    result = bobbin.run(*argv, ok=(bobbin.OK, bobbin.FAILED, bobbin.USAGE))
    name = option.split()[-1].lstrip('-').encode()
    told = name in result.err and b"'%s'" % value.encode() in result.err
    expect(not told or result.code == bobbin.USAGE, '%s', result.err)
    return told


def is_either(option):
    """If an option takes both, the unit decides."""
    return option in TIME_OPTIONS and option in SIZE_OPTIONS


@each(sorted(TIME_OPTIONS))
def test_times(option):
    for value in TIMES + NO_TIMES:
        good = value in TIMES
        if is_either(option) and (value.isdigit() or value == '1M'):
            continue
        if value == '1.5' and not is_either(option):
            good = True  # seconds
        expect(is_refused(TIME_OPTIONS[option](value), option, value) !=
               good, '%s %r', option, value)


@each(sorted(SIZE_OPTIONS))
def test_sizes(option):
    for value in SIZES + NO_SIZES:
        good = value in SIZES
        if is_either(option) and (value.isdigit() or value == '1s'):
            continue
        expect(is_refused(SIZE_OPTIONS[option](value), option, value) !=
               good, '%s %r', option, value)
