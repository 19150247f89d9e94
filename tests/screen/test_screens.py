"""What the explorer shows, as text: every view, key and some sizes.

The expected screens are golden/NAME.txt. BOBBIN_SCREENS=write writes them
anew; look at what changed before keeping it.
"""
import os
import shutil

from screen import sample
from screen.tmux import Terminal
from support import case
from support.case import each, expect
from support.fixtures import DATA

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'golden')
PROFILES = {'threads': 'real_threads.bin', 'opcodes': 'real_opcodes.bin'}
ASCII = {'LC_ALL': 'C'}

# name, columns, rows, arguments, keys in batches ('' between them), more
CASES = [
    ('list-40x12', 40, 12, ['shop'], [], {}),
    ('list-60x20', 60, 20, ['shop'], [], {}),
    ('list-60x12', 60, 12, ['shop'], [], {}),
    ('list-80x24', 80, 24, ['shop'], [], {}),
    ('list-120x40', 120, 40, ['shop'], [], {}),
    ('list-200x60', 200, 60, ['shop'], [], {}),
    ('list-ascii', 80, 24, ['shop'], [], {'env': ASCII}),
    ('list-total', 80, 24, ['shop'], ['t'], {}),
    ('list-down', 80, 24, ['shop'], ['t', 'j', 'Down', 'j'], {}),
    ('list-page', 60, 12, ['shop'], ['t', 'PPage', 'NPage'], {}),
    ('list-control', 60, 12, ['shop'], ['t', 'C-f', 'Space', 'C-b'], {}),
    ('list-end', 60, 12, ['shop'], ['t', 'G'], {}),
    ('list-home', 60, 12, ['shop'], ['t', 'End', 'g'], {}),
    ('list-no-line', 80, 24, ['shop'], ['t', 'n'], {}),
    ('list-right', 60, 12, ['shop'], ['t', 'A'], {}),
    ('list-opcodes', 100, 24, ['opcodes'], ['c'], {}),
    ('list-filter', 80, 24, ['shop'], ['t', '/', 'Shop', 'Enter'], {}),
    ('list-bad-filter', 80, 24, ['shop'], ['/', '(', 'Enter'], {}),
    ('list-bad-prompt', 80, 24, ['shop'], ['/', '('], {}),
    ('list-filter-left', 80, 24, ['shop'], ['/', 'Shop', 'Escape'], {}),
    ('list-match', 80, 24, ['shop'], ['m', 'Login', 'Enter'], {}),
    ('list-no-match', 80, 24, ['shop'], ['m', 'nothing', 'Enter'], {}),
    ('list-clear', 80, 24, ['shop'], ['m', 'Login', 'Enter', 'x'], {}),
    ('list-time', 80, 24, ['shop'], ['%'], {}),
    ('list-files', 80, 24, ['shop', '--group-by', 'file'], ['t'], {}),
    ('list-modules', 80, 24, ['shop'], ['b', 'b', 'b', 'b'], {}),
    ('list-lines', 80, 24, ['shop'], ['n'], {}),
    ('list-threads', 80, 24, ['threads', '--group-by', 'thread'], [], {}),
    ('list-thread-entered', 80, 24, ['threads', '--group-by', 'thread'],
     ['Down', 'Enter'], {}),
    ('list-uris', 80, 24, ['shop', '--group-by', 'annotation:uri'], [], {}),
    ('prompt', 80, 24, ['shop'], ['/', 'Shop', 'BSpace', 'p'], {}),
    ('panes-60x12', 60, 12, ['shop'], ['t', 'j', 'Enter'], {}),
    ('panes-80x24', 80, 24, ['shop'], ['t', 'j', 'Enter'], {}),
    ('panes-120x40', 120, 40, ['shop'], ['t', 'j', 'Enter'], {}),
    ('panes-200x60', 200, 60, ['shop'], ['t', 'j', 'Enter'], {}),
    ('panes-ascii', 120, 40, ['shop'], ['t', 'j', 'Enter'], {'env': ASCII}),
    ('panes-callers', 80, 24, ['shop'], ['Enter', 'h'], {}),
    ('panes-focus', 80, 24, ['shop'], ['Enter', 'Tab', 'Tab'], {}),
    ('panes-back-tab', 80, 24, ['shop'], ['Enter', 'BTab'], {}),
    ('panes-overview', 120, 40, ['shop'], ['Enter', 'Tab'], {}),
    ('panes-overview-total', 120, 40, ['shop'], ['Enter', 't', 'j'], {}),
    ('panes-overview-off', 120, 40, ['shop'], ['Enter', 'o'], {}),
    ('panes-overview-on', 100, 24, ['shop'], ['Enter', 'o'], {}),
    ('panes-overview-no-room', 99, 24, ['shop'], ['Enter', 'o'], {}),
    ('panes-followed', 120, 40, ['shop'],
     ['Enter', 'f', 's', 'j', 'j'], {}),
    ('panes-deeper', 80, 24, ['shop'],
     ['t', 'j', 'Enter', 'Enter', 'Enter'], {}),
    ('panes-back', 80, 24, ['shop'],
     ['t', 'j', 'Enter', 'Enter', 'u', 'BSpace'], {}),
    ('panes-no-line', 80, 24, ['shop'],
     ['t', 'j', 'j', 'j', 'Enter', 'n'], {}),
    ('flame-60x12', 60, 12, ['shop'], ['t', 'j', 'S'], {}),
    ('flame-80x24', 80, 24, ['shop'], ['t', 'j', 'S'], {}),
    ('flame-120x40', 120, 40, ['shop'], ['t', 'j', 'S'], {}),
    ('flame-ascii', 80, 24, ['shop'], ['t', 'j', 'S'], {'env': ASCII}),
    ('flame-40x12', 40, 12, ['shop'], ['S'], {}),
    ('flame-focus', 80, 24, ['shop'], ['t', 'j', 'j', 'Enter', 'S'], {}),
    ('list-idle', 80, 24, ['threads'], ['i'], {}),
    ('list-idle-hidden', 80, 24, ['threads'], ['i', 'i', 'j'], {}),
    ('flame-threads', 80, 24, ['threads'], ['S'], {}),
    ('tree-whole', 80, 24, ['shop'], ['S', 'k', 'k', 'k', 'k', 'k', 'k',
                                      '>'], {}),
    ('flame-moved', 80, 24, ['shop'],
     ['t', 'j', 'S', 'j', 'l', 'j', 'Enter'], {}),
    ('flame-filter', 80, 24, ['shop'],
     ['t', 'j', 'S', '/', 'query', 'Enter'], {}),
    ('callees-80x24', 80, 24, ['shop'], ['t', 'j', '>'], {}),
    ('callees-200x60', 200, 60, ['shop'], ['t', 'j', '>'], {}),
    ('callees-ascii', 80, 24, ['shop'], ['t', 'j', '>'], {'env': ASCII}),
    ('callees-folded', 80, 24, ['shop'], ['t', 'j', '>', 'j', 'h'], {}),
    ('callees-unfolded', 80, 24, ['shop'],
     ['t', 'j', '>', 'H', 'l'], {}),
    ('callees-all', 80, 24, ['shop'], ['t', 'j', '>', 'H', 'L'], {}),
    ('callees-filter', 80, 24, ['shop'],
     ['t', 'j', '>', '/', 'json', 'Enter'], {}),
    ('callers-80x24', 80, 24, ['shop'], ['<'], {}),
    ('callers-200x60', 200, 60, ['shop'], ['<'], {}),
    ('callers-60x12', 60, 12, ['shop'], ['<'], {}),
    ('overview-full', 80, 24, ['shop'], ['t', 'j', 'Enter', 'O'], {}),
    ('mini-off', 80, 24, ['shop'], ['F'], {}),
    ('time-off', 80, 24, ['shop'], ['T'], {}),
    ('time-range', 80, 24, ['shop'], ['.'] * 27 + ['['] + ['.'] * 26 +
     [']'], {}),
    ('time-reset', 80, 24, ['shop'], ['.'] * 27 + ['[', 'r'], {}),
    ('facets-80x24', 80, 24, ['shop'], ['a'], {}),
    ('facets-120x40', 120, 40, ['shop'], ['t', 'a', 'j', 'Space'], {}),
    ('facets-status', 100, 30, ['threads'], ['a', 'G'], {}),
    ('facets-two', 80, 24, ['shop'],
     ['a', 'Enter', 'j', 'j', 'Enter', 'a'], {}),
    ('diff-80x24', 80, 24, ['--diff', 'shop', 'after'], [], {}),
    ('diff-40x12', 40, 12, ['--diff', 'shop', 'after'], [], {}),
    ('diff-same', 80, 24, ['--diff', 'shop', 'shop'], [], {}),
    ('diff-weight', 80, 24, ['--diff', 'shop', 'after'], ['d'], {}),
    ('diff-panes', 120, 40, ['--diff', 'shop', 'after'],
     ['t', 'd', 'j', 'Enter'], {}),
    ('diff-flame', 80, 24, ['--diff', 'shop', 'after'],
     ['t', 'd', 'j', 'S'], {}),
    ('diff-callees', 80, 24, ['--diff', 'shop', 'after'],
     ['t', 'd', 'j', '>'], {}),
    ('source', 80, 24, ['python', '--path-map', '/app=.'], ['t', 'v'], {}),
    ('source-no-file', 80, 24, ['python'], ['t', 'v'], {}),
    ('help-80x24', 80, 24, ['shop'], ['?'], {}),
    ('help-scrolled', 80, 24, ['shop'], ['?', 'G'], {}),
    ('help-200x60', 200, 60, ['shop'], ['?'], {}),
    ('wide', 80, 24, ['wide'], [], {}),
    ('wide-ascii', 80, 24, ['wide'], [], {'env': ASCII}),
    ('too-small', 39, 12, ['shop'], [], {}),
    ('several', 80, 24, ['shop', 'after'], ['t'], {}),
]

FILES = {
    'shop': ('shop.txt', sample.shop),
    'after': ('after.txt', sample.shop_after),
    'wide': ('wide.txt', sample.wide),
    'python': ('app.folded', sample.python_app),
}


def arguments(words):
    """Names of traces become files in the directory of the test."""
    os.chdir(case.scratch)
    sample.write('app.py', sample.SOURCE)
    out = []
    for word in words:
        if word in FILES:
            name, make = FILES[word]
            sample.write(name, make())
            word = name
        elif word in PROFILES:
            shutil.copy(os.path.join(DATA, 'tach', PROFILES[word]),
                        word + '.bin')
            word += '.bin'
        out.append(word)
    return out


def compare(terminal, name):
    path = os.path.join(GOLDEN, name + '.txt')
    if os.environ.get('BOBBIN_SCREENS') == 'write':
        with open(path, 'w', encoding='utf-8') as file:
            file.write(terminal.settled())
        return
    expect(os.path.exists(path), 'no %s: BOBBIN_SCREENS=write makes it', path)
    with open(path, encoding='utf-8') as file:
        wanted = file.read()
    terminal.wait(lambda shown: shown == wanted, name)


@each(CASES)
def test_screen(values):
    name, cols, rows, words, keys, more = values
    args = arguments(words)
    with Terminal(cols, rows, *args, **more) as terminal:
        if name != 'too-small':
            terminal.wait_for('quit')
        terminal.keys(*keys)
        compare(terminal, name)


def test_resize_draws_anew():
    args = arguments(['shop'])
    with Terminal(80, 24, *args) as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'j', 'Enter')
        compare(terminal, 'panes-80x24')
        terminal.resize(39, 10)
        terminal.wait_for('too small')
        terminal.resize(120, 40)
        compare(terminal, 'panes-120x40')
        terminal.resize(80, 24)
        compare(terminal, 'panes-80x24')


def test_largest_screen():
    args = arguments(['shop'])
    with Terminal(500, 200, *args) as terminal:
        terminal.wait_for('quit')
        shown = terminal.screen()
        expect(len(shown.splitlines()) == 200, '%d lines',
               len(shown.splitlines()))
        expect(max(map(len, shown.splitlines())) == 500, 'not 500 columns')


def test_colors_and_no_color():
    args = arguments(['shop'])
    with Terminal(80, 24, *args) as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'j', 'S')
        terminal.wait_for('the whole program')
        expect('\033[48;5;' in terminal.screen(colors=True),
               'no 256 colours')


@each([('variable', [], {'NO_COLOR': '1'}),
       ('option', ['--color', 'never'], {})])
def test_no_color(values):
    _, more, env = values
    args = arguments(['shop'] + more)
    with Terminal(80, 24, *args, env=env) as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'j', 'S')
        compare(terminal, 'flame-80x24')
        shown = terminal.screen(colors=True)
        for code in ('\033[3', '\033[4', '38;5', '48;5'):
            expect(code + '8' not in shown and code not in shown.replace(
                '\033[4m', '').replace('\033[39m', '').replace(
                '\033[49m', ''), 'a colour in %r', shown[:2000])


def test_eight_colors():
    args = arguments(['shop'])
    with Terminal(80, 24, *args, env={'TERM': 'screen'}) as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'j', 'S')
        compare(terminal, 'flame-80x24')
        shown = terminal.screen(colors=True)
        expect('\033[4' in shown and '48;5' not in shown, 'not 8 colours')


def test_light_and_dark_differ():
    args = arguments(['shop'])
    shown = []
    for env, more in (({'COLORFGBG': '0;15'}, ()),
                      ({'COLORFGBG': '15;0'}, ()),
                      ({}, ('--theme', 'light'))):
        with Terminal(80, 24, *args, *more, env=env) as terminal:
            terminal.wait_for('quit')
            shown.append(terminal.screen(colors=True))
    expect(shown[0] != shown[1], 'light looks like dark')
    expect(shown[0] == shown[2], '--theme light differs from COLORFGBG')
