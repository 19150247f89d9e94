"""Text output of the fixtures: folded stacks and phpspy traces."""
import os

from oracle import rbt_oracle
from support import bobbin, fixtures, listing, text
from support.case import each, expect, read_file

# Fixtures whose text output by the original tool was recorded.
RECORDED = [n for n in fixtures.rbt_names()
            if os.path.exists(fixtures.beside(n, '.out/folded.txt'))]
# The original tool counts samples of different periods as if they weighed the
# same; bobbin's counts are proportional to time.
UNEQUAL_PERIODS = ('multi-segment',)


def test_recordings_are_here():
    expect(len(RECORDED) == 5, '%d recordings, not 5', len(RECORDED))


def rows(data):
    """Lines without regard to their order, escapes taken back first: a name
    with a line break in it is broken in both in the same way."""
    return sorted(text.unescape(data).split(b'\n'))


@each([n for n in RECORDED if n not in UNEQUAL_PERIODS])
def test_folded_as_recorded(name):
    result = bobbin.run('convert', '-t', 'folded', fixtures.rbt_path(name))
    want = rows(read_file(fixtures.beside(name, '.out/folded.txt')))
    got = rows(result.out)
    expect(got == want, 'lines differ, first: %r',
           next((p for p in zip(want, got) if p[0] != p[1]), None))


@each(fixtures.intact_names())
def test_folded_weights(name):
    data = read_file(fixtures.rbt_path(name))
    runs = list(rbt_oracle.runs(data))
    result = bobbin.run('convert', '-t', 'folded', fixtures.rbt_path(name))
    want = text.weights(runs, text.folded_units(data, runs))
    got = text.folded(result.out)
    expect(got == want, 'stacks differ: missing %s, extra %s',
           str(want - got)[:200], str(got - want)[:200])


@each(RECORDED)
def test_phpspy_as_recorded(name):
    """bobbin adds comment lines; the rest is the original tool's text."""
    result = bobbin.run('convert', '-t', 'phpspy', fixtures.rbt_path(name))
    plain = b''.join(row for row in result.out.splitlines(True)
                     if not row.startswith(b'# '))
    want = read_file(fixtures.beside(name, '.out/phpspy.txt'))
    expect(text.unescape(plain) == want, 'text differs')


@each(fixtures.intact_names())
def test_phpspy_traces(name):
    """Every sample, with pid, time and annotations as comments."""
    runs = rbt_oracle.runs(read_file(fixtures.rbt_path(name)))
    result = bobbin.run('convert', '-t', 'phpspy', fixtures.rbt_path(name))
    got = text.phpspy(result.out)
    want = list(listing.expanded(runs))
    expect(len(got) == len(want), '%d traces, not %d', len(got), len(want))
    for index, (fields, (frames, notes)) in enumerate(zip(want, got)):
        expect(frames == list(map(text.frame_text, fields[listing.FRAMES:])),
               'frames of trace %d differ', index)
        expect_notes(fields, notes, index)


def expect_notes(fields, notes, index):
    want = {}
    if fields[listing.ANNOTATIONS] not in ('-', '{}'):
        for pair in fields[listing.ANNOTATIONS].split(','):
            key, value = pair.split('=')
            want[text.unescape(key.encode())] = text.unescape(value.encode())
    if fields[listing.PID] != '-':
        want[b'pid'] = fields[listing.PID].encode()
    if fields[listing.TIME] != '-':
        micro = int(fields[listing.TIME])
        want[b'trace_ts'] = b'%d.%06d' % divmod(micro, 1000000)
    for key, value in want.items():
        expect(notes.get(key) == value, 'trace %d: %r is %r, not %r',
               index, key, notes.get(key), value)


@each([('converter:folded', 'folded'), ('converter:phpspy', 'phpspy')])
def test_old_spellings(pair):
    old, new = pair
    data = read_file(fixtures.rbt_path('opcodes'))
    expect(bobbin.run(old, stdin=data).out
           == bobbin.run('convert', '-t', new, stdin=data).out,
           '%s and convert -t %s differ', old, new)
