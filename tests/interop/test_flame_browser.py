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


def see(kind, path, shot=None):
    """What the browser showed of the file."""
    node, playwright, browser = programs()
    argv = [node, SIDE, playwright, browser, kind, path]
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


def convert(path, to, *options):
    programs()
    out = os.path.join(case.scratch, 'out.' + to)
    bobbin.run('convert', '-q', '-o', out, path, *options)
    return out


def simple(to, *options):
    rows = ''.join('%s %d\n' % row for row in STACKS)
    return convert(case.write_file(rows.encode(), 'in.folded'), to, *options)


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
    path = simple('svg')
    expect_drawn_as_written(path, see('svg', path, 'simple-svg.png')['boxes'])


def test_picture_of_real_threads():
    """It has no function `target`; opening it is enough."""
    path = convert(tach.path('real_threads'), 'svg', '--title', 'target')
    with open(path, encoding='utf-8') as file:
        text = file.read().replace('"hasher"', '"target"')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    seen = see('svg', path, 'threads-svg.png')
    want = [list(b) for b in written_boxes(path).boxes]
    expect([b[:2] for b in want] == [b[:2] for b in seen['boxes']], 'places')


def test_names_are_cut_alike():
    """Names that do not fit, behind their namespace, of wide letters."""
    shapes = ('App\\Shop\\Cart%d::%s', '%d\u6f22\u5b57%s', 'f%d_%s',
              'Ends\\In%d%s\\', '\U0001f600%d\u00e9%s')
    rows = ['target;%s %d\n' % (shapes[i % 5] % (i, 'x' * (i % 17)), 1 + i)
            for i in range(60)]
    path = convert(case.write_file(''.join(rows).encode(), 'in.folded'),
                   'svg', '-f', 'folded')
    seen = see('svg', path)['boxes']
    expect_drawn_as_written(path, seen)
    expect(sum(box[6] is not None and box[6].endswith('..')
               for box in seen) > 5, 'no name is cut')


def before_and_after():
    before = case.write_file(b'main;first;target 30\nmain;gone;x 10\n',
                             'base.folded')
    return '--baseline', before


def test_difference_is_drawn_as_it_is_written():
    path = simple('svg', *before_and_after())
    seen = see('svg', path, 'diff-svg.png')
    expect_drawn_as_written(path, seen['boxes'])
    expect(seen['notes'] == written_boxes(path).notes != '', 'notes: %s',
           seen['notes'])


def test_page_shows_differences():
    seen = see('html', simple('html', *before_and_after()), 'diff-html.png')
    rows = {r[0]: r[1:] for r in seen['rows']}
    expect(rows['target'] == ['-30.0', '75.0 %', '45.0 %', '-20.0', '75.0 %',
                              '55.0 %'], 'target: %s', rows['target'])
    expect(rows['other'] == ['+25.0', '0.0 %', '25.0 %'] * 2, 'other: %s',
           rows['other'])
    expect(rows['x'] == ['-25.0', '25.0 %', '0.0 %'] * 2, 'x: %s', rows['x'])
    # The largest change that is beyond noise comes first.
    expect(seen['rows'][0][0] == 'target', 'order: %s', seen['rows'])
    expect('base.folded: 40 samples, ' in seen['facts'], 'facts: %s',
           seen['facts'])
    expect(seen['facts'].endswith('25.0 % of the baseline is in call paths '
                                  'that only it has'), 'facts: %s',
           seen['facts'])


def test_picture_answers():
    seen = see('svg', simple('svg'))
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
    boxes = see('svg', simple('svg'))['inverted']
    top = max(b[1] for b in boxes)
    ran = {b[6]: round(b[2] / 11.8) for b in boxes if b[1] == top - 18}
    expect(ran == {'target': 45, 'other': 25, 'main': 20, 'deep': 10},
           'ran: %s', ran)
    callers = {b[6]: round(b[2] / 11.8) for b in boxes
               if b[1] == top - 36 and b[0] < 10 + 0.45 * 1180}
    expect(callers == {'first': 30, 'second': 15}, 'callers: %s', callers)
    expect(abs(width_of(boxes, 'main') - 1180) < 0.1,
           'not all paths end in main: %s', boxes)


# ---- the page --------------------------------------------------------------

def test_page_answers():
    seen = see('html', simple('html'), 'simple-html.png')
    expect(seen['shift'] == 0, 'layout shifts by %s', seen['shift'])
    expect(seen['painted'], 'nothing is painted')
    expect(seen['facts'] == '100 samples', 'facts: %s', seen['facts'])
    rows = {r[0]: r[1:] for r in seen['rows']}
    expect(rows['target'] == ['45.00%', '45', '55.00%', '55'],
           'target: %s', rows['target'])
    expect(rows['main'] == ['20.00%', '20', '100.00%', '100'],
           'main: %s', rows['main'])
    expect([r[0] for r in seen['rows']][:2] == ['target', 'other'], 'order')
    expect([r[0] for r in seen['by_total']][0] == 'main', 'order by total')
    expect([r[0] for r in seen['filtered']] == ['other'], 'filter')
    expect(seen['matched'] == 'matched 80.00%', '%s', seen['matched'])
    expect('q=' in seen['search_hash'], 'address %s', seen['search_hash'])
    expect(seen['unmatched'] == '', 'search stays')
    expect(seen['dark'] == 'rgb(23, 24, 27)', 'dark is %s', seen['dark'])


def test_page_zooms_and_remembers():
    seen = see('html', simple('html'))
    expect(seen['crumbs'] == 'all\u203amain', '%s', seen['crumbs'])
    expect('zoom=1' in seen['zoom_hash'] and 'fn=0' in seen['zoom_hash'],
           'address %s', seen['zoom_hash'])
    expect(seen['chosen'] == 'main', 'chosen %s', seen['chosen'])
    expect(seen['callers'] == [['all', '100.00%', '100']], 'callers %s',
           seen['callers'])
    expect(seen['callees'] == [['first', '40.00%', '40'],
                               ['second', '40.00%', '40']], 'callees %s',
           seen['callees'])
    # Of a function that calls itself twice, each sample once.
    expect(seen['recursive'] == [
        'target', [['first', '72.73%', '40'], ['second', '27.27%', '15'],
                   ['target', '18.18%', '10']],
        [['target', '18.18%', '10'], ['deep', '18.18%', '10']]],
        'target: %s', seen['recursive'])
    expect(seen['back'] == 'all' and seen['forward'] == seen['crumbs'],
           'back to %s, forward to %s', seen['back'], seen['forward'])
    expect(seen['walked'].startswith('main \u2014 100 samples'),
           'walked to %s', seen['walked'])
    expect(seen['entered'] == 'all\u203amain', '%s', seen['entered'])
    expect('view=inverted' in seen['inverted_hash'], '%s',
           seen['inverted_hash'])
    # Behind target, 45 %, and other, 25 %.
    expect(seen['inverted_crumbs'] == 'all\u203amain' ==
           seen['reloaded_crumbs'], 'inverted: %s, reloaded: %s',
           seen['inverted_crumbs'], seen['reloaded_crumbs'])


def test_page_of_real_threads():
    seen = see('html', convert(tach.path('real_threads'), 'html'),
               'threads-html.png')
    expect(len(seen['tracks']) == 9, '%d tracks', len(seen['tracks']))
    expect(seen['facts'].startswith(
        '11,779 samples \u00b7 11.78 s \u00b7 every 1 ms (1,000/s)'),
        'facts: %s', seen['facts'])
    expect(seen['track_facts'].startswith('1,452 samples'), 'facts: %s',
           seen['track_facts'])
    expect(seen['rows'][0][0] == 'Condition.wait', 'first %s',
           seen['rows'][0])


def test_page_of_many_stacks():
    """Two thousand stacks of some forty frames."""
    seen = see('html', convert(fixtures.rbt_path(fixtures.LARGE), 'html'),
               'large-html.png')
    expect(seen['painted'] and seen['shift'] == 0, 'not painted')
    expect(seen['facts'].startswith('1,000,000 samples'), '%s',
           seen['facts'])


def test_names_do_nothing():
    """No name runs, loads or says anything."""
    names = ['</script><script>alert(1)</script>', '<img src=x '
             'onerror=alert(1)>', "');alert(1);//", '\u202etxt', ']]>']
    rows = ''.join('target;%s;other 5\n' % n.replace(';', '%3B')
                   for n in names)
    path = case.write_file(rows.encode(), 'in.folded')
    for to in ('html', 'svg'):
        see(to, convert(path, to, '-f', 'folded', '--title', names[0]))
