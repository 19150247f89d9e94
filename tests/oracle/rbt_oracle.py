#!/usr/bin/env python3
"""A slow, plain reader of .rbt, written from the format description alone.

    rbt_oracle.py FILE        prints what `bobbin dump FILE` must print

It shares no code with bobbin and makes no attempt at speed: each rule of the
format is one short piece of straight-line Python, so that a disagreement with
bobbin can be settled by reading.  It is strict.  Damage raises `Damage`, after
every sample before it has been handed out.  A stream that merely ends inside
an event is not damaged: it is read to its last whole event.

Three layers, each usable alone:
    events(data)   the events of all segments, with their place in the file
    runs(data)     (count, fields) of every sample, in dump columns
    lines(data)    the text of `bobbin dump`
"""
import collections
import sys
import zlib

MAGIC = b'RELI'
GZIP = b'\x1f\x8b'
HEADER_SIZE = 16
MAX_PAYLOAD = 16 << 20

FRAME_DEF, STACK_DEF, SAMPLE, CHECKPOINT, SEGMENT_END, METADATA, PID_SAMPLE, \
    COMPACT_SAMPLE, REPEAT_SAMPLE, STRING_DEF, SAMPLE_ANNOTATION = range(1, 12)
RESERVED = MAGIC[0]
# Not on the wire: how events() reports a segment header, and the place where
# a stream stops inside an event.
HEADER, CUT = 'header', 'cut'

FRAME_NATIVE, FRAME_OPCODE = 1, 2

# start and end are offsets in the (decompressed) bytes the event stands in.
Event = collections.namedtuple('Event', 'type start end values')


class Damage(Exception):
    """The stream breaks a rule of the format at byte `offset`."""

    def __init__(self, offset, why):
        super().__init__('byte %d: %s' % (offset, why))
        self.offset = offset
        self.why = why


class Short(Exception):
    """The bytes at hand end before the value does."""


def signed(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def varint(buf, pos):
    """One varint at pos: its value as a signed 64-bit number, and its end.

    Over-long encodings are legal and bits above the 64th have no meaning.
    """
    value = shift = 0
    while True:
        if pos >= len(buf):
            raise Short()
        byte = buf[pos]
        pos += 1
        if shift < 64:
            value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            return signed(value), pos


def varints(payload, pos, n):
    values = []
    for _ in range(n):
        value, pos = varint(payload, pos)
        values.append(value)
    return values, pos


def optional_varint(payload, pos):
    """A field that older writers leave out by ending the payload."""
    if pos >= len(payload):
        return None
    return varint(payload, pos)[0]


# ---- payloads: what stands between the length and the next event ----------
# Bytes after the last field are ignored: that is how fields can be added.

def parse_string(payload, timed):
    ident, pos = varint(payload, 0)
    return ident, bytes(payload[pos:])


def parse_frame(payload, timed):
    (ident, flags), pos = varints(payload, 0, 2)
    if flags & FRAME_NATIVE:
        values, pos = varints(payload, pos, 3)
        return (ident, flags) + tuple(values)
    values, pos = varints(payload, pos, 5)
    opcode = None
    if flags & FRAME_OPCODE:
        opcode = optional_varint(payload, pos)
    return (ident, flags) + tuple(values) + (opcode,)


def parse_stack(payload, timed):
    (ident, depth), pos = varints(payload, 0, 2)
    # A depth beyond the payload runs out of bytes here, before the loop
    # could run for a hostile number of rounds.
    if depth > len(payload) - pos:
        raise Short()
    return ident, varints(payload, pos, depth)[0]


def parse_sample(payload, timed):
    stack, pos = varint(payload, 0)
    return stack, None, optional_varint(payload, pos) if timed else None


def parse_pid_sample(payload, timed):
    (stack, pid), pos = varints(payload, 0, 2)
    return stack, pid, optional_varint(payload, pos) if timed else None


def parse_annotation(payload, timed):
    count, pos = varint(payload, 0)
    if count > len(payload):
        raise Short()
    flat = varints(payload, pos, 2 * max(count, 0))[0]
    return list(zip(flat[::2], flat[1::2]))


def parse_metadata(payload, timed):
    pair, pos = [], 0
    for _ in range(2):
        size, pos = varint(payload, pos)
        if not 0 <= size <= len(payload) - pos:
            raise Short()
        pair.append(bytes(payload[pos:pos + size]))
        pos += size
    return tuple(pair)


def parse_checkpoint(payload, timed):
    """Only a hint for verification; a malformed one harms no sample."""
    try:
        return tuple(varints(payload, 0, 3)[0])
    except Short:
        return None


PARSERS = {
    STRING_DEF: parse_string,
    FRAME_DEF: parse_frame,
    STACK_DEF: parse_stack,
    SAMPLE: parse_sample,
    PID_SAMPLE: parse_pid_sample,
    SAMPLE_ANNOTATION: parse_annotation,
    METADATA: parse_metadata,
    CHECKPOINT: parse_checkpoint,
}


# ---- events ----------------------------------------------------------------

def parse_header(buf, pos):
    if len(buf) - pos < HEADER_SIZE:
        return Event(CUT, pos, len(buf), None)
    version, flags = buf[pos + 4], buf[pos + 5]
    if version != 1:
        raise Damage(pos, 'version %d' % version)
    period = int.from_bytes(buf[pos + 8:pos + 12], 'little')
    return Event(HEADER, pos, pos + HEADER_SIZE, (flags, period))


def parse_event(buf, pos, timed):
    """The event at pos, which is not a header."""
    kind = buf[pos]
    if kind == RESERVED:
        # The first bytes of a header that is still being written.
        if MAGIC.startswith(buf[pos:pos + 4]):
            return Event(CUT, pos, len(buf), None)
        raise Damage(pos, 'reserved event type')
    try:
        number, body = varint(buf, pos + 1)
    except Short:
        return Event(CUT, pos, len(buf), None)
    if kind == COMPACT_SAMPLE:
        return Event(kind, pos, body, (number, None, None))
    if kind == REPEAT_SAMPLE:
        return Event(kind, pos, body, number)
    size = max(number, 0)
    if size > MAX_PAYLOAD:
        raise Damage(pos, 'payload of %d bytes' % size)
    if size > len(buf) - body:
        return Event(CUT, pos, len(buf), None)
    payload = buf[body:body + size]
    parser = PARSERS.get(kind)
    try:
        values = parser(payload, timed) if parser else bytes(payload)
    except Short:
        raise Damage(pos, 'payload of type %d ends too early' % kind)
    return Event(kind, pos, body + size, values)


def inflate(data, pos):
    """All gzip members that follow each other at pos: (bytes, end).

    The last member may be cut; what it yields until there counts.
    """
    out = []
    while data[pos:pos + 2] == GZIP:
        member = zlib.decompressobj(wbits=31)
        try:
            out.append(member.decompress(data[pos:]))
        except zlib.error as error:
            raise Damage(pos, 'gzip: %s' % error)
        if not member.eof:
            return b''.join(out), len(data)
        pos = len(data) - len(member.unused_data)
    return b''.join(out), pos


def events(data):
    """Every event of every segment; the last may be a CUT.

    A gzip member may stand wherever a segment header may.  Members are looked
    for only outside of compressed bytes, so nesting is not followed.
    """
    outer, outer_pos = data, 0
    buf, pos, inside_gzip = data, 0, False
    timed, open_segment, after_member = False, False, False
    while True:
        if inside_gzip and pos >= len(buf):
            buf, pos, inside_gzip = outer, outer_pos, False
            open_segment, after_member = False, True
        left = len(buf) - pos
        if left == 0:
            return
        if not open_segment and not inside_gzip \
                and buf[pos:pos + 2] == GZIP:
            buf, outer_pos = inflate(outer, pos)
            pos, inside_gzip = 0, True
            continue
        if buf[pos:pos + 4] == MAGIC:
            event = parse_header(buf, pos)
            open_segment, after_member = True, False
            if event.type == HEADER:
                timed = bool(event.values[0] & 1)
        elif open_segment:
            event = parse_event(buf, pos, timed)
            open_segment = event.type != SEGMENT_END
        elif left < 4 or after_member:
            # Too short to be a header, or what gzip calls trailing garbage.
            return
        else:
            raise Damage(pos, 'no segment header')
        if event.type == CUT and inside_gzip and outer_pos < len(outer):
            raise Damage(outer_pos, 'gzip member ends inside an event')
        yield event
        pos = event.end


# ---- samples ---------------------------------------------------------------

def escape(raw):
    """A string as one word of a dump line."""
    return ''.join(
        chr(b) if 0x21 <= b <= 0x7e and b not in b'%,;=' else '%%%02X' % b
        for b in raw)


def function_name(namespace, scope, method):
    if scope:
        name = scope + b'::' + method
    else:
        name = method
    return namespace + b'\\' + name if namespace else name


NOBODY = object()


class Segment:
    """The tables of one segment, all of which end with it."""

    def __init__(self, index):
        self.index = index
        self.strings = {}
        self.frames = {}
        self.stacks = {}
        self.resolved = {}
        self.clock = 0
        self.carries = False    # annotations stand where they change only
        self.carried = {}       # by number, None for samples without one
        self.newest = NOBODY    # number of the sample, if it came since

    def string(self, ident, offset):
        if ident not in self.strings:
            raise Damage(offset, 'undefined string %d' % ident)
        return self.strings[ident]

    def define_frame(self, event):
        """Frames keep the strings they were defined with, so a string that
        is defined anew later changes nothing here."""
        ident, flags = event.values[:2]

        def text(string_id):
            return self.string(string_id, event.start)

        if flags & FRAME_NATIVE:
            symbol, module, offset = event.values[2:]
            token = 'N;%s;%s;%d' % (escape(text(symbol)),
                                    escape(text(module)), offset)
        else:
            namespace, scope, method, file, line, opcode = event.values[2:]
            name = function_name(text(namespace), text(scope), text(method))
            token = 'P;%s;%s;%d;%s' % (
                escape(name), escape(text(file)), line,
                '-' if opcode is None else escape(text(opcode)))
        self.frames[ident] = token
        self.resolved.clear()

    def define_stack(self, event):
        ident, frames = event.values
        self.stacks[ident] = frames
        self.resolved.clear()

    def stack(self, ident, offset):
        """Stacks are lists of frame ids until a sample asks for them.  What
        they stand for is remembered until the next definition."""
        if ident in self.resolved:
            return self.resolved[ident]
        if ident not in self.stacks:
            raise Damage(offset, 'undefined stack %d' % ident)
        tokens = []
        for frame in self.stacks[ident]:
            if frame not in self.frames:
                raise Damage(offset, 'undefined frame %d' % frame)
            tokens.append(self.frames[frame])
        self.resolved[ident] = tokens
        return tokens

    def sample(self, event):
        stack, pid, delta = event.values
        frames = self.stack(stack, event.start)
        self.newest = pid
        if delta is not None:
            self.clock = signed(self.clock + delta)
        return [str(self.index),
                '-' if pid is None else str(pid),
                '-', '-', '-',
                '-' if delta is None else str(self.clock),
                self.carried.get(pid, '-')] + frames

    def annotations(self, event):
        pairs = [(self.string(key, event.start),
                  self.string(value, event.start))
                 for key, value in event.values]
        text = ','.join(escape(k) + '=' + escape(v) for k, v in pairs)
        if not self.carries:
            return text or '{}'
        if self.newest is not NOBODY:
            self.carried[self.newest] = text or '-'
        return text or '-'

    def metadata(self, event):
        """Annotations may stand where they change only."""
        if event.values == (b'bobbin.annotations', b'changes') and \
                not self.carries:
            self.carries, self.newest = True, NOBODY


ANNOTATION_COLUMN = 6       # of the fields after the count


def unmerged_runs(data):
    """(count, fields) per sample event, with the REPEATs that follow it.

    A sample stays open until the next one, because string definitions and
    other events may stand between it and its annotation.
    """
    segment, index = None, -1
    fields, count, annotatable = None, 0, False
    try:
        for event in events(data):
            if event.type in (SAMPLE, PID_SAMPLE, COMPACT_SAMPLE, HEADER):
                if fields is not None:
                    yield count, fields
                fields, count = None, 0
            if event.type == HEADER:
                index += 1
                segment = Segment(index)
            elif event.type == STRING_DEF:
                segment.strings[event.values[0]] = event.values[1]
            elif event.type == FRAME_DEF:
                segment.define_frame(event)
            elif event.type == STACK_DEF:
                segment.define_stack(event)
            elif event.type == METADATA:
                segment.metadata(event)
            elif event.type in (SAMPLE, PID_SAMPLE, COMPACT_SAMPLE):
                fields = segment.sample(event)
                count, annotatable = 1, True
            elif event.type == SAMPLE_ANNOTATION:
                if not annotatable or fields is None:
                    raise Damage(event.start, 'annotation without a sample')
                fields[ANNOTATION_COLUMN] = segment.annotations(event)
            elif event.type == REPEAT_SAMPLE:
                if fields is None:
                    raise Damage(event.start, 'repeat without a sample')
                count += max(event.values, 0)
                annotatable = False
    except Damage:
        if fields is not None:
            yield count, fields
        raise
    if fields is not None:
        yield count, fields


def merge(pairs):
    """Joins neighbours with equal fields, as the dump does."""
    fields, count = None, 0
    for n, f in pairs:
        if f != fields:
            if count:
                yield count, fields
            fields, count = f, 0
        count += n
    if count:
        yield count, fields


def runs(data):
    """Merged runs; raises Damage only after all samples before it."""
    damage = []

    def quiet():
        try:
            yield from unmerged_runs(data)
        except Damage as error:
            damage.append(error)

    yield from merge(quiet())
    if damage:
        raise damage[0]


def lines(data):
    for count, fields in runs(data):
        yield '\t'.join([str(count)] + fields)


def segments(data):
    """One list of events per segment, its header first."""
    out = []
    for event in events(data):
        if event.type == HEADER:
            out.append([])
        if out:
            out[-1].append(event)
    return out


def main(path):
    with open(path, 'rb') as file:
        data = file.read()
    try:
        for line in lines(data):
            print(line)
    except Damage as damage:
        print('%s: %s' % (path, damage), file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
