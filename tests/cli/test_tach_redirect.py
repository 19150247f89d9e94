"""Redirections of a shell, for a format whose header is written last."""
import os
import shlex

from support import bobbin, case, tach
from support.case import each, expect, read_file

BIG = tach.path('big')
# More than the library gathers before it writes, so that it must go back.
RAW = ('-t', 'tach', '--compression', 'none')
LEAST = 64 << 10
CONVERT = '%s convert %s %s' % (shlex.quote(bobbin.PROGRAM), ' '.join(RAW),
                                shlex.quote(BIG))


def shell(script, **more):
    """Runs a script that calls `convert`, in the test's directory."""
    return bobbin.execute(
        ['sh', '-c', 'cd %s && %s' % (shlex.quote(case.scratch),
                                      script.replace('convert', CONVERT))],
        **more)


def plain():
    path = os.path.join(case.scratch, 'plain.tach')
    bobbin.run('convert', *RAW, '-o', path, BIG)
    data = read_file(path)
    expect(len(data) > LEAST, 'the test is wrong: %d bytes', len(data))
    return data


@each([('a file', 'convert > out', b''),
       ('a file behind something', '(printf before; convert) > out',
        b'before'),
       ('the end of a file', 'printf before > out; convert >> out',
        b'before'),
       ('a pipe', 'convert | cat > out', b''),
       ('a fifo', 'mkfifo f; cat f > out & convert -o f; wait', b''),
       ('a folder for temporary files', 'TMPDIR=. convert | cat > out', b'')])
def test_goes_to(item):
    _, script, before = item
    shell(script)
    expect(read_file(os.path.join(case.scratch, 'out')) == before + plain(),
           'other bytes')
    left = sorted(os.listdir(case.scratch))
    expect([name for name in left if name not in
            ('f', 'out', 'plain.tach')] == [], 'left behind: %s', left)


@each([('full', 'convert > /dev/full', b'space'),
       ('closed', 'convert >&-', b'descriptor'),
       ('no folder', 'TMPDIR=/no/such/folder convert 2>err | cat > out; '
        'cat err >&2; [ ! -s err ]', b'/no/such/folder')])
def test_says_why_it_cannot_go_to(item):
    _, script, why = item
    result = shell(script, ok=(bobbin.FAILED,))
    expect(why in result.err, 'says %r', result.err)
