"""Programs and libraries that are made to take long to read."""
import os
import platform
import struct

from support import case, elves, hostile

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

@case.each(FILES)
def test_native(kind):
    sampled_beside(kind, 'libx.so', '--native',
                   most=hostile.MEMORY + 192 * MIB)
