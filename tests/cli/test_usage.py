"""The command line: help, mistakes, missing files."""
import os

from support import bobbin, case, commands, fixtures
from support.case import each, expect, read_file, write_file


def test_version():
    result = bobbin.run('--version')
    expect(result.out.startswith(b'bobbin'), 'says %r', result.out[:80])


@each(['help', '--help'] + [c + ' --help' for c in commands.ALL])
def test_help(line):
    result = bobbin.run(*line.split())
    expect(result.out and not result.err, 'help belongs on stdout')


def test_help_names_every_command():
    result = bobbin.run('help')
    for command in commands.ALL:
        expect(command.encode() in result.out, 'no word about %s', command)


@each([('no command',), ('unknown command', 'frobnicate'),
       ('unknown option', 'dump', '--frobnicate'),
       ('unknown format', 'convert', '-t', 'frobnicate'),
       ('missing value', 'convert', '-t'),
       ('bad number', 'convert', '--threads', 'many'),
       ('both of record', 'record', '-p', '1', '--request', '--no-request'),
       ('both of daemon', 'daemon', '-P', 'x', '--request', '--no-request')])
def test_mistakes_are_usage_errors(item):
    result = bobbin.run(*item[1:], ok=(bobbin.USAGE,))
    expect(result.err and not result.out, 'say it on stderr')


def reading(command, path):
    """The command line of a command that reads a file."""
    more = {'diff': [path], 'replay': ['--collapsed']}
    return [command, *more.get(command, []), path]


@each(commands.READING)
def test_missing_file(command):
    if command == 'explore':
        bobbin.need_screens()
    path = os.path.join(case.scratch, 'missing.rbt')
    result = bobbin.run(*reading(command, path), ok=(bobbin.FAILED,))
    expect(path.encode() in result.err, 'the file is not named')


@each(commands.READING)
def test_directory(command):
    bobbin.run(*reading(command, case.scratch), ok=(bobbin.FAILED,))


def test_output_cannot_be_written():
    bobbin.run('convert', '-t', 'folded', '-o',
               os.path.join(case.scratch, 'no', 'such', 'dir'),
               fixtures.rbt_path('tiny'), ok=(bobbin.FAILED,))


def test_full_disk():
    """A full disk is an error."""
    if not os.path.exists('/dev/full'):
        raise case.Skip('no /dev/full')
    bobbin.run('convert', '-t', 'folded', '-o', '/dev/full',
               fixtures.rbt_path('tiny'), ok=(bobbin.FAILED,))


def test_input_is_left_alone():
    data = read_file(fixtures.rbt_path('corrupt-middle'))
    path = write_file(data)
    bobbin.run('recover', '-o', os.path.join(case.scratch, 'out.rbt'), path,
               ok=(bobbin.PARTIAL,))
    expect(read_file(path) == data, 'the input changed')


@each(['rbt', 'phpspy', 'folded'])
def test_format_option_and_suffix(target):
    """-o NAME.SUFFIX chooses what -t SUFFIX chooses."""
    out = os.path.join(case.scratch, 'out.' + target)
    bobbin.run('convert', '-o', out, fixtures.rbt_path('tiny'))
    direct = bobbin.run('convert', '-t', target, fixtures.rbt_path('tiny'))
    expect(read_file(out) == direct.out, 'suffix and -t differ')


def test_explorer_without_its_file():
    """A build without ncurses says so, whatever the file."""
    run = bobbin.run('explore', 'trace.rbt', ok=(bobbin.FAILED,))
    want = (b'trace.rbt' if bobbin.has_screens()
            else b'built without the explorer')
    expect(want in run.err, '%s', run.err)
