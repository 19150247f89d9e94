"""Source files: paths in traces are foreign, so little is read of them."""
import os

from screen import sample
from screen.tmux import Terminal
from support import case
from support.case import each, expect


def open_source(target):
    """The explorer with /app/app.py mapped to target, and v typed."""
    sample.write('app.folded', sample.python_app())
    terminal = Terminal(80, 24, 'app.folded', '--path-map',
                        '/app/app.py=' + target)
    terminal.wait_for('quit')
    terminal.keys('t', 'v')
    return terminal


def make_fifo():
    os.mkfifo('target')


def make_directory():
    os.mkdir('target')


def make_device_link():
    os.symlink('/dev/zero', 'target')


@each([('fifo', make_fifo), ('directory', make_directory),
       ('device', make_device_link)])
def test_only_regular_files_are_read(values):
    os.chdir(case.scratch)
    values[1]()
    with open_source('target') as terminal:
        terminal.wait_for('/app/app.py: not a regular file')


def test_long_file_is_cut():
    os.chdir(case.scratch)
    with open('target', 'wb') as file:
        file.write(sample.SOURCE)
        file.write(b'# more\n' * (2 << 20))
    with open_source('target') as terminal:
        shown = terminal.wait_for('only its beginning')
        expect('total += fib(i)' in shown, 'the line is not shown: %s', shown)
        terminal.keys('G')
        terminal.wait(lambda now: '# more' in now, 'the end of it')


def test_binary_file_is_harmless():
    os.chdir(case.scratch)
    with open('target', 'wb') as file:
        file.write(bytes(range(256)) * 64)
    with open_source('target') as terminal:
        shown = terminal.wait_for('\\x0e\\x0f')
        expect(len(shown.splitlines()) == 24, 'the screen broke: %s', shown)


def test_longest_prefix_wins():
    os.chdir(case.scratch)
    os.mkdir('here')
    with open('here/app.py', 'wb') as file:
        file.write(sample.SOURCE.replace(b'total', b'this_one'))
    sample.write('app.folded', sample.python_app())
    with Terminal(80, 24, 'app.folded', '--source', '/app=here',
                  '--path-map', '/=.') as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'v')
        terminal.wait_for('this_one')


def test_none_by_default():
    """The file is where the trace says, but nobody named its directory."""
    os.chdir(case.scratch)
    path = os.path.join(case.scratch, 'app.py')
    with open(path, 'wb') as file:
        file.write(b'secret\n' * 20)
    sample.write('app.folded',
                 sample.python_app().replace(b'/app/app.py', path.encode()))
    with Terminal(80, 24, 'app.folded') as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'v')
        shown = terminal.wait_for('no source shown: give --source DIR')
        expect('secret' not in shown, 'source is shown: %s', shown)
    with Terminal(80, 24, 'app.folded', '--source', '.') as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'v')
        terminal.wait_for('secret')


def test_no_link_leads_out():
    os.chdir(case.scratch)
    os.mkdir('here')
    with open('secret.py', 'wb') as file:
        file.write(b'secret\n' * 20)
    os.symlink('../secret.py', 'here/app.py')
    sample.write('app.folded', sample.python_app())
    with Terminal(80, 24, 'app.folded', '--source', '/app=here') as terminal:
        terminal.wait_for('quit')
        terminal.keys('t', 'v')
        shown = terminal.wait_for('not below any --source DIR')
        expect('secret' not in shown, 'source is shown: %s', shown)


def test_enter_focuses_the_line():
    os.chdir(case.scratch)
    sample.write('target', sample.SOURCE)
    with open_source('target') as terminal:
        terminal.wait_for('total += fib(i)')
        terminal.keys(*['k'] * 6)
        terminal.keys('Enter')
        terminal.wait_for('fib  /app/app.py')
        terminal.wait_for('callers and callees')
