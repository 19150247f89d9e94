"""Reading austin's text."""
import os

from support import bobbin, fixtures
from support.case import expect, write_file

PATH = os.path.join(fixtures.DATA, 'austin', 'threads.austin')
MAIN = 'Y;<module>;/srv/app/main.py;31;-;-;-;-'
RUN = 'Y;run;/srv/app/main.py;%d;-;-;-;-'
GET = 'Y;Pool.get;/srv/app/db.py;7;-;-;-;-'

WANT = [
    ['4711', '4711', '0', '104', GET, RUN % 22, MAIN],
    ['4711', '4712', '0', '101', 'Y;work;/srv/app/w.py;12;-;-;-;-',
     'Y;Thread._bootstrap;/usr/lib/python3.11/threading.py;1002;-;-;-;-'],
    # A thread's clock is the sum of its own times.
    ['4711', '4711', '0', '202', GET, RUN % 22, MAIN],
    # Nothing is unescaped, and colons of the path belong to it.
    ['4711', '4711', '0', '312', 'Y;%2541%20f;C:\\odd:%20name.py;0;-;-;-;-',
     RUN % 24, MAIN],
    ['4711', '4713', '1', '100'],
    ['4711', '4711', '0', '414', 'Y;GC;;-;-;-;-;-', MAIN],
]


def rows(*args, **kwargs):
    out = bobbin.run('dump', *args, **kwargs).out.decode('ascii')
    fields = [line.split('\t') for line in out.splitlines()]
    return [[f[2], f[3], f[4], f[6]] + f[8:] for f in fields]


def test_samples():
    got = rows(PATH)
    for want, line in zip(WANT, got):
        expect(want == line, 'want %r, got %r', want, line)
    expect(len(got) == len(WANT), '%d samples', len(got))


def test_the_interval_is_the_period():
    info = bobbin.run('info', '--json', PATH).out
    expect(b'"sampled_us":600' in info, '%r', info)


def test_without_a_header():
    path = write_file(name='x.txt', data=b'P1;T0:1;a.py:f:1 250\nP1;T0:1;a.py:f:1 90\n')
    info = bobbin.run('info', '--json', path).out
    expect(b'"format":"austin"' in info, '%r', info)
    expect(b'"sampled_us":500' in info, '%r', info)


def test_lines_that_are_no_samples_are_named():
    path = write_file(name='x.austin', data=b'# austin: 3\nP1;T0:1;a.py:f:1 5\nhm\n'
                      b'P1;T0:1;a.py:f:1\nPx;T1;a 1\n')
    result = bobbin.run('dump', path)
    expect(result.out.count(b'\n') == 1, '%r', result.out)
    for line in (3, 4, 5):
        expect(b'line %d' % line in result.err, '%r', result.err)
