#!/usr/bin/env python3
"""Makes legal but unusual TACH files: what no known writer would produce and
every reader has to accept.

    tach_gen.py SEED > FILE

The same seed gives the same bytes.  A file has any dialect and byte order, and
holds: over-long numbers, REPEAT of 0 and as a thread's first record, long runs
with alternating status, SUFFIX that shares nothing or adds nothing, POP_PUSH
of everything and of nothing, stacks deeper than 256, one thread id in several
interpreters, clocks that stand still, go back and wrap, empty and odd names,
strings and frames stored twice or never used, negative lines and columns, all
opcodes; and, where it is compressed, several zstd frames with and without
their size, empty ones and skippable ones, cut anywhere.
"""
import collections
import random
import sys

if __name__ == '__main__':
    import os
    sys.path.insert(0, os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))

from oracle import tach_wire as wire, tach_zstd  # noqa: E402
from oracle.tach_oracle import (                 # noqa: E402
    FULL, LAYOUTS, POP_PUSH, RAW, REPEAT, SUFFIX, U32, U64, ZSTD)

INT_MAX, INT_MIN = (1 << 31) - 1, -(1 << 31)
DELTAS = (0, 0, 1, 99, 100, 100, 127, 128, 1000, 16383, 16384, 123456,
          1 << 31, U32, 1 << 32, 1 << 62, 1 << 63, U64, U64 - 999)
STARTS = (0, 1, 1000, 5000000000, U64, U64 - 500)
INTERVALS = (0, 1, 100, 1000, 10000, U32, U64)
THREADS = (0, 1, 2, 4242, 140735340871680, 1 << 32, U64)
INTERPRETERS = (0, 0, 0, 1, 2, U32)
LINES = (-1, 0, 1, 12, 127, 128, 70000, -2, INT_MAX, INT_MIN)
COLUMNS = (-1, 0, 1, 4, 80, 255, 256, -2, INT_MAX, INT_MIN)
TEXTS = (b'', b'main', b'<module>', b'Klass.method', b'<lambda>', b'x y',
         b'a;b', b'100%', b'%41', b'k=v,w', b'tab\there', b'nl\nhere',
         b'TACH', b'HCAT\1\0\0\0', b'TACHSTAT\1\0\0\0\x38\0\0\0', b'\0',
         b'caf\xc3\xa9', b'bad\xff\xfe', b'cut\xe2\x82', b'\xed\xa0\x80',
         b'/srv/app/lib/kernel.py', b'~', b'<GC>', b'-', b'{}', b'#', b':',
         b'\xf0\x9f\x90\x8d', b'l' * 300)

# What a file may hold.  The defaults leave nothing out.
Shape = collections.namedtuple(
    'Shape', 'dialects orders records threads frames max_repeat depths '
    'compress texts padding is_tame')
WILD = Shape(dialects=tuple(LAYOUTS), orders='<>', records=60, threads=9,
             frames=40, max_repeat=400,
             depths=(0, 1, 1, 2, 3, 5, 8, 20, 20, 40, 256, 257, 700),
             compress=True, texts=TEXTS, padding=0.05, is_tame=False)
# Small enough to read at every length, and not compressed.
SMALL = WILD._replace(records=14, threads=3, frames=6, max_repeat=12,
                      depths=(0, 1, 2, 3, 5), compress=False,
                      texts=[t for t in TEXTS if len(t) < 20])
# What nobody complains about: CPython's dialect and depth, names that are
# text, runs that say something, and ends that are known.
PLAIN = WILD._replace(
    dialects=('1b',), is_tame=True,
    depths=[d for d in WILD.depths if d <= 256],
    texts=[t for t in TEXTS if t.decode('utf-8', 'ignore').encode() == t])


class Maker:
    """One file; every method appends to `records` what its name says."""

    def __init__(self, rng, shape):
        self.rng = rng
        self.shape = shape
        self.dialect = rng.choice(shape.dialects)
        self.order = rng.choice(shape.orders)
        self.threads = {}               # (thread, interpreter): stack
        self.samples = 0
        self.strings = [self.string() for _ in range(rng.randint(1, 20))]
        self.frames = [self.frame()
                       for _ in range(rng.randint(1, shape.frames))]
        self.records = []
        pool = rng.sample(THREADS, rng.randint(1, len(THREADS)))
        if rng.random() < 0.1:          # a crowd
            pool += range(5000, 5000 + 40 * shape.threads)
        self.keys = [(thread, rng.choice(INTERPRETERS)) for thread in pool
                     for _ in range(rng.choice((1, 1, 3)))]
        rng.shuffle(self.keys)

    # -- pieces of records

    def number(self, value):
        """A number, at times longer than it needs to be."""
        if self.rng.random() >= self.shape.padding:
            return wire.varint(value)
        room = 10 - len(wire.varint(value))
        out = wire.varint(value, self.rng.randint(0, room))
        if len(out) == 10 and self.rng.random() < 0.3:
            # Bits above the 64th, which have no meaning.
            out = out[:9] + bytes([out[9] | self.rng.choice((2, 0x7e))])
        return out

    def numbers(self, values):
        return b''.join(map(self.number, values))

    def string(self):
        text = self.rng.choice(self.shape.texts)
        return self.number(len(text)) + text

    def frame(self):
        rng = self.rng
        fields = [rng.randrange(len(self.strings)) for _ in range(2)]
        line, column = rng.choice(LINES), rng.choice(COLUMNS)
        fields.append(wire.zigzag(line))
        if LAYOUTS[self.dialect].frame_fields == 3:
            return self.numbers(fields)
        fields.append(self.distance(line, (0, 0, 1, 7, -3, INT_MAX)))
        fields.append(wire.zigzag(column))
        fields.append(self.distance(column, (0, 5, 20, -4, INT_MIN)))
        return self.numbers(fields) + bytes([
            rng.choice((255, 255, 255, 0, 254, rng.randrange(256)))])

    def distance(self, begin, choices):
        """From a begin to its end; the sum may wrap.  An end that happens to
        be -1 is made only where files need not survive being rewritten: a
        writer takes it for unknown."""
        distance = self.rng.choice(choices)
        if self.shape.is_tame and begin + distance == -1:
            distance = 0
        return wire.zigzag(distance)

    def moment(self):
        return self.number(self.rng.choice(DELTAS)) \
            + bytes([self.status()])

    def status(self):
        return self.rng.choice((0, 1, 3, 3, 35, 4, self.rng.randrange(256)))

    def stack(self, depth=None):
        depth = self.rng.choice(self.shape.depths) if depth is None else depth
        return [self.rng.randrange(len(self.frames)) for _ in range(depth)]

    def inner(self, kept):
        """New frames on top of `kept` that stay."""
        new = self.stack(self.rng.choice((0, 1, 1, 2, 5)))
        return [] if self.shape.is_tame and kept + len(new) > 256 else new

    def emit(self, key, kind, *parts):
        self.records.append(
            wire.place(key[0], key[1], kind, self.order) + b''.join(parts))

    # -- records

    def repeat(self, key):
        count = self.rng.choice((0, 1, 1, 2, 3, 5, self.shape.max_repeat))
        count = self.rng.randint(count // 2, count)
        if self.shape.is_tame:
            count = max(count, 1)
        times = [self.moment() for _ in range(count)]
        style = self.rng.random()
        if style < 0.5:                 # as a writer makes them
            step, status = self.rng.choice((100, 1000)), self.status()
            times = [wire.varint(step) + bytes([status])] * count
        elif style < 0.7:               # alternating
            pair = [self.moment(), self.moment()]
            times = [pair[n & 1] for n in range(count)]
        self.emit(key, REPEAT, self.number(count), *times)
        self.samples += count

    def full(self, key):
        stack = self.stack()
        self.emit(key, FULL, self.moment(), self.number(len(stack)),
                  self.numbers(stack))
        self.threads[key] = stack
        self.samples += 1

    def suffix(self, key):
        old = self.threads[key]
        shared = self.rng.choice((0, len(old), self.rng.randint(0, len(old))))
        new = self.inner(shared)
        self.emit(key, SUFFIX, self.moment(), self.number(shared),
                  self.number(len(new)), self.numbers(new))
        self.threads[key] = new + old[len(old) - shared:]
        self.samples += 1

    def pop_push(self, key):
        old = self.threads[key]
        pop = self.rng.choice((0, len(old), self.rng.randint(0, len(old)),
                               min(1, len(old))))
        new = self.inner(len(old) - pop)
        self.emit(key, POP_PUSH, self.moment(), self.number(pop),
                  self.number(len(new)), self.numbers(new))
        self.threads[key] = new + old[pop:]
        self.samples += 1

    def any_record(self):
        key = self.rng.choice(self.keys[:self.shape.threads])
        if self.rng.random() < 0.1:
            key = self.rng.choice(self.keys)
        self.threads.setdefault(key, [])
        self.rng.choice((self.repeat, self.repeat, self.full, self.suffix,
                         self.suffix, self.pop_push, self.pop_push))(key)

    # -- the file

    def statistics(self):
        rng = self.rng
        return wire.statistics(self.order, rng.choice((56, 32)),
                               rng.choice((0.0, 12.5, 1e-300, 1e300)),
                               rng.choice((0.0, 999.5)), 1.25, 0.5,
                               rng.choice((0, 1, 2, 3)))

    def build(self):
        rng = self.rng
        for _ in range(rng.choice((0, rng.randint(1, self.shape.records),
                                   self.shape.records))):
            self.any_record()
        more = {}
        if self.dialect == '1c':
            more['mode'] = rng.randint(0, 5) | rng.choice(
                (0, 8, 8 | rng.randrange(32) << 4))
            if not more['mode'] or rng.random() < 0.7:
                more['statistics'] = self.statistics()
        data, packed = b''.join(self.records), self.records
        compression = RAW
        if self.shape.compress and rng.random() < 0.5:
            packed, compression = compress(rng, data), ZSTD
        return wire.build(
            self.dialect, packed, self.strings, self.frames, self.order,
            python=(3, rng.randint(0, 255), rng.randint(0, 255)),
            start=rng.choice(STARTS), interval=rng.choice(INTERVALS),
            samples=self.samples, threads=len(self.threads),
            compression=compression, **more)


def compress(rng, data):
    """The bytes as a row of zstd frames."""
    out = []
    while True:
        n = rng.choice((len(data), rng.randint(0, len(data)), 0))
        if rng.random() < 0.2:
            out.append(tach_zstd.skippable(bytes(rng.randrange(20)),
                                           rng.randrange(16)))
        out.append(tach_zstd.compress(
            data[:n], rng.choice((1, 5, 19)), rng.random() < 0.5,
            rng.random() < 0.5))
        data = data[n:]
        if not data:
            return out


def generate(seed, shape=WILD):
    return Maker(random.Random(seed), shape).build()


if __name__ == '__main__':
    sys.stdout.buffer.write(generate(int(sys.argv[1])))
