"""Traces of adversarial shapes, each in a size that can be chosen.

`SHAPES` maps a name to a function of n that gives the bytes of a file.  A file
of 4n is about four times as large as one of n, so whatever takes more than
about four times as much of it is super-linear in its input.
"""
import random

from oracle import rbt_wire as wire
from oracle import tach_wire

DIALECT = '1b'
MAIN = (1, 0, '<')      # thread, interpreter, byte order
STEP = (1000, 0)        # microseconds since the sample before, status
BILLION = 10 ** 9


# ---- TACH: a record changes the end of the stack, so that stacks can be deep
# and still take few bytes of the file

def tach(records, n_functions, samples, threads=1):
    strings = [tach_wire.string(b'/app/f.py')]
    strings += [tach_wire.string(b'f%d' % i) for i in range(n_functions)]
    frames = [tach_wire.frame(DIALECT, 0, 1 + i, (i % 1000 + 1,) * 2 + (0, 1))
              for i in range(n_functions)]
    return tach_wire.build(DIALECT, records, strings, frames,
                           samples=samples, threads=threads)


def deep(n):
    """One stack of n frames, each of another function."""
    return tach([tach_wire.full(MAIN, STEP, range(n))], n, 1)


def stairs(n):
    """Each sample is one call deeper than the one before."""
    records = [tach_wire.pop_push(MAIN, STEP, 0, [i]) for i in range(n)]
    return tach(records, n, n)


def comb(n):
    """A stack of n frames, and n samples that end in another frame each."""
    records = [tach_wire.full(MAIN, STEP, range(n))]
    records += [tach_wire.pop_push(MAIN, STEP, 1, [i]) for i in range(n)]
    return tach(records, n, n + 1)


def recursion(n):
    """A calls B calls A calls B: two functions, each sample one deeper."""
    records = [tach_wire.pop_push(MAIN, STEP, 0, [i % 2]) for i in range(n)]
    return tach(records, 2, n)


def saw(n):
    """A deep stack and an empty one in turn, again and again."""
    records = [tach_wire.full(MAIN, STEP, range(n))]
    for _ in range(n // 2):
        records += [tach_wire.pop_push(MAIN, STEP, 0, [0]),
                    tach_wire.pop_push(MAIN, STEP, 1, [])]
    return tach(records, n, 1 + n // 2 * 2)


def caterpillar(n):
    """Each call makes another two: one ends, the other goes on."""
    records = []
    for i in range(n):
        records += [tach_wire.pop_push(MAIN, STEP, min(i, 1), [i]),
                    tach_wire.pop_push(MAIN, STEP, 0, [n - 1 - i])]
    return tach(records, n, 2 * n)


def threads(n):
    """As many threads as samples, two functions deep."""
    records = [tach_wire.full((i, 0, '<'), STEP, [0, 1 + i % 7])
               for i in range(n)]
    return tach(records, 8, n, n)


# ---- .rbt

def functions(n):
    """Definitions of n functions in a file each, called f0, f1 and so on."""
    out = [wire.string(0, b'')]
    for i in range(n):
        out += [wire.string(2 * i + 1, b'f%d' % i),
                wire.string(2 * i + 2, b'/app/f%d.php' % i),
                wire.frame(i, 0, 0, 2 * i + 1, 2 * i + 2, i + 1)]
    return b''.join(out)


def wide(n):
    """One caller of n functions, each sampled once."""
    out = [wire.header(), functions(n)]
    for i in range(n):
        out += [wire.stack(i, [i, 0]), wire.compact(i)]
    return b''.join(out) + wire.end()


def calls(n, samples):
    """n functions, and samples of them in this order."""
    return (wire.header() + functions(n)
            + b''.join(wire.stack(i, [i]) for i in range(n))
            + b''.join(map(wire.compact, samples)) + wire.end())


def runs(n):
    """Two stacks in turn, a billion samples each time."""
    turn = b''.join(wire.compact(i) + wire.repeat(BILLION) for i in range(2))
    return (wire.header() + functions(3) + wire.stack(0, [1, 0])
            + wire.stack(1, [2, 0]) + turn * n + wire.end())


def unique(n):
    """Each sample has a stack of its own, of ten frames out of fifty."""
    rng = random.Random(n)
    out = [wire.header(), functions(50)]
    for i in range(n):
        out += [wire.stack(i, [rng.randrange(50) for _ in range(10)]),
                wire.compact(i)]
    return b''.join(out) + wire.end()


def segments(n):
    """n segments of one sample, each with its definitions and a period."""
    return b''.join(wire.header(1000 + i % 7) + wire.one_frame()
                    + wire.compact(0) + wire.end() for i in range(n))


def processes(n):
    """n processes of one sample each, all with one stack."""
    return (wire.header() + wire.one_frame()
            + b''.join(wire.pid_sample(0, i + 1) for i in range(n))
            + wire.end())


def annotations(n):
    """Each sample is another request."""
    out = [wire.header(), wire.one_frame(), wire.string(3, b'request.uri'),
           wire.string(4, b'route')]
    for i in range(n):
        out += [wire.sample(0, 1000), wire.string(5 + i, b'/r/%d' % i),
                wire.annotation((3, 5 + i), (4, 5 + i))]
    return b''.join(out) + wire.end()


def metadata(n):
    """n pairs of metadata, keys that are alike and keys that are not."""
    out = [wire.header(), wire.one_frame()]
    for i in range(n):
        out += [wire.metadata(b'k%d' % i, b'v'),
                wire.metadata(b'process.%d.name' % i, b'w')]
    return b''.join(out) + wire.compact(0) + wire.end()


def names(n):
    """A function whose name and file have 16 bytes for each n."""
    return (wire.header() + wire.one_frame(b'namespace\\name::' * n,
                                           b'/a/path/of/16/b.' * n)
            + wire.compact(0) + wire.end())


def lines(n):
    """One long name in n places: n lines of one function of 16 n bytes."""
    out = [wire.header(), wire.string(0, b''), wire.string(1, b'N' * 16 * n),
           wire.string(2, b'/' + b'F' * 16 * n)]
    for i in range(n):
        out += [wire.frame(i, 0, 0, 1, 2, i + 1), wire.stack(i, [i]),
                wire.compact(i)]
    return b''.join(out) + wire.end()


SHAPES = {shape.__name__: shape for shape in (
    deep, stairs, comb, recursion, saw, caterpillar, threads, wide, runs, unique, segments,
    processes, annotations, metadata, names, lines)}
