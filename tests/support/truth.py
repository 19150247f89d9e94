"""What every output of a trace must add up to, computed from its listing.

The listing has each sample, `bobbin info` the period of each segment; both
are tested against other decoders elsewhere.  Names are as outputs show them:
UTF-8, with U+FFFD for what is not.
"""
import collections
import json
import urllib.parse

from support import bobbin, listing

# What an unknown period is taken for.
DEFAULT_PERIOD = 10000

Frame = collections.namedtuple('Frame', 'name file line')
# Frames root first; us is the sum of periods.
Entry = collections.namedtuple('Entry', 'samples us track frames')
Track = collections.namedtuple('Track', 'pid tid interp')


class Cost:
    """Of a function or a line; samples and microseconds."""

    def __init__(self):
        self.self = self.total = self.self_us = self.total_us = 0

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __repr__(self):
        return 'self %d (%d us), total %d (%d us)' % (
            self.self, self.self_us, self.total, self.total_us)


def text(field):
    """A field of the listing, unescaped and mended."""
    return urllib.parse.unquote_to_bytes(field).decode('utf-8', 'replace')


def frame(field):
    kind, name, file, where, *_ = field.split(';')
    line = int(where) if kind != 'N' and where != '-' else 0
    return Frame(text(name), text(file), max(line, 0))


class Truth:
    def __init__(self, *args):
        self.info = json.loads(bobbin.run('info', '--json', *args).out)
        periods = {s['index']: s['period_us'] or DEFAULT_PERIOD
                   for s in self.info['segments']}
        known = {}
        self.entries = []
        for count, fields in listing.parse(bobbin.run('dump', *args).out):
            frames = []
            for field in reversed(fields[listing.FRAMES:]):
                if field not in known:
                    known[field] = frame(field)
                frames.append(known[field])
            track = Track(*(None if f == '-' else int(f) for f in (
                fields[listing.PID], fields[listing.TID],
                fields[listing.INTERP])))
            us = count * periods[int(fields[listing.SEGMENT])]
            self.entries.append(Entry(count, us, track, tuple(frames)))
        self.samples = sum(e.samples for e in self.entries)
        self.us = sum(e.us for e in self.entries)

    def by(self, key):
        """{key(frame): Cost}; recursion counts a sample once."""
        costs = collections.defaultdict(Cost)
        for e in self.entries:
            for k in {key(f) for f in e.frames}:
                costs[k].total += e.samples
                costs[k].total_us += e.us
            if e.frames:
                leaf = costs[key(e.frames[-1])]
                leaf.self += e.samples
                leaf.self_us += e.us
        return dict(costs)

    def functions(self):
        return self.by(lambda f: (f.name, f.file))

    def names(self):
        return self.by(lambda f: f.name)

    def stacks(self, key=lambda f: (f.name, f.file)):
        """{frames: [samples, us]}"""
        sums = collections.defaultdict(lambda: [0, 0])
        for e in self.entries:
            one = sums[tuple(map(key, e.frames))]
            one[0] += e.samples
            one[1] += e.us
        return dict(sums)

    def empty(self):
        """(samples, us) without any frame."""
        none = [e for e in self.entries if not e.frames]
        return sum(e.samples for e in none), sum(e.us for e in none)
