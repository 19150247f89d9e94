"""Reading the text of perf script."""
import os
import shutil
import subprocess

from support import bobbin, fixtures
from support.case import Skip, expect, read_file, write_file

PATH = os.path.join(fixtures.DATA, 'perf', 'mixed.perf')
WANT = [
    ['1234', '1235', '5555123456', 'N;zend_execute;/usr/sbin/php-fpm;28',
     'N;operator%20new%20(unsigned%20long);/usr/lib/x%20y.so;16',
     'Y;main;/a/b.py;-;-;-;-;-', 'N;[unknown];[unknown];0'],
    ['-', '99', '5556000001', 'N;main;/usr/bin/python3;1'],
]


def rows(path):
    out = bobbin.run('dump', path).out.decode('ascii')
    fields = [line.split('\t') for line in out.splitlines()]
    return [[f[2], f[3], f[6]] + f[8:] for f in fields]


def test_samples():
    expect(rows(PATH) == WANT, '%r', rows(PATH))


def test_the_clock_gives_the_period():
    info = bobbin.run('info', '--json', PATH).out
    expect(b'"sampled_us":500' in info, '%r', info)


def test_the_last_sample_needs_no_empty_line():
    data = read_file(PATH).rstrip(b'\n')
    expect(rows(write_file(name='cut.perf', data=data)) == WANT, 'differs')


def test_lines_that_do_not_fit_are_named():
    path = write_file(name='x.perf', data=b'a 1 1.000001: x:\n\tzz\n\t1 f (m)\n\n'
                      b'\t2 g (m)\nwhat is this\n')
    result = bobbin.run('dump', path)
    expect(result.out.count(b'\n') == 1, '%r', result.out)
    for line in (2, 5, 6):
        expect(b'line %d' % line in result.err, '%r', result.err)


def test_what_perf_itself_writes():
    """As many samples and frames as perf's own text has lines for them."""
    if shutil.which('perf') is None:
        raise Skip('no perf on this machine')
    data = write_file(name='perf.data', data=b'')
    done = subprocess.run(
        ['perf', 'record', '-q', '-e', 'cpu-clock', '-F', '500', '-g', '-o',
         data, '--', 'sh', '-c', 'i=0; while [ $i -lt 50000 ]; do '
         'i=$((i+1)); done'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = subprocess.run(['perf', 'script', '-i', data],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0 or not text.stdout:
        raise Skip('perf cannot record here')
    got = rows(write_file(name='real.perf', data=text.stdout))
    lines = text.stdout.split(b'\n')
    samples = sum(1 for line in lines if line and line[:1] not in b'\t #')
    frames = sum(1 for line in lines if line[:1] == b'\t')
    expect(len(got) > 0 and sum(len(r) - 3 for r in got) == frames,
           '%d frames in %d lines', sum(len(r) - 3 for r in got), frames)
    expect(sum(1 for _ in got) == samples, '%d of %d', len(got), samples)
