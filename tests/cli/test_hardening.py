"""The release build has the protections that hardening/meson.build asks for.

They are looked for in the built files, not in the flags: a flag that is given
and does nothing is none. `make test` builds what is needed.
"""
import glob
import json
import os
import platform
import re
import shutil
import subprocess

from support import bobbin
from support.case import Skip, each, expect

BUILD = os.path.join(bobbin.ROOT, os.environ.get('BUILD_RELEASE', 'build'))
PROGRAM = 'bobbin'
LIBRARY = 'libbobbin.so'

# What the processor checks, as readelf has it.
MARKS = {'x86_64': ('IBT', 'SHSTK'), 'aarch64': ('BTI', 'PAC')}
# How a large frame touches each of its pages.
PROBES = {'x86_64': r'\bor[lq]? +\$0x0,(0x[0-9a-f]+)?\(%rsp\)',
          'aarch64': r'\bstr\s+xzr, \[sp'}


def built(*names):
    """Files of the release build."""
    options = os.path.join(BUILD, 'meson-info', 'intro-buildoptions.json')
    if not os.path.exists(options):
        raise Skip('no release build in %s: make it, or set $BUILD_RELEASE'
                   % os.path.relpath(BUILD, bobbin.ROOT))
    with open(options, encoding='utf-8') as file:
        value = {o['name']: o['value'] for o in json.load(file)}
    if value['optimization'] in ('0', 'g', 'plain') or \
            value['b_sanitize'] != 'none':
        raise Skip('%s is not a release build' % BUILD)
    paths = [os.path.join(BUILD, name) for name in names]
    for path in paths:
        if not os.path.exists(path):
            raise Skip('only a part of the release build was made')
    return paths[0] if len(paths) == 1 else paths


def tell(*argv):
    if shutil.which(argv[0]) is None:
        raise Skip('no ' + argv[0])
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE,
                          env=dict(os.environ, LC_ALL='C')).stdout.decode()


def segment(path, name):
    """The line of a program header, or None."""
    found = re.search(r'^ +%s .*$' % name, tell('readelf', '-lW', path), re.M)
    return found and found.group(0)


def imported(path):
    return set(re.findall(r' U (\w+)', tell('nm', '-D', '-u', path)))


@each([PROGRAM, LIBRARY])
def test_addresses_of_functions_are_read_only(name):
    path = built(name)
    dynamic = tell('readelf', '-dW', path)
    expect(re.search(r'\(FLAGS_1\).*\bNOW\b', dynamic), 'no BIND_NOW')
    expect(segment(path, 'GNU_RELRO'), 'no GNU_RELRO')
    expect(' .got.plt ' not in tell('readelf', '-SW', path),
           'a table of addresses stays writable')


@each([PROGRAM, LIBRARY])
def test_no_memory_is_writable_and_executable(name):
    path = built(name)
    stack = segment(path, 'GNU_STACK')
    expect(stack and ' RW ' in stack, 'the stack: %s', stack)
    for line in re.findall(r'^ +LOAD .*$', tell('readelf', '-lW', path), re.M):
        expect(not re.search(r' RWE ', line), '%s', line)


def test_the_program_is_placed_at_random():
    dynamic = tell('readelf', '-dW', built(PROGRAM))
    expect(re.search(r'\(FLAGS_1\).*\bPIE\b', dynamic), 'no PIE')


@each([PROGRAM, LIBRARY])
def test_stacks_are_guarded(name):
    expect('__stack_chk_fail' in imported(built(name)),
           'no function checks its stack')


@each([PROGRAM, LIBRARY])
def test_large_frames_touch_each_page(name):
    probe = PROBES.get(platform.machine())
    if probe is None:
        raise Skip('unknown on ' + platform.machine())
    code = tell('objdump', '-d', '--no-show-raw-insn', built(name))
    expect(re.search(probe, code), 'no frame is probed')


@each([PROGRAM, LIBRARY])
def test_the_c_library_knows_sizes(name):
    names = {n for n in imported(built(name)) if re.match(r'__\w+_chk$', n)}
    expect({'__memcpy_chk', '__snprintf_chk', '__read_chk'} <= names,
           'only these are checked: %s', sorted(names))


def objects():
    """Our own objects: those of the C library that a program begins with may
    lack the marks, and then the linker drops them from the whole."""
    found = [glob.glob(folder + '/*.o') for folder in built(
        'bobbin.p', 'libinside.a.p', 'tui/libtui.a.p')]
    expect(all(found), 'no objects in %s', BUILD)
    return sum(found, [])


def test_jumps_go_to_marked_places():
    marks = MARKS.get(platform.machine())
    if marks is None:
        raise Skip('unknown on ' + platform.machine())
    paths = objects()
    notes = tell('readelf', '-nW', *paths).split('\nFile: ')[1:]
    expect(len(notes) == len(paths), '%d of %d objects', len(notes),
           len(paths))
    for note in notes:
        expect(all(re.search(r'\b%s\b' % m, note) for m in marks),
               'not marked: %s', note.split('\n')[0])


def test_variables_begin_as_zero():
    """It leaves no trace that is only its own, so this is the flag."""
    with open(built('compile_commands.json'), encoding='utf-8') as file:
        commands = [c['command'] for c in json.load(file)
                    if '/src/' in c['file'] or '/cli/' in c['file']]
    expect(commands, 'no commands')
    version = tell('cc', '--version')
    if not re.search(r'\(GCC\)|Free Software', version) or \
            int(tell('cc', '-dumpversion').split('.')[0]) < 12:
        raise Skip('not every compiler has it')
    for command in commands:
        expect('-ftrivial-auto-var-init=zero' in command, '%s', command)
