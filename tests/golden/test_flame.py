"""Flame graphs of the fixtures, taken apart without a browser."""
import json

from support import bobbin, case, fixtures, flame, tach
from support.case import each, expect

INPUTS = ([(n, fixtures.rbt_path(n)) for n in fixtures.intact_names()] +
          [(n, tach.path(n)) for n in tach.listed_names()])
SMALL = [i for i in INPUTS if i[0] in (
    'metadata', 'multi-segment', 'names-and-lines', 'native-mixed',
    'pid-samples', 'header-only', 'threads64', 'names', 'real_threads')]
# Names that would end an element, an attribute, a section or the program.
HOSTILE = (b'</script><img src=x onerror=alert(1)>', b']]>', b'<![CDATA[',
           b'<!--', b'-->', b'&amp;&#0;"\'', b'{{title}}', b'\\u0000\\',
           '\u202egnp.exe\u202c\u061c\u200e\u200f\u2066'.encode(), '\u2028\u2029\x85\x9b'.encode(),
           '\ufffe\uffff\ufeff'.encode(), b'\xed\xa0\x80\xff\xc0\x80',
           '\u05e9\u05dc\u05d5\u05dd'.encode(), '\U0001f600\u6f22'.encode(),
           b'x' * 10000, b'')


def picture(*args):
    """With all samples, as listings have them; test_times has the rest."""
    return flame.Picture(bobbin.run('convert', '-q', '-t', 'flamegraph',
                                    '--idle', *args).out)


def info(path):
    return json.loads(bobbin.run('info', '--json', path).out)


def close(a, b, by=0.011):
    return abs(a - b) <= by


# ---- what is in it -------------------------------------------------------

@each(INPUTS)
def test_every_stack_is_in_it(case_):
    path = case_[1]
    want = flame.expected_stacks(bobbin.run('dump', path).out)
    got = flame.stacks(picture(path).data)
    expect(got == want, 'missing %s, extra %s', str(want - got)[:200],
           str(got - want)[:200])


@each(SMALL)
def test_lines_tell_places_apart(case_):
    path = case_[1]
    want = flame.expected_stacks(bobbin.run('dump', path).out, True)
    expect(flame.stacks(picture('--lines', path).data) == want, 'other places')


@each(INPUTS)
def test_totals_are_those_of_info(case_):
    path = case_[1]
    known = info(path)
    data = picture(path).data
    expect(sum(flame.stacks(data).values()) == known['samples'] ==
           data['samples'], 'samples')
    shown = flame.time_us(data)
    expect(shown in (None, known['thread_us'] + known['waited_us']),
           '%s us, not %s', shown, known['thread_us'])


# ---- the picture -----------------------------------------------------------

@each(INPUTS)
def test_boxes_stand_on_their_callers(case_):
    shown = picture('--min-width', '0', case_[1])
    data, inner = shown.data, shown.width - 20
    total = flame.totals(data)
    if total[0] == 0:
        expect(not shown.boxes, 'boxes of nothing')
        return
    expect(len(shown.boxes) == len(total), '%d boxes of %d',
           len(shown.boxes), len(total))
    used = [0.0] * len(total)
    for i, box in enumerate(shown.boxes):
        expect(close(box.width, total[i] / total[0] * inner),
               'box %d is %g wide', i, box.width)
        expect(0 <= box.x - 10 and box.x + box.width <= shown.width - 9.9 and
               0 < box.y and box.y + box.height < shown.height,
               'box %d is outside', i)
        if i == 0:
            continue
        up = i - data['up'][i - 1]
        under = shown.boxes[up]
        expect(close(box.x, under.x + used[up], 0.02),
               'box %d begins at %g', i, box.x)
        expect(box.y == under.y - 18, 'box %d is not above its caller', i)
        used[up] += total[i] / total[0] * inner


@each(SMALL)
def test_icicle_is_the_same_upside_down(case_):
    flames, icicles = picture(case_[1]), picture('--icicle', case_[1])
    expect(flames.height == icicles.height, 'another height')
    for a, b in zip(flames.boxes, icicles.boxes):
        expect(a._replace(y=0) == b._replace(y=0), '%s is not %s', a, b)
    if flames.boxes:
        expect(icicles.boxes[0].y == min(b.y for b in icicles.boxes) and
               flames.boxes[0].y == max(b.y for b in flames.boxes), 'rows')


def folded(stacks, name='in.folded'):
    return case.write_file(b''.join(b'%s %d\n' % (path, count)
                                    for path, count in stacks), name)


def test_largest_first_and_self_to_the_right():
    shown = picture(folded([(b'a;small', 1), (b'a;big', 5), (b'a', 4)]))
    labels = [(b.label, b.x, b.width) for b in shown.boxes]
    expect(labels == [('all', 10, 1180), ('a', 10, 1180), ('big', 10, 590),
                      ('small', 600, 118)], 'boxes %s', labels)
    expect(shown.about == '10 samples, wall time 100 ms or more, '
           'thread time 100 ms', 'about: %s', shown.about)
    expect(shown.boxes[2].tip == 'big\n5 samples, 50.00%', 'tip: %r',
           shown.boxes[2].tip)


def test_narrow_boxes_are_summed_in_a_note():
    path = folded([(b'a;b;c', 9990), (b'a;d;e', 6), (b'a;f', 4)])
    shown = picture('--min-width', '0.1%', path)
    expect([b.label for b in shown.boxes] == ['all', 'a', 'b', 'c'],
           'boxes %s', shown.boxes)
    expect(shown.notes.startswith(
        '... 3 boxes are too narrow to be drawn: 0.10%.'), 'notes: %s',
        shown.notes)
    expect(len(flame.paths(shown.data)) == 7, 'they are not in the data')
    expect(picture('--min-width', '0.7px', path).notes.startswith(
        '... 1 box is too narrow to be drawn: 0.04%.'), 'the pixels of one')
    expect(picture('--min-width', '0', path).notes == '', 'notes of nothing')


@each(['width=100', 'width=x', 'width=', 'width=100001', 'min-width=x',
       'min-width=1em', 'min-width=-1', 'min-width='])
def test_bad_option(given):
    key, _, value = given.partition('=')
    result = bobbin.run('convert', '-t', 'flamegraph', '--' + key, value,
                        fixtures.rbt_path('metadata'),
                        ok=(bobbin.FAILED, bobbin.USAGE))
    expect(key.encode() in result.err, 'said %r', result.err)
    expect(result.out == b'', 'wrote something')


def test_width_and_title():
    shown = picture('--width', '640', '--title', 'A <b> & "c"',
                    fixtures.rbt_path('metadata'))
    expect(shown.width == 640 and shown.boxes[0].width == 620, 'width')
    expect(shown.title == 'A <b> & "c"', 'title %r', shown.title)


# ---- hostile names ---------------------------------------------------------

def hostile_input():
    """Folded stacks with each name, and with each byte in a name."""
    rows = [b'%%%02X' % c if c < 33 or c in b'\x7f;%' else bytes([c])
            for c in range(256)]
    stacks = [(b'byte;<' + row + b'>', 2) for row in rows]
    for name in HOSTILE:
        safe = b''.join(rows[c] if c != 0x20 else b' ' for c in name)
        stacks.append((b'name;' + safe + b';leaf', 3))
    return folded(stacks)


def test_picture_survives_hostile_names():
    path = hostile_input()
    shown = picture('-f', 'folded', path)
    want = flame.expected_stacks(
        bobbin.run('dump', '-f', 'folded', path).out)
    expect(flame.stacks(shown.data) == want, 'other names')
    expect({e.tag[len(flame.SVG):] for e in shown.root.iter()} ==
           {'svg', 'title', 'style', 'rect', 'text', 'g', 'script'},
           'other elements')


@each(['</title><script>alert(1)</script>', ']]>', '\x1b[31m\u202e', '{{data}}'])
def test_hostile_title(title):
    path = fixtures.rbt_path('metadata')
    want = flame.clean(title.encode())
    got = picture('--title', title, path).title
    expect(got == want, 'title %r', got)
