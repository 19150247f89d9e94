"""replay: conversions with the option names of CPython's profiler."""
import collections
import os
import re

from support import bobbin, case, chars, fixtures, tach
from support.case import each, expect, read_file

TINY = fixtures.rbt_path('tiny')
OUTPUTS = ['collapsed', 'flamegraph', 'gecko', 'pstats', 'jsonl', 'heatmap',
           'binary']


def is_offered(output):
    return re.search(r'^ +--%s ' % output,
                     bobbin.run('help', 'replay').out.decode(), re.M)


def test_no_output_lists_what_there_is():
    result = bobbin.run('replay', TINY, ok=(bobbin.USAGE,))
    for output in OUTPUTS:
        expect(bool(is_offered(output)) == (('--' + output).encode()
                                            in result.err),
               'says %r', result.err)
    expect(b'--collapsed, ' in result.err and not result.out, 'says %r',
           result.err)


@each(OUTPUTS)
def test_what_is_not_written_yet_is_said(output):
    if is_offered(output):
        bobbin.run('replay', '-q', '--' + output, '-o', os.path.join(
            case.scratch, 'out'), TINY)
        return
    result = bobbin.run('replay', '--' + output, TINY, ok=(bobbin.USAGE,))
    expect(b'does not write --%b yet' % output.encode() in result.err,
           'says %r', result.err)
    expect(b'unknown option' not in result.err, 'says %r', result.err)


def test_one_output_at_a_time():
    result = bobbin.run('replay', '--collapsed', '--gecko', TINY,
                        ok=(bobbin.USAGE,))
    expect(b'--collapsed or --gecko' in result.err, 'says %r', result.err)
    bobbin.run('replay', '--collapsed', '--collapsed', TINY)


def test_collapsed_is_folded_with_the_names_of_tachyon():
    want = bobbin.run('convert', '-t', 'folded', '--tachyon-names', TINY).out
    expect(want.startswith(b'tid:'), 'no threads')
    expect(bobbin.run('replay', '--collapsed', TINY).out == want, 'stdout')
    out = os.path.join(case.scratch, 'out')
    bobbin.run('replay', '--collapsed', '-o', out, TINY)
    expect(read_file(out) == want, 'file')


@each(['real_async', 'real_threads'])
def test_collapsed_is_what_cpython_writes(name):
    """As it did for these files, line for line."""
    want = read_file(os.path.join(tach.TACH, name + '.collapsed.txt'))
    expect(bobbin.run('replay', '--collapsed', tach.path(name)).out == want,
           'differs')
    expect(bobbin.run('convert', '-t', 'folded', '--tachyon-names', '--order',
                      'time', tach.path(name)).out == want, 'by time')


def escaped(name):
    return chars.percent(name, ';')


def collapse(rows):
    """What CPython's collector makes of a listing."""
    frames, stacks, counts = {}, {}, collections.Counter()
    for row in rows:
        if row[0] == 'F':
            frames[row[1]] = (tach.unescape(row[7]), tach.unescape(row[8]),
                              '0' if row[2] == '-' else row[2])
        elif row[0] == 'K':
            stacks[row[1]] = tuple(
                frame for frame in map(frames.get, reversed(row[3:]))
                if not frame[0].endswith('_sync_coordinator.py'))
        elif row[0] == 'S' and stacks[row[5]]:
            counts[row[3], stacks[row[5]]] += 1
    lines = []
    for (thread, stack), count in counts.items():
        parts = ['tid:' + thread]
        for file, func, line in stack:
            has_place = (file, line) != ('~', '0')
            base = escaped(os.path.basename(file))
            parts.append(':'.join([base, escaped(func), line]) if has_place
                         else escaped(func))
        lines.append((-count, ';'.join(parts).encode()))
    return b''.join(b'%b %d\n' % (text, -n) for n, text in sorted(lines))


@each(tach.listed_names())
def test_collapsed_is_what_cpython_would_write(name):
    want = collapse(tach.listing_rows(name))
    got = bobbin.run('replay', '--collapsed', tach.path(name)).out
    expect(got == want, 'differs in line %d', len(os.path.commonprefix(
        [got, want]).split(b'\n')))


def test_what_an_output_sets_is_no_option_of_its_own():
    result = bobbin.run('replay', '--collapsed', '--tachyon-names', TINY,
                        ok=(bobbin.USAGE,))
    expect(b'unknown option' in result.err, 'says %r', result.err)


def test_options_of_other_outputs_are_refused():
    bobbin.run('replay', '--collapsed', '--compress', TINY,
               ok=(bobbin.USAGE,))
