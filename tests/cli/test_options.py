"""How options are given, and what happens to mistakes."""
import os

from support import bobbin, case, fixtures
from support.case import each, expect

TINY = fixtures.rbt_path('tiny')


def folded(*args, **more):
    return bobbin.run(*args, **more).out


@each([('long with sign', '--to=folded'), ('long', '--to', 'folded'),
       ('short', '-t', 'folded'), ('short glued', '-tfolded'),
       ('bundled', '-qtfolded'), ('before the operand', '-q', '-t', 'folded')])
def test_ways_to_give_a_value(item):
    want = folded('convert', '-t', 'folded', TINY)
    expect(folded('convert', *item[1:], TINY) == want, 'before IN')
    expect(folded('convert', TINY, *item[1:]) == want, 'after IN')


def test_two_dashes_end_the_options():
    path = os.path.join(case.scratch, '-t')
    os.symlink(TINY, path)
    os.chdir(case.scratch)
    expect(folded('convert', '-t', 'folded', '--', '-t')
           == folded('convert', '-t', 'folded', TINY), 'the file is -t')


def test_general_options_may_stand_before_the_command():
    expect(bobbin.run('--quiet', 'convert', '-t', 'folded', TINY).err == b'',
           'not quiet')


@each([('letters swapped', 'convert', '--form=x', '--from'),
       ('letter missing', 'convert', '--outpt=x', '--output'),
       ('beginning', 'info', '--js', '--json'),
       ('beginning of several', 'record', '--nativ', '--native'),
       ('option of a format', 'convert', '--compres', '--compress'),
       ('command', 'convret', '', 'convert')])
def test_suggestions(item):
    _, command, option, meant = item
    words = [command] + ([option] if option else [])
    result = bobbin.run(*words, ok=(bobbin.USAGE,))
    expect(b'did you mean %s?' % meant.encode() in result.err, 'says %r',
           result.err)


@each([('unknown letter', 'info', '-Z'), ('no value', 'convert', '--to'),
       ('value for a switch', 'info', '--json=1'),
       ('option of another command', 'info', '--compress'),
       ('pid', 'dump', '--pid', 'x'), ('time', 'dump', '--time', '5'),
       ('thread', 'dump', '--thread', 'main'),
       ('state', 'dump', '--status', 'cpu,asleep'),
       ('opposite states', 'dump', '--status', 'cpu,!cpu'),
       ('time backwards', 'dump', '--time', '5..2'),
       ('time unit', 'dump', '--time', '1w..'),
       ('pattern', 'dump', '--match', '('), ('colour', 'info', '--color=x'),
       ('no target', 'convert'), ('no such target', 'convert', '-t', 'x'),
       ('no such source', 'convert', '-f', 'x', '-t', 'folded'),
       ('two targets', 'converter:folded', '-t', 'rbt'),
       ('option of another format', 'convert', '-t', 'folded',
        '--compress'),
       ('value of a format', 'convert', '-t', 'rbt', '--timestamps', 'x'),
       ('order', 'dump', '--order', 'size'),
       ('order of live input', 'convert', '--live', '--order=time', '-o',
        'x.rbt'),
       ('order of an exact copy', 'recover', '--exact', '--order=time'),
       ('no output', 'replay'),
       ('two outputs', 'replay', '--heatmap', '--collapsed'),
       ('dialect of two', 'convert', '-t', 'folded', '--from-dialect', '1a',
        '--dialect', '1b'),
       ('topic', 'help', 'x'), ('two topics', 'help', 'info', 'dump'),
       ('shell', 'completion', 'csh'), ('no shell', 'completion')])
def test_mistakes_come_with_a_hint(item):
    files = [TINY] if item[1] not in ('help', 'completion') else []
    result = bobbin.run(*item[1:], *files, ok=(bobbin.USAGE,))
    lines = result.err.decode().splitlines()
    expect(len(lines) == 2 and lines[0].startswith('bobbin: ')
           and lines[1].startswith('hint: '), 'says %r', lines)


def test_a_file_in_place_of_a_command():
    result = bobbin.run(TINY, ok=(bobbin.USAGE,))
    expect(b'bobbin info ' + TINY.encode() in result.err, 'says %r',
           result.err)


@each([('0', bobbin.OK, 'verify', TINY),
       ('1', bobbin.FAILED, 'verify', fixtures.rbt_path('corrupt-middle')),
       ('1 strict', bobbin.FAILED, 'dump', fixtures.rbt_path('false-magic')),
       ('2', bobbin.USAGE, 'verify', '--frobnicate'),
       ('3', bobbin.GATE, 'convert', '--strict-plan', '-t', 'folded', TINY),
       ('4', bobbin.PARTIAL, 'verify', fixtures.rbt_path('truncated')),
       ('4 recovered', bobbin.PARTIAL, 'recover',
        fixtures.rbt_path('corrupt-middle')),
       ('4 told', bobbin.PARTIAL, 'info',
        fixtures.rbt_path('corrupt-middle'))])
def test_exit_codes(item):
    bobbin.run(*item[2:], ok=(item[1],))


def test_damage_comes_with_a_hint():
    path = fixtures.rbt_path('corrupt-middle')
    result = bobbin.run('dump', path, ok=(bobbin.FAILED,))
    first, hint = result.err.decode().splitlines()
    expect(first.startswith('bobbin: %s: rbt: segment 1, byte 50402: ' % path),
           'says %r', first)
    expect('bobbin recover ' + path in hint, 'hints %r', hint)


@each([('.rbt', 'x.rbt', '-o fixed.rbt'), ('no suffix', 'x', '-o fixed.rbt'),
       ('part', 'x.rbt.part', '-o %s/x.rbt')])
def test_damage_is_rescued_into_its_own_format(item):
    _, name, want = item
    path = case.write_file(case.read_file(
        fixtures.rbt_path('corrupt-middle')), name)
    hint = bobbin.run('dump', path, ok=(bobbin.FAILED,)).err.decode(
        ).splitlines()[-1]
    if '%s' in want:
        want %= case.scratch
    expect("bobbin recover %s %s'" % (path, want) in hint, 'hints %r', hint)


def test_a_format_without_dialects_ignores_them():
    want = bobbin.run('dump', TINY).out
    expect(bobbin.run('dump', '--dialect', '1a', TINY).out == want, 'dump')
    expect(bobbin.run('convert', '-t', 'dump', '--from-dialect', '1a',
                      TINY).out == want, 'convert')


def test_plan_is_one_line_and_quiet_silences_it():
    result = bobbin.run('convert', '-t', 'folded', TINY, TINY)
    lines = result.err.decode().splitlines()
    expect(len(lines) == 1 and 'folded cannot carry: ' in lines[0],
           'says %r', lines)
    expect(not bobbin.run('convert', '-q', '-t', 'folded', TINY).err,
           'not quiet')
    expect(not bobbin.run('convert', '-t', 'rbt', TINY).err,
           'a plan where nothing is lost')


@each(['folded', 'phpspy', 'rbt'])
def test_names_of_the_converters_of_reli(target):
    data = case.read_file(fixtures.rbt_path('rle-runs'))
    old = bobbin.run('converter:' + target, stdin=data)
    expect(old.out == bobbin.run('convert', '-t', target, stdin=data).out,
           'differs from convert -t ' + target)


@each([('--rbt-timestamps', 'delta', '--timestamps'),
       ('--sampling-period', '1234', '--period')])
def test_options_of_reli(item):
    old, value, new = item
    path = fixtures.rbt_path('rle-runs')
    expect(bobbin.run('converter:rbt', old, value, path).out
           == bobbin.run('convert', '-t', 'rbt', new, value, path).out,
           '%s is not %s', old, new)


def test_recover_of_reli():
    """There -f is the format of the output, here that of the input."""
    data = case.read_file(fixtures.rbt_path('corrupt-middle'))
    old = bobbin.run('rbt:recover', '-f', 'phpspy', stdin=data,
                     ok=(bobbin.PARTIAL,))
    new = bobbin.run('recover', '-t', 'phpspy', '-f', 'rbt', stdin=data,
                     ok=(bobbin.PARTIAL,))
    expect(old.out == new.out and old.out.startswith(b'0 '), 'differs')


@each([('damage', fixtures.rbt_path('corrupt-middle')),
       ('unknown', __file__)])
def test_an_error_names_the_input_it_is_about(item):
    result = bobbin.run('convert', '-q', '--strict', '-t', 'folded', TINY, item[1],
                        ok=(bobbin.FAILED,))
    first = result.err.decode().splitlines()[0]
    expect(first.startswith('bobbin: %s: ' % item[1]) and TINY not in first,
           'says %r', first)
