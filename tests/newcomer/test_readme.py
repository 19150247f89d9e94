"""Every command of README.md, typed as it is written by somebody who has just
installed bobbin and has the shop of `make demo` running (support/newcomer.py
has the rules). Files that the page names come from the commands before them, or
are what `prepare` makes."""
import gzip
import os
import re
import shutil
import subprocess

from support import bobbin, case, newcomer, tach
from support.case import expect

README = os.path.join(bobbin.ROOT, 'README.md')


def prepare(folder):
    """The files that README.md takes for granted."""
    tool = os.path.join(os.path.dirname(bobbin.PROGRAM), 'tools', 'make-trace')

    def write(name, data):
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)

    def trace(seed):
        return subprocess.run([tool, '--samples', '4000', '--seed', str(seed)],
                              stdout=subprocess.PIPE, check=True).stdout

    for seed, name in enumerate(['before.rbt', 'worker_1.rbt',
                                 'worker_2.rbt']):
        write(name, trace(seed))
    write('worker_3.rbt.gz', gzip.compress(trace(4)))
    data = bytearray(trace(5))
    data[len(data) // 2:len(data) // 2 + 64] = b'\xff' * 64
    write('bad.rbt', bytes(data))
    for name in ('profile.bin', 'worker_1.bin', 'killed.bin'):
        shutil.copy(tach.path('real_json'), os.path.join(folder, name))
    shutil.copy(tach.path('old_encodings'),
                os.path.join(folder, 'old-3.15-alpha.bin'))


def expected(line):
    """Exit statuses that the page promises."""
    if '--fail-over' in line:
        return (bobbin.OK, bobbin.GATE)
    if 'recover' in line:
        return (bobbin.OK, bobbin.PARTIAL)
    return (bobbin.OK,)


def test_every_command_works_as_it_is_written():
    machine = newcomer.Machine()
    prepare(machine.home)
    lines = newcomer.commands(README)
    expect(len(lines) > 20, 'only %d commands', len(lines))
    with newcomer.shop() as (_, pid):
        for line in lines:
            code, shown = machine.type(line, pid)
            expect(code in expected(line), '%s: exit status %d: %s', line,
                   code, shown[-600:])


def test_goals_of_make_are_there():
    """Those that are not run here: they build and install."""
    text = case.read_file(README).decode()
    makefile = case.read_file(os.path.join(bobbin.ROOT, 'Makefile')).decode()
    found = re.findall(r'^    (?:sudo )?make (\S+)', text, re.M)
    expect(len(found) >= 2, '%s', found)
    for goal in found:
        expect(re.search(r'^%s:' % goal, makefile, re.M), 'no goal %s', goal)


def test_pictures_are_there():
    text = case.read_file(README).decode()
    pictures = re.findall(r'!\[[^\]]{20,}\]\((\S+)\)', text)
    expect(len(pictures) >= 3, 'pictures %s', pictures)
    for name in pictures:
        path = os.path.join(bobbin.ROOT, name)
        expect(0 < os.path.getsize(path) < 1 << 20, '%s', name)


def test_permissions_come_before_the_first_attach():
    text = case.read_file(README).decode()
    first = text.index('```sh')
    for word in ('CAP_SYS_PTRACE', 'Yama', 'Docker', 'Kubernetes', 'php-fpm',
                 'root', 'bobbin doctor -p PID'):
        expect(word in text[:first], 'no word about %s', word)


def test_the_first_example_analyses_what_it_has_recorded():
    block = next(newcomer.blocks(README))
    name = re.search(r'record .*-o (\S+)', block[0]).group(1)
    expect(('analyze ' + name) in block[1], '%s', block)
