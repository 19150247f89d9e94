"""Programs and libraries that are made to take long to read."""
import os
import platform
import struct
import time

from support import bobbin, case, elves, hostile, listing
from support.case import expect
from support.daemons import has

MIB = 1 << 20
NAMES = 64 * MIB


def many_tables():
    """Each of 4,000 tables names one table of names without an end, and each
    symbol begins at its front."""
    file = elves.Elf()
    names = file.section('.strtab', elves.STRTAB, b'\0' + b'z' * NAMES)
    table = file.section('.symtab', elves.SYMTAB, elves.symbols(4000),
                         link=names)
    _, _, at, size, _ = file.sections[table]
    for _ in range(3990):
        file.section('.symtab', elves.SYMTAB, link=names, at=at, size=size)
    return file


def shared_name():
    """3,000 symbols of one place and one name of 30 MB."""
    file = elves.Elf()
    names = file.section('.strtab', elves.STRTAB,
                         b'\0' + b'A' * (30 * MIB) + b'\0')
    file.section('.symtab', elves.SYMTAB, elves.symbols(3000), link=names)
    return file


def sparse_tables():
    """Tables of gigabytes, in a file without bytes."""
    file = elves.Elf()
    names = file.section('.strtab', elves.STRTAB, at=elves.PAGE,
                         size=2 << 30)
    for kind in (elves.SYMTAB, elves.DYNSYM):
        for _ in range(100):
            file.section('.symtab', kind, at=elves.PAGE, size=1 << 30,
                         link=names)
    file.size = (4 << 30) - 1
    return file


def many_constants():
    """Constants to be searched for a version: the same 100 MiB 4,000 times,
    each byte the first of what is looked for."""
    file = elves.Elf()
    file.end = elves.PAGE
    big = file.section('.rodata', elves.PROGBITS,
                       (b'X' * 60 + b'....') * (100 * MIB // 64))
    _, _, at, size, _ = file.sections[big]
    for _ in range(3990):
        file.section('.rodata', elves.PROGBITS, at=at, size=size)
    # What makes it a PHP.
    names = [b'executor_globals', b'sapi_module', b'basic_globals',
             b'compiler_globals', b'sapi_globals', b'zend_execute_ex']
    text = b'\0' + b'\0'.join(names) + b'\0'
    strings = file.section('.dynstr', elves.STRTAB, text)
    table = b''.join(struct.pack('<IBBHQQ', text.index(n), 0x11, 0, 1,
                                 0x1000 + 8 * i, 64)
                     for i, n in enumerate(names))
    file.section('.dynsym', elves.DYNSYM, table, link=strings)
    return file


def unended_section_names():
    """Names of sections without an end."""
    file = elves.Elf()
    for i in range(4000):
        file.section('z' * 4000, elves.PROGBITS)
    return file


N_LEGAL = 2000000


def large():
    """Nothing is wrong with it, and all of it is within the quota."""
    file = elves.Elf()
    names = file.section('.strtab', elves.STRTAB, b'\0' + b''.join(
        b'f%07d\0' % i for i in range(N_LEGAL)))
    file.section('.symtab', elves.SYMTAB, elves.symbols(
        N_LEGAL, step=4, name_step=9), link=names)
    return file


FILES = {f.__name__: f for f in (many_tables, shared_name, sparse_tables,
                                 many_constants, unended_section_names)}


def sampled_beside(kind, name, *options, most=hostile.MEMORY):
    """The others go on while a process has this file mapped and runs it."""
    if platform.machine() not in elves.LOOP:
        raise case.Skip('no machine code for this machine')
    path = os.path.join(case.scratch, name)
    FILES[kind]().write(path)
    with hostile.scene(*options) as scene:
        with elves.runs(scene.mark, path):
            scene.check(seconds=3, most=most)
            told = scene.end()
    os.unlink(path)
    return told


# It is looked at while it is attached, as its name is that of a runtime.

@case.each(FILES)
def test_as_php(kind):
    sampled_beside(kind, 'libphp.so')


@case.each(FILES)
def test_as_python(kind):
    sampled_beside(kind, 'libpython3.11.so.1.0')


# And for names of functions, as its code runs. What is kept of one file for
# that has a limit of its own.

MOST = hostile.MEMORY + 192 * MIB


@case.each(FILES)
def test_native(kind):
    sampled_beside(kind, 'libx.so', '--native', most=MOST)


# A legal one has its names in the end, and the others do not wait for it. The
# longest that nobody of them was sampled is in their own times; a machine that
# stands still for that long with nothing to do says nothing.

LONGEST_GAP = 0.1


def gaps(path, first, last):
    """The longest time between two samples that were taken between two times
    in seconds since the first one."""
    times = [int(fields[listing.TIME]) / 1e6 for _, fields in
             listing.parse(bobbin.run('dump', path).out)]
    times = [t for t in times if first <= t <= last]
    return max(b - a for a, b in zip(times, times[1:]))


def of_worker(status, pid):
    worker, = [w for w in status['workers'] if w['pid'] == pid]
    return worker


def large_beside(scene, path):
    """The longest gaps of the others without it and while it is read."""
    began = time.monotonic()
    time.sleep(3)
    with elves.waits(scene.mark, path) as child:
        scene.daemon.wait(has(child.pid), 'the large one')
        calm = time.monotonic() - began
        before = of_worker(scene.answer(), child.pid)
        child.stdin.close()
        scene.check(seconds=3, most=MOST)
        # It is read when its samples are not lost any more.
        status = scene.daemon.wait(
            lambda s: of_worker(s, child.pid)['samples'] >
            before['samples'] + 20, 'samples of the large one')
        busy = time.monotonic() - began
        scene.end()
        expect(of_worker(status, child.pid)['lost_by'].get('loading', 0) > 0,
               'it was waited for: %r', status)
        expect_names(child.pid, *scene.pids)
    paths = [path for path in scene.daemon.files()
             if any('-%d-' % pid in path for pid in scene.pids)]
    expect(len(paths) == len(scene.pids), '%r', paths)
    return (max(gaps(path, 0, calm - 1) for path in paths),
            max(gaps(path, calm - 1, busy) for path in paths))


def expect_names(*pids):
    trace = os.path.join(case.scratch, 'names.rbt')
    bobbin.run('record', '--native-only', '-d', '5s', '-o', trace,
               *(word for pid in pids for word in ('-p', str(pid))))
    expect(b'f0000000;' in bobbin.run('dump', trace).out, 'it has no names')


def test_large_and_legal_that_is_run_later():
    if platform.machine() not in elves.LOOP:
        raise case.Skip('no machine code for this machine')
    path = os.path.join(case.scratch, 'liblarge.so')
    large().write(path)
    for _ in range(hostile.TRIES):
        with hostile.scene('--native') as scene:
            calm, busy = large_beside(scene, path)
            for file in scene.daemon.files():
                os.unlink(file)
        if busy < max(LONGEST_GAP, 2 * calm):
            break
    os.unlink(path)
    expect(busy < max(LONGEST_GAP, 2 * calm),
           'no sample for %.3f s, %.3f s without it', busy, calm)


def many_long_names():
    """Each of 300,000 functions has a name of 500 bytes, which is too much."""
    file = elves.Elf()
    names = file.section('.strtab', elves.STRTAB, b'\0' + b'A' * 500 + b'\0')
    file.section('.symtab', elves.SYMTAB, elves.symbols(300000, step=4),
                 link=names)
    return file


# What is over the quota is said once, however many processes have it and
# however often files are closed.

def test_no_symbols_is_told_once():
    if platform.machine() not in elves.LOOP:
        raise case.Skip('no machine code for this machine')
    path = os.path.join(case.scratch, 'libx.so')
    many_long_names().write(path)
    with hostile.scene('--native', '--rotate-time', '1s') as scene:
        with elves.runs(scene.mark, path) as one, \
                elves.runs(scene.mark, path) as other:
            scene.daemon.wait(has(one.pid, other.pid), 'both')
            scene.daemon.wait(
                lambda s: all(of_worker(s, child.pid)['samples'] > 200
                              for child in (one, other)), 'samples of both')
            told = scene.end()
    os.unlink(path)
    expect(told.count(b'no symbols, because') == 1, '%s', told)
    expect(b'libx.so: no symbols, because its functions take more memory than '
           b'those of a file may' in told, '%s', told)
