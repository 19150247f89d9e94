"""Time, memory and output of everything that reads a trace grow as the trace.

Each shape (support/shapes.py) is made in two sizes, the larger one four times
the smaller.  What takes more than a small constant of the larger one is run
on the smaller one too, and may have taken at most about four times as much:
quadratic would be sixteen times.  Formats that repeat whole stacks or names
are larger than their input by nature; they must stop at --max-output.
"""
import json
import os
import sys
import zlib

from screen import pty_run
from support import bobbin, case, memory, pprof, shapes
from support.case import each, expect

# Formats that write all frames of each stack, and names again and again: they
# may run into --max-output.  All others have to come to an end below it.
MAX_OUTPUT = 16 << 20
REPEATING = {
    'dump': ('folded', 'folded --tachyon-names', 'phpspy', 'dump', 'jsonl',
             'diff folded'),
    'stack': ('rbt', 'rbt --compress', 'rbt --order time', 'pprof',
              'pprof --labels route,request.uri', 'perfetto', 'speedscope',
              'speedscope --lines', 'html', 'html --lines',
              'diff html'),
    # Samples one by one.
    'runs': ('tach', 'tach --small', 'tach --deep', 'tach-v2', 'phpspy',
             'perfetto'),
}
# All names together are above BOB_MAX_NAMES, so nobody reads them to the end.
TOO_LONG = ('lines',)
DEEP = ('stairs', 'comb', 'recursion', 'saw', 'caterpillar')

FORMATS = (
    'rbt', 'rbt --compress', 'rbt --order time', 'tach', 'tach --small',
    'tach --deep', 'tach-v2', 'phpspy', 'folded', 'folded --tachyon-names',
    'pprof', 'pprof --labels route,request.uri', 'callgrind', 'pstats',
    'speedscope', 'speedscope --lines', 'flamegraph', 'flamegraph --lines',
    'html', 'html --lines', 'jsonl', 'gecko', 'heatmap',
    'heatmap-html', 'perfetto', 'chrome', 'dump')
FILTERED = ('--hide f1', '--match f1', '--no-line')
SECTIONS = '--tree --last --timeline --requests --callers f --callees f'
REPORTS = tuple(
    ['analyze %s' % style + SECTIONS for style in ('', '--json ', '--csv ',
                                                   '--md ')]
    + ['analyze --tree --min-percent 0 --top 100000',
       'analyze --tree --invert',
       'analyze --tree --invert --min-percent 0 --csv',
       'analyze --last=10 --group-by function', 'rbt:analyze',
       'info --all', 'info --json', 'verify --json', 'recover -t folded']
    + ['analyze --group-by ' + group for group in (
        'name', 'file', 'module', 'pid', 'thread', 'status', 'segment',
        'minute', 'annotation:route')])
DIFFS = ('text', 'json', 'md', 'folded', 'svg', 'html')

# What is allowed besides growth by four: what starting costs, and noise.
SANITIZED = memory.sanitized()
SIZE = 1000 if SANITIZED else 2500
SECONDS = 0.5 if SANITIZED else 0.12
RESIDENT = (160 if SANITIZED else 40) << 20
BYTES = 1 << 20
GROWTH = 6      # four, and what sorting and caches add
TRIES = 3


# ---- measuring -------------------------------------------------------------

def may_repeat(shape, what):
    return (shape in TOO_LONG or what in REPEATING['dump'] or
            what in REPEATING.get(shape, ())
            or shape in DEEP and what in REPEATING['stack'])


# What they say when they stop: at --max-output, or at a limit of limits.h.
LIMITS = (b'the limit', b'(limit ')


def measure(args, repeats):
    """(seconds of the processor, bytes resident, bytes written)."""
    report = os.path.join(case.scratch, 'usage')
    result = bobbin.execute(
        [sys.executable, memory.BOUNDED, '0', report, bobbin.PROGRAM]
        + list(args), ok=(bobbin.OK, bobbin.FAILED) if repeats
        else (bobbin.OK,))
    if result.code == bobbin.FAILED:
        expect(any(word in result.err + result.out for word in LIMITS),
               'it failed for another reason: %s',
               result.err.decode('utf-8', 'replace')[:300])
    resident, seconds = case.read_file(report).split()
    return float(seconds), int(resident), len(result.out)


def expect_growth(what, once, paths, most=BYTES):
    """`once` measures one file; both have to fit together."""
    allowed = (SECONDS, RESIDENT, most)
    units = ('s', 'bytes resident', 'bytes written')
    for _ in range(TRIES):
        large = once(paths[1])
        if all(got <= most for got, most in zip(large, allowed)):
            return
        small = once(paths[0])
        wrong = [(now, unit, before) for now, unit, before, most
                 in zip(large, units, small, allowed)
                 if now > GROWTH * before + most]
        if not wrong:
            return
    expect(False, '%s: %g %s of the large file, %g of the small one', what,
           *wrong[0])


def files(shape):
    paths = []
    for n in (SIZE, 4 * SIZE):
        paths.append(os.path.join(case.scratch, '%s.%d' % (shape, n)))
        if not os.path.exists(paths[-1]):
            case.write_file(shapes.SHAPES[shape](n), paths[-1])
    return paths


def check(shape, what, before, behind=(), is_twice=False, repeats=False):
    def once(path):
        again = [path] if is_twice else []
        return measure(before.split() + list(behind) + [path] + again,
                       repeats)
    expect_growth(what, once, files(shape),
                  MAX_OUTPUT if repeats else BYTES)


# ---- all outputs and reports -----------------------------------------------

LIMIT = ('--max-output', str(MAX_OUTPUT))


@each(shapes.SHAPES)
def test_formats(shape):
    for what in FORMATS:
        check(shape, what, 'convert -q -t ' + what, LIMIT,
              repeats=may_repeat(shape, what))


@each(shapes.SHAPES)
def test_filters(shape):
    for what in FILTERED:
        check(shape, what, 'convert -q -t folded ' + what, LIMIT,
              repeats=True)


@each(shapes.SHAPES)
def test_reports(shape):
    for what in REPORTS:
        limit = LIMIT if what.startswith('recover') else ()
        check(shape, what, what, limit, repeats=bool(limit) or
              shape in TOO_LONG)


@each(shapes.SHAPES)
def test_comparisons(shape):
    for what in DIFFS:
        limit = LIMIT if what in ('folded', 'html') else ()
        check(shape, 'diff ' + what, 'diff -q -t ' + what, limit,
              is_twice=True, repeats=may_repeat(shape, 'diff ' + what))


# Every view of the explorer, and every list unfolded.
KEYS = b'SP>L<LOsto' + b'jjj\r' + b'S<L>LnbvFT?'
LAST_SCREEN = b'unfold all below'     # the help


def look_around(path):
    with pty_run.Pty(path) as p:
        p.wait_for(pty_run.ENTERED)
        p.write(KEYS)
        p.wait_for(LAST_SCREEN)
        with open('/proc/%d/status' % p.pid) as file:
            resident = [int(line.split()[1]) * 1024 for line in file
                        if line.startswith('VmHWM:')][0]
        with open('/proc/%d/stat' % p.pid) as file:
            ticks = sum(map(int, file.read().rsplit(')')[1].split()[11:13]))
        p.write(b'qq')
        p.end()
    return ticks / os.sysconf('SC_CLK_TCK'), resident, 0


@each([shape for shape in shapes.SHAPES if shape not in TOO_LONG])
def test_explorer(shape):
    expect_growth('explore', look_around, files(shape))


@each([('whole', 200, bobbin.OK), ('too-long', 10000, bobbin.FAILED)])
def test_names_in_many_places(item):
    """One name in n frames is n names where frames are shown."""
    path = case.write_file(shapes.lines(item[1]))
    for command in ('analyze', 'dump', 'convert -t pprof', 'verify'):
        result = memory.run(*command.split(), path, ok=(item[2],))
        expect((b'have names of ' in result.err + result.out)
               == (item[2] == bobbin.FAILED), '%s: %r', command, result.err)


# ---- what clever code must not change --------------------------------------

def test_long_pprof_is_one_member():
    """More than is packed in one piece; still one member, and whole."""
    n = 3000
    path = case.write_file(shapes.comb(n), 'comb.bin')
    data = bobbin.run('convert', '-q', '-t', 'pprof', path).out
    unpack = zlib.decompressobj(31)
    raw = unpack.decompress(data)
    expect(len(raw) > 16 << 20, 'only %d bytes: no test', len(raw))
    expect(unpack.eof and not unpack.unused_data, 'more than one member')
    profile = pprof.Profile(data)
    depths = sorted(len(sample.locations) for sample in profile.samples)
    expect(depths == [n] * n, '%d samples, %d frames', len(depths),
           sum(depths))


def shares(path, top):
    report = json.loads(bobbin.run('analyze', '--json', '--top', str(top),
                                   path).out)
    return {row['text']: (row['clumping'], row['low'], row['high'])
            for row in report['sections']['self']['rows']}


def test_errors_do_not_depend_on_the_number_of_rows():
    """Clumps of a few rows are found in another way than those of many."""
    out = []
    for i in range(6000):
        out += [i % 5000] * (i % 7 + 1) + [i // 50]
    path = case.write_file(shapes.calls(5000, out))
    few, many = shares(path, 50), shares(path, 5000)
    expect(len(many) == 5000, '%d rows', len(many))
    expect(any(clumping > 1.5 for clumping, _, _ in few.values()),
           'no clumps: no test')
    for text in few:
        for a, b in zip(few[text], many[text]):
            expect(abs(a - b) <= 1e-9 * abs(a), '%s: %r, and %r of many',
                   text, few[text], many[text])


def test_tree_of_callers_says_where_it_ends():
    path = case.write_file(shapes.recursion(4000), 'deep.bin')
    args = ('analyze', '--sections', 'tree', '--tree', '--invert', path)
    result = bobbin.run(*args)
    expect(b'note: the tree ends at level ' in result.err, '%r', result.err)
    lines = result.out.count(b'\n')
    expect(50 < lines < 1000, '%d lines', lines)
    shallow = case.write_file(shapes.recursion(500), 'shallow.bin')
    result = bobbin.run(*args[:-1], shallow)
    expect(b'the tree ends' not in result.err, '%r', result.err)


def test_branches_are_drawn_100_levels_deep():
    """The prefix of a line does not grow with the depth of the tree."""
    path = case.write_file(shapes.caterpillar(1000), 'branches.bin')
    out = bobbin.run('analyze', '--sections', 'tree', '--tree', '--ascii',
                     '--min-percent', '0', '--crop', '0', path).out
    rows = [line for line in out.splitlines() if b'/app/f.py' in line]
    expect(len(rows) == 2000 - 1, '%d rows', len(rows))
    longest = max(map(len, rows))
    expect(longest < 400, '%d columns', longest)
    expect(any(b'.. ' in line for line in rows), 'nothing was left out')
