"""The terminal is given back, whatever happens."""
import fcntl
import os
import shutil
import signal
import subprocess
import termios

from screen import sample
from screen.pty_run import Pty
from support import bobbin, case
from support.case import each, expect


def shop():
    os.chdir(case.scratch)
    return sample.write('shop.txt', sample.shop())


def test_quit_restores():
    with Pty(shop()) as term:
        term.wait_for(b'quit')
        term.write(b'q')
        status = term.end()
        term.expect_restored()
        expect(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0,
               'status %d', status)


@each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])
def test_signal_restores_and_kills(name):
    number = getattr(signal, name)
    with Pty(shop()) as term:
        term.wait_for(b'quit')
        os.kill(term.pid, number)
        status = term.end()
        term.expect_restored()
        expect(os.WIFSIGNALED(status) and os.WTERMSIG(status) == number,
               'status %d, not killed by %s', status, name)


@each(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL'])
def test_crash_restores(name):
    number = getattr(signal, name)
    with Pty(shop()) as term:
        term.may_crash = True       # a sanitizer reports it as its own
        term.wait_for(b'quit')
        os.kill(term.pid, number)
        status = term.end()
        term.expect_restored()
        expect(not os.WIFEXITED(status) or os.WEXITSTATUS(status) != 0,
               '%s is no success', name)
        if not os.environ.get('BOBBIN_SANITIZED'):
            expect(os.WIFSIGNALED(status) and os.WTERMSIG(status) == number,
                   'status %d, not killed by %s', status, name)


def test_signal_in_a_prompt_restores():
    with Pty(shop()) as term:
        term.wait_for(b'quit')
        term.write(b'/Shop')
        term.wait_for(b'filter rows')
        os.kill(term.pid, signal.SIGTERM)
        term.end()
        term.expect_restored()


def test_terminal_that_goes_away_ends_it():
    with Pty(shop()) as term:
        term.wait_for(b'quit')
        os.kill(term.pid, signal.SIGHUP)
        expect(os.WIFSIGNALED(term.end()), 'it lives on')


@each([('key', b'\x1a'), ('signal', None)])
def test_suspend_and_resume(values):
    _, key = values
    with Pty(shop(), is_job=True) as term:
        term.wait_for(b'quit')
        if key:
            term.write(key)
        else:
            os.kill(term.job, signal.SIGTSTP)
        expect(term.told() == b'stopped', 'it does not stop')
        term.read()
        term.expect_restored()
        os.kill(term.job, signal.SIGCONT)
        term.wait_for(b'quit')
        term.write(b'q')
        status = term.end()
        term.expect_restored()
        expect(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0,
               'status %d', status)


def test_diagnose_shows_keys():
    with Pty('--diagnose') as term:
        term.wait_for(b'q quits')
        term.write(b'\033[15~')
        term.wait_for(b'1b 5b 31 35 7e')
        term.wait_for(b'F5')
        term.write(b'\033[<0;3;4M')
        term.wait_for(b'column 3, row 4')
        term.write(b'j')
        term.wait_for(b'down')
        term.write(b'q')
        expect(os.WIFEXITED(term.end()), 'it does not quit')
        term.expect_restored()


def test_keymap_changes_keys():
    path = shop()
    keys = case.write_file(b'{"quit": ["x", "F10"], "down": ["\\u001b[15~"],'
                           b' "dance": ["d"]}', 'keys.json')
    with Pty('--keymap', keys, path) as term:
        term.wait_for(b'quit')
        term.write(b'\033[15~')
        term.wait_for('>▄'.encode())     # the second row
        term.write(b'q')            # no longer
        term.write(b'\033[21~')     # F10
        status = term.end()
        expect(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0,
               'status %d', status)
    warning = case.read_file(term.errors)
    expect(b"no action 'dance'" in warning, 'no warning: %r', warning)


@each([('no-object', b'[]', b'line 1: an object is expected'),
       ('no-array', b'{\n"quit": "q"}', b'line 2: an array of keys'),
       ('cut', b'{"quit": ["q', b'ends inside a string'),
       ('missing', None, b'No such file')])
def test_bad_keymap_is_refused(values):
    _, text, message = values
    path = shop()
    keys = case.write_file(text, 'keys.json') if text else 'nowhere.json'
    with Pty('--keymap', keys, path) as term:
        status = term.end()
        expect(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1,
               'status %d', status)
    error = case.read_file(term.errors)
    expect(message in error, '%r', error)


def test_without_a_terminal_it_says_so():
    bobbin.need_screens()
    result = bobbin.execute(['setsid', '-w', bobbin.PROGRAM, 'explore',
                             shop()], ok=(1,))
    expect(b'no terminal' in result.err and b'bobbin analyze' in result.err,
           '%r', result.err)


@each(['dumb', 'nonsense'])
def test_terminal_that_cannot_is_refused(name):
    with Pty(shop(), env={'TERM': name}) as term:
        status = term.end()
        expect(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1,
               'status %d', status)
        expect(not term.out, 'it wrote %r', term.out)
    error = case.read_file(term.errors)
    expect(b'terminal type' in error, '%r', error)


@each(['vt100', 'linux', 'screen', 'xterm', 'tmux-256color'])
def test_common_terminals(name):
    with Pty(shop(), env={'TERM': name}) as term:
        term.wait_for(b'quit')
        term.write(b'S\x03')
        status = term.end()
        expect(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0,
               'status %d', status)


# Colours below 8 are the basic ones, all others 0xrrggbb.
RED_GREEN_BLUE = (r'%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d'
                  r'\:%p1%{255}%&%d')
DIRECT = 'xterm-direct|direct colours, RGB, colors#0x1000000, ' + ''.join(
    r'set%s=\E[%%?%%p1%%{8}%%<%%t%d%%p1%%d%%e%d8\:2\:\:%s%%;m, ' %
    (which, code, code, RED_GREEN_BLUE)
    for which, code in (('af', 3), ('ab', 4))) + (
        'pairs#0x7fff, use=xterm-256color,\n')


def test_true_colors():
    if not shutil.which('tic'):
        raise case.Skip('no tic to describe a terminal with')
    path = shop()
    source = case.write_file(DIRECT.encode(), 'direct.ti')
    subprocess.run(['tic', '-x', '-o', case.scratch, source], check=True,
                   capture_output=True)
    env = {'TERMINFO': case.scratch, 'COLORTERM': 'truecolor'}
    with Pty(path, env=env) as term:
        term.wait_for(b'quit')
        term.write(b'S')
        term.wait_for(b'48:2::')
        expect(b'38;5;' not in term.out, '256 colours')
        term.write(b'q')
        term.end()
        term.expect_restored()


def test_standard_input_may_be_the_trace():
    path = shop()
    with Pty('-', env={}) as term:
        # The keyboard is the terminal, and so is standard input here.
        term.write(case.read_file(path)[:400] + b'\n\x04')
        term.wait_for(b'quit')
        term.write(b'q')
        expect(os.WIFEXITED(term.end()), 'it does not quit')


@each([('no-such-file', ['nowhere.rbt'], 1, b'nowhere.rbt'),
       ('one-of-two', ['--diff', 'shop.txt'], 2, b'two inputs, not 1'),
       ('path-map', ['--path-map', 'x', 'shop.txt'], 2, b'FROM=TO'),
       ('theme', ['--theme', 'pink', 'shop.txt'], 2, b'auto, dark or light'),
       ('group', ['--group-by', 'luck', 'shop.txt'], 2, b'group by'),
       ('match', ['--match', '(', 'shop.txt'], 2, b'parenthesis'),
       ('nothing', ['--match', 'nobody', 'shop.txt'], 1, b'no samples')])
def test_mistakes_are_told(values):
    bobbin.need_screens()
    _, args, code, message = values
    shop()
    result = bobbin.run('explore', *args, ok=(code,))
    expect(message in result.err, '%r', result.err)


def test_reli_spelling():
    with Pty(shop(), command='rbt:explore') as term:
        term.wait_for(b'quit')
        term.write(b'\x03')
        expect(os.WIFEXITED(term.end()), '^C does not quit')


# Light or dark: the title in cyan (81) or in dark blue (24) of 256 colours.
ASKED = b'\033]11;?\033\\'
TITLE_ON_DARK, TITLE_ON_LIGHT = b'38;5;81m', b'38;5;24m'
ANSWERS = [
    ('white', b'\033]11;rgb:ffff/ffff/ffff\033\\', True),
    ('white, ended by BEL', b'\033]11;rgb:ffff/ffff/ffff\007', True),
    ('light in two digits', b'\033]11;rgb:fd/f6/e3\033\\', True),
    ('with transparency', b'\033]11;rgba:eeee/eeee/eeee/ffff\007', True),
    ('black', b'\033]11;rgb:0000/0000/0000\033\\', False),
    ('dark blue', b'\033]11;rgb:0000/0000/ffff\033\\', False),
]


@each(ANSWERS)
def test_colours_fit_the_background_that_the_terminal_tells(item):
    """A key before the answer and one behind it are keys; the answer is none,
    also if it comes in two parts."""
    _, answer, is_light = item
    with Pty(shop()) as term:
        term.wait_for(ASKED)
        term.wait_for(TITLE_ON_DARK)
        term.write(b'?' + answer[:9])
        term.wait_for(b'PgDn')    # the help
        term.write(answer[9:])
        if is_light:
            term.wait_for(TITLE_ON_LIGHT)
        term.write(b'qq')
        expect(term.end() == 0, 'status %s', term.status)
        expect(is_light or b'38;5;24m' not in term.out, 'light')
        term.expect_restored()


@each([('light', {'COLORFGBG': '0;15'}, [], TITLE_ON_LIGHT),
       ('dark', {'COLORFGBG': '15;0'}, [], TITLE_ON_DARK),
       ('--theme', {}, ['--theme', 'light'], TITLE_ON_LIGHT),
       ('console', {'TERM': 'linux'}, [], b'quit'),
       ('no colours', {'NO_COLOR': '1'}, [], b'quit')])
def test_what_is_known_is_not_asked(item):
    _, env, options, shown = item
    with Pty(shop(), *options, env=env) as term:
        term.wait_for(shown)
        term.wait_for(b'quit')
        term.write(b'q')
        term.end()
        expect(ASKED not in term.out, 'asked')


def test_an_answer_at_the_end_is_not_left_for_the_shell():
    with Pty(shop()) as term:
        term.wait_for(ASKED)
        term.write(b'q' + ANSWERS[0][1])
        term.end()
        left = fcntl.ioctl(term.fd, termios.FIONREAD, b'\0' * 4)
        expect(left == b'\0' * 4 and b'rgb:' not in term.out, 'left: %s',
               term.out[-100:])


@each([('no end', b'\033]11;rgb:' + b'f' * 100),
       ('no colour', b'\033]11;rgb:red\007'),
       ('too many digits', b'\033]11;rgb:fffff/ffff/ffff\007'),
       ('nothing', b'\033]11;?\007')])
def test_an_answer_that_is_none_changes_nothing(item):
    with Pty(shop()) as term:
        term.wait_for(ASKED)
        term.wait_for(TITLE_ON_DARK)
        term.write(item[1] + b'\033qqq')
        expect(term.end() == 0, 'status %s', term.status)
        expect(TITLE_ON_LIGHT not in term.out, 'light')
        term.expect_restored()
