"""Damaged files of every format through every command that reads: the rest is
read, one warning says what was lost, and the exit status is 4."""
import gzip
import json
import os

from support import bobbin, case, fixtures, tach
from support.case import each, expect, read_file, write_file

def path_of(name):
    return os.path.join(case.scratch, name)


NOISE = bytes(range(128, 256)) * 8


def convert(path, to, name):
    out = path_of(name)
    bobbin.run('convert', '-q', '-t', to, '-o', out, path)
    return read_file(out)


def in_lines(data, junk=b'no such line\n'):
    """Between two blocks or lines in the middle."""
    at = data.index(b'\n\n' if b'\n\n' in data else b'\n', len(data) // 2)
    at += 2 if b'\n\n' in data else 1
    return data[:at] + junk + data[at:]


def damaged(name):
    """(name of the file, its bytes)"""
    rbt = fixtures.rbt_path('multi-segment')
    data = os.path.join(os.path.dirname(os.path.dirname(rbt)))
    if name == 'rbt':
        return 'x.rbt', read_file(fixtures.rbt_path('corrupt-middle'))
    if name == 'rbt cut':
        return 'x.rbt', read_file(fixtures.rbt_path('truncated'))
    if name == 'rbt.gz cut':
        whole = gzip.compress(read_file(fixtures.rbt_path('truncated')))
        return 'x.rbt.gz', whole[:len(whole) // 2]
    if name == 'tach':
        whole = bytearray(read_file(tach.path('real_threads')))
        whole[len(whole) // 2:len(whole) // 2 + 8] = b'\xff' * 8
        return 'x.bin', bytes(whole)
    if name == 'phpspy':
        return 'x.phpspy', in_lines(convert(rbt, 'phpspy', 'a'))
    if name == 'folded':
        return 'x.folded', in_lines(convert(rbt, 'folded', 'a'))
    if name == 'folded.gz cut':
        whole = gzip.compress(b''.join(
            b'main;f%d %d\n' % (i * 7919 % 10007, i % 5 + 1)
            for i in range(5000)))
        return 'x.folded.gz', whole[:len(whole) // 2]
    if name == 'austin':
        return 'x.austin', in_lines(read_file(
            os.path.join(data, 'austin', 'threads.austin')))
    if name == 'perf':
        return 'x.perf', in_lines(read_file(
            os.path.join(data, 'perf', 'mixed.perf')))
    whole = convert(rbt, name, 'a')
    if name == 'pprof':
        whole = gzip.decompress(whole)
        return 'x.pb', whole[:-20]
    return 'x.speedscope.json', whole[:len(whole) - len(whole) // 10]


FORMATS = ['rbt', 'rbt cut', 'rbt.gz cut', 'tach', 'phpspy', 'folded',
           'folded.gz cut', 'austin', 'perf', 'pprof', 'speedscope']
COMMANDS = ['info', 'analyze', 'convert', 'html', 'svg', 'diff']


def words(command, path):
    return {'info': ['info', path], 'analyze': ['analyze', path],
            'convert': ['convert', '-t', 'folded', path],
            'html': ['convert', '-o', path_of('x.html'), path],
            'svg': ['convert', '-o', path_of('x.svg'), path],
            'diff': ['diff', fixtures.rbt_path('multi-segment'), path]
            }[command]


@each(['%s: %s' % (c, f) for f in FORMATS for c in COMMANDS])
def test_damage_is_skipped_and_told_once(item):
    command, name = item.split(': ')
    path = write_file(*reversed(damaged(name)))
    result = bobbin.run(*words(command, path), ok=(bobbin.PARTIAL,))
    told = [line for line in result.err.decode().splitlines()
            if 'warning: %s: ' % path in line]
    expect(len(told) == 1, 'one warning, not %s', result.err)
    expect(any(w in told[0] for w in ('lost', 'skipped', 'ends', 'early')),
           'what was lost: %s', told)
    expect(command in ('html', 'svg') or result.out, 'nothing was read')


@each(['%s: %s' % (c, f) for f in FORMATS if 'cut' not in f
       for c in ['info', 'analyze', 'convert']])
def test_strict_is_an_error(item):
    command, name = item.split(': ')
    path = write_file(*reversed(damaged(name)))
    bobbin.run(*words(command, path), '--strict', ok=(bobbin.FAILED,))


@each(['file', 'stdin'])
def test_a_stream_that_is_cut_is_read(how):
    data = read_file(fixtures.rbt_path('truncated'))
    if how == 'file':
        result = bobbin.run('analyze', '--json', write_file(data, 'x.rbt'),
                            ok=(bobbin.PARTIAL,))
    else:
        result = bobbin.run('analyze', '--json', stdin=data,
                            ok=(bobbin.PARTIAL,))
    expect(json.loads(result.out)['samples']['read'] == 317, '%s', result.out)
    expect(result.err.count(b'warning') == 1, '%s', result.err)


STRANGERS = {
    'noise': NOISE, 'noise.rbt': NOISE, 'noise.bin': NOISE,
    'noise.pb.gz': NOISE, 'noise.folded': NOISE,
    'empty.rbt': b'', 'empty': b'', 'empty.folded': b'',
    'empty.rbt.gz': gzip.compress(b''),
    'elf': b'\x7fELF\x02\x01\x01' + bytes(200),
    'perf.data': b'PERFILE2' + bytes(200),
    'page.php': b'<?php echo 1;\n',
}


@each(['%s: %s' % (c, f) for f in STRANGERS
       for c in ['info', 'analyze', 'convert', 'svg', 'diff']])
def test_what_is_no_trace_is_one_clear_error(item):
    command, name = item.split(': ')
    path = write_file(STRANGERS[name], name)
    codes = (bobbin.FAILED,)
    if command == 'info' and name.startswith('noise'):
        codes += (bobbin.PARTIAL,)      # its report says that nothing is there
    result = bobbin.run(*words(command, path), ok=codes)
    told = [line for line in result.err.decode().splitlines()
            if path in line and 'hint' not in line and
            (result.code == bobbin.PARTIAL or 'warning' not in line)]
    expect(len(told) == 1 and path in told[0], '%s', result.err)
    expect(not os.path.exists(path_of('x.svg')), 'a picture of nothing')


@each([('perf.data', b'perf script'), ('elf', b'program'),
       ('page.php', b'record'), ('empty.rbt', b'0 bytes'),
       ('empty.rbt.gz', b'unpacks to nothing')])
def test_an_error_says_what_it_is(item):
    name, word = item
    result = bobbin.run('analyze', write_file(STRANGERS[name], name),
                        ok=(bobbin.FAILED,))
    expect(word in result.err, '%s', result.err)


@each(['info', 'convert', 'svg'])
def test_a_directory_is_an_error_with_a_hint(command):
    result = bobbin.run(*words(command, path_of('.')), ok=(bobbin.FAILED,))
    expect(b'directory' in result.err and b'hint: ' in result.err, '%s',
           result.err)


def test_threads_make_no_difference():
    """Damage in the middle of a large file: workers skip none."""
    part = read_file(fixtures.rbt_path('large-1m'))
    path = write_file(part + b'\xff' * 50 + part, 'x.rbt')
    got = [bobbin.run('convert', '-q', '-j', n, '-t', 'folded', path,
                      ok=(bobbin.PARTIAL,)).out for n in ('1', '4')]
    expect(got[0] == got[1] and got[0], 'other sums')
