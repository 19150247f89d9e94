"""The menu Export in Chromium, of `bobbin view` and of pages that are files:
what is saved is what is shown.  With $BOBBIN_SHOTS, a folder, pictures of the
page and the saved ones are kept there."""
import base64
import contextlib
import csv
import io
import json
import os
import re
import struct
import subprocess
import xml.etree.ElementTree

from support import bobbin, case, clients, fixtures, outputs, pages, view
from support.case import Failure, each, expect

SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    'view_browser.mjs')
SHOTS = os.environ.get('BOBBIN_SHOTS')
SVG = '{http://www.w3.org/2000/svg}'
STACKS = [('main;first;target', 30),
          ('main;first;target;target;target;deep', 10),
          ('main;second;target', 15), ('main;second;other', 25),
          ('main', 20)]
HOSTILE = 'x</svg><script>alert(1)</script>"\x1b\u202e&'


def trace(stacks=STACKS, name='in.folded'):
    rows = ''.join('%s %d\n' % row for row in stacks)
    return case.write_file(rows.encode(), name)


@contextlib.contextmanager
def shown(kind, path):
    """The address of a page of the trace."""
    clients.node(), clients.playwright(), clients.browser()
    if kind == 'file':
        yield 'file://' + pages.make(path)
    else:
        with view.serve(path) as server:
            yield server.url


def use(url, *steps, errors=False):
    """(what was to be seen after each step, [(name, bytes)] of saved files)"""
    argv = [clients.node(), SIDE, clients.playwright(), clients.browser(), url,
            json.dumps(steps)] + ([SHOTS] if SHOTS else [])
    done = subprocess.run(argv, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=4 * bobbin.TIMEOUT)
    if done.returncode != 0:
        raise Failure('browser: ' + done.stderr.decode('utf-8',
                                                       'replace')[:900])
    out = json.loads(done.stdout)
    expect(errors or out['errors'] == [], 'errors: %s', out['errors'])
    saved = [(name, base64.b64decode(data)) for name, data in out['saved']]
    for name, data in saved if SHOTS else []:
        with open(os.path.join(SHOTS, 'saved-' + name), 'wb') as to:
            to.write(data)
    return out['seen'], saved


def boxes(svg):
    """(texts, number of boxes) of a picture; it must be XML without scripts."""
    root = xml.etree.ElementTree.fromstring(svg)
    tags = {e.tag for e in root.iter()}
    expect(tags <= {SVG + t for t in ('svg', 'title', 'rect', 'text')}, '%s',
           tags)
    return ([e.text or '' for e in root.iter(SVG + 'text')],
            len(list(root.iter(SVG + 'rect'))))


@each(['server', 'file'])
def test_text_is_what_is_selected(kind):
    path = fixtures.rbt_path('annotations-ts')
    with shown(kind, path) as url:
        seen, saved = use(url, ['save', 'Folded'], ['key', '3'],
                          ['save', 'CSV'],
                          ['drag', '.track.all canvas', 0.3, 0.6],
                          ['save', 'Folded'])
    (all_name, everything), (csv_name, table), (_, part) = saved
    expect([all_name, csv_name] == ['annotations-ts-stacks.folded',
                                    'annotations-ts-functions.csv'], '%s %s',
           all_name, csv_name)
    expect('%d samples' % outputs.of_folded(everything)[0] in
           seen[0]['facts'], '%s', seen[0]['facts'])
    chosen = re.search(r'([\d,]+) samples', seen[-1]['selected']).group(1)
    samples = outputs.of_folded(part)[0]
    expect('%d' % samples == chosen and 0 < samples <
           outputs.of_folded(everything)[0], '%s, not %s', samples, chosen)
    rows = {row['name']: row for row in
            csv.DictReader(io.StringIO(table.decode()))}
    for row in seen[2]['rows']:
        name = next(n for n in rows if row[-1].startswith(n))
        share = 100 * float(rows[name]['self_share'])
        expect(row[0] == '%.1f %%' % share, '%s: %s, not %s', name, row[0],
               share)
    expect(seen[1]['status'].startswith('Saved ' + all_name), '%s',
           seen[1]['status'])


@each(['server', 'file'])
def test_a_picture_has_the_boxes_of_the_graph(kind):
    with shown(kind, trace()) as url:
        seen, saved = use(url, ['save', 'SVG'], ['save', 'PNG'],
                          ['key', '2'], ['save', 'SVG'], ['key', '4'],
                          ['click', '.split tbody tr'], ['save', 'SVG'])
    names = [name for name, _ in saved]
    expect([n.partition('-')[2] for n in names] == [
        'flame.svg', 'flame.png', 'callers.svg', 'sandwich.svg'], '%s', names)
    texts, n = boxes(saved[0][1])
    # The sheet, the root, and the frames.
    expect(n == 2 + 9 and texts[0].endswith('in.folded') and
           'Flame graph' in texts[1] and set(texts[2:]) == {
               'all', 'main', 'first', 'second', 'target', 'other', 'deep'},
           '%d %s', n, texts)
    png = saved[1][1]
    width, height = struct.unpack('>II', png[16:24])
    root = xml.etree.ElementTree.fromstring(saved[0][1])
    expect(png[:8] == b'\x89PNG\r\n\x1a\n' and
           [width, height] == [2 * int(root.get(k)) for k in
                               ('width', 'height')], '%d x %d', width, height)
    texts, _ = boxes(saved[3][1])
    expect(texts.count('target') >= 2 and 'Sandwich' in texts[1], '%s', texts)


def test_a_server_saves_every_format():
    path = fixtures.rbt_path('annotations-ts')
    with shown('server', path) as url:
        seen, saved = use(url, ['key', 'e'], ['key', 'Escape'],
                          ['save', 'rbt'], ['save', 'jsonl'],
                          ['save', 'speedscope'])
    known = [json.loads(line) for line in
             bobbin.run('formats', '--json').out.splitlines()]
    names = [label for label, _ in seen[1]['menu']]
    expect(names == ['SVG', 'PNG', 'Folded stacks', 'CSV'] +
           [f['name'] for f in known if f['can_write']], '%s', names)
    expect([n.partition('-ts-')[2] for n, _ in saved] ==
           ['selection.rbt', 'selection.jsonl', 'selection.speedscope.json'],
           '%s', [n for n, _ in saved])
    expect(outputs.of_jsonl(saved[1][1])[0] == 40, 'samples')


def test_the_menu_by_keys():
    with shown('server', trace()) as url:
        steps = [['key', k] for k in (
            'e', 'ArrowDown', 'End', 'ArrowDown', '3', 'ArrowUp', 'Escape',
            'Enter', 'Tab', 'e', 'Home', 'Enter')]
        seen, saved = use(url, ['key', '3'], ['key', 'e'], ['key', 'Escape'],
                          ['key', '1'], *steps[:-1])
    table, opened = seen[2], seen[5:]
    expect(table['menu'][0] == ['SVG', 'true'] and
           table['menu'][2] == ['Folded stacks', None], '%s', table['menu'])
    focus = [s['focus'] for s in opened]
    last = opened[0]['menu'][-1][0]
    expect(focus[:6] == ['SVG', 'PNG', last, 'SVG', 'SVG', last], '%s', focus)
    expect(opened[4]['tab'] == 'Flame graph', 'a key of the page worked')
    expect(focus[6] == 'Export' and opened[6]['menu'] == [], '%s', focus)
    expect(focus[7] == 'SVG' and opened[8]['menu'] == [], 'Enter, Tab')
    expect(focus[9:] == ['SVG', 'SVG'], '%s', focus)


def test_hostile_names_stay_text():
    path = trace([('main;%s' % HOSTILE.replace('\x1b', '%1B').replace(
        '\u202e', '%E2%80%AE'), 5)], name='.-$(x) \u202e<b>.folded')
    with shown('server', path) as url:
        _, saved = use(url, ['save', 'SVG'], ['save', 'Folded'],
                       ['save', 'CSV'])
    for name, data in saved:
        expect(re.fullmatch(r'[A-Za-z0-9_][A-Za-z0-9._-]*', name), '%r', name)
        expect(b'\x1b' not in data and '\u202e'.encode() not in data, '%s',
               name)
    texts, _ = boxes(saved[0][1])
    expect(any('</svg><script>' in text for text in texts), '%s', texts)


def test_a_failure_is_said():
    path = trace()
    with shown('server', path) as url:
        case.write_file(b'main;a 6\n', 'in.folded')
        seen, _ = use(url, ['key', 'e'], ['key', 'End'], ['key', 'Enter'],
                      ['until', '#status.bad', 'it has changed'], errors=True)
    expect(seen[-1]['isBad'], '%s', seen[-1]['status'])
