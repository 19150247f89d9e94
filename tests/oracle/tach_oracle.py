#!/usr/bin/env python3
"""A slow, plain reader of TACH files, written from the published description
and the list of its dialects alone.

    tach_oracle.py FILE [DIALECT]     prints what `bobbin dump FILE` must print

It shares no code with bobbin and makes no attempt at speed: each rule of the
format is one short piece of straight-line Python, so that a disagreement with
bobbin can be settled by reading.  It is strict.  Damage raises `Damage`, after
every sample before it has been handed out.

    dialect(data)    (name, byte order)
    Profile(data)    head, strings, frames, sample bytes
    records(profile) the records one by one, with their place
    runs(data)       (count, fields) of every sample, in dump columns
    lines(data)      the text of `bobbin dump`
"""
import collections
import struct
import sys

if __name__ == '__main__':
    import os
    sys.path.insert(0, os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))

from oracle import tach_zstd  # noqa: E402

MAGIC = 0x54414348
HEADER_SIZE, FOOTER_SIZE, RECORD_SIZE = 64, 32, 13
REPEAT, FULL, SUFFIX, POP_PUSH = range(4)
RAW, ZSTD = range(2)
NO_OPCODE = 255
STATISTICS = b'TACHSTAT'
U32, U64 = (1 << 32) - 1, (1 << 64) - 1

# Offset of each field of the header, None where there is no such field.
Layout = collections.namedtuple(
    'Layout', 'version python start interval samples samples_size threads '
    'strings frames compression mode frame_fields')
LAYOUTS = {
    'v2': Layout(2, None, 8, 16, 24, 4, 28, 32, 40, 48, None, 3),
    'early-1': Layout(1, 8, 12, 20, 28, 4, 32, 36, 44, 52, None, 3),
    '1a': Layout(1, 8, 12, 20, 28, 4, 32, 36, 44, 52, None, 7),
    '1b': Layout(1, 8, 12, 20, 28, 8, 36, 40, 48, 56, None, 7),
    '1c': Layout(1, 8, 12, 20, 28, 8, 36, 40, 48, 56, 60, 7),
}

Head = collections.namedtuple(
    'Head', 'python start interval samples threads strings frames '
    'compression mode')
Footer = collections.namedtuple('Footer', 'strings frames size checksum')
Frame = collections.namedtuple(
    'Frame', 'file function line end_line column end_column opcode')
Statistics = collections.namedtuple(
    'Statistics', 'duration rate failed missed flags')
# times are (microseconds, status) of each sample; stack is innermost first.
Record = collections.namedtuple(
    'Record', 'kind start end thread interpreter times stack')


class Damage(Exception):
    """The file breaks a rule of the format at byte `offset`."""

    def __init__(self, offset, why):
        super().__init__('byte %d: %s' % (offset, why))
        self.offset = offset
        self.why = why


# ---- numbers ---------------------------------------------------------------

def fixed(order, size, data, at):
    if at + size > len(data):
        raise Damage(at, 'no room for %d bytes' % size)
    return struct.unpack_from(order + {4: 'I', 8: 'Q'}[size], data, at)[0]


def varint(data, pos, end, limit=U64):
    """(value, end): at most ten bytes; bits above the 64th are dropped, and
    what is then above the limit is refused."""
    value, start = 0, pos
    for n in range(10):
        if pos >= end:
            raise Damage(start, 'a number without its end')
        value |= (data[pos] & 0x7f) << 7 * n
        pos += 1
        if not data[pos - 1] & 0x80:
            break
    else:
        raise Damage(start, 'a number of more than ten bytes')
    value &= U64
    if value > limit:
        raise Damage(start, 'a number above %d' % limit)
    return value, pos


def signed(data, pos, end):
    value, pos = varint(data, pos, end, U32)
    return (value >> 1) ^ -(value & 1), pos


def int32(value):
    value &= U32
    return value - (1 << 32) if value >> 31 else value


# ---- what stands around the samples ----------------------------------------

def byte_order(data):
    if len(data) < HEADER_SIZE:
        raise Damage(0, 'too short for a header')
    for order in '<>':
        if fixed(order, 4, data, 0) == MAGIC:
            return order
    raise Damage(0, 'no magic')


def read_head(data, layout, order):
    return Head(
        python=tuple(data[layout.python:layout.python + 3])
        if layout.python else None,
        start=fixed(order, 8, data, layout.start),
        interval=fixed(order, 8, data, layout.interval),
        samples=fixed(order, layout.samples_size, data, layout.samples),
        threads=fixed(order, 4, data, layout.threads),
        strings=fixed(order, 8, data, layout.strings),
        frames=fixed(order, 8, data, layout.frames),
        compression=fixed(order, 4, data, layout.compression),
        mode=fixed(order, 4, data, layout.mode) if layout.mode else None)


def read_footer(data, order):
    at = len(data) - FOOTER_SIZE
    if at < HEADER_SIZE:
        raise Damage(len(data), 'no room for a footer')
    return Footer(fixed(order, 4, data, at), fixed(order, 4, data, at + 4),
                  fixed(order, 8, data, at + 8), data[at + 16:])


def read_strings(data, pos, end, count):
    """(bytes of each, end)"""
    strings = []
    for _ in range(count):
        size, start = varint(data, pos, end, U32)
        if size > end - start:
            raise Damage(pos, 'a string of %d bytes' % size)
        pos = start + size
        strings.append(data[start:pos])
    return strings, pos


def read_frame(data, pos, end, fields):
    file, pos = varint(data, pos, end, U32)
    function, pos = varint(data, pos, end, U32)
    line, pos = signed(data, pos, end)
    if fields == 3:
        return Frame(file, function, line, None, None, None, NO_OPCODE), pos
    end_line, pos = signed(data, pos, end)
    column, pos = signed(data, pos, end)
    end_column, pos = signed(data, pos, end)
    if pos >= end:
        raise Damage(pos, 'no opcode')
    return Frame(file, function, line, int32(line + end_line), column,
                 -1 if column == -1 else int32(column + end_column),
                 data[pos]), pos + 1


def read_frames(data, pos, end, count, fields):
    frames = []
    for _ in range(count):
        frame, pos = read_frame(data, pos, end, fields)
        frames.append(frame)
    return frames, pos


def read_statistics(data, order, frames):
    """(statistics or None, where the frame table must end); frames is where
    that begins."""
    end = len(data) - FOOTER_SIZE
    for size, layout in ((56, 'ddddII'), (32, 'dd')):
        start = end - size
        if start >= frames and data[end - 16:end - 8] == STATISTICS \
                and fixed(order, 4, data, end - 8) == 1 \
                and fixed(order, 4, data, end - 4) == size:
            values = struct.unpack_from(order + layout, data, start)
            return Statistics(*(values + (None, None, 0))[:5]), start
    return None, end


def fits(data, name, order):
    """Whether the tables stand where this dialect says, to the byte."""
    layout = LAYOUTS[name]
    head = read_head(data, layout, order)
    statistics, end = read_statistics(data, order, head.frames)
    extended = bool(statistics) or fixed(order, 4, data, 60) != 0
    if layout.version != fixed(order, 4, data, 4):
        return False
    if layout.samples_size == 8 and extended != bool(layout.mode):
        return False
    if not HEADER_SIZE <= head.strings <= head.frames <= end:
        return False
    footer = read_footer(data, order)
    try:
        _, strings_end = read_strings(data, head.strings, head.frames,
                                      footer.strings)
        _, frames_end = read_frames(data, head.frames, end, footer.frames,
                                    layout.frame_fields)
    except Damage:
        return False
    return strings_end == head.frames and frames_end == end


def dialect(data):
    order = byte_order(data)
    names = [name for name in LAYOUTS if fits(data, name, order)]
    if names == ['early-1', '1a'] and not read_footer(data, order).frames:
        names = ['1a']      # they differ in their frames only
    if len(names) != 1:
        raise Damage(0, 'dialects that fit: %s' % (names or 'none'))
    return names[0], order


class Profile:
    """Everything but the samples, taken apart."""

    def __init__(self, data, name=None):
        if name:
            self.dialect, self.order = name, byte_order(data)
        else:
            self.dialect, self.order = dialect(data)
        layout = LAYOUTS[self.dialect]
        self.data = data
        self.head = read_head(data, layout, self.order)
        self.footer = read_footer(data, self.order)
        self.statistics, tables_end = read_statistics(
            data, self.order, self.head.frames)
        self.strings, _ = read_strings(
            data, self.head.strings, self.head.frames, self.footer.strings)
        self.frames, _ = read_frames(
            data, self.head.frames, tables_end, self.footer.frames,
            layout.frame_fields)

    def packed(self):
        return self.data[HEADER_SIZE:self.head.strings]

    def samples(self):
        """The records' bytes, unpacked, and the damage that ends them."""
        if self.head.compression != ZSTD:
            return self.packed(), None
        out = []
        try:
            for part in tach_zstd.parts(self.packed()):
                out.append(part)
        except tach_zstd.Broken as broken:
            return b''.join(out), Damage(HEADER_SIZE + broken.at, str(broken))
        return b''.join(out), None

    def string(self, index):
        return self.strings[index].decode('utf-8', 'replace').encode()

    def token(self, index):
        """A frame as `bobbin dump` prints it."""
        frame = self.frames[index]
        place = ['-'] * 4
        if frame.line != -1:
            place = ['-' if value is None else str(value)
                     for value in frame[2:6]]
        return ';'.join(
            ['Y', escape(self.string(frame.function)),
             escape(self.string(frame.file))] + place
            + ['-' if frame.opcode == NO_OPCODE else str(frame.opcode)])


# ---- samples ---------------------------------------------------------------

class Thread:
    def __init__(self, clock):
        self.clock = clock
        self.stack = ()


class Records:
    """Iterates over the records of a profile."""

    def __init__(self, profile):
        self.profile = profile
        self.data, self.broken = profile.samples()
        self.pos = 0
        self.threads = {}
        self.samples = 0

    def damage(self, at, why):
        """Offsets are those of the file where it is not compressed."""
        return Damage(at + HEADER_SIZE, why)

    def number(self, limit=U64):
        try:
            value, self.pos = varint(self.data, self.pos, len(self.data),
                                     limit)
        except Damage as damage:
            raise self.damage(damage.offset, damage.why)
        return value

    def byte(self):
        if self.pos >= len(self.data):
            raise self.damage(self.pos, 'the samples end here')
        self.pos += 1
        return self.data[self.pos - 1]

    def moment(self, thread):
        thread.clock = (thread.clock + self.number()) & U64
        return thread.clock, self.byte()

    def frames(self, count):
        """Frame indices, each of a frame whose names are there."""
        # A count beyond the bytes runs out of them before the loop could run
        # for a hostile number of rounds.
        if count > len(self.data) - self.pos:
            raise self.damage(self.pos, '%d frames' % count)
        out = []
        for _ in range(count):
            at = self.pos
            index = self.number(U32)
            if index >= len(self.profile.frames):
                raise self.damage(at, 'no frame %d' % index)
            frame = self.profile.frames[index]
            if max(frame.file, frame.function) >= len(self.profile.strings):
                raise self.damage(at, 'frame %d has no name' % index)
            out.append(index)
        return tuple(out)

    def __iter__(self):
        while self.pos < len(self.data):
            yield from self.record()
        if self.broken:
            raise self.broken
        if self.samples != self.profile.head.samples:
            raise self.damage(self.pos, '%d samples, %d promised' % (
                self.samples, self.profile.head.samples))

    def record(self):
        start = self.pos
        if len(self.data) - start < RECORD_SIZE:
            raise self.damage(start, 'part of a record')
        ident = fixed(self.profile.order, 8, self.data, start)
        interpreter = fixed(self.profile.order, 4, self.data, start + 8)
        kind = self.data[start + 12]
        self.pos = start + RECORD_SIZE
        key = ident, interpreter
        if key not in self.threads:
            if len(self.threads) >= self.profile.head.threads:
                raise self.damage(start, 'one thread too many')
            self.threads[key] = Thread(self.profile.head.start)
        thread = self.threads[key]
        if kind > POP_PUSH:
            raise self.damage(start + 12, 'kind %d' % kind)
        if kind == REPEAT:
            yield from self.repeat(start, key, thread)
            return
        times = [self.moment(thread)]
        if kind == FULL:
            thread.stack = self.frames(self.number(U32))
        elif kind == SUFFIX:
            shared, new = self.number(U32), self.number(U32)
            if shared > len(thread.stack):
                raise self.damage(start, 'shares %d of %d frames' % (
                    shared, len(thread.stack)))
            kept = thread.stack[len(thread.stack) - shared:]
            thread.stack = self.frames(new) + kept
        else:
            pop, push = self.number(U32), self.number(U32)
            thread.stack = self.frames(push) + thread.stack[pop:]
        self.samples += 1
        yield Record(kind, start, self.pos, *key, times, thread.stack)

    def repeat(self, start, key, thread):
        """Also hands out what came before damage inside the record."""
        count = self.number(U32)
        if count > (len(self.data) - self.pos) // 2:
            raise self.damage(start, 'repeats %d times' % count)
        times = []
        try:
            for _ in range(count):
                times.append(self.moment(thread))
        finally:
            self.samples += len(times)
            yield Record(REPEAT, start, self.pos, *key, times, thread.stack)


def records(profile):
    return iter(Records(profile))


# ---- the listing -----------------------------------------------------------

def escape(raw):
    return ''.join(chr(b) if 0x21 <= b <= 0x7e and b not in b'%,;='
                   else '%%%02X' % b for b in raw)


def single(data, name=None):
    """Every sample by itself, in dump columns."""
    profile = Profile(data, name)
    tokens = {}
    for record in records(profile):
        for index in record.stack:
            if index not in tokens:
                tokens[index] = profile.token(index)
        frames = [tokens[index] for index in record.stack]
        for time, status in record.times:
            yield ['0', '-', str(record.thread), str(record.interpreter),
                   str(status), str(time), '-'] + frames


def runs(data, name=None):
    """Samples whose lines are equal, counted."""
    count, before = 0, None
    try:
        for fields in single(data, name):
            if fields != before and count:
                yield count, before
                count = 0
            count, before = count + 1, fields
    finally:
        if count:
            yield count, before


def lines(data, name=None):
    for count, fields in runs(data, name):
        yield '\t'.join([str(count)] + fields) + '\n'


if __name__ == '__main__':
    with open(sys.argv[1], 'rb') as file:
        content = file.read()
    try:
        for line in lines(content, *sys.argv[2:]):
            sys.stdout.write(line)
    except Damage as problem:
        sys.exit(str(problem))
