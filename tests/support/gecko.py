"""Firefox Profiler's files as data: checked, and taken apart."""
import collections
import decimal
import json

from support import listing, text
from support.case import expect

VERSION = 61
# Table -> columns that it must have, besides its length.
SHARED = {
    'sources': 'id filename startLine startColumn sourceMapURL',
    'funcTable': 'name isJS relevantForJS resource source lineNumber '
                 'columnNumber',
    'frameTable': 'address inlineDepth category subcategory func nativeSymbol '
                  'innerWindowID line column',
    'stackTable': 'frame prefix',
    'resourceTable': 'lib name host type',
    'nativeSymbols': 'libIndex address name functionSize',
}
SAMPLES = 'stack time weight'
MARKERS = 'data name startTime endTime phase category'

# begin and end in microseconds; value is None unless it is an annotation.
Marker = collections.namedtuple('Marker', 'name begin end value category')
# stack is a tuple of (function, file, line), root first.
Row = collections.namedtuple('Row', 'time stack weight')


def micro(milliseconds):
    return round(milliseconds * 1000)


def check_table(where, table, columns):
    length = table['length']
    expect(set(table) - {'length', 'weightType'} == set(columns.split()),
           '%s has columns %s', where, sorted(table))
    for name in columns.split():
        expect(table[name] is None or len(table[name]) == length,
               '%s.%s: %s values, not %d', where, name,
               table[name] and len(table[name]), length)


def check_index(where, values, limit, nullable=False):
    for value in values:
        expect((nullable and value is None) or
               (type(value) is int and 0 <= value < limit),
               '%s: %r is no index below %d', where, value, limit)


class Thread:
    def __init__(self, profile, raw):
        self.profile, self.raw = profile, raw
        self.name, self.pid, self.tid = raw['name'], raw['pid'], raw['tid']
        self.process = raw['processName']
        self.is_main = raw['isMainThread']
        self.unit = raw['samples']['weightType']
        self.check()

    def check(self):
        samples, markers = self.raw['samples'], self.raw['markers']
        check_table('samples', samples, SAMPLES)
        check_table('markers', markers, MARKERS)
        expect(type(self.pid) is str, 'pid %r is no string', self.pid)
        expect(samples['length'] > 0, 'a thread without samples')
        times = samples['time']
        expect(all(a <= b for a, b in zip(times, times[1:])),
               'times go back')
        expect(times[0] >= 0, 'times begin before 0')
        check_index('samples.stack', samples['stack'],
                    len(self.profile.stacks), nullable=True)
        n_strings = len(self.profile.strings)
        check_index('markers.name', markers['name'], n_strings)
        check_index('markers.category', markers['category'],
                    len(self.profile.categories))
        expect(set(markers['phase']) <= {1}, 'a marker that is no interval')
        for data in markers['data']:
            expect(data['type'] in self.profile.schemas, 'no schema for %s',
                   data)
            if data['type'] == 'Annotation':
                check_index('value', [data['value']], n_strings)

    def rows(self):
        samples, stacks = self.raw['samples'], self.profile.stacks
        weights = samples['weight'] or [1] * samples['length']
        return [Row(micro(time), () if stack is None else stacks[stack],
                    weight)
                for time, stack, weight in zip(samples['time'],
                                               samples['stack'], weights)]

    def weight(self):
        """Samples, or microseconds when periods differ."""
        total = sum(row.weight for row in self.rows())
        return total if self.unit == 'samples' else micro(total)

    def markers(self):
        raw, strings = self.raw['markers'], self.profile.strings
        return [Marker(strings[name], micro(begin), micro(end),
                       strings[data['value']] if 'value' in data else None,
                       self.profile.categories[category])
                for name, begin, end, data, category in zip(
                    raw['name'], raw['startTime'], raw['endTime'],
                    raw['data'], raw['category'])]

    def markers_named(self, name):
        return [m for m in self.markers() if m.name == name]


class Profile:
    def __init__(self, data):
        raw = json.loads(data.decode('utf-8'), parse_float=decimal.Decimal)
        self.raw, self.meta = raw, raw['meta']
        expect(self.meta['preprocessedProfileVersion'] == VERSION, 'version')
        self.categories = [c['name'] for c in self.meta['categories']]
        expect(self.meta['categories'][0]['color'] == 'grey',
               'the first category must be the default')
        self.schemas = {s['name'] for s in self.meta['markerSchema']}
        self.strings = raw['shared']['stringArray']
        expect(len(set(self.strings)) == len(self.strings),
               'a string stands twice')
        self.check_shared()
        self.stacks = self.make_stacks()
        self.threads = [Thread(self, t) for t in raw['threads']]
        expect(self.threads, 'no threads')
        expect(min(t.rows()[0].time for t in self.threads) == 0,
               'the first sample is not at 0')

    def check_shared(self):
        shared = self.raw['shared']
        for name, columns in SHARED.items():
            check_table(name, shared[name], columns)
        size = {name: shared[name]['length'] for name in SHARED}
        n_strings = len(self.strings)
        funcs, frames = shared['funcTable'], shared['frameTable']
        check_index('filename', shared['sources']['filename'], n_strings)
        expect('' not in map(self.strings.__getitem__,
                             shared['sources']['filename']),
               'a source without a name')
        check_index('func.name', funcs['name'], n_strings)
        check_index('func.source', funcs['source'], size['sources'], True)
        check_index('frame.func', frames['func'], size['funcTable'])
        check_index('frame.category', frames['category'],
                    len(self.categories))
        check_index('stack.frame', shared['stackTable']['frame'],
                    size['frameTable'])
        for index, prefix in enumerate(shared['stackTable']['prefix']):
            check_index('stack.prefix', [prefix], index, True)

    def place(self, frame):
        shared = self.raw['shared']
        func = shared['frameTable']['func'][frame]
        source = shared['funcTable']['source'][func]
        file = '' if source is None else self.strings[
            shared['sources']['filename'][source]]
        return (self.strings[shared['funcTable']['name'][func]], file,
                shared['frameTable']['line'][frame])

    def make_stacks(self):
        table, stacks = self.raw['shared']['stackTable'], []
        for frame, prefix in zip(table['frame'], table['prefix']):
            stacks.append((() if prefix is None else stacks[prefix])
                          + (self.place(frame),))
        return stacks

    def category_of(self, function):
        """Categories of the frames of the functions called so."""
        shared = self.raw['shared']
        funcs, frames = shared['funcTable'], shared['frameTable']
        return {self.categories[frames['category'][i]]
                for i, func in enumerate(frames['func'])
                if self.strings[funcs['name'][func]] == function}


# ---- what it should be -----------------------------------------------------

def wanted_frame(token):
    """A frame of a dump line: lines that are unknown, below 1, or offsets of
    native code are not shown."""
    kind, name, file, place = token.split(';')[:4]
    line = None if kind == 'N' or place == '-' else int(place)
    return (text.unescape(name.encode()).decode('utf-8', 'replace'),
            text.unescape(file.encode()).decode('utf-8', 'replace'),
            line if line is not None and line > 0 else None)


def wanted_stack(fields):
    return tuple(wanted_frame(token)
                 for token in reversed(fields[listing.FRAMES:]))


def thread_name(pid, tid, interp):
    name = 'Thread ' + tid if tid != '-' else \
        'Process ' + pid if pid != '-' else 'All samples'
    return name + (', interpreter ' + interp
                   if interp not in ('-', '0') else '')


def by_thread(runs):
    """{(pid, thread name): [(count, fields)]} of a dump."""
    threads = collections.defaultdict(list)
    for count, fields in runs:
        pid = fields[listing.PID]
        name = thread_name(pid, *fields[listing.TID:listing.INTERP + 1])
        threads['0' if pid == '-' else pid, name].append((count, fields))
    return threads


def merged(pairs):
    """Equal neighbours as one, with the sum of their weights."""
    out = []
    for stack, weight in pairs:
        if out and out[-1][0] == stack:
            out[-1][1] += weight
        else:
            out.append([stack, weight])
    return out
