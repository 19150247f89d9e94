"""Random keys, clicks and sizes: nothing may break, and ^C always ends it."""
import os
import random

from screen import sample
from screen.pty_run import Pty
from support import case
from support.case import each, expect
from support.fixtures import DATA

KEYS = ('jkhlgGHLuOoftFAs ncbda%xPS><vT,.[]r?' '\t\r\x7f\x02\x06\x0c')
SEQUENCES = [b'\033[A', b'\033[B', b'\033[C', b'\033[D', b'\033[5~',
             b'\033[6~', b'\033[H', b'\033[F', b'\033[Z', b'\033', b'\033O',
             b'\033[', b'\033[<', b'\033[<0;;M', b'\xff\xfe', b'\xf0\x9f',
             b'\033[999999999999999999999999999999999999999999~']
# No q in them: a sequence may have eaten the key that opens the prompt.
PATTERNS = [b'Shop', b'.', b'(', b'(a+)+$', b'load|sort', b'\xe6\xb8',
            b'x' * 600, b'']


def step(rng):
    what = rng.random()
    if what < 0.62:
        return rng.choice(KEYS).encode()
    if what < 0.75:
        return rng.choice(SEQUENCES)
    if what < 0.82:
        return (rng.choice([b'/', b'm']) + rng.choice(PATTERNS) +
                rng.choice([b'\r', b'\033']))
    return b'\033[<%d;%d;%d%s' % (
        rng.choice([0, 0, 0, 32, 64, 65, 2]), rng.randint(1, 130),
        rng.randint(1, 45), rng.choice([b'M', b'M', b'm']))


def storm(seed, args, steps=400):
    rng = random.Random(seed)
    with Pty(*args, cols=120, rows=40) as term:
        term.wait_for(b'quit')
        for _ in range(steps):
            if rng.random() < 0.03:
                term.resize(rng.choice([1, 40, 60, 80, 119, 120, 200]),
                            rng.choice([1, 11, 12, 24, 40, 60]))
            term.write(step(rng))
            term.out = term.out[-65536:]
        # Out of whatever is open, then out of everything.
        term.write(b'\033\x03')
        status = term.end()
        expect(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0,
               'seed %d: status %d', seed, status)
        term.expect_restored()


@each(range(6))
def test_storm_on_a_shop(seed):
    os.chdir(case.scratch)
    sample.write('shop.txt', sample.shop())
    storm(seed, ['shop.txt'])


@each(range(3))
def test_storm_on_a_difference(seed):
    os.chdir(case.scratch)
    sample.write('shop.txt', sample.shop())
    sample.write('after.txt', sample.shop_after())
    storm(100 + seed, ['--diff', 'shop.txt', 'after.txt'])


@each([('threads', 'real_threads.bin'), ('deep', 'deep.bin'),
       ('names', 'names.bin'), ('tiny', 'tiny.bin')])
def test_storm_on_python(values):
    storm(200, [os.path.join(DATA, 'tach', values[1])])
