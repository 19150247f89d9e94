"""The command line itself: help, mistakes, files that are not there."""
import os

from support import bobbin, case, fixtures
from support.case import each, expect, read_file, write_file

COMMANDS = ['convert', 'recover', 'info', 'verify', 'dump']


def test_version():
    result = bobbin.run('--version')
    expect(result.out.startswith(b'bobbin'), 'says %r', result.out[:80])


@each(['help', '--help'] + [c + ' --help' for c in COMMANDS])
def test_help(line):
    result = bobbin.run(*line.split())
    expect(result.out and not result.err, 'help belongs on stdout')


def test_help_names_every_command():
    result = bobbin.run('help')
    for command in COMMANDS:
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


@each(COMMANDS)
def test_missing_file(command):
    path = os.path.join(case.scratch, 'missing.rbt')
    result = bobbin.run(command, path, ok=(bobbin.FAILED,))
    expect(path.encode() in result.err, 'the file is not named')


@each(COMMANDS)
def test_directory(command):
    bobbin.run(command, case.scratch, ok=(bobbin.FAILED,))


def test_output_cannot_be_written():
    bobbin.run('convert', '-t', 'folded', '-o',
               os.path.join(case.scratch, 'no', 'such', 'dir'),
               fixtures.rbt_path('tiny'), ok=(bobbin.FAILED,))


def test_full_disk():
    """What does not fit is an error, not a short file and success."""
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
