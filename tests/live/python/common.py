"""What the scripts share: telling the truth about themselves as JSON.

Runs on every Python from 3.7 on, and is not looked at itself.
"""
import dis
import itertools
import json
import os
import sys
import threading
import time


def name_of(code):
    return getattr(code, 'co_qualname', code.co_name)


def ready(**truth):
    print(json.dumps(truth), flush=True)


def place_of(frame):
    """(end_line, col, end_col) of where a frame is, from 3.11 on."""
    if not hasattr(frame.f_code, 'co_positions') or frame.f_lasti < 0:
        return None
    at = itertools.islice(frame.f_code.co_positions(),
                          frame.f_lasti // 2, None)
    return list(next(at))[1:]


def opcode_of(frame):
    """The instruction; 3.11 and 3.12 point at the end of one that calls."""
    code = getattr(frame.f_code, '_co_code_adaptive', frame.f_code.co_code)
    return code[max(i.offset for i in dis.get_instructions(frame.f_code)
                    if i.offset <= frame.f_lasti)]


def stacks():
    """The stacks of all threads by their numbers, outermost frame first."""
    tids = {t.ident: getattr(t, 'native_id', 'ident %d' % t.ident)
            for t in threading.enumerate()}
    result = {}
    for ident, frame in sys._current_frames().items():
        stack = []
        while frame is not None:
            stack.append([name_of(frame.f_code), frame.f_code.co_filename,
                          frame.f_lineno, place_of(frame),
                          opcode_of(frame)])
            frame = frame.f_back
        result[str(tids.get(ident))] = stack[::-1]
    return result


def trace(work, rounds):
    """Who calls whom from which line, and which lines there are."""
    calls, lines = set(), set()

    def on_event(frame, event, _):
        caller = frame.f_back
        if event == 'call' and caller is not None:
            calls.add((name_of(caller.f_code), caller.f_lineno,
                       name_of(frame.f_code)))
        lines.add((name_of(frame.f_code), frame.f_lineno))
        return on_event

    sys.settrace(on_event)
    for _ in range(rounds):
        work()
    sys.settrace(None)
    return dict(calls=sorted(calls), lines=sorted(lines))


def forever(work):
    """Until it is killed; not much longer if nobody does."""
    end = time.time() + int(os.environ.get('TARGET_SECONDS', 120))
    while time.time() < end:
        work()
