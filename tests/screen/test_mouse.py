"""The mouse: what is under the pointer is what happens."""
import os
import re

from screen import sample
from screen.tmux import Terminal
from support import case
from support.case import each, expect


def open_shop(cols=80, rows=24, *more):
    os.chdir(case.scratch)
    sample.write('shop.txt', sample.shop())
    terminal = Terminal(cols, rows, 'shop.txt', *more)
    return terminal


def selected(shown):
    """The row with the marker."""
    rows = [row for row in shown.splitlines() if re.search(r'(^|│)>', row)]
    expect(len(rows) == 1, '%d selected rows', len(rows))
    return rows[0]


def row_of(shown, text):
    """Rows count from 1."""
    for at, row in enumerate(shown.splitlines()):
        if text in row:
            return at + 1
    raise case.Failure('no %r in %s' % (text, shown))


def test_click_selects_and_double_click_enters():
    with open_shop() as terminal:
        shown = terminal.wait_for('quit')
        y = row_of(shown, 'usort')
        terminal.click(30, y)
        terminal.wait(lambda now: 'usort' in selected(now), 'usort selected')
        terminal.type('\033[<0;30;%dM\033[<0;30;%dm' % (y, y) * 2)
        shown = terminal.wait_for('callers and callees')
        expect(any('usort' in line and 'self 52' in line
                   for line in shown.splitlines()),
               'not usort in the middle: %s', shown)


def test_two_slow_clicks_are_no_double_click():
    with open_shop() as terminal:
        shown = terminal.wait_for('quit')
        y = row_of(shown, 'usort')
        terminal.click(30, y)
        terminal.wait(lambda now: 'usort' in selected(now), 'usort selected')
        terminal.click(30, y + 1)
        terminal.click(30, y)
        terminal.keys('t')
        shown = terminal.wait_for('by total')
        expect('callers and callees' not in shown, 'it went in')


def test_wheel_scrolls_by_delta():
    with open_shop(60, 10) as terminal:
        terminal.wait_for('quit')
        terminal.keys('t')
        terminal.wait_for('1 of 11')
        terminal.mouse(65, 10, 5)
        terminal.wait_for('4 of 11')
        terminal.mouse(64, 10, 5)
        terminal.wait(lambda now: '<main>' in now, 'the top')


@each([('click', 0, ['[δ5]', '[δ10]', '[δ1]', '[δ2]', '[δ3]']),
       ('wheel up', 64, ['[δ4]', '[δ5]', '[δ6]']),
       ('wheel down', 65, ['[δ2]', '[δ1]', '[δ1]'])])
def test_delta_changes(values):
    _, button, wanted = values
    with open_shop() as terminal:
        terminal.wait_for('[δ3]')
        for text in wanted:
            terminal.mouse(button, 78, 1)
            terminal.wait_for(text)


def test_click_on_the_small_flame_focuses():
    with open_shop() as terminal:
        terminal.wait_for('quit')
        terminal.mouse(0, 8, 2)
        terminal.wait_for('callers and callees')


def test_click_in_a_pane_moves_the_keyboard():
    with open_shop(120, 40) as terminal:
        terminal.wait_for('quit')
        terminal.keys('Enter')
        shown = terminal.wait_for('overview')
        y = row_of(shown, 'json_encode')
        terminal.click(12, y)
        terminal.wait(lambda now: 'json_encode' in selected(now),
                      'json_encode selected')
        terminal.click(60, row_of(shown, '<leaf>'))
        terminal.wait(lambda now: '<leaf>' in selected(now),
                      '<leaf> selected')


def test_click_on_a_box_selects_it():
    with open_shop() as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'j', 'S')
        shown = terminal.wait_for('▏Shop\\Cart')
        row = row_of(shown, '▏Shop\\Cart')
        terminal.click(shown.splitlines()[row - 1].index('Cart') + 1, row)
        shown = terminal.wait_for('Cart.php')
        expect('80 26.7%' in shown, 'not about Cart: %s', shown)


def test_drag_selects_a_range_of_time():
    with open_shop() as terminal:
        terminal.wait_for('quit')
        terminal.mouse(0, 25, 4)
        terminal.mouse(32, 30, 4)
        terminal.mouse(32, 42, 4)
        terminal.mouse(0, 42, 4, 'm')
        shown = terminal.wait_for('selected: ')
        count = int(re.search(r'selected: (\d+)', shown).group(1))
        expect(95 <= count <= 105, '%d samples in a third', count)
        expect(' .. ' in shown, 'no range shown')
        terminal.keys('r')
        terminal.wait(lambda now: 'selected' not in now, 'everything')


def test_click_on_a_heading_sorts():
    with open_shop() as terminal:
        terminal.wait_for('self▼')
        terminal.click(13, 5)
        terminal.wait_for('total▼')
        terminal.click(6, 5)
        terminal.wait_for('self▼')


def test_click_ticks_a_facet():
    with open_shop() as terminal:
        terminal.wait_for('quit')
        terminal.keys('a')
        shown = terminal.wait_for('Processes')
        y = row_of(shown, '/login')
        terminal.type('\033[<0;9;%dM\033[<0;9;%dm' % (y, y) * 2)
        terminal.wait_for('selected: 66')
