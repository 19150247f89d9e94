"""The page of `bobbin view` in Chromium: what is left out of stacks, what
samples are selected by, the call tree, columns and colours, two ranges that are
compared."""
import json
import re

from cli import beside
from interop.test_view_browser import (
    FLAME, INVERTED, TABLE, folded, programs, use)
from support import bobbin, case, fixtures, view
from support.case import each, expect

STACKS = b"""main /app/main.py:1;work /app/main.py:2;render /lib/vendor/t/twig/a.py:3;\
escape /lib/vendor/t/twig/b.py:4 40
main /app/main.py:1;work /app/main.py:2;load /app/db.py:5;work /app/main.py:2;\
load /app/db.py:6 35
main /app/main.py:1;idle /app/main.py:9 25
"""
ROW = 19


def stacks():
    return case.write_file(STACKS, 'in.folded')


def made():
    return beside.make_trace('--samples', 20000, '--stacks', 300, '--times',
                             '--pids', 2, '--annotations', '--run-mean', 6,
                             name='in.rbt')


def rows_of(step):
    return {re.split('[/…]', row[-1])[0]: row for row in step['rows']}


def test_a_menu_shapes_the_stacks():
    programs()
    with view.serve(stacks()) as server:
        # The third row is work, below main and all.
        seen = use(server, ['goto', '#sort=total'],
                   ['menu', FLAME, 0.2, 2.5 * ROW, 'Focus'],
                   ['key', '3'], ['reload'], ['back'], ['back'],
                   ['menu', FLAME, 0.2, 2.5 * ROW, 'Hide'], ['key', '3'],
                   ['click', '.chip button'], ['key', '1'],
                   ['menu', FLAME, 0.2, 3.5 * ROW, 'Collapse its module'],
                   ['key', '2'], ['key', 'r'], ['key', '3'])
    focus, table, again, _, back, hidden = seen[2:8]
    expect(focus['chips'] == ['inside work /app/main.py'] and
           'widest: work, 100.0 %' in focus['flames'][0] and
           focus['status'].startswith('75 samples'), '%s', focus)
    expect(table['rows'] == again['rows'] and
           again['chips'] == focus['chips'], 'the address: %s', again['chips'])
    expect(back['chips'] == [] and back['hash'] == '#sort=total', '%s', back['hash'])
    expect(hidden['chips'] == ['without work /app/main.py'], '%s',
           hidden['chips'])
    expect('work' not in rows_of(seen[8]) and len(seen[8]['rows']) == 5,
           '%s', seen[8]['rows'])
    expect(seen[9]['chips'] == [] and len(seen[9]['rows']) == 6, '%s',
           seen[9]['rows'])
    expect(seen[11]['chips'] == ['t/twig as one'], '%s', seen[11]['chips'])
    expect('widest: t/twig, 40.0 %' in seen[12]['flames'][0], '%s',
           seen[12]['flames'])
    expect(seen[13]['chips'] == ['t/twig as one', 'recursion as one call'],
           '%s', seen[13]['chips'])
    last = rows_of(seen[14])
    expect(last['load'][0] == '35.0 %' and last['work'][0] == '0.0 %' and
           last['work'][3] == '75.0 %', 'a call returns to load: %s', last)


@each([('f', 'inside work /app/main.py'), ('h', 'without work /app/main.py'),
       ('c', '/app as one')])
def test_letters_do_what_the_menu_does(given):
    letter, chip = given
    programs()
    with view.serve(stacks()) as server:
        seen = use(server, ['focus', FLAME], ['key', 'ArrowDown'],
                   ['key', 'ArrowDown'], ['key', 'ArrowDown'], ['key', letter])
        table = use(server, ['goto', '#sort=total'], ['key', '3'], ['focus', TABLE +
                    ' tbody tr[data-id="work /app/main.py"]'], ['key', letter])
    expect(seen[-1]['chips'] == [chip], '%s', seen[-1]['chips'])
    expect(table[-1]['chips'] == [chip], '%s', table[-1]['chips'])


def test_names_are_copied():
    programs()
    with view.serve(stacks()) as server:
        seen = use(server, ['menu', FLAME, 0.2, 2.5 * ROW, 'Copy its name'],
                   ['copied'], ['key', '3'],
                   ['click', '.table .tools button:text("Copy")'], ['copied'])
    expect(seen[2]['copied'] == 'work /app/main.py', '%s', seen[2]['copied'])
    lines = seen[5]['copied'].split('\n')
    expect(len(lines) == 4 and lines[0].startswith('Self\t±\ttime\tTotal'),
           '%s', lines)
    expect('40.0 %' in lines[1] and 'escape' in lines[1], '%s', lines[1])


def test_a_call_tree_opens_and_closes():
    programs()
    with view.serve(stacks()) as server:
        seen = use(server, ['key', '9'], ['click', '.tree .tools button'],
                   ['reload'], ['focus', '.tree tbody tr[tabindex="0"]'],
                   ['key', 'ArrowLeft'], ['key', 'ArrowLeft'],
                   ['key', 'ArrowRight'], ['key', 'f'],
                   ['choose', '.tree select', 'callers'])
    expect(seen[1]['levels'] == [[1, 'false', 'main']], '%s',
           seen[1]['levels'])
    want = [[1, 'true', 'main'], [2, 'true', 'work'], [3, 'true', 'render'],
            [4, None, 'escape'], [3, 'false', 'load'], [2, None, 'idle']]
    expect(seen[2]['levels'] == want and seen[3]['levels'] == want, '%s',
           seen[2]['levels'])
    expect(seen[2]['rows'][1][:3] == ['75.0 %', '', '75'], '%s',
           seen[2]['rows'])
    # From escape to render, then to work, which closes render.
    expect(seen[5]['levels'] == want, '%s', seen[5]['levels'])
    closed = [[1, 'true', 'main'], [2, 'true', 'work'], [3, 'false', 'render'],
              [3, 'false', 'load'], [2, None, 'idle']]
    expect(seen[6]['levels'] == closed and seen[7]['levels'] == closed,
           '%s, %s', seen[6]['levels'], seen[7]['levels'])
    expect(seen[8]['chips'] == ['inside work /app/main.py'] and
           seen[8]['levels'] == [[1, 'false', 'work']], '%s: %s',
           seen[8]['chips'], seen[8]['levels'])
    expect(seen[9]['levels'] == [[1, 'false', 'escape'], [1, 'false', 'load']]
           and [row[0] for row in seen[9]['rows']] == ['53.3 %', '46.7 %'] and
           'dir=callers' in seen[9]['hash'], '%s', seen[9]['rows'])


def test_columns_are_chosen_and_kept():
    programs()
    with view.serve(made()) as server:
        seen = use(server, ['key', '3'], ['pick', '.tools .opens', 'Module'],
                   ['pick', '.tools .opens', 'Self: time'], ['reload'])
        rows = server.ask('rows', order='self')['rows']
    usual = ['Self', '±', 'time', 'Total', '±', 'time', 'Over time',
             'Function']
    expect(seen[1]['columns'] == usual, '%s', seen[1]['columns'])
    want = ['Self', '±', 'Total', '±', 'time', 'Over time', 'Module',
            'Function']
    for step in seen[3:]:
        expect(step['columns'] == want, '%s', step['columns'])
    expect(seen[4]['rows'][0][-2] == rows[0]['module'], '%s',
           seen[4]['rows'][0])
    expect(seen[1]['sparks'] and all(seen[1]['sparks']), 'time lines: %s',
           seen[1]['sparks'][:9])


def test_colours_have_a_legend():
    programs()
    with view.serve(stacks()) as server:
        seen = use(server, ['choose', '#colors', 'self'], ['reload'],
                   ['key', '3'])
    expect(seen[0]['legend'] == ['Modules, by self time', '/app 60.0 %',
                                 't/twig 40.0 %'], '%s', seen[0]['legend'])
    expect(seen[1]['legend'][0] == 'Self time' and
           seen[2]['legend'] == seen[1]['legend'], '%s', seen[2]['legend'])
    expect(seen[3]['legend'] == [], 'a table has none')
    path = folded()
    with view.serve('--diff', path, path) as server:
        seen = use(server, ['key', '1'])
    expect(seen[1]['legend'] == ['Difference', 'grew', 'shrank',
                                 'no more than noise'], '%s', seen[1])


def test_the_legend_is_that_of_the_innermost_frames():
    programs()
    want = ['Modules, by self time', '/app 60.0 %', 't/twig 40.0 %']
    with view.serve(stacks()) as server:
        rows = server.ask('rows', by='module', order='self')['rows']
        # The frame below escape, which is render; then escape itself.
        seen = use(server, ['key', '2'], ['key', '4'], ['key', '2'],
                   ['flame', INVERTED, 0.1, 2], ['back'],
                   ['flame', INVERTED, 0.1, 1])
    expect([row['self_share'][0] for row in rows] == [0.6, 0.4], '%s', rows)
    expect(seen[0]['legend'] == seen[1]['legend'] == want, '%s',
           seen[1]['legend'])
    expect(seen[2]['tab'] == 'Sandwich' and seen[2]['legend'] == [], '%s',
           seen[2]['legend'])
    for step, names in ((seen[4], ['all', 'escape', 'render']),
                        (seen[6], ['all', 'escape'])):
        expect(step['crumbs'] == names and step['legend'] == [
            'Modules, by self time', 't/twig 100.0 %'], '%s: %s',
            step['crumbs'], step['legend'])


def test_annotations_select():
    programs()
    with view.serve(made()) as server:
        facet = server.ask('facets')['facets'][0]
        value = next(v for v in facet['values'] if v['value'] != '(none)')
        seen = use(server, ['click', '#facets'], ['key', 'Enter'],
                   ['key', 'Escape'], ['key', '3'], ['key', '6'], ['reload'],
                   ['click', '.chip button'])
    expect(len(seen[1]['menu']) > 1, '%s', seen[1]['menu'])
    expect(seen[3]['chips'] == ['%s: %s' % (facet['key'], value['value'])],
           '%s', seen[3]['chips'])
    want = '{:,} samples'.format(value['samples'])
    for step in seen[3:7]:
        expect(want in step['status'], '%s: %s', want, step['status'])
    expect(want not in seen[7]['status'], '%s', seen[7]['status'])


def test_a_route_selects_its_samples():
    programs()
    row = '#main > .table:not([hidden]) table:first-child ' \
          'tr[aria-selected]:nth-child(2)'
    with view.serve(made()) as server:
        answer = server.ask('requests')
        seen = use(server, ['key', '5'], ['click', row], ['key', '3'],
                   ['back'], ['focus', row], ['key', 'Enter'])
    routes = answer['routes']
    all_us = sum(route['time_us'] for route in routes)
    for step in seen[1:3]:
        expect([(r[2], r[6]) for r in step['rows'][:len(routes)]] == [
            ('%.1f %%' % (100 * r['time_us'] / all_us), r['route'])
            for r in routes], '%s', step['rows'][:len(routes)])
    chip = ['http.route: ' + routes[1]['route']]
    expect(seen[2]['tab'] == 'Requests' and seen[2]['chips'] == chip, '%s',
           seen[2]['chips'])
    expect('{:,} samples'.format(routes[1]['samples']) in seen[3]['status'],
           '%s', seen[3]['status'])
    expect(seen[4]['chips'] == chip and seen[6]['chips'] == [], '%s',
           seen[6]['chips'])


def test_two_ranges_are_compared():
    programs()
    with view.serve(made()) as server:
        seen = use(server, ['drag', '.track.all canvas', 0.1, 0.4],
                   ['key', 'b'], ['drag', '.track.all canvas', 0.6, 0.9],
                   ['reload'], ['key', '1'], ['choose', '#side', '0'],
                   ['click', '.chip button'])
        params = dict(part.split('=') for part in
                      seen[3]['hash'].lstrip('#').split('&'))
        del params['view']
        want = server.ask('difference', **params)
    expect(seen[2]['tab'] == 'Difference' and 'base=' in seen[2]['hash'],
           '%s', seen[2]['hash'])
    for step in seen[3:5]:
        expect(step['verdict'] == want['verdict'], '%s', step['verdict'])
        expect([row[2] for row in step['rows'][:5]] == [
            '%s%.1f' % ('−' if row['change']['delta'] < 0 else '+',
                        abs(100 * row['change']['delta']))
            for row in want['rows'][:5]], '%s', step['rows'][:5])
    expect(seen[5]['legend'][0] == 'Difference', '%s', seen[5]['legend'])
    expect('{:,} samples'.format(want['samples_before']) in
           seen[6]['status'], '%s', seen[6]['status'])
    expect(seen[7]['chips'] == [] and 'side' not in seen[7]['hash'] and
           seen[7]['legend'][0].startswith('Modules'), '%s', seen[7]['hash'])


def test_keys_select_a_range_of_time():
    programs()
    line = '.track.all canvas'
    with view.serve(made()) as server:
        seen = use(server, ['focus', line], ['key', 'ArrowRight'],
                   ['key', 'ArrowRight'], ['key', 'Shift+ArrowRight'],
                   ['key', 'Shift+ArrowRight'], ['key', 'Enter'])
        params = dict(part.split('=') for part in
                      seen[-1]['hash'].lstrip('#').split('&'))
        part = server.ask('matched', **params)
        bins = server.ask('timeline')
    expect('{:,} samples'.format(part['samples']) in seen[-1]['selected'],
           '%s', seen[-1]['selected'])
    step = max(1, round(len(bins['bins']) / 100)) * bins['bin_us']
    expect(params == {'from': str(2 * step), 'to': str(4 * step)}, '%s',
           params)


def test_classes_are_a_grouping():
    programs()
    path = fixtures.rbt_path(fixtures.LARGE)
    report = json.loads(bobbin.run('analyze', '--json', '--group-by', 'class',
                                   '--top', '10', path).out)
    with view.serve(path) as server:
        seen = use(server, ['key', '3'], ['choose', '#by', 'class'])[-1]
    total = report['samples']['counted']
    for row, want in zip(seen['rows'], report['sections']['self']['rows']):
        expect(row[0] == '%.1f %%' % (100 * want['samples'] / total),
               '%s: %s', row, want)
