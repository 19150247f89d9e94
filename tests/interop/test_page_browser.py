"""Pages that are files, opened in Chromium without a server: the views, and
what a page may not do.  With $BOBBIN_SHOTS, a folder, pictures are kept
there."""
import base64
import json
import os
import re
import subprocess

from support import bobbin, case, clients, fixtures, pages
from support.case import Failure, each, expect, read_file

SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    'view_browser.mjs')
TABLE = '#main > .table'
HOSTILE = '</script><img src=x onerror=alert(1)>\u202eabc\x1b[31m'


def programs():
    """Skips before a page is made."""
    return clients.node(), clients.playwright(), clients.browser()


def use(page, *steps):
    """What was to be seen at first, and after each step."""
    argv = [clients.node(), SIDE, clients.playwright(), clients.browser(),
            'file://' + page, json.dumps(steps)]
    if os.environ.get('BOBBIN_SHOTS'):
        argv.append(os.environ['BOBBIN_SHOTS'])
    done = subprocess.run(argv, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=4 * bobbin.TIMEOUT)
    if done.returncode != 0:
        raise Failure('browser: ' + done.stderr.decode('utf-8',
                                                       'replace')[:900])
    out = json.loads(done.stdout)
    expect(out['errors'] == [], 'errors: %s', out['errors'])
    # The file itself, and the worker that is made of it.
    expect(set(out['hosts']) == {''}, 'asked %s', set(out['hosts']))
    return out['seen']


def policy(page):
    text = read_file(page).decode()
    return text, re.search(r'http-equiv="Content-Security-Policy" '
                           r'content="([^"]*)"', text).group(1)


def test_figures_are_those_of_the_report():
    programs()
    path = fixtures.rbt_path(fixtures.LARGE)
    report = json.loads(bobbin.run('analyze', '--json', '--group-by',
                                   'function', '--top', '20', path).out)
    seen = use(pages.make(path), ['key', '3'],
               ['until', TABLE, '%'])[-1]
    total = report['samples']['counted']
    expect('%s samples' % format(total, ',') in seen['facts'], '%s',
           seen['facts'])
    expect(len(seen['rows']) > 5, 'no rows')
    for row, want in zip(seen['rows'], report['sections']['self']['rows']):
        share = 100 * want['samples'] / total
        expect(row[0] == '%.1f %%' % share, '%s: %s, not %.1f', row[-1],
               row[0], share)


def test_a_pattern_that_never_ends_is_given_up():
    programs()
    path = case.write_file(b'main;%s 5\n' % (b'a' * 60), 'in.folded')
    seen = use(pages.make(path), ['key', '/'], ['type', 'x'],
               ['goto', '#q=' + '(a*)*$'.replace('$', 'b')],
               ['until', '#status', 'The pattern takes too long'],
               ['goto', '#view=table'], ['until', TABLE, '100.0 %'])
    expect(seen[-1]['rows'], 'it goes on')


@each(['name', 'title'])
def test_hostile_names_are_text(where):
    programs()
    rows = 'main;%s 5\n' % (HOSTILE if where == 'name' else 'x')
    path = case.write_file(rows.encode(), 'in.folded')
    args = ['--title', HOSTILE] if where == 'title' else []
    page = pages.make(path, *args)
    text, _ = policy(page)
    expect('<img' not in text, 'a name is in the page as it is')
    seen = use(page, ['key', '3'], ['until', TABLE, '%'])[-1]
    shown = seen['rows'][0][-1] if where == 'name' else seen['title']
    expect('<img src=x' in shown and '\u202e' not in shown and
           '\x1b' not in shown, '%s', shown)


def test_the_policy_allows_only_what_is_in_the_page():
    page = pages.make(case.write_file(b'main;x 5\n', 'in.folded'))
    text, rules = policy(page)
    rules = dict(rule.strip().split(' ', 1) for rule in rules.split(';'))
    expect(rules['default-src'] == "'none'" and 'connect-src' not in rules,
           '%s', rules)
    for kind, mark in (('script-src', r'<script type="module">(.*?)</script>'),
                       ('style-src', r'<style>(.*?)</style>')):
        body = re.search(mark, text, re.S).group(1).encode()
        digest = __import__('hashlib').sha256(body).digest()
        want = "'sha256-%s'" % base64.b64encode(digest).decode()
        expect(rules[kind].split()[0] == want, '%s: %s', kind, rules[kind])
        expect('unsafe-inline' not in rules[kind] and
               "'unsafe-eval'" not in rules[kind], '%s', rules[kind])
    expect(not re.search(r'(?:src|href)="(?!data:,)', text),
           'something is loaded')
