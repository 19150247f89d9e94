"""replay: conversions under the names of CPython's profiler."""
import os

from support import bobbin, case, fixtures
from support.case import each, expect, read_file

TINY = fixtures.rbt_path('tiny')


def test_no_output_lists_what_there_is():
    result = bobbin.run('replay', TINY, ok=(bobbin.USAGE,))
    expect(b'--collapsed' in result.err and not result.out, 'says %r',
           result.err)
    expect(b'--heatmap' not in result.err, 'offers what there is not')


@each(['flamegraph', 'gecko', 'pstats', 'jsonl', 'heatmap'])
def test_what_is_not_written_yet_is_said(output):
    if ('--' + output).encode() in bobbin.run('help', 'replay').out:
        raise case.Skip('written by now')
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


def test_what_an_output_sets_is_no_option_of_its_own():
    result = bobbin.run('replay', '--collapsed', '--tachyon-names', TINY,
                        ok=(bobbin.USAGE,))
    expect(b'unknown option' in result.err, 'says %r', result.err)


def test_options_of_other_outputs_are_refused():
    bobbin.run('replay', '--collapsed', '--compress', TINY,
               ok=(bobbin.USAGE,))
