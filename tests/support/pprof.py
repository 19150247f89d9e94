"""A decoder for profile.proto, written from its description: pprof's rules
for what is valid included."""
import collections
import gzip

from support.case import expect

Sample = collections.namedtuple('Sample', 'locations values labels')

U64 = (1 << 64) - 1


def varint(data, at):
    value = shift = 0
    while True:
        expect(at < len(data), 'protobuf: cut inside a number')
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            expect(value <= U64, 'protobuf: a number of more than 64 bits')
            return value, at


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def fields(data):
    """(number, value) in their order; bytes or a signed number."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        expect(key >> 3 != 0, 'protobuf: field 0')
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, signed(value)
        else:
            expect(key & 7 == 2, 'protobuf: wire type %d', key & 7)
            size, at = varint(data, at)
            expect(at + size <= len(data), 'protobuf: cut inside bytes')
            yield key >> 3, data[at:at + size]
            at += size


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(signed(value))
    return values


def message(data):
    """{number: [values]}"""
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def one(msg, number, otherwise=0):
    expect(len(msg[number]) <= 1, 'field %d twice', number)
    return msg[number][0] if msg[number] else otherwise


class Profile:
    """functions: {id: (name, file)}; locations: {id: [(function, line)]};
    types: [(type, unit)]; samples leaf first."""

    def __init__(self, packed_data):
        top = message(gzip.decompress(packed_data))
        self.strings = [s.decode('utf-8') for s in top[6]]
        expect(self.strings and self.strings[0] == '', 'no empty string 0')
        expect(len(set(self.strings)) == len(self.strings),
               'a string twice')
        self.types = [self.value_type(m) for m in top[1]]
        self.mappings = self.by_id(top[3])
        self.mapping_files = {i: self.text(one(m, 5))
                              for i, m in self.mappings.items()}
        self.system_names = []
        self.functions = {i: self.function(m)
                          for i, m in self.by_id(top[5]).items()}
        self.locations = {i: self.location(m)
                          for i, m in self.by_id(top[4]).items()}
        self.samples = [self.sample(m) for m in top[2]]
        self.time, self.duration = one(top, 9), one(top, 10)
        self.period_type = self.value_type(one(top, 11, b''))
        self.period = one(top, 12)
        self.comments = [self.text(i) for i in top[13]]
        self.default_type = self.text(one(top, 14))

    def text(self, index):
        expect(0 <= index < len(self.strings), 'string %d of %d', index,
               len(self.strings))
        return self.strings[index]

    def value_type(self, data):
        msg = message(data)
        return self.text(one(msg, 1)), self.text(one(msg, 2))

    def by_id(self, messages):
        found = {}
        for data in messages:
            msg = message(data)
            ident = one(msg, 1)
            expect(ident != 0, 'id 0')
            expect(ident not in found, 'id %d twice', ident)
            found[ident] = msg
        return found

    def function(self, msg):
        self.system_names.append(self.text(one(msg, 3)))
        return self.text(one(msg, 2)), self.text(one(msg, 4))

    def location(self, msg):
        expect(one(msg, 2) in self.mappings, 'no mapping %d', one(msg, 2))
        lines = []
        for data in msg[4]:
            line = message(data)
            expect(one(line, 1) in self.functions, 'no function %d',
                   one(line, 1))
            lines.append((one(line, 1), one(line, 2)))
        return lines

    def sample(self, data):
        msg = message(data)
        ids = packed(one(msg, 1, b''))
        for ident in ids:
            expect(ident in self.locations, 'no location %d', ident)
        values = packed(one(msg, 2, b''))
        expect(len(values) == len(self.types), '%d values', len(values))
        labels = [self.label(m) for m in msg[3]]
        return Sample(ids, values, labels)

    def label(self, data):
        msg = message(data)
        value = self.text(one(msg, 2)) if msg[2] else one(msg, 3)
        return self.text(one(msg, 1)), value

    def frames(self, sample):
        """(name, file, line), root first."""
        return tuple(self.functions[function] + (line,)
                     for ident in reversed(sample.locations)
                     for function, line in self.locations[ident])
