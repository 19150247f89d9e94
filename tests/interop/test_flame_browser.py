"""Flame graphs in Chromium: click, search, zoom, and look.

Needs node, chromium and playwright-core, which scripts/install-clients.sh
installs.  With $BOBBIN_SHOTS, a folder, pictures of what was seen are kept
there.
"""
import json
import os
import subprocess

from support import bobbin, case, clients, fixtures, flame, tach
from support.case import Failure, expect

SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    'flame_browser.mjs')
# `target` is called by two functions and by itself; `other` by one.
STACKS = [('main;first;target', 30),
          ('main;first;target;target;target;deep', 10),
          ('main;second;target', 15), ('main;second;other', 25),
          ('main', 20)]
TOTAL = 100


def programs():
    """(node, playwright-core, browser); a missing one skips the test."""
    return clients.node(), clients.playwright(), clients.browser()


def see(path, shot=None):
    """What the browser showed of the file."""
    node, playwright, browser = programs()
    argv = [node, SIDE, playwright, browser, path]
    if shot and os.environ.get('BOBBIN_SHOTS'):
        argv.append(os.path.join(os.environ['BOBBIN_SHOTS'], shot))
    done = subprocess.run(argv, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=4 * bobbin.TIMEOUT)
    if done.returncode != 0:
        raise Failure('browser: ' + done.stderr.decode('utf-8',
                                                       'replace')[:600])
    seen = json.loads(done.stdout)
    expect(seen['errors'] == [], 'errors: %s', seen['errors'])
    expect({u.split('#')[0] for u in seen['requests']} ==
           {'file://' + path}, 'requests: %s', seen['requests'])
    return seen


def convert(path, *options):
    programs()
    out = os.path.join(case.scratch, 'out.svg')
    bobbin.run('convert', '-q', '-o', out, path, *options)
    return out


def simple(*options):
    rows = ''.join('%s %d\n' % row for row in STACKS)
    return convert(case.write_file(rows.encode(), 'in.folded'), *options)


# ---- the picture -----------------------------------------------------------

def labels(boxes):
    return [box[6] for box in boxes]


def width_of(boxes, label):
    return sum(box[2] for box in boxes if box[6] == label)


def written_boxes(path):
    with open(path, 'rb') as file:
        return flame.Picture(file.read())


def expect_drawn_as_written(path, seen):
    """The script draws what stands in the file."""
    want = [list(box) for box in written_boxes(path).boxes]
    expect(len(want) == len(seen), '%d boxes, not %d', len(seen), len(want))
    for a, b in zip(want, seen):
        for k in range(4):
            expect(abs(a[k] - b[k]) < 0.011, 'want %s, got %s', a, b)
        expect(a[4:] == b[4:], 'want %s, got %s', a[4:], b[4:])


def test_picture_is_drawn_as_it_is_written():
    path = simple()
    expect_drawn_as_written(path, see(path, 'simple-svg.png')['boxes'])


def test_picture_of_real_threads():
    """It has no function `target`; opening it is enough."""
    path = convert(tach.path('real_threads'), '--title', 'target')
    with open(path, encoding='utf-8') as file:
        text = file.read().replace('"hasher"', '"target"')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    seen = see(path, 'threads-svg.png')
    want = [list(b) for b in written_boxes(path).boxes]
    expect([b[:2] for b in want] == [b[:2] for b in seen['boxes']], 'places')


def test_names_are_cut_alike():
    """Names that do not fit, behind their namespace, of wide letters."""
    shapes = ('App\\Shop\\Cart%d::%s', '%d\u6f22\u5b57%s', 'f%d_%s',
              'Ends\\In%d%s\\', '\U0001f600%d\u00e9%s')
    rows = ['target;%s %d\n' % (shapes[i % 5] % (i, 'x' * (i % 17)), 1 + i)
            for i in range(60)]
    path = convert(case.write_file(''.join(rows).encode(), 'in.folded'),
                   '-f', 'folded')
    seen = see(path)['boxes']
    expect_drawn_as_written(path, seen)
    expect(sum(box[6] is not None and box[6].endswith('..')
               for box in seen) > 5, 'no name is cut')


def before_and_after():
    before = case.write_file(b'main;first;target 30\nmain;gone;x 10\n',
                             'base.folded')
    return '--baseline', before


def test_difference_is_drawn_as_it_is_written():
    path = simple(*before_and_after())
    seen = see(path, 'diff-svg.png')
    expect_drawn_as_written(path, seen['boxes'])
    expect(seen['notes'] == written_boxes(path).notes != '', 'notes: %s',
           seen['notes'])


def test_picture_answers():
    seen = see(simple())
    zoomed = seen['zoomed']
    # The last one, which is not at the left.
    expect(labels(zoomed) == ['second', 'main', 'all', 'target'],
           'zoomed: %s', labels(zoomed))
    expect([b[0:3:2] for b in zoomed] == 4 * [[10, 1180]], 'zoomed: %s',
           zoomed)
    expect(seen['reset'] == seen['boxes'], 'reset is not the beginning')
    expect(seen['hover'].startswith('main  100 samples, 100.00%'),
           'details: %s', seen['hover'])
    expect(seen['unhover'] == '100 samples, wall time 1 s or more, '
           'thread time 1 s', 'about: %s', seen['unhover'])
    # 30 + 10 + 15 of target, 25 of other, each sample once.
    expect(seen['matched'] == 'matched: 80.00%', '%s', seen['matched'])
    expect(seen['n_matches'] == 5, '%d matches', seen['n_matches'])
    expect(seen['unmatched'] == '', 'search stays: %s', seen['unmatched'])
    expect(seen['bad'] == 'not an expression', '%s', seen['bad'])
    flipped = [b[:1] + b[2:] for b in seen['flipped']]
    expect(flipped == [b[:1] + b[2:] for b in seen['boxes']] and
           seen['flipped'] != seen['boxes'], 'flipping')


def test_picture_inverted_begins_with_what_ran():
    boxes = see(simple())['inverted']
    top = max(b[1] for b in boxes)
    ran = {b[6]: round(b[2] / 11.8) for b in boxes if b[1] == top - 18}
    expect(ran == {'target': 45, 'other': 25, 'main': 20, 'deep': 10},
           'ran: %s', ran)
    callers = {b[6]: round(b[2] / 11.8) for b in boxes
               if b[1] == top - 36 and b[0] < 10 + 0.45 * 1180}
    expect(callers == {'first': 30, 'second': 15}, 'callers: %s', callers)
    expect(abs(width_of(boxes, 'main') - 1180) < 0.1,
           'not all paths end in main: %s', boxes)


def test_names_do_nothing():
    """No name runs, loads or says anything."""
    names = ['</script><script>alert(1)</script>', '<img src=x '
             'onerror=alert(1)>', "');alert(1);//", '\u202etxt', ']]>']
    rows = ''.join('target;%s;other 5\n' % n.replace(';', '%3B')
                   for n in names)
    path = case.write_file(rows.encode(), 'in.folded')
    see(convert(path, '-f', 'folded', '--title', names[0]))
