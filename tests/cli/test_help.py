"""Help, man pages and completions: all say the same, because all come from
one table."""
import os
import re
import shutil
import subprocess

from cli import beside, terminal
from support import bobbin, case, commands
from support.case import each, expect

FILTERS = ['--pid', '--thread', '--status', '--match', '--hide', '--time',
           '--annotation', '--no-line']
SHELLS = ['bash', 'zsh', 'fish']


def options(command):
    """The options of a command; completions for fish are easiest to parse."""
    text = bobbin.run('completion', 'fish').out.decode()
    rows = [row for row in text.splitlines()
            if "seen_subcommand_from %s'" % command in row]
    names = ['--' + re.search(r' -l (\S+)', row).group(1) for row in rows
             if ' -l ' in row]
    expect('--help' in names, 'no options of %s found', command)
    return names


def test_no_command_is_forgotten_here():
    rows = bobbin.run('completion', 'fish').out.decode().splitlines()
    names = [re.search(r' -a (\S+)', row).group(1) for row in rows
             if '__fish_use_subcommand' in row and ' -a ' in row]
    expect(sorted(names) == sorted(commands.ALL), 'there are %s', names)


def test_overview_lists_commands_by_what_they_do():
    """Each once, below the heading that it belongs to."""
    parts = re.split(r'^(\S.*):$', bobbin.run('help').out.decode(),
                     flags=re.M)
    listed = {heading: re.findall(r'^  ([a-z]+)  ', text, re.M)
              for heading, text in zip(parts[1::2], parts[2::2])}
    want = {'Capture running processes': commands.CAPTURING,
            'Help': commands.HELPING}
    for heading, names in want.items():
        expect(sorted(listed[heading]) == sorted(names), '%s: %s', heading,
               listed[heading])
    expect(sorted(listed['Look at traces'] + listed['Change traces']) ==
           sorted(commands.READING), '%s', listed)


@each(commands.ALL)
def test_help_explains_every_option(command):
    shown = bobbin.run('help', command).out.decode()
    for option in options(command):
        expect(re.search(r'^ .*%s\b' % option, shown, re.M),
               '%s: %s is not in the help', command, option)
    expect(shown == bobbin.run(command, '--help').out.decode(),
           'help COMMAND and COMMAND --help differ')
    expect(max(map(len, shown.splitlines())) < 80, 'a line is too long')


@each(commands.READING)
def test_every_reading_command_has_the_filters(command):
    missing = set(FILTERS) - set(options(command))
    expect(not missing, '%s lacks %s', command, missing)


@each(commands.ALL)
def test_man_page_explains_every_option(command):
    if not shutil.which('scdoc'):
        raise case.Skip('no scdoc')
    source = bobbin.run('help', '--man', command)
    page = subprocess.run(['scdoc'], input=source.out, capture_output=True,
                          check=False)
    expect(page.returncode == 0, 'scdoc: %s', page.stderr)
    text = page.stdout.decode().replace('\\-', '-')
    for option in options(command):
        expect(option in text, '%s: %s is not in the man page', command,
               option)


@each(commands.ALL)
def test_examples_are_the_same_in_the_man_page(command):
    """In the source of a man page a backslash is doubled."""
    shown = bobbin.run('help', command).out.decode()
    source = bobbin.run('help', '--man', command).out.decode()
    lines = [line.strip() for line in shown.split('\nExamples')[1].split('\n')
             if line.startswith('  ') and line[2:3] != ' ']
    expect(lines, 'no example of %s', command)
    for line in lines:
        expect('\n%s\n' % line.replace('\\', '\\\\') in source,
               'not in the man page: %s', line)


def test_man_pages_are_built():
    if not shutil.which('scdoc'):
        raise case.Skip('no scdoc')
    for name in ['bobbin'] + ['bobbin-' + c
                              for c in commands.ALL if c != 'help']:
        path = os.path.join(beside.MAN, name + '.1')
        expect(os.path.getsize(path) > 500, '%s is hardly a page', path)


@each(SHELLS)
def test_completion_is_valid(shell):
    path = case.write_file(bobbin.run('completion', shell).out, 'script')
    if not shutil.which(shell):
        raise case.Skip('no ' + shell)
    check = subprocess.run([shell, '-n', path], capture_output=True,
                           check=False)
    expect(check.returncode == 0 and not check.stderr, '%s: %s', shell,
           check.stderr)


@each([('command', 'con', 'convert'), ('option', 'info --js', '--json'),
       ('format', 'convert -t fol', 'folded'),
       ('format behind a sign', 'convert --to = ph', 'phpspy'),
       ('only what can be read', 'convert -f du', ''),
       ('choice', 'info --color al', 'always'),
       ('shell', 'completion z', 'zsh'), ('topic', 'help ver', 'verify')])
def test_bash_completes(item):
    """Completes as bash would call it."""
    _, line, want = item
    if not shutil.which('bash'):
        raise case.Skip('no bash')
    path = case.write_file(bobbin.run('completion', 'bash').out, 'script')
    words = ['bobbin'] + line.split(' ')
    script = ('. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bobbin; '
              'echo "${COMPREPLY[*]}"')
    shown = subprocess.run(['bash', '-c', script, path] + words,
                           capture_output=True, check=True).stdout.decode()
    expect(shown.strip() == want, '%r, not %r', shown, want)


@each(['stack -p', 'stack', 'doctor --pid', 'top -p', 'record -p'])
def test_bash_completes_processes(line):
    for program in ('bash', 'pgrep'):
        if not shutil.which(program):
            raise case.Skip('no ' + program)
    path = case.write_file(bobbin.run('completion', 'bash').out, 'script')
    words = ['bobbin'] + line.split(' ') + [str(os.getpid())]
    script = ('. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bobbin; '
              'echo "${COMPREPLY[*]}"')
    shown = subprocess.run(['bash', '-c', script, path] + words,
                           capture_output=True, check=True).stdout.decode()
    expect(str(os.getpid()) in shown.split(), '%r', shown)


def test_help_is_coloured_on_terminals_only():
    plain = bobbin.run('help').out
    expect(b'\033' not in plain, 'colours in a file')
    _, shown, _ = terminal.run('help', out=True)
    expect(b'\033[1m' in shown, 'no colours on a terminal')


@each([('NO_COLOR', {'NO_COLOR': '1'}, []),
       ('TERM=dumb', {'TERM': 'dumb'}, []),
       ('--color=never', {}, ['--color=never'])])
def test_colours_can_be_turned_off(item):
    _, environ, options_ = item
    _, shown, _ = terminal.run('help', *options_, out=True, env=environ)
    expect(b'\033' not in shown, 'colours all the same')
    _, shown, _ = terminal.run('info', '/nonexistent', *options_, err=True,
                               env=environ)
    expect(b'nonexistent' in shown and b'\033' not in shown,
           'colours in the error: %r', shown)


def test_colours_can_be_forced():
    expect(b'\033[' in bobbin.run('--color', 'always', 'help').out,
           'no colours')


def test_no_command_shows_the_commands():
    result = bobbin.run(ok=(bobbin.USAGE,))
    for command in commands.ALL:
        expect(command.encode() in result.err, 'no word about %s', command)
