"""Packed samples that a second thread unpacks are those that one thread reads,
damaged or not, and so is what is said about them."""
import os
import random

from support import bobbin, case, tach
from support.case import each, expect, read_file, write_file

# Large enough that a thread is worth it.
LARGE = tach.path(tach.BIG)


def many_frames():
    """The same with a zstd frame per MiB."""
    path = os.path.join(case.scratch, 'frames.bin')
    bobbin.run('convert', '-q', '--live', '-t', 'tach', '-o', path, LARGE)
    return read_file(path)


def expect_same(path, *options, to='folded', ok=(bobbin.OK,)):
    one, two = (bobbin.run('convert', '-j', threads, '-t', to, *options, path,
                           ok=ok) for threads in ('1', '0'))
    expect(one.code == two.code, 'exit %d with one thread, %d with two',
           one.code, two.code)
    expect(one.err == two.err, 'other messages:\n%s\n%s', one.err, two.err)
    expect(one.out == two.out, 'other output')
    return one


@each(['folded', 'rbt'])
def test_whole_files_with_two_threads(to):
    expect_same(LARGE, to=to)
    expect_same(write_file(many_frames()), to=to)


def test_a_pipe_with_two_threads():
    data = read_file(LARGE)
    one, two = (bobbin.run('convert', '-j', threads, '-t', 'folded',
                           stdin=data, chunk=5000) for threads in ('1', '0'))
    expect(one.out == two.out, 'other output')


@each(range(6))
def test_damage_with_two_threads(seed):
    rng = random.Random(seed)
    data = bytearray(many_frames() if seed % 2 else read_file(LARGE))
    expect(len(data) > 300000, 'too small')
    for _ in range(rng.choice((1, 3))):
        # Among the samples; where their frames end depends on the clock,
        # and behind them are names, which may be anything.
        at = rng.randrange(64, 200000)
        data[at:at + 20] = bytes(rng.randrange(256) for _ in range(20))
    path = write_file(bytes(data))
    anything = (bobbin.OK, bobbin.FAILED, bobbin.PARTIAL)
    strict = expect_same(path, ok=anything)
    tolerant = expect_same(path, '--recover', ok=anything)
    expect(strict.code != bobbin.OK and tolerant.code != bobbin.OK,
           'the damage was not seen')
