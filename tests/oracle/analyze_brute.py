"""A second opinion on `bobbin analyze`: everything is counted again, sample by
sample, from the listing that `bobbin dump` prints and the segments that
`bobbin info` knows.  Nothing here is fast, and nothing asks analyze.

    want = Brute(path, Options(...))
    want.table('self'), want.tree(), ...

Texts are as JSON shows them: UTF-8, with U+FFFD for each byte that is not.
"""
import bisect
import collections
import json
import math
import re
import urllib.parse

from support import bobbin, listing

DEFAULT_PERIOD = 10000
PAUSE = 8               # periods after which a track was away
# Gaps that a period is learned from, those of one size at least, the longest.
GAPS, ENOUGH, LONGEST = 1024, 8, 10000000
MINUTE = 60000000
Z = 1.959963984540054
GIL, CPU, UNKNOWN, WANTS, EXCEPTION, MAIN = 1, 2, 4, 8, 16, 32
STATES = {'gil': (GIL, 0), 'wants-gil': (WANTS, 0), 'cpu': (CPU, 0),
          'idle': (0, CPU | UNKNOWN), 'exception': (EXCEPTION, 0),
          'main': (MAIN, 0), '!gil': (0, GIL), '!wants-gil': (0, WANTS),
          '!cpu': (0, CPU), '!idle': (CPU, 0), '!exception': (0, EXCEPTION),
          '!main': (0, MAIN)}
REQUEST_IDS = ['request.id', 'request_id']
REQUEST_KEYS = ['request.uri', 'http.url', 'uri', 'url', 'request.route',
                'route']
SAMPLE_GROUPS = ('pid', 'thread', 'status', 'annotation', 'segment', 'minute')

Frame = collections.namedtuple('Frame', 'kind name file line opcode')
# at: on the trace's clock, or the periods before it; us: by clock and period;
# learned: the period that times tell, or 0.
Sample = collections.namedtuple(
    'Sample', 'count segment period pid tid interp status time at clock_us '
    'notes frames request learned')
Options = collections.namedtuple(
    'Options', 'group annotation opcodes pids tids status time notes hide '
    'match request_key',
    defaults=('line', None, False, (), (), (), None, (), None, None, None))
Sum = collections.namedtuple('Sum', 'samples us')


def mended(data):
    """Bytes as text, U+FFFD for each byte that is not UTF-8."""
    out = []
    while data:
        try:
            out.append(data.decode('utf-8'))
            break
        except UnicodeDecodeError as e:
            out.append(data[:e.start].decode('utf-8') + '\ufffd')
            data = data[e.start + 1:]
    return ''.join(out)


def unescaped(field):
    return urllib.parse.unquote_to_bytes(field)


def parse_frame(token):
    kind, *fields = token.split(';')
    name, file = map(unescaped, fields[:2])
    if kind == 'N':
        return Frame(kind, name, file, None, None)
    line = None if fields[2] == '-' else int(fields[2])
    opcode = None if fields[-1] == '-' else unescaped(fields[-1])
    return Frame(kind, name, file, line, opcode)


def parse_notes(field):
    if field in ('-', '{}'):
        return ()
    return tuple(tuple(map(unescaped, pair.split('=')))
                 for pair in field.split(','))


def number(field):
    return None if field == '-' else int(field)


def id_of(notes):
    """What tells the request of a sample from others, or None."""
    named = dict(reversed(notes))
    return next((named[k.encode()] for k in REQUEST_IDS
                 if k.encode() in named), None)


def learned(samples):
    """The period that the times of a segment's samples tell, or None;
    samples: (track, time)."""
    gaps, last = [], {}
    for track, time in samples:
        if time is None:
            continue
        gaps.append(time - last.get(track, time))
        last[track] = time
    gaps = [gap for gap in gaps if 0 < gap <= LONGEST][:GAPS]
    # Eighths of an octave, from the largest number that is not above a gap.
    steps = list(range(8)) + [(8 + eighth) << octave for octave in range(21)
                              for eighth in range(8)]
    sizes = [[] for _ in steps]
    for gap in gaps:
        sizes[bisect.bisect_right(steps, gap) - 1].append(gap)
    near = [sum(sizes[max(0, i - 1):i + 2], []) for i in range(len(sizes))]
    least = max(ENOUGH, max(map(len, near)) / 2)
    first = next((i for i, of in enumerate(near) if len(of) >= least), None)
    if first is None:
        return None
    best = max(near[first:first + 7], key=len)
    return (sum(best) + len(best) // 2) // len(best)


def is_task(notes):
    """Of asyncio."""
    return any(key == b'task.name' for key, _ in notes)


class Pulse:
    """The samples of one track: the time of each, and which request it is
    in."""

    def __init__(self):
        self.time = self.segment = self.id = self.what = None
        self.usual = self.request = self.took = 0

    def time_of(self, segment, period, slack, time, what, notes):
        id = id_of(notes)
        other = id is not None and id != self.id
        if other:
            self.id = id
            self.request += 1
        if time is None:
            return 0
        if self.segment != segment:
            self.usual = period
        took = period
        if self.segment == segment and time == self.time and is_task(notes):
            took = self.took
        elif self.segment == segment and time >= self.time:
            gap = time - self.time
            if not other and (id is not None or
                              self.counts(gap, period, slack, what)):
                took = gap
            if what != self.what:
                self.usual = gap if gap < self.usual else \
                    self.usual + (gap - self.usual) // 8
        self.segment, self.time, self.what = segment, time, what
        self.took = took
        return took

    def counts(self, gap, period, slack, what):
        """Whether no time without a stack is in a gap."""
        if gap <= 2 * period + slack:
            return True
        return gap <= PAUSE * period and (
            gap <= period + max(period, self.usual) + slack or
            what == self.what)


class Clock:
    """The trace's own clock, which each segment continues."""

    def __init__(self):
        self.shift = self.end = self.segment = None

    def at(self, segment, time):
        if self.segment != segment:
            self.shift = -time if self.segment is None else self.end
            self.segment = segment
        self.end = time + self.shift
        return self.end


def track_of(f):
    return f[listing.PID], f[listing.TID], f[listing.INTERP]


def tempos(lines, periods):
    """{segment: the period that was learned, or 0}."""
    of, last, out = collections.defaultdict(list), 0, {}
    for _, f in lines:
        of[int(f[listing.SEGMENT])].append(
            (track_of(f), number(f[listing.TIME])))
    for segment in sorted(periods):
        if periods[segment]:
            out[segment] = 0
        else:
            out[segment] = last = learned(of[segment]) or last
    return out


def read(path):
    """All samples; runs of equal ones stay together."""
    info = json.loads(bobbin.run('info', '--json', path).out)
    periods = {s['index']: s['period_us'] or 0 for s in info['segments']}
    clock, place, samples = Clock(), 0, []
    pulses = collections.defaultdict(Pulse)
    lines = list(listing.parse(bobbin.run('dump', path).out))
    tempo = tempos(lines, periods)
    for count, f in lines:
        segment, time = int(f[listing.SEGMENT]), number(f[listing.TIME])
        period = periods[segment] or DEFAULT_PERIOD
        pulse, learned_us = pulses[track_of(f)], tempo[segment]
        notes, at = parse_notes(f[listing.ANNOTATIONS]), place
        if time is not None:
            at = max(0, clock.at(segment, time))
        clock_us = pulse.time_of(
            segment, learned_us or period, learned_us // 2, time,
            (f[listing.ANNOTATIONS], f[listing.FRAMES:]), notes)
        samples.append(Sample(
            count, segment, periods[segment], number(f[listing.PID]),
            number(f[listing.TID]), number(f[listing.INTERP]),
            number(f[listing.STATUS]), time, at, clock_us,
            notes, tuple(map(parse_frame, f[listing.FRAMES:])),
            pulse.request, learned_us))
        place += count * period
    return samples


def place_text(frame):
    """What patterns see."""
    line = '' if frame.line is None else ':%d' % frame.line
    return mended(frame.name) + ' ' + mended(frame.file) + line


def module_of(frame):
    if frame.kind == 'P' and b'\\' in frame.name:
        scope = frame.name.rsplit(b'::', 1)[0]
        if b'\\' in scope:
            return scope.rsplit(b'\\', 1)[0]
    if frame.kind == 'N':
        return frame.file.rsplit(b'/', 1)[-1]
    for mark in (b'/site-packages/', b'/dist-packages/'):
        if mark in frame.file:
            return frame.file.rsplit(mark, 1)[1].split(b'/')[0]
    if b'/vendor/' in frame.file:
        parts = frame.file.rsplit(b'/vendor/', 1)[1].split(b'/')
        return b'/'.join(parts[:2])
    head, slash, _ = frame.file.rpartition(b'/')
    return head or slash or frame.file


class Brute:
    def __init__(self, samples, options):
        self.o = options
        self.n_read = sum(s.count for s in samples)
        self.samples = [s for s in map(self.filtered, samples) if s]
        self.n_passed = sum(s.count for s in self.samples)
        timed = sum(s.count for s in self.samples if s.time is not None)
        periods = {s.period for s in self.samples}
        known = periods - {0}
        self.several = len(known) > 1 or (bool(known) and 0 in periods)
        self.period = min(known) if len(periods) == 1 and known else None
        self.mixed = 0 < timed < self.n_passed
        self.basis = ('clock' if timed and timed == self.n_passed else
                      'period' if known and 0 not in periods else 'assumed')
        self.learned = max((s.learned for s in self.samples), default=0) \
            if self.basis == 'clock' else 0
        self.of_samples = options.group in SAMPLE_GROUPS
        self.stackless = sum(s.count for s in self.samples if not s.frames)
        self.passed = self.sum(self.samples)
        self.waited = self.sum(s for s in self.samples if is_task(s.notes) and
                               s.tid is None)
        self.whole = self.sum(s for s in self.samples
                              if s.frames or self.of_samples)

    # -- filters

    def filtered(self, s):
        """The sample without hidden frames, or None."""
        o = self.o
        if o.pids and s.pid not in o.pids or o.tids and s.tid not in o.tids:
            return None
        for word in o.status:
            wanted, unwanted = STATES[word]
            if s.status is None or s.status & wanted != wanted \
                    or s.status & unwanted:
                return None
        if o.time and (s.time is None or not o.time[0] <= s.at < o.time[1]):
            return None
        for note in o.notes:
            key, sign, value = note.partition('=')
            if not any(k == key.encode() and (not sign or v == value.encode())
                       for k, v in s.notes):
                return None
        if o.hide:
            frames = tuple(f for f in s.frames
                           if not re.search(o.hide, place_text(f)))
            if s.frames and not frames:
                return None
            s = s._replace(frames=frames)
        if o.match and not any(re.search(o.match, place_text(f))
                               for f in s.frames):
            return None
        return s

    # -- weights

    def sum(self, samples):
        count = us = 0
        for s in samples:
            count += s.count
            us += self.us(s)
        return Sum(count, us)

    def us(self, s):
        if self.basis == 'clock':
            return s.clock_us
        return s.count * (s.period or DEFAULT_PERIOD)

    # -- keys

    def key(self, frame, group=None):
        group = group or self.o.group
        if group == 'file':
            return mended(frame.file) or '(no file)'
        if group == 'module':
            return mended(module_of(frame)) or '(none)'
        text = mended(frame.name)
        if group != 'name' and frame.file:
            text += ' ' + mended(frame.file)
        if group == 'line' and frame.line is not None and (
                frame.file or frame.line):
            text += '%s:%d' % ('' if frame.file else ' ', frame.line)
        if self.o.opcodes and frame.opcode:
            text += ' [%s]' % mended(frame.opcode)
        return text

    def keys(self, s):
        """Leaf first; of groups of samples their one key."""
        if self.of_samples:
            return [self.sample_key(s)]
        return [self.key(f) for f in s.frames]

    def frame_keys(self, s):
        return [self.key(f, 'line' if self.of_samples else None)
                for f in s.frames]

    def sample_key(self, s):
        group = self.o.group
        if group == 'pid':
            return '(no pid)' if s.pid is None else str(s.pid)
        if group == 'thread':
            return thread_text(s)
        if group == 'status':
            return status_text(s.status)
        if group == 'annotation':
            for k, v in s.notes:
                if k == self.o.annotation.encode():
                    return mended(v)
            return '(none)'
        if group == 'segment':
            return 'segment %d' % s.segment
        return 'minute %d' % (s.at // MINUTE)

    # -- sections

    def minutes(self, s):
        """The sample cut at minutes, when it has no times."""
        period = s.period or DEFAULT_PERIOD
        if self.o.group != 'minute' or s.time is not None:
            return [s]
        parts, left = [], s
        while left.count:
            n = min(left.count, -(-(MINUTE - left.at % MINUTE) // period))
            parts.append(left._replace(count=n))
            left = left._replace(count=left.count - n,
                                 at=left.at + n * period)
        return parts

    def counts(self, of):
        """{key: Sum} in order of appearance; `of` gives a sample's keys."""
        sums = {}
        for whole in self.samples:
            for s in self.minutes(whole):
                for key in dict.fromkeys(of(s)):
                    old = sums.get(key, Sum(0, 0))
                    sums[key] = Sum(old.samples + s.count,
                                    old.us + self.us(s))
        return sums

    def ordered(self, sums):
        """Heaviest first, of equal ones the first seen."""
        return sorted(sums.items(), key=lambda item: -(
            item[1].us if self.several else item[1].samples))

    def self_counts(self):
        return self.counts(lambda s: self.keys(s)[:1])

    def total_counts(self):
        return self.counts(self.keys)

    def callers(self, pattern):
        return self.counts(lambda s: neighbour(self.frame_keys(s), pattern,
                                               +1, '<root>'))

    def callees(self, pattern):
        return self.counts(lambda s: [
            k for k in neighbour(self.frame_keys(s)[::-1], pattern, +1,
                                 '<leaf>')])

    def tree(self, inverted):
        """{path of keys: (total, self)}."""
        nodes = {}
        for s in self.samples:
            path = self.frame_keys(s)
            path = path if inverted else path[::-1]
            for depth in range(1, len(path) + 1):
                total, own = nodes.get(tuple(path[:depth]),
                                       (Sum(0, 0), Sum(0, 0)))
                more = Sum(s.count, self.us(s))
                total = Sum(*map(sum, zip(total, more)))
                if depth == len(path):
                    own = Sum(*map(sum, zip(own, more)))
                nodes[tuple(path[:depth])] = total, own
        return nodes

    def bins(self, width, key=None):
        """{bin: samples}, with `key` of those it is in."""
        bins = collections.Counter()
        for s in (part for s in self.samples for part in self.minutes(s)):
            if key is not None and key not in self.keys(s):
                continue
            if s.time is not None:
                bins[s.at // width] += s.count
                continue
            for i in range(s.count):
                at = s.at + i * (s.period or DEFAULT_PERIOD)
                bins[at // width] += 1
        return bins

    def requests(self):
        """[(value, track, Sum, route)], one for each."""
        done, now = [], {}
        for s in self.samples:
            track = (s.pid, s.tid, s.interp)
            value, route = self.request_of(s)
            has_id = not self.o.request_key and id_of(s.notes) is not None
            same = s.request if has_id else (value, route)
            if value is None and track in now and now[track][0]:
                continue
            if track in now and now[track][:2] != (has_id, same):
                done.append(now.pop(track)[2])
            if value is not None:
                old = now[track][2][2] if track in now else Sum(0, 0)
                now[track] = has_id, same, (value, track, Sum(
                    old.samples + s.count, old.us + self.us(s)), route)
        return done + [request for _, _, request in now.values()]

    def request_of(self, s):
        """What names the request of a sample, and its route."""
        notes = {mended(k): mended(v) for k, v in reversed(s.notes)}
        keys = [self.o.request_key] if self.o.request_key else \
            REQUEST_KEYS + REQUEST_IDS
        value = next((notes[k] for k in keys if k in notes), None)
        if value is None:
            return None, None
        for key in ('request.route', 'route'):
            if key in notes:
                return value, notes[key]
        address = next((notes[k] for k in REQUEST_KEYS if k in notes),
                       value if self.o.request_key else None)
        if address is None:
            return value, '(no address)'
        return value, re.sub(r'(?<=/)\d+(?=/|$)', '{n}',
                             address.split('?')[0])

    def last(self, n, depth):
        """[(time, pid, tid, status, notes, frames)], the latest last."""
        found = []
        for s in reversed(self.samples):
            for _ in range(min(s.count, n - len(found))):
                keys = self.frame_keys(s)
                found.append((s.at if s.time is not None else None, s.pid,
                              s.tid, s.status,
                              [(mended(k), mended(v)) for k, v in s.notes],
                              keys[:depth] if depth else keys))
        return found[::-1]


def neighbour(keys, pattern, step, nobody):
    """Of the first key that matches, the one behind it; as a list."""
    for i, key in enumerate(keys):
        if re.search(pattern, key):
            return [keys[i + step] if i + step < len(keys) else nobody]
    return []


def status_text(status):
    if status is None:
        return '(none)'
    words = [] if status & (CPU | UNKNOWN) else ['idle']
    words += [word for bit, word in (
        (CPU, 'cpu'), (GIL, 'gil'), (WANTS, 'wants-gil'),
        (EXCEPTION, 'exception'), (UNKNOWN, 'unknown'), (MAIN, 'main'))
        if status & bit]
    return '+'.join(words)


def thread_text(s):
    text = '' if s.pid is None else str(s.pid)
    if s.tid is not None:
        text += '%s%d' % ('/' if text else '', s.tid)
    if s.interp:
        text += ' interpreter %d' % s.interp
    return text or '(no thread)'


def wilson(share, n, clumping):
    """The 95 % interval of a share of n samples in clumps."""
    m = max(1, n / max(1, clumping))
    middle = (share + Z * Z / (2 * m)) / (1 + Z * Z / m)
    half = Z / (1 + Z * Z / m) * math.sqrt(
        share * (1 - share) / m + Z * Z / (4 * m * m))
    return (max(0, middle - half) if share > 0 else 0,
            min(1, middle + half) if share < 1 else 1)
