"""The page of `bobbin view` in Chromium: views, keys, the address, what is
selected.  With $BOBBIN_SHOTS, a folder, pictures are kept there."""
import json
import os
import subprocess
import sys
import urllib.parse

from cli import beside
from support import bobbin, case, clients, fixtures, view
from support.case import Failure, each, expect

SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    'view_browser.mjs')
WEB = os.path.join(bobbin.ROOT, 'web')
STACKS = [('main;first;target', 30),
          ('main;first;target;target;target;deep', 10),
          ('main;second;target', 15), ('main;second;other', 25),
          ('main', 20)]
FLAME, INVERTED, TABLE = ('#main > .flame:nth-of-type(%d) canvas' % 1,
                          '#main > .flame:nth-of-type(%d) canvas' % 2,
                          '#main > .table')


def folded():
    rows = ''.join('%s %d\n' % row for row in STACKS)
    return case.write_file(rows.encode(), 'in.folded')


def use(server, *steps, errors=False):
    """What was to be seen at first, and after each step."""
    argv = [clients.node(), SIDE, clients.playwright(), clients.browser(),
            server.url, json.dumps(steps)]
    if os.environ.get('BOBBIN_SHOTS'):
        argv.append(os.environ['BOBBIN_SHOTS'])
    done = subprocess.run(argv, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=4 * bobbin.TIMEOUT)
    if done.returncode != 0:
        raise Failure('browser: ' + done.stderr.decode('utf-8',
                                                       'replace')[:900])
    out = json.loads(done.stdout)
    expect(errors or out['errors'] == [], 'errors: %s', out['errors'])
    own = '%s:%d' % (server.host, server.port)
    expect(set(out['hosts']) == {own}, 'asked %s', set(out['hosts']))
    return out['seen']


def programs():
    """Skips before a server is started."""
    return clients.node(), clients.playwright(), clients.browser()


def test_every_view_shows_the_trace():
    programs()
    with view.serve(folded()) as server:
        first, inverted, table, sandwich, requests = use(
            server, ['key', '2'], ['key', '3'], ['key', '4'], ['key', '5'])
    expect(first['title'].endswith('in.folded'), '%s', first['title'])
    expect('100 samples' in first['facts'], '%s', first['facts'])
    expect(first['tab'] == 'Flame graph' and first['painted'] == [True] and
           'widest: main, 100.0 %' in first['flames'][0], '%s', first)
    expect(inverted['tab'] == 'Inverted' and
           'widest: target, 45.0 %' in inverted['flames'][0], '%s', inverted)
    names = [row[-1] for row in table['rows']]
    expect(names == ['target', 'other', 'main', 'deep'], '%s', names)
    expect(table['rows'][0][0] == '45.0 %', '%s', table['rows'][0])
    expect(sandwich['tab'] == 'Sandwich' and sandwich['rows'] and
           'Choose a function' in sandwich['head'][0], '%s', sandwich)
    expect(requests['tab'] == 'Requests', '%s', requests)


def test_figures_are_those_of_the_report():
    programs()
    path = fixtures.rbt_path(fixtures.LARGE)
    report = json.loads(bobbin.run('analyze', '--json', '--group-by',
                                   'function', '--top', '20', path).out)
    with view.serve(path) as server:
        seen = use(server, ['key', '3'])[-1]
    total = report['samples']['counted']
    expect('%s samples' % format(total, ',') in seen['facts'], '%s',
           seen['facts'])
    for row, want in zip(seen['rows'], report['sections']['self']['rows']):
        share = 100 * want['samples'] / total
        expect(row[0] == '%.1f %%' % share, '%s: %s, not %.1f', row[-1],
               row[0], share)


def test_zoom_and_back():
    programs()
    with view.serve(folded()) as server:
        whole, zoomed, out, again, reset = use(
            server, ['flame', FLAME, 0.2, 2], ['back'],
            ['flame', FLAME, 0.2, 3], ['key', '0'])
    expect(zoomed['crumbs'] == ['all', 'main', 'first'], '%s',
           zoomed['crumbs'])
    expect(out['hash'] == whole['hash'] == '' and out['crumbs'] == [], '%s',
           out)
    expect(again['crumbs'] == ['all', 'main', 'first', 'target'], '%s', again)
    expect(reset['crumbs'] == [], '%s', reset)


def test_an_address_restores_what_was_seen():
    programs()
    with view.serve(folded()) as server:
        seen = use(server, ['key', '4'], ['click', TABLE.replace(
            '#main > ', '.split > ') + ' tbody tr:first-child'],
            ['key', '/'], ['type', 'deep'], ['reload'])
    before, after = seen[-2], seen[-1]
    expect('view=sandwich' in after['hash'] and 'fn=target' in after['hash'] and
           'q=deep' in after['hash'], '%s', after['hash'])
    expect('55.0 % of what is selected' in after['head'][0], '%s',
           after['head'])
    for key in ('head', 'flames', 'rows', 'matched', 'tab'):
        expect(before[key] == after[key], '%s: %s, then %s', key, before[key],
               after[key])


def test_an_address_with_an_unknown_view_shows_the_first():
    programs()
    with view.serve(folded()) as server:
        seen = use(server, ['goto', '#view=nonsense'], ['reload'])
    for step in seen:
        expect(step['tab'] == 'Flame graph' and step['hash'] == '' and
               step['painted'] == [True], '%s: %s', step['tab'], step['hash'])


def test_search_says_its_share():
    programs()
    with view.serve(folded()) as server:
        seen = use(server, ['key', '/'], ['type', 'o[tn]her|deep'],
                   ['key', 'Escape'], ['key', '/'], ['type', '('])
    expect(seen[2]['matched'] == '35.0 % · 35 samples', '%s',
           seen[2]['matched'])
    expect(seen[3]['matched'] == '' and seen[3]['hash'] == '', '%s', seen[3])
    expect(seen[5]['matched'] == '', 'a bad pattern matches nothing')


def test_a_range_of_time_holds_in_every_view():
    programs()
    path = fixtures.rbt_path(fixtures.LARGE)
    with view.serve(path) as server:
        seen = use(server, ['drag', '.track.all canvas', 0.25, 0.5],
                   ['key', '3'], ['click', '#whole'])
        info = server.ask('info')
        params = dict(part.split('=') for part in
                      seen[1]['hash'].lstrip('#').split('&'))
        part = server.ask('matched', **{k: params[k] for k in ('from', 'to')})
    expect(0 < part['samples'] < 0.6 * info['samples'], '%s of %s', part, info)
    want = '{:,} samples'.format(part['samples'])
    for step in seen[1:3]:
        expect(want in step['selected'], '%s', step['selected'])
    expect(seen[3]['selected'] == '', '%s', seen[3]['selected'])
    expect('from' not in seen[3]['hash'], '%s', seen[3]['hash'])


def test_keys_move_in_a_flame_graph():
    programs()
    with view.serve(folded()) as server:
        seen = use(server, ['click', '#theme'], ['goto', ''],
                   ['hover', FLAME, 0.9, 1], ['key', '?'], ['key', 'Escape'],
                   ['key', 't'])
    expect(seen[1]['isDark'], 'dark')
    expect('main' in seen[3]['tip'] and '100.0 %' in seen[3]['tip'], '%s',
           seen[3]['tip'])
    expect(seen[4]['dialog'] and not seen[5]['dialog'], 'the list of keys')


def test_hostile_names_are_text():
    programs()
    name = '</script><img src=x onerror=alert(1)>\u202eabc\x1b[31m'
    rows = 'main;%s 5\nmain;%s 7\n' % (name, 'x' * 100000)
    path = case.write_file(rows.encode(), 'in.folded')
    with view.serve(path) as server:
        seen = use(server, ['key', '3'], ['click', TABLE +
                                          ' tbody tr:first-child'])
    names = ' '.join(row[-1] for row in seen[1]['rows'])
    expect('<img src=x' in names and '\u202e' not in names and
           '\\u202e' in names and '\x1b' not in names, '%s', names[:300])
    expect(not seen[2]['overflows'], 'a long name widens the page')


@each([1000, 1300, 3840])
def test_it_fits(width):
    programs()
    with view.serve(fixtures.rbt_path('multi-segment')) as server:
        for seen in use(server, ['size', width, 720], ['key', '3'],
                        ['key', '4'])[1:]:
            expect(not seen['overflows'], '%s at %d', seen['tab'], width)


def test_a_difference_begins_with_its_verdict():
    programs()
    paths = [case.write_file(rows, name) for name, rows in (
        ('before.folded', b'main;a 3000\nmain;b 5000\nmain;c 2000\n'),
        ('after.folded', b'main;a 4000\nmain;b 5100\nmain;c 2100\n'))]
    with view.serve('--diff', *paths) as server:
        verdict = server.ask('difference')['verdict']
        seen = use(server, ['key', '1'], ['hover', FLAME, 0.1, 1])
    expect(seen[0]['tab'] == 'Difference' and seen[0]['verdict'] == verdict,
           '%s', seen[0]['verdict'])
    expect(seen[0]['rows'][0][0] == '30.0 %' and
           seen[0]['rows'][0][-1] == 'a', '%s', seen[0]['rows'])
    expect('no more than noise' in seen[2]['tip'], '%s', seen[2]['tip'])


def test_a_server_that_ends_is_noticed():
    programs()
    with view.serve('--follow', folded()) as server:
        seen = use(server, ['kill', server.process.pid],
                   ['until', '#notice', 'does not answer'], errors=True)
    expect('100 samples' in seen[-1]['facts'], '%s', seen[-1]['facts'])


def test_a_zoom_stays_where_it_is_while_the_trace_grows():
    programs()
    path = case.write_file(b'main;wide 30\nmain;small 10\n', 'in.folded')
    grow = ('import signal; signal.sigwait({signal.SIGTERM})\n'
            'open(%r, "a").write("main;wide;deep 30\\nmain;small 500\\nother 900\\n")\n'
            'signal.pause()' % path)
    with view.serve('--follow', path) as server, subprocess.Popen(
            [sys.executable, '-c', 'import signal; signal.pthread_sigmask('
             'signal.SIG_BLOCK, {signal.SIGTERM})\n' + grow]) as helper:
        try:
            seen = use(server, ['key', '2'], ['flame', INVERTED, 0.9, 2],
                       ['kill', helper.pid],
                       ['until', '#facts', '1,470 samples'],
                       ['until', '#status', '510 samples'], ['reload'])
        finally:
            helper.kill()
    expect(seen[2]['crumbs'] == ['all', 'small', 'main'], '%s',
           seen[2]['crumbs'])
    for step in seen[5:]:
        expect(step['crumbs'] == ['all', 'small', 'main'], '%s', step)
    expect(seen[2]['hash'] != seen[-1]['hash'], 'its number has changed')


def test_a_file_that_is_removed_is_said():
    programs()
    path = folded()
    with view.serve('--follow', path) as server:
        os.remove(path)
        seen = use(server, ['until', '#notice', 'in.folded was removed'],
                   ['shot', 'removed.png'], ['kill', server.process.pid],
                   ['until', '#notice', 'does not answer'],
                   ['shot', 'gone.png'], ['click', '#notice button'],
                   errors=True)
    expect('100 samples' in seen[-1]['facts'] and seen[-1]['flames'], '%s',
           seen[-1])


def test_a_recording_is_shown_while_it_runs():
    programs()
    code = 'def busy():\n    while True: pass\nbusy()'
    path = case.write_file(code.encode(), 'busy.py')
    with subprocess.Popen([sys.executable, path]) as process:
        try:
            with view.serve('-p', str(process.pid)) as server:
                seen = use(server, ['until', '#live', 'recording, '],
                           ['shot', 'recording.png'], ['kill', process.pid],
                           ['until', '#live', 'recording ended after'],
                           ['shot', 'ended.png'])
        finally:
            process.kill()
    expect(seen[0]['title'] == 'process %d' % process.pid, '%s',
           seen[0]['title'])
    expect(seen[0]['facts'] != seen[-1]['facts'], 'it grew: %s',
           seen[-1]['facts'])
    expect('widest' in seen[-1]['flames'][0], '%s', seen[-1]['flames'])


def test_source_shows_lines_and_their_callers():
    programs()
    path = case.write_file(b'def f():\n\tg()  # </script>\n\n\nf()\n', 'app.py')
    rows = ''.join('main {0}:5;f {0}:2%s %d\n'.format(path) % row
                   for row in ((';lib /lib/x.py:7', 30), ('', 50)))
    trace = case.write_file((rows + 'main %s:9 20\n' % path).encode(),
                            'in.folded')
    wide = '.code tbody tr:nth-child(2)'
    with view.serve(trace) as server:
        bare = use(server, ['key', '8'])[-1]
    with view.serve('--source', case.scratch, trace) as server:
        seen = use(server, ['key', '8'], ['click', wide], ['reload'],
                   ['click', '.callers tbody tr:first-child'], ['key', '8'],
                   ['shot', 'source.png'], ['back'], ['back'], ['back'])
        want = {row['line']: row for row in server.ask('listing')['lines']}
    expect('no directory with source files was named' in bare['notes'] and
           '--source DIR' in bare['notes'], '%s', bare['notes'])
    expect(bare['lines'] == [['50.0 %', '80.0 %', '2', 'f'],
                             ['', '80.0 %', '5', 'main'],
                             ['20.0 %', '20.0 %', '9', 'main']], '%s',
           bare['lines'])
    first, chosen, again, sandwich, back = seen[1:6]
    expect(first['tab'] == 'Source' and first['lines'] == [
        ['', '', '1', 'def f():'],
        ['50.0 %', '80.0 %', '2', '\tg()  # </script>'], ['', '', '3', ''],
        ['', '', '4', ''], ['', '80.0 %', '5', 'f()'],
        ['20.0 %', '20.0 %', '9', 'main']], '%s', first['lines'])
    expect('line 9, the file ends with line 5' in first['notes'], '%s',
           first['notes'])
    expect(sum(row['self'] for row in want.values()) == 70, '%s', want)
    expect('line=2' in chosen['hash'] and chosen['callers'] == [
        ['80.0 %', '80', 'main' + '…/%s:5' % '/'.join(
            path.split('/')[-2:])]], '%s', chosen['callers'])
    for key in ('hash', 'lines', 'callers', 'head'):
        expect(again[key] == chosen[key], '%s: %s', key, again[key])
    expect(sandwich['tab'] == 'Sandwich' and sandwich['head'][0].startswith(
        'main %s:5 ' % path), '%s', sandwich['head'])
    expect(back['tab'] == 'Source' and back['callers'] == [], '%s', back)
    expect(seen[-1]['tab'] == 'Source' and seen[-1]['callers'] == [], '%s',
           seen[-1]['hash'])


def test_types():
    node, tsc = clients.node(), clients.module('typescript', 'typescript')
    done = subprocess.run([node, os.path.join(tsc, 'bin', 'tsc'), '-p', WEB],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=4 * bobbin.TIMEOUT)
    expect(done.returncode == 0, '%s', done.stdout.decode()[:900])


def lint(folder):
    """What eslint says of the modules there."""
    node, eslint = clients.node(), clients.module('eslint', 'eslint')
    home = os.path.dirname(os.path.dirname(eslint)) + os.sep
    return subprocess.run(
        [node, os.path.join(eslint, 'bin', 'eslint.js'), '--config',
         os.path.join(WEB, 'eslint.config.mjs'), folder], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=dict(os.environ, ESLINT_HOME=home), timeout=4 * bobbin.TIMEOUT)


def test_the_linter_has_no_complaint():
    done = lint(WEB)
    expect(done.returncode == 0, '%s', done.stdout.decode()[-1500:])


@each(['el.innerHTML = name;', 'var a = 1; f(a);', 'if (a == b) f();',
       'let never = 1; f(never);', 'eval(text);'])
def test_the_linter_sees_mistakes(given):
    path = case.write_file(b'export const f = (a, b, el, name, text) => {\n' +
                           given.encode() + b'\n};\n', 'bad.js')
    done = lint(os.path.dirname(path))
    expect(done.returncode == 1, '%d: %s', done.returncode,
           done.stdout.decode()[-300:])


@each(['flame', 'callers', 'table', 'sandwich', 'requests', 'order', 'source',
       'tree'])
def test_without_eyes_and_with_little_contrast(view_name):
    """Rules of WCAG 2.1 AA that a program can check, light and dark."""
    programs()
    axe = os.path.join(clients.module('axe', 'axe-core'), 'axe.min.js')
    trace = beside.make_trace('--samples', 20000, '--stacks', 200, '--times',
                              '--pids', 2, '--annotations', '--run-mean', 6,
                              name='in.rbt')
    with view.serve(trace) as server:
        row = server.ask('rows', order='self')['rows'][0]
        at = urllib.parse.urlencode({'view': view_name, 'fn': row['id'],
                                     'shape': 'recursion'})
        seen = use(server, ['goto', '#%s&theme=light' % at], ['axe', axe],
                   ['goto', '#%s&theme=dark' % at], ['axe', axe])
    for step in (seen[2], seen[4]):
        expect(step['axe'] == [], '%s', '\n'.join(step['axe'])[:1500])
