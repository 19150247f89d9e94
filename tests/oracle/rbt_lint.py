"""What a good writer keeps to, beyond what a reader must accept."""
from oracle import rbt_oracle
from oracle.rbt_oracle import (
    CHECKPOINT, COMPACT_SAMPLE, CUT, FRAME_DEF, PID_SAMPLE,
    REPEAT_SAMPLE, SAMPLE, SEGMENT_END, STACK_DEF, STRING_DEF, Damage)

CHECKPOINT_EVERY = 1000
DEFINITIONS = {STRING_DEF: 'string', FRAME_DEF: 'frame', STACK_DEF: 'stack'}


def check(data):
    """Raises Damage at the first event a good writer would not write."""
    for segment in rbt_oracle.segments(data):
        check_segment(segment)


def check_segment(events):
    header = events[0]
    if header.type == CUT:
        raise Damage(header.start, 'header is cut')
    flags, _ = header.values
    if flags & ~1:
        raise Damage(header.start, 'reserved flag bits are set')
    if events[-1].type != SEGMENT_END:
        raise Damage(events[-1].start, 'segment has no end event')
    if len(events) < 3 or events[-2].type != CHECKPOINT:
        raise Damage(events[-1].start, 'no checkpoint before the end')
    counts = {kind: 0 for kind in DEFINITIONS}
    seen = set()
    samples = since_checkpoint = 0
    for event in events[1:]:
        if event.type in DEFINITIONS:
            check_definition(event, counts, seen)
        elif event.type in (SAMPLE, PID_SAMPLE, COMPACT_SAMPLE):
            samples += 1
            since_checkpoint += 1
        elif event.type == REPEAT_SAMPLE:
            if event.values < 1:
                raise Damage(event.start, 'repeats nothing')
            samples += event.values
        elif event.type == CHECKPOINT:
            want = (counts[FRAME_DEF], counts[STACK_DEF], samples)
            if event.values != want:
                raise Damage(event.start, 'checkpoint says %s, not %s' % (
                    event.values, want))
            since_checkpoint = 0
        # A run may be as long as it likes between two checkpoints, but
        # events that stand for one sample each may not go on without one.
        if since_checkpoint > CHECKPOINT_EVERY:
            raise Damage(event.start, 'more than %d samples since the last '
                         'checkpoint' % CHECKPOINT_EVERY)


def check_definition(event, counts, seen):
    """Ids count from 0, and nothing is defined twice."""
    if event.values[0] != counts[event.type]:
        raise Damage(event.start, '%s %d is number %d' % (
            DEFINITIONS[event.type], event.values[0], counts[event.type]))
    key = (event.type,) + tuple(map(repr, event.values[1:]))
    if key in seen:
        raise Damage(event.start, '%s is defined twice'
                     % DEFINITIONS[event.type])
    counts[event.type] += 1
    seen.add(key)
