"""Folded stacks and phpspy text as data.

Both writers put bytes that would break their layout as %HH; taking that back
makes bobbin's text comparable with the plain bytes of other tools.
"""
import collections
import functools
import math
import re

from oracle import rbt_oracle
from support import listing
from support.case import expect

ESCAPED = re.compile(rb'%([0-9A-Fa-f]{2})')


def unescape(raw):
    return ESCAPED.sub(lambda m: bytes([int(m.group(1), 16)]), raw)


def folded(text):
    """Counter of stacks: tuples of (function, file, line), root first."""
    stacks = collections.Counter()
    for row in text.split(b'\n')[:-1]:
        path, _, count = row.rpartition(b' ')
        expect(count.isdigit(), 'folded line without a count: %r', row[:200])
        frames = path.split(b';') if path else []
        stacks[tuple(map(folded_frame, frames))] += int(count)
    expect(text == b'' or text.endswith(b'\n'), 'last line is unfinished')
    return stacks


def folded_frame(text):
    function, space, place = text.partition(b' ')
    file, colon, line = place.rpartition(b':')
    expect(space and colon, 'folded frame without a place: %r', text)
    return unescape(function), unescape(file), int(line)


def frame_fields(token):
    """(function, file, line) of a frame of a dump line, as folded and phpspy
    text show it: native frames have no line, and opcodes are left out."""
    kind, name, file, place = token.split(';')[:4]
    return (unescape(name.encode('ascii')), unescape(file.encode('ascii')),
            0 if kind == 'N' else int(place))


def frame_text(token):
    return b'%s %s:%d' % frame_fields(token)


def weights(runs, unit_of_segment):
    """What folded() of the same samples must be."""
    by_tokens = collections.Counter()
    for count, fields in runs:
        unit = unit_of_segment[int(fields[listing.SEGMENT])]
        by_tokens[tuple(fields[listing.FRAMES:])] += count * unit
    # Frames that differ only in what text cannot show become one.
    stacks = collections.Counter()
    for tokens, weight in by_tokens.items():
        stacks[tuple(map(frame_fields, reversed(tokens)))] += weight
    return stacks


def folded_units(data, runs):
    """Weight of one sample, per segment: 1 when all periods agree, else the
    period in units of their greatest common divisor.  Only segments with
    samples have a say."""
    periods = [events[0].values[1] for events in rbt_oracle.segments(data)
               if events[0].type == rbt_oracle.HEADER]
    used = {periods[int(fields[listing.SEGMENT])] for _, fields in runs}
    unit = functools.reduce(math.gcd, used, 0) or 1
    return [period // unit for period in periods]


def phpspy(text):
    """List of (frames leaf first, {key: value} of the comment lines).

    A frame is its text with the escapes taken back: where the name ends is
    for a reader to find out, see test_phpspy_text_reads_back.
    """
    traces, frames, notes = [], [], {}
    expect(text == b'' or text.endswith(b'\n'), 'last line is unfinished')
    for row in text.split(b'\n')[:-1]:
        if row == b'':
            traces.append((frames, notes))
            frames, notes = [], {}
        elif row.startswith(b'# '):
            key, _, value = row[2:].partition(b' = ')
            notes[unescape(key)] = unescape(value)
        else:
            depth, _, frame = row.partition(b' ')
            expect(depth == b'%d' % len(frames), 'depth %r at frame %d',
                   depth, len(frames))
            frames.append(unescape(frame))
    expect(not frames and not notes, 'the last trace has no blank line')
    return traces
