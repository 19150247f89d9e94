"""The bytes of TACH files in every dialect, for tests that assemble them.

`build` puts a whole file together; the functions before it make its parts.
The offsets are those of the published description (dialect `v2`) and of the
dialects that followed it.
"""
import collections
import struct

from oracle.tach_oracle import (
    FOOTER_SIZE, FULL, HEADER_SIZE, LAYOUTS, MAGIC, NO_OPCODE, POP_PUSH, RAW,
    REPEAT, STATISTICS, SUFFIX, U32, U64, int32)

# `location` is (line, end_line, column, end_column).
Frame = collections.namedtuple('Frame', 'file function location opcode')


def varint(value, pad=0):
    """LEB128, with `pad` bytes more than the value needs."""
    value &= U64
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    for _ in range(pad):
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def varints(values):
    return b''.join(map(varint, values))


def zigzag(value):
    """A signed number of 32 bits, as the unsigned one that is stored."""
    value = int32(value)
    return ((value << 1) ^ (value >> 31)) & U32


def header(dialect, order='<', python=(3, 16, 0), start=0, interval=1000,
           samples=0, threads=0, strings=HEADER_SIZE, frames=HEADER_SIZE,
           compression=RAW, mode=0):
    layout = LAYOUTS[dialect]
    out = bytearray(HEADER_SIZE)

    def put(at, size, value):
        struct.pack_into(order + {4: 'I', 8: 'Q'}[size], out, at, value)
    put(0, 4, MAGIC)
    put(4, 4, layout.version)
    if layout.python:
        out[layout.python:layout.python + 3] = bytes(python)
    put(layout.start, 8, start)
    put(layout.interval, 8, interval)
    put(layout.samples, layout.samples_size, samples)
    put(layout.threads, 4, threads)
    put(layout.strings, 8, strings)
    put(layout.frames, 8, frames)
    put(layout.compression, 4, compression)
    if layout.mode:
        put(layout.mode, 4, mode)
    return bytes(out)


def footer(order, strings, frames, size):
    return struct.pack(order + 'IIQ', strings, frames, size) + bytes(16)


def string(text):
    return varint(len(text)) + text


def delta(end, begin):
    """An end is stored as its distance, 0 when one of the two is unknown."""
    return 0 if -1 in (end, begin) else end - begin


def frame(dialect, file, function, location, opcode=NO_OPCODE):
    """One entry of the frame table; file and function are indices."""
    line, end_line, column, end_column = location
    out = varints((file, function, zigzag(line)))
    if LAYOUTS[dialect].frame_fields == 7:
        out += varints((zigzag(delta(end_line, line)), zigzag(column),
                        zigzag(delta(end_column, column))))
        out += bytes([opcode])
    return out


def place(thread, interpreter, kind, order='<'):
    """The first thirteen bytes of a record."""
    return struct.pack(order + 'QIB', thread, interpreter, kind)


def repeat(where, times):
    """where is (thread, interpreter, order); times are (delta, status)."""
    thread, interpreter, order = where
    return place(thread, interpreter, REPEAT, order) + varint(len(times)) \
        + b''.join(varint(d) + bytes([status]) for d, status in times)


def full(where, moment, stack):
    return one(where, FULL, moment, (len(stack),), stack)


def suffix(where, moment, shared, stack):
    return one(where, SUFFIX, moment, (shared, len(stack)), stack)


def pop_push(where, moment, pop, stack):
    return one(where, POP_PUSH, moment, (pop, len(stack)), stack)


def one(where, kind, moment, counts, stack):
    thread, interpreter, order = where
    return (place(thread, interpreter, kind, order) + varint(moment[0])
            + bytes([moment[1]]) + varints(counts) + varints(stack))


def statistics(order, size, duration, rate, failed=0.0, missed=0.0, flags=3):
    """The block before the footer, in its two sizes."""
    body = struct.pack(order + 'dd', duration, rate)
    if size == 56:
        body += struct.pack(order + 'ddII', failed, missed, flags, 0)
    return body + STATISTICS + struct.pack(order + 'II', 1, size)


def build(dialect, records, strings, frames, order='<', statistics=b'',
          n_strings=None, n_frames=None, **head):
    """A whole file; records, strings and frames are lists of bytes."""
    data, text = b''.join(records), b''.join(strings)
    table = b''.join(frames)
    string_offset = HEADER_SIZE + len(data)
    frame_offset = string_offset + len(text)
    size = frame_offset + len(table) + len(statistics) + FOOTER_SIZE
    return (header(dialect, order, strings=string_offset,
                   frames=frame_offset, **head)
            + data + text + table + statistics
            + footer(order, len(strings) if n_strings is None else n_strings,
                     len(frames) if n_frames is None else n_frames, size))
