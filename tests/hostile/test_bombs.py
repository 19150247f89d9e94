"""Small files that ask for much: time, memory, temporary files and output are
bounded by the bytes that were given, or by what --max-output, --max-memory and
--max-temp allow. A bomb is large enough that work for each byte by each other
byte would not end within the time that a test has.
"""
import functools
import gzip
import json
import os
import struct
import subprocess
import sys
import zlib

from oracle import rbt_wire as wire, tach_oracle, tach_wire, tach_zstd
from support import bobbin, case, losses, memory, tach
from support.case import each, expect, read_file, write_file

MIB = 1 << 20
# What FILE.part.defs begins with.
JOURNAL = b'TACHDEF1'
BIGGEST = (1 << 63) - 1


def scratch_path(name):
    return os.path.join(case.scratch, name)


def refused(result, member):
    """Ended by a limit, which is named, and so is the option."""
    text = result.err.decode()
    expect(member in text, '%s is not in: %s', member, text)
    option = '--' + member.replace('_', '-')
    expect(option in text, '%s is not in: %s', option, text)


# ---- pprof -----------------------------------------------------------------

def varint(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def message(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def numbers(**fields):
    """Fields n1=..., n2=... of a message."""
    return b''.join(varint(int(key[1:]) << 3) + varint(value)
                    for key, value in fields.items())


def profile(strings=(), lines=1, locations=1, samples=b'', tail=b''):
    """Function 1 is called string 3, in the file that is string 4."""
    line = message(4, numbers(n1=1, n2=1))
    return b''.join([
        message(1, numbers(n1=1, n2=2)),
        *(message(6, s) for s in (b'', b'samples', b'count', *strings)),
        message(5, numbers(n1=1, n2=3, n4=4)),
        *(message(4, numbers(n1=i + 1) +
                  (line * lines if locations == 1 else
                   message(4, numbers(n1=1, n2=i + 1))))
          for i in range(locations)),
        samples, tail])


def sample(path=b'\1', *labels):
    return message(2, message(1, path) + message(2, b'\1') +
                   b''.join(message(3, label) for label in labels))


LONG = 4 * MIB


def pprof_names(file):
    """Each location is a function with the same long name."""
    return profile([b'x' * LONG, file], locations=200000, samples=sample())


def pprof_labels():
    """Each sample has a thread and an annotation with a long value of digits:
    such a name of a thread is its number."""
    one = sample(b'\1', numbers(n1=6, n2=5), numbers(n1=7, n2=5))
    return profile([b'f', b'a.py', b'7' * LONG, b'key', b'thread'],
                   samples=one * 200000)


def pprof_comments():
    """A comment is mentioned by one byte."""
    return profile([b'f', b'a.py', b'c' * LONG], samples=sample(),
                   tail=message(13, b'\5' * 400000))


PPROF = {
    'python-names': lambda: pprof_names(b'a.py'),
    'php-names': lambda: pprof_names(b'a.php'),
    'labels': pprof_labels,
    'comments': pprof_comments,
}


@each(PPROF)
def test_pprof_that_repeats_a_long_string(which):
    """A string is as often in the file as a byte refers to it; what is done
    with all of it is done once. Names of frames are needed for each of them,
    so they are refused."""
    path = write_file(PPROF[which](), 'in.pb')
    code = bobbin.FAILED if which.endswith('names') else bobbin.OK
    for command in ('info', 'convert -q -t folded', 'verify'):
        memory.run(*command.split(), path, ok=(code,))


def test_pprof_that_repeats_a_comment_says_it_once():
    path = write_file(profile([b'f', b'a.py', b'by: hand'], samples=sample(),
                              tail=message(13, b'\5\5\5')), 'in.pb')
    out = bobbin.run('convert', '-q', '-t', 'jsonl', path).out
    expect(out.count(b'hand') == 1, 'said %d times', out.count(b'hand'))


@each(['plain', 'packed'])
def test_pprof_of_inlined_frames(how):
    """A location of 256 functions that is mentioned by a byte: the file can
    be read up to what its bytes may stand for."""
    data = profile([b'f', b'a.py'], lines=256, samples=sample(
        b'\1' * 4096) * (2000 if how == 'plain' else 1000))
    path = write_file(gzip.compress(data) if how == 'packed' else data,
                      'in.pb')
    result = memory.run('info', path, ok=(bobbin.FAILED,))
    expect(b'too many inlined frames' in result.err, '%s', result.err)


# ---- .rbt -------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def rbt_names(size, n):
    """Frames at different lines of one function with a long name."""
    parts = [wire.header(), wire.string(0, b''),
             wire.string(1, b'x' * size), wire.string(2, b'/a.php')]
    for i in range(n):
        parts += [wire.frame(i, 0, 0, 1, 2, i + 1), wire.stack(i, [i]),
                  wire.compact(i)]
    return b''.join(parts) + wire.end()


@each(['convert -q -t folded --match zzz', 'convert -q -t rbt --hide zzz',
       'info', 'verify', 'analyze', 'analyze --json', 'analyze --tree',
       'analyze -g file', 'analyze -g module'])
def test_frames_that_share_a_long_name(command):
    """The name is in the file once; whoever needs it for each frame would take
    as many bytes again. Above a limit that is refused."""
    result = memory.run(*command.split(),
                        write_file(rbt_names(4 * MIB, 100000)),
                        ok=(bobbin.FAILED,))
    expect(b'names of' in result.out + result.err, '%s', result.err)
    memory.run(*command.split(), write_file(rbt_names(1500, 20000)))


def test_frame_that_is_defined_again_and_again():
    """Each time a deep stack becomes another one: 12 bytes for 200,000
    frames."""
    again = b''.join(wire.frame(0, 0, 0, 1, 2, i) + wire.compact(0)
                     for i in range(20000))
    data = (wire.header() + wire.string(0, b'') + wire.string(1, b'f') +
            wire.string(2, b'g') + wire.frame(0, 0, 0, 1, 2, 1) +
            wire.stack(0, [0] * 200000) + again + wire.end())
    path = write_file(data)
    result = memory.run('dump', '-o', '/dev/null', path, ok=(bobbin.FAILED,))
    expect(b'redefined too often' in result.err, '%s', result.err)
    memory.run('recover', '-q', '-o', '/dev/null', path,
               ok=(bobbin.PARTIAL,))


def test_frames_that_are_defined_again_a_little():
    """What a writer may do is read."""
    parts = [wire.header(), wire.one_frame()]
    for i in range(2000):
        parts += [wire.frame(0, 0, 0, 1, 2, i), wire.compact(0)]
    out = memory.run('convert', '-q', '-t', 'folded', '--no-line',
                     write_file(b''.join(parts) + wire.end())).out
    expect(out.strip().endswith(b' 2000'), '%r', out[:100])


# ---- packed ----------------------------------------------------------------

def packed(size, head, tail=b''):
    """A gzip member that expands to `size` bytes between head and tail."""
    z = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [z.compress(head)]
    blank = b' ' * MIB
    parts += [z.compress(blank) for _ in range(size // MIB)]
    return b''.join(parts) + z.compress(tail) + z.flush()


SPEEDSCOPE = (b'{"$schema":"https://www.speedscope.app/file-format-schema.'
              b'json","shared":{"frames":[{"name":"f"}]},"profiles":[')


def bomb(kind):
    """Formats that are read from back to front, packed."""
    if kind == 'speedscope':
        return packed(200 * MIB, SPEEDSCOPE)
    if kind == 'pprof':
        head = profile([b'f', b'a.py'], samples=sample())
        # Field 15 is not known: it is passed over.
        return packed(200 * MIB, head + varint(15 << 3 | 2) +
                      varint(200 * MIB))
    return packed(200 * MIB, read_file(tach.path('tiny'))[:64])


BACK_TO_FRONT = ('speedscope', 'pprof', 'tach')


@functools.lru_cache(maxsize=None)
def made(kind):
    data = bomb(kind)
    expect(len(data) < MIB, 'the bomb has %d bytes', len(data))
    return data


@each(BACK_TO_FRONT)
def test_what_is_unpacked_to_a_temporary_file_is_limited(kind):
    path = write_file(made(kind), 'in.gz')
    for args in (['info'], ['convert', '-t', 'folded'], ['recover']):
        result = memory.run(*args, '-f', kind, '--max-temp', '16M', path,
                            ok=(bobbin.FAILED,))
        refused(result, 'max_temp')


def test_temporary_files_have_no_name_and_go():
    """Also when they may not grow: nothing stays in $TMPDIR."""
    folder = scratch_path('tmp')
    os.mkdir(folder)
    path = write_file(made('speedscope'), 'in.gz')
    old = os.environ.get('TMPDIR')
    os.environ['TMPDIR'] = folder
    try:
        memory.run('info', '--max-temp', '16M', path, ok=(bobbin.FAILED,))
        memory.run('verify', path, ok=(bobbin.OK, bobbin.PARTIAL))
    finally:
        if old is None:
            del os.environ['TMPDIR']
        else:
            os.environ['TMPDIR'] = old
    expect(os.listdir(folder) == [], 'left: %s', os.listdir(folder))


@each(['nowhere', 'a-file', 'not-writable', 'full'])
def test_temporary_folder_that_is_none(kind):
    """The error names the folder."""
    folder = scratch_path('tmp')
    if kind == 'a-file':
        write_file(b'', 'tmp')
    elif kind == 'not-writable':
        folder = '/proc'
    elif kind == 'full':
        folder = '/dev/full'
    result = bobbin.execute(
        ['env', 'TMPDIR=' + folder, bobbin.PROGRAM, 'info',
         write_file(made('speedscope'), 'in.gz')], ok=(bobbin.FAILED,))
    expect(folder.encode() in result.err, '%s', result.err)


def test_a_million_empty_members():
    """Members that hold nothing cost their bytes."""
    empty = gzip.compress(b'', mtime=0)
    trace = wire.header() + wire.one_frame() + wire.compact(0) + wire.end()
    data = gzip.compress(trace) + empty * 1000000 + gzip.compress(trace)
    out = memory.run('convert', '-q', '-t', 'folded',
                     write_file(data, 'in.rbt.gz')).out
    expect(out.strip().endswith(b' 2'), '%r', out[:100])


def test_members_within_members_are_not_unpacked():
    trace = wire.header() + wire.one_frame() + wire.compact(0) + wire.end()
    for _ in range(8):
        trace = gzip.compress(trace)
    memory.run('info', write_file(trace, 'in.gz'), ok=(bobbin.FAILED,))


def tach_with_frame(frame):
    """A packed profile whose sample data ends with this zstd frame."""
    first = tach_wire.full((1, 0, '<'), (10, 1), [0])
    return tach_wire.build(
        '1b', [tach_zstd.compress(first) + frame],
        [tach_wire.string(b'a.py'), tach_wire.string(b'f')],
        [tach_wire.frame('1b', 0, 1, (1, 1, 0, 5))], samples=1, threads=1,
        compression=tach_oracle.ZSTD)


@each(['recover -o /dev/null', 'info', 'analyze --recover'])
def test_journal_with_a_hole(command):
    """A block of 3 GiB that takes no room on the disk: the claim alone costs
    nothing."""
    first = tach_wire.full((1, 0, '<'), (10, 1), [0])
    path = write_file(bytes(64) + first, 'in.bin.part')
    journal = write_file(JOURNAL + struct.pack('<IIQ', 1, 3 << 30, 0),
                         'in.bin.part.defs')
    os.truncate(journal, 4 << 30)
    memory.run(*command.split(), '-q', path, ok=(bobbin.OK, bobbin.PARTIAL))


def window(log):
    """A zstd frame that asks for a window of 2^log bytes, and a block of
    a thousand bytes of one value in it."""
    return (tach_zstd.MAGIC + b'\0' + bytes([(log - 10) << 3]) +
            (1000 << 3 | 1 << 1 | 1).to_bytes(3, 'little') + b'\7')


@each([31, 41])
def test_zstd_window_of_2_to_the(log):
    """The frame says so in a byte; nothing is allocated for it."""
    path = write_file(tach_with_frame(window(log)), 'in.bin')
    result = memory.run('dump', path, ok=(bobbin.FAILED,))
    expect(b'window' in result.err, '%s', result.err)
    memory.run('recover', '-o', scratch_path('out.rbt'), path,
               ok=(bobbin.OK, bobbin.PARTIAL))


def test_zstd_window_counts_as_memory():
    path = write_file(tach_with_frame(window(27)), 'in.bin')
    for command in ('info', 'dump'):
        result = memory.run(command, '--max-memory', '8M', path,
                            ok=(bobbin.FAILED,))
        refused(result, 'max_memory')


# ---- runs ------------------------------------------------------------------

def run_of(count):
    return (wire.header() + wire.one_frame() + wire.compact(0) +
            wire.repeat(count - 1) + wire.end())


def targets():
    """All formats that can be written."""
    rows = map(json.loads, bobbin.run('formats', '--json').out.splitlines())
    return [row['name'] for row in rows if row['can_write']]


@each([1 << 31, 1 << 40, BIGGEST])
def test_run_of_many_samples_in_every_output(count):
    """A file of 60 bytes: a format that adds up writes it, one that writes
    each sample ends at the limit and leaves nothing behind."""
    path = write_file(run_of(count))
    for target in targets():
        out = scratch_path('out.' + target)
        result = memory.run('convert', '-q', '-t', target, '--max-output',
                            '1M', '-o', out, path,
                            ok=(bobbin.OK, bobbin.FAILED))
        if result.code == bobbin.OK:
            expect(os.path.getsize(out) <= MIB, '%s: %d bytes', target,
                   os.path.getsize(out))
            continue
        # Some formats know before they begin.
        if b'equal samples in a row' not in result.err:
            refused(result, 'max_output')
        left = [name for name in os.listdir(os.path.dirname(out))
                if name.startswith('out.' + target)]
        expect(left == [], '%s: left %s', target, left)


def timed_run(count):
    """A TACH file of equal samples, each with its time: two bytes for each
    sample, which are packed to almost nothing."""
    return bobbin.run('convert', '-q', '-t', 'tach',
                      write_file(run_of(count))).out


def test_timed_samples_in_every_output():
    """What is too much as an output does not fill temporary files first."""
    path = write_file(timed_run(1 << 25), 'in.bin')
    for target in targets():
        result = memory.run('convert', '-q', '-t', target, '--max-output',
                            '4M', '--max-temp', '2M', '-o',
                            scratch_path('out.' + target), path,
                            ok=(bobbin.OK, bobbin.FAILED))
        # What a page carries is thinned until it fits, so it is kept first.
        limit = 'max_temp' if target == 'html' else 'max_output'
        if result.code == bobbin.FAILED:
            refused(result, limit)


def test_what_was_there_stays_when_the_limit_is_met():
    out = write_file(b'older', 'out.txt')
    bobbin.run('convert', '-q', '-t', 'phpspy', '--max-output', '1k', '-o',
               out, write_file(run_of(1 << 20)), ok=(bobbin.FAILED,))
    expect(read_file(out) == b'older', 'the old file is gone')


def test_standard_output_never_gets_more_than_the_limit():
    result = bobbin.run('convert', '-q', '-t', 'phpspy', '--max-output',
                        '100k', write_file(run_of(1 << 20)),
                        ok=(bobbin.FAILED,))
    expect(len(result.out) <= 100 << 10, '%d bytes', len(result.out))
    refused(result, 'max_output')


def test_output_of_exactly_the_limit_is_written():
    path = write_file(run_of(1000))
    whole = bobbin.run('convert', '-q', '-t', 'phpspy', path).out
    same = bobbin.run('convert', '-q', '-t', 'phpspy', '--max-output',
                      str(len(whole)), path).out
    expect(same == whole, '%d bytes, not %d', len(same), len(whole))
    bobbin.run('convert', '-q', '-t', 'phpspy', '--max-output',
               str(len(whole) - 1), path, ok=(bobbin.FAILED,))


def test_what_is_known_to_be_too_much_is_not_begun():
    """A run of 10^9 samples is 10 GB and more as text: that is said before a
    byte of it is written."""
    result = bobbin.run('convert', '-q', '-t', 'phpspy', '--max-output', '1G',
                        write_file(run_of(10 ** 9)), ok=(bobbin.FAILED,))
    expect(result.out == b'', '%d bytes', len(result.out))
    refused(result, 'max_output')
    # And recovery does not help where the input is fine.
    for target in ('phpspy', 'tach'):
        result = bobbin.run('convert', '-q', '-t', target, '--max-output',
                            'none', write_file(run_of(BIGGEST)),
                            ok=(bobbin.FAILED,))
        expect(b'recover' not in result.err, '%s', result.err)


# ---- memory ----------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def names(n):
    """Each sample has another stack of another function."""
    return b''.join(b'main;function_number_%d 1\n' % i for i in range(n))


@each(['info', 'verify', 'dump', 'convert -t folded', 'convert -t pprof',
       'recover', 'analyze', 'analyze --tree', 'convert --order time -t dump'])
def test_memory_is_limited(command):
    """What a command needs for 400,000 stacks is more than 8 MiB; what it
    uses up to the error is little more than that."""
    path = write_file(names(400000), 'in.folded')
    result = memory.run(*command.split(), '--max-memory', '8M', path,
                        ok=(bobbin.FAILED,), resident=48 * MIB)
    refused(result, 'max_memory')
    memory.run(*command.split(), '-q', '--max-memory', '400M', path,
               resident=440 * MIB)


def test_diff_in_limited_memory():
    path = write_file(names(400000), 'in.folded')
    result = memory.run('diff', '--max-memory', '8M', path, path,
                        ok=(bobbin.FAILED,), resident=48 * MIB)
    refused(result, 'max_memory')


def test_explorer_in_limited_memory():
    bobbin.need_screens()
    path = write_file(names(400000), 'in.folded')
    spawn = ('import os, pty, sys\n'
             'os.environ["TERM"] = "xterm"\n'
             'sys.exit(os.WEXITSTATUS(pty.spawn(sys.argv[1:])))')
    result = bobbin.execute([sys.executable, '-c', spawn, bobbin.PROGRAM,
                             'explore', '--max-memory', '8M', path],
                            ok=(bobbin.FAILED,))
    expect(b'--max-memory' in result.out, '%s', result.out)


@each(['info', 'verify', 'dump', 'convert', 'recover', 'replay --collapsed',
       'analyze', 'explore', 'diff /dev/null /dev/null', 'record'])
def test_every_command_that_reads_has_the_limits(command):
    """Also those that can hardly meet one."""
    text = bobbin.run(command.split()[0], '--help-all').out
    options = ['--max-memory SIZE', '--max-temp SIZE']
    if b'--output FILE' in text:
        options.append('--max-output SIZE')
    for option in options:
        expect(text.count(option.encode()) == 1, '%s', option)
        result = bobbin.run(*command.split(), option.split()[0], 'x',
                            ok=(bobbin.USAGE,))
        expect(b'is not a size' in result.err, '%s', result.err)


def with_cgroup(lines, files, *args):
    """bobbin where /proc/self/cgroup says `lines` and /sys/fs/cgroup has these
    files."""
    if os.geteuid() != 0:
        raise case.Skip('file systems can be mounted by root only')
    top = scratch_path('cgroup')
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
        with open(os.path.join(top, name), 'w') as file:
            file.write(text)
    said = write_file(lines.encode(), 'said')
    script = ('mount --bind "$0" /sys/fs/cgroup && '
              'mount --bind "$1" /proc/$$/cgroup && shift && exec "$@"')
    argv = ['unshare', '-m', 'sh', '-c', script, top, said]
    if subprocess.run([*argv, 'true'], stderr=subprocess.DEVNULL).returncode:
        raise case.Skip('nothing can be mounted here')
    return bobbin.execute([*argv, bobbin.PROGRAM, *args],
                          ok=(bobbin.OK, bobbin.FAILED))


CGROUPS = {
    'v2': ('0::/a/b\n', {'a/b/memory.max': '12000000\n',
                         'memory.max': 'max\n'}),
    'v2-above': ('0::/a/b\n', {'a/b/memory.max': 'max\n',
                               'a/memory.max': '12000000\n'}),
    'v2-container': ('0::/\n', {'memory.max': '12000000\n'}),
    'v2-unseen': ('0::/../x\n', {'memory.max': '12000000\n'}),
    'v1': ('4:cpu:/\n3:memory:/a\n', {
        'memory/a/memory.limit_in_bytes': '12000000\n'}),
    'none': ('0::/a\n', {'a/memory.max': 'max\n'}),
    'odd': ('x\n:\n0::\n', {'memory.max': '-5 lots\n'}),
}


@each(CGROUPS)
def test_default_of_memory_is_what_the_cgroup_has(kind):
    path = write_file(names(400000), 'in.folded')
    result = with_cgroup(*CGROUPS[kind], 'convert', '-q', '-t', 'folded',
                         '-o', '/dev/null', path)
    if kind in ('none', 'odd'):
        expect(result.code == bobbin.OK, '%s', result.err)
        return
    expect(result.code == bobbin.FAILED, 'it was not limited')
    refused(result, 'max_memory')
    expect(b'9000000' in result.err, '%s', result.err)
    result = with_cgroup(*CGROUPS[kind], 'convert', '-q', '-t', 'folded',
                         '--max-memory', 'none', '-o', '/dev/null', path)
    expect(result.code == bobbin.OK, '%s', result.err)


@each(['max-output 3k', 'max-memory 8k'])
def test_recording_ends_at_a_limit(how):
    """What was written stays."""
    option, size = how.split()
    out = scratch_path('a.rbt')
    with losses.worker('bombs-%d' % os.getpid()) as w:
        result = bobbin.run('record', '-p', str(w.pid), '-r', '1000', '-d',
                            '30s', '-o', out, '--' + option, size,
                            ok=(bobbin.FAILED,))
    refused(result, option.replace('-', '_'))
    if option == 'max-output':
        expect(os.path.getsize(out) <= 3 << 10, '%d bytes',
               os.path.getsize(out))
        losses.check_end(result.err, case.scratch)


def test_memory_is_given_back_between_inputs():
    """A thousand inputs, one after the other, need what one needs."""
    path = write_file(wire.header() + wire.one_frame() + wire.compact(0) +
                      wire.end())
    bobbin.run('info', '-q', '--max-memory', '2M', *[path] * 1000)


def test_ordering_waits_on_disk_when_memory_is_limited():
    """The limit for samples that wait is a part of the limit for all."""
    lines = b''.join(b'P1;T%d;f%d 1\n' % (i % 50, i % 7)
                     for i in range(300000))
    path = write_file(lines, 'in.folded')
    bobbin.run('convert', '-q', '--order', 'time', '--max-memory', '4M',
               '-t', 'folded', path)


@each(['max-output', 'max-memory', 'max-temp'])
def test_size_that_is_none(option):
    path = write_file(run_of(1))
    for bad in ('', '0', '-1', '5x', 'lots', '99999999999999999999'):
        bobbin.run('convert', '-t', 'folded', '--%s=%s' % (option, bad), path,
                   ok=(bobbin.USAGE,))
    for good in ('none', '1G', '64M', '1000000'):
        bobbin.run('convert', '-q', '-t', 'folded',
                   '--%s=%s' % (option, good), path)
