"""The bytes of single .rbt events, for tests that assemble streams by hand."""
import gzip
import struct

from oracle.rbt_oracle import (
    CHECKPOINT, COMPACT_SAMPLE, FRAME_DEF, FRAME_NATIVE, FRAME_OPCODE,
    METADATA, PID_SAMPLE, REPEAT_SAMPLE, SAMPLE, SAMPLE_ANNOTATION,
    SEGMENT_END, STACK_DEF, STRING_DEF)


def varint(value, pad=0):
    """Base-128, with `pad` bytes more than the value needs."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    for _ in range(pad):
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def varints(*values):
    return b''.join(map(varint, values))


def header(period=10000, flags=0, version=1):
    return struct.pack('<4sBBHII', b'RELI', version, flags, 0, period, 0)


def event(kind, payload=b''):
    return bytes([kind]) + varint(len(payload)) + payload


def string(ident, text):
    return event(STRING_DEF, varint(ident) + text)


def frame(ident, namespace, scope, method, file, line, opcode=None):
    """A PHP frame; everything but the line is an id."""
    flags = 0 if opcode is None else FRAME_OPCODE
    tail = b'' if opcode is None else varint(opcode)
    return event(FRAME_DEF, varints(ident, flags, namespace, scope, method,
                                    file, line) + tail)


def native(ident, symbol, module, offset):
    return event(FRAME_DEF, varints(ident, FRAME_NATIVE, symbol, module,
                                    offset))


def stack(ident, frames):
    return event(STACK_DEF, varints(ident, len(frames), *frames))


def compact(stack_id):
    return bytes([COMPACT_SAMPLE]) + varint(stack_id)


def sample(stack_id, delta):
    return event(SAMPLE, varints(stack_id, delta))


def pid_sample(stack_id, pid):
    return event(PID_SAMPLE, varints(stack_id, pid))


def repeat(count):
    return bytes([REPEAT_SAMPLE]) + varint(count)


def annotation(*pairs):
    flat = [ident for pair in pairs for ident in pair]
    return event(SAMPLE_ANNOTATION, varints(len(pairs), *flat))


def metadata(key, value):
    return event(METADATA, varint(len(key)) + key + varint(len(value)) + value)


def checkpoint(frames, stacks, samples):
    return event(CHECKPOINT, varints(frames, stacks, samples))


def end():
    return event(SEGMENT_END)


def one_frame(name=b'f', file=b'/a.php', line=1):
    """Definitions that make stack 0 a single PHP frame."""
    return (string(0, b'') + string(1, name) + string(2, file)
            + frame(0, 0, 0, 1, 2, line) + stack(0, [0]))


def member(data, level=6):
    """One gzip member, the same bytes on every run."""
    return gzip.compress(data, level, mtime=0)
