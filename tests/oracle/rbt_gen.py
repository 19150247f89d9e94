#!/usr/bin/env python3
"""Makes legal but unusual .rbt streams: what no known writer would produce
and every reader has to accept.

    rbt_gen.py SEED > FILE

The same seed gives the same bytes.  A stream has several segments, each with
its own period and with or without timestamps, and holds, anywhere between
other events: sparse and huge ids, ids defined anew (also between a sample and
its REPEAT), over-long varints, unknown events, bytes after the last field of a
payload, metadata, annotations far behind their sample, REPEAT of 0 and after
REPEAT, samples with and without pid or delta, native frames, negative lines,
empty stacks, missing ends, and gzip members among raw segments.
"""
import collections
import random
import sys

if __name__ == '__main__':
    import os
    sys.path.insert(0, os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))

from oracle import rbt_wire as wire  # noqa: E402
from oracle.rbt_oracle import (      # noqa: E402
    CHECKPOINT, COMPACT_SAMPLE, FRAME_DEF, FRAME_NATIVE, FRAME_OPCODE,
    METADATA, PID_SAMPLE, REPEAT_SAMPLE, RESERVED, SAMPLE, SAMPLE_ANNOTATION,
    SEGMENT_END, STACK_DEF, STRING_DEF)

PERIODS = (1, 250, 1000, 1500, 10000, 10101, 1000000)
# A few ids, drawn again and again, so that redefinition is common.
IDS = (0, 1, 2, 3, 7, 127, 128, 300, 16384, 1 << 31, (1 << 32) + 7,
       (1 << 63) - 1)
LINES = (-1, 0, 1, 42, 127, 128, 70000, 1 << 40, -2, -(1 << 63),
         (1 << 63) - 1)
PIDS = (1, 42, 4711, 1 << 22, (1 << 31) - 1)
DELTAS = (0, 1, 99, 127, 128, 10000, 123456, 1 << 33)
# Types that no version of the format gives a meaning.
UNKNOWN = [t for t in range(256)
           if not 1 <= t <= SAMPLE_ANNOTATION and t != RESERVED]
TEXTS = (b'', b'main', b'App\\Svc', b'a::b', b'{closure}', b'x y', b'a;b',
         b'100%', b'%41', b'k=v,w', b'tab\there', b'nl\nhere', b'RELI',
         b'RELI\x01\0\0\0\x10\x27\0\0\0\0\0\0\x08\0', b'\x1f\x8b\x08', b'\0',
         b'caf\xc3\xa9', b'bad\xff\xfe', b'name 12', b'-', b'{}', b'#', b':',
         b'/srv/app/src/Kernel.php', b'<internal>', b'l' * 300)

# What a stream may hold.  The defaults leave nothing out; tests that need
# every prefix, or text output of every sample, ask for less.
Shape = collections.namedtuple(
    'Shape', 'segments events max_repeat gzip periods texts')
WILD = Shape(segments=5, events=60, max_repeat=1 << 40, gzip=True,
             periods=PERIODS, texts=TEXTS)
# Small enough to read at every length, and not compressed.
SMALL = WILD._replace(segments=3, events=25, max_repeat=300, gzip=False,
                      texts=[t for t in TEXTS if len(t) < 100])
# All samples can be written out one by one.
FLAT = WILD._replace(max_repeat=5, texts=SMALL.texts)


class SegmentMaker:
    """One segment; every method appends to `out` what its name says."""

    def __init__(self, rng, shape):
        self.rng = rng
        self.shape = shape
        self.timed = rng.random() < 0.4
        self.strings = set()
        self.frames = set()
        self.stacks = set()
        self.clock = 0
        self.has_sample = False         # something a REPEAT could mean
        self.annotatable = False
        self.out = [wire.header(rng.choice(shape.periods), int(self.timed))]

    # -- pieces of events

    def varint(self, value):
        pad = self.rng.choice((1, 2)) if self.rng.random() < 0.05 else 0
        return wire.varint(value, pad)

    def fields(self, *values):
        """A payload, at times with bytes behind the last known field."""
        tail = b''
        if self.rng.random() < 0.1:
            tail = self.rng.choice((b'\0', b'RELI', b'\x08\x01', b'\xff'))
        return b''.join(map(self.varint, values)) + tail

    def emit(self, kind, payload):
        self.out.append(bytes([kind]) + self.varint(len(payload)) + payload)

    def known(self, table):
        return self.rng.choice(sorted(table))

    # -- definitions

    def define_string(self):
        ident = self.rng.choice(IDS)
        self.emit(STRING_DEF,
                  self.varint(ident) + self.rng.choice(self.shape.texts))
        self.strings.add(ident)

    def define_frame(self):
        if not self.strings:
            self.define_string()
        ident = self.rng.choice(IDS)
        text = [self.known(self.strings) for _ in range(5)]
        # Higher flag bits have no meaning yet.
        extra = 0x40 if self.rng.random() < 0.1 else 0
        if self.rng.random() < 0.25:
            payload = self.fields(ident, FRAME_NATIVE | extra, text[0],
                                  text[1], self.rng.choice((0, 90, 1 << 33)))
        elif self.rng.random() < 0.3:
            payload = self.fields(
                ident, FRAME_OPCODE | extra, *text[:4],
                self.rng.choice(LINES), self.opcode())
        else:
            payload = self.fields(ident, extra, *text[:4],
                                  self.rng.choice(LINES))
        self.emit(FRAME_DEF, payload)
        self.frames.add(ident)

    def opcode(self):
        """An id that stands for an opcode name, defined on the spot: an
        opcode field with an empty name has no agreed meaning."""
        ident = self.rng.choice(IDS)
        name = self.rng.choice((b'ZEND_DO_FCALL', b'ZEND_ECHO', b'ZEND_ADD'))
        self.emit(STRING_DEF, self.varint(ident) + name)
        self.strings.add(ident)
        return ident

    def define_stack(self):
        depth = self.rng.choice((0, 1, 1, 2, 3, 5, 40))
        while depth and not self.frames:
            self.define_frame()
        ident = self.rng.choice(IDS)
        frames = [self.known(self.frames) for _ in range(depth)]
        self.emit(STACK_DEF, self.fields(ident, depth, *frames))
        self.stacks.add(ident)

    # -- samples

    def sample(self):
        if not self.stacks:
            self.define_stack()
        stack = self.known(self.stacks)
        kind = self.rng.choice((COMPACT_SAMPLE, SAMPLE, PID_SAMPLE))
        if kind == COMPACT_SAMPLE:
            self.out.append(bytes([kind]) + self.varint(stack))
        else:
            values = [stack]
            if kind == PID_SAMPLE:
                values.append(self.rng.choice(PIDS))
            # In a timed segment a byte too many would be read as the delta,
            # so a sample without one gets no trailing bytes.
            if self.timed and self.rng.random() < 0.2:
                self.emit(kind, b''.join(map(self.varint, values)))
            else:
                if self.timed:
                    values.append(self.delta())
                self.emit(kind, self.fields(*values))
        self.has_sample = self.annotatable = True

    def delta(self):
        """Mostly forward; a step back never goes before the start."""
        delta = self.rng.choice(DELTAS)
        if self.rng.random() < 0.05 and self.clock >= delta:
            delta = -delta
        self.clock += delta
        return delta

    def annotate(self):
        """Between sample and annotation anything but a sample may stand."""
        if not self.annotatable:
            return
        if self.rng.random() < 0.5:
            self.define_string()
        keys = [self.fresh_key(n)
                for n in range(self.rng.choice((0, 1, 1, 2, 3)))]
        flat = [i for key in keys for i in (key, self.known(self.strings))]
        self.emit(SAMPLE_ANNOTATION, self.fields(len(keys), *flat))

    def fresh_key(self, n):
        """A key that differs from the others of the same sample: which of
        two equal keys wins is not settled."""
        ident = (1 << 20) + n
        text = b'key%d' % n if n else self.rng.choice((b'', b'uri', b'k=,'))
        self.emit(STRING_DEF, self.varint(ident) + text)
        self.strings.add(ident)
        return ident

    def repeat(self):
        if not self.has_sample:
            return
        count = self.rng.choice((0, 1, 2, 3, 20, 127, 128, 999, -1,
                                 self.shape.max_repeat))
        self.out.append(bytes([REPEAT_SAMPLE])
                        + self.varint(min(count, self.shape.max_repeat)))
        self.annotatable = False

    # -- the rest

    def metadata(self):
        key = self.rng.choice((b'pid', b'host', b'', b'note'))
        value = self.rng.choice(self.shape.texts)
        if self.rng.random() < 0.3:
            key, value = b'bobbin.annotations', b'changes'
        self.emit(METADATA, self.varint(len(key)) + key
                  + self.varint(len(value)) + value)

    def checkpoint(self):
        """Right or not: a reader must not depend on the numbers."""
        self.emit(CHECKPOINT, self.fields(len(self.frames),
                                          len(self.stacks),
                                          self.rng.choice((0, 1, 1000))))

    def unknown(self):
        size = self.rng.choice((0, 0, 1, 2, 16, 100))
        payload = bytes(self.rng.choice((0, 1, 8, 9, 0x52, 0xff))
                        for _ in range(size))
        self.emit(self.rng.choice(UNKNOWN), payload)

    def end(self):
        self.emit(SEGMENT_END, b'' if self.rng.random() < 0.9 else b'bye')

    def build(self):
        """(bytes, whether the segment has an end event)."""
        moves = ([self.sample] * 8 + [self.repeat] * 3 + [self.annotate] * 3
                 + [self.define_string] * 2 + [self.define_frame] * 2
                 + [self.define_stack] * 3 + [self.unknown, self.metadata,
                                              self.checkpoint])
        for _ in range(self.rng.randrange(self.shape.events)):
            self.rng.choice(moves)()
        ended = self.rng.random() < 0.7
        if ended:
            self.end()
        return b''.join(self.out), ended


def compress(rng, segments):
    """Joins (bytes, ended) segments, some of them as gzip members.

    After a raw segment without an end event the next byte may be an event
    type, and 1f is one: there a member could not be told from an event.
    """
    out, place_for_member = [], True
    while segments:
        if place_for_member and rng.random() < 0.4:
            n = rng.randint(1, len(segments))
            out.append(wire.member(b''.join(s for s, _ in segments[:n]),
                                   rng.choice((0, 1, 9))))
            segments = segments[n:]
        else:
            raw, place_for_member = segments[0]
            out.append(raw)
            segments = segments[1:]
    return b''.join(out)


def generate(seed, shape=WILD):
    rng = random.Random(seed)
    segments = [SegmentMaker(rng, shape).build()
                for _ in range(rng.randint(1, shape.segments))]
    if shape.gzip:
        return compress(rng, segments)
    return b''.join(raw for raw, _ in segments)


if __name__ == '__main__':
    sys.stdout.buffer.write(generate(int(sys.argv[1])))
