"""Stores for tests: segments with dates, and what is in them.

The segments are put together from single events (oracle/rbt_wire), so bobbin's
own writer has no part in what the tests expect.
"""
import collections
import json
import os

from oracle import rbt_wire as wire
from support import bobbin, case

# 2026-09-21 14:13:20 UTC.
START = 1_790_000_000_000_000

# time: microseconds since 1970; stack: names of functions, leaf first.
Sample = collections.namedtuple('Sample', 'time stack pid route')


def segment(samples, service='shop', host='web1', period=10000,
            start=None):
    """The bytes of a segment with these samples, in the order of time."""
    names = {b'': 0}
    frames, stacks, out = {}, {}, []

    def string(text):
        text = text.encode()
        if text not in names:
            names[text] = len(names)
            out.append(wire.string(names[text], text))
        return names[text]

    def frame(name):
        if name not in frames:
            ident = string(name), string('/app/%s.php' % name[:1])
            frames[name] = len(frames)
            out.append(wire.frame(frames[name], 0, 0, *ident, 1))
        return frames[name]

    def stack(functions):
        if functions not in stacks:
            ids = [frame(name) for name in functions]
            stacks[functions] = len(stacks)
            out.append(wire.stack(stacks[functions], ids))
        return stacks[functions]

    start = start if start is not None else samples[0].time
    out += [wire.header(period, 1), wire.string(0, b'')]
    for key, value in (('profiler.start_us', str(start)),
                       ('service', service), ('host', host)):
        out.append(wire.metadata(key.encode(), value.encode()))
    for pid in sorted({s.pid for s in samples}):
        for key, value in (('runtime', 'php'), ('command', 'fpm %d' % pid)):
            out.append(wire.metadata(b'process.%d.%s' % (pid, key.encode()),
                                     value.encode()))
    now = start
    for s in samples:
        ident = stack(s.stack)
        route = string('request.route'), string(s.route or '')
        out.append(wire.event(wire.PID_SAMPLE, wire.varints(
            ident, s.pid, s.time - now)))
        if s.route is not None:
            out.append(wire.annotation(route))
        now = s.time
    return b''.join(out) + wire.end()


def put(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def folder(name='store'):
    path = os.path.join(case.scratch, name)
    os.makedirs(path, exist_ok=True)
    return path


def segments(path, *options, ok=(0,)):
    """What bobbin store says of each, by name."""
    out = bobbin.run('store', '--json', *options, path, ok=ok).out
    return {s['name']: s for s in map(json.loads, out.splitlines())}
