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
    shown = bobbin.run('--help').out.decode()
    parts = re.split(r'^(\S.*):$', shown, flags=re.M)
    listed = {heading: re.findall(r'^  ([a-z]+)  ', text, re.M)
              for heading, text in zip(parts[1::2], parts[2::2])}
    want = {'Capture running processes': ['record', 'top', 'stack', 'daemon',
                                          'doctor'],
            'Look at recordings': ['analyze', 'explore', 'view', 'diff'],
            'Files': ['convert', 'recover', 'info', 'verify', 'dump']}
    expect(listed == want, '%s', listed)
    also = re.search(r'Also: (.*)\.$', shown, re.M).group(1).split()
    expect(sorted(sum(want.values(), also)) == sorted(commands.ALL),
           'also %s', also)
    expect(shown == bobbin.run('help').out.decode(), 'help is another text')


def rows(text):
    return text.rstrip('\n').split('\n')


def narrow(text):
    wide = [row for row in rows(text) if len(row) > 79]
    expect(not wide, 'too wide: %s', wide)
    return text


@each([''] + commands.ALL)
def test_help_fits_one_screen(command):
    """On 80 columns and 24 rows, with an option on each line."""
    shown = narrow(bobbin.run(*command.split(), '--help').out.decode())
    expect(len(rows(shown)) <= 24, '%s: %d rows', command, len(rows(shown)))
    if "--help-all': all" not in shown:
        return
    listed = re.findall(r'^  .{0,4}(--\S+).* {2,}\S', shown, re.M)
    expect(len(listed) == 5, '%s: options %s', command, listed)
    missing = set(listed) - set(options(command))
    expect(not missing, '%s has no %s', command, missing)
    part = shown.split('\nExamples:\n')[1].split('\n\n')[0]
    expect(len(re.findall(r'^  \S', part, re.M)) in (1, 2, 3), '%r', part)


@each(commands.ALL)
def test_help_all_explains_every_option(command):
    shown = narrow(bobbin.run(command, '--help-all').out.decode())
    for option in options(command):
        expect(re.search(r'^ .*%s\b' % option, shown, re.M),
               '%s: %s is not in the help', command, option)
    expect(shown == bobbin.run('help', command).out.decode(),
           'help COMMAND and COMMAND --help-all differ')


@each(commands.ALL)
def test_help_counts_the_options_that_it_leaves_out(command):
    """A command with more than ten options has two levels."""
    shown = bobbin.run(command, '--help').out.decode()
    listed = re.findall(r'^  (?:-., |    )--\S', bobbin.run(
        command, '--help-all').out.decode(), re.M)
    counted = re.search(r"--help-all': all (\d+) options", shown)
    expect(bool(counted) == (len(listed) > 10), '%s: %d', command, len(listed))
    if counted:
        expect(int(counted.group(1)) == len(listed), 'counts %s, not %d',
               counted.group(1), len(listed))


def test_overview_has_a_second_level():
    shown = narrow(bobbin.run('--help-all').out.decode())
    for text in FILTERS + ['Exit status:', 'Environment:', '--version']:
        expect(text in shown, 'no %s', text)


# ---- other profilers -------------------------------------------------------

PROFILERS = ['py-spy', 'phpspy', 'reli', 'austin', 'perf', 'Tachyon']


def pairs(name):
    """What is typed there and here; an entry may take more than one row."""
    found = []
    shown = bobbin.run('help', 'coming-from', name).out.decode()
    for row in rows(shown.split('\nOptions of ')[0]):
        left, right = row[:38].strip(), row[38:].strip()
        if row.startswith(' ' * 38):
            found[-1][1] += ' ' + right
        elif re.match(r'  (%s|austinp|austin-tui|\.\.\.) ' % name.lower(),
                      row):
            alone = not right.startswith('bobbin ')
            found.append([row.strip(), ''] if alone else [left, right])
    expect(len(found) >= 7, '%s: %s', name, found)
    return found


@each(PROFILERS)
def test_coming_from_names_commands_that_there_are(name):
    """Every option on the right is one of the command."""
    narrow(bobbin.run('help', 'coming-from', name).out.decode())
    for theirs, ours in pairs(name):
        words = ours.split(' -- ')[0].split()
        command = 'record' if words[1] == 'run' else words[1]
        expect(words[0] == 'bobbin' and command in commands.ALL, '%s', ours)
        shown = bobbin.run(command, '--help-all').out.decode()
        for word in words[2:]:
            if word.startswith('-') and word != '-':
                expect(re.search(r'^ .*%s\b' % word, shown, re.M),
                       '%s: %s has no %s', theirs, command, word)


@each(['py-spy record -o %s/x.svg -d 0.2 --pid %d',
       'py-spy record -f speedscope -o %s/x.json -d 0.2 --pid %d',
       'py-spy record --gil -o %s/x.svg -d 0.2 --pid %d'])
def test_words_of_py_spy_work(line):
    """As the page says: write bobbin for py-spy. Nothing is captured here: the
    process is no interpreter."""
    result = bobbin.run(*(line % (case.scratch, 1)).split()[1:],
                        ok=(bobbin.OK, bobbin.FAILED))
    expect(b'option' not in result.err, '%s', result.err)


def test_coming_from_lists_all_profilers():
    shown = narrow(bobbin.run('help', 'coming-from').out.decode())
    for name in PROFILERS:
        expect('\n%s:\n' % name in shown, 'no %s', name)
    result = bobbin.run('help', 'coming-from', 'gprof', ok=(bobbin.USAGE,))
    for name in PROFILERS:
        expect(name.encode() in result.err, '%s', result.err)


def test_coming_from_is_a_man_page():
    if not shutil.which('scdoc'):
        raise case.Skip('no scdoc')
    source = bobbin.run('help', '--man', 'coming-from')
    page = subprocess.run(['scdoc'], input=source.out, capture_output=True,
                          check=False)
    expect(page.returncode == 0, 'scdoc: %s', page.stderr)
    text = re.sub(r'\\(&|(?=-))', '', page.stdout.decode())
    for name in PROFILERS:
        for theirs, _ in pairs(name):
            expect(theirs in text, 'no %s', theirs)
    for words in ('--sleep-ns NS', '--nolineno', '--async-aware'):
        expect(words in text, 'no %s', words)


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
    part = shown.split('\nExamples:\n')[1].split('\n\n')[0]
    lines = [line.strip() for line in part.split('\n')
             if line.startswith('  ') and line[2:3] != ' ']
    expect(lines, 'no example of %s', command)
    for line in lines:
        expect('\n%s\n' % line.replace('\\', '\\\\') in source,
               'not in the man page: %s', line)


def test_man_pages_are_built():
    if not shutil.which('scdoc'):
        raise case.Skip('no scdoc')
    for name in ['bobbin', 'bobbin-coming-from'] + [
            'bobbin-' + c for c in commands.ALL if c != 'help']:
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
       ('shell', 'completion z', 'zsh'), ('topic', 'help ver', 'verify'),
       ('profilers', 'help com', 'completion coming-from')])
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


@each([('explore', ['Up k', 'S', 'w', '/', 'Esc', 'q']),
       ('top', ['Enter', 's', '1', '/', 'q'])])
def test_man_page_lists_the_keys(values):
    """From the table that the screen uses."""
    command, keys = values
    page = bobbin.run('help', '--man', command).out.decode()
    section = page.split('# KEYS')[1].split('# EXAMPLES')[0]
    for key in keys:
        expect('*%s' % key in section, 'no %s in %s', key, section)
