"""Reading pprof: our own files, Go's, and ones put together by hand."""
import gzip
import os
import re

from support import bobbin, case, fixtures, pprof
from support.case import each, expect, read_file, write_file

DATA = os.path.join(fixtures.DATA, 'pprof')
MAIN, RUN = 'P;main;/a.php;3;-', 'P;K::run;/a.php;7;-'


# --- a writer of messages ---

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, values):
    return data(field, b''.join(map(varint, values)))


class Maker:
    """Fields of a profile; strings come out last unless asked otherwise."""

    def __init__(self):
        self.strings = ['']
        self.fields = []

    def text(self, s):
        if s not in self.strings:
            self.strings.append(s)
        return self.strings.index(s)

    def add(self, field, content):
        self.fields.append(data(field, content))

    def value_type(self, field, kind, unit):
        self.add(field, number(1, self.text(kind)) +
                 number(2, self.text(unit)))

    def function(self, ident, name, file):
        self.add(5, number(1, ident) + number(2, self.text(name)) +
                 number(4, self.text(file)))

    def location(self, ident, *lines, rest=b''):
        self.add(4, number(1, ident) + rest + b''.join(
            data(4, number(1, f) + number(2, line)) for f, line in lines))

    def sample(self, path, values, *labels):
        self.add(2, packed(1, path) + packed(2, values) +
                 b''.join(data(3, label) for label in labels))

    def label(self, key, value, unit=None):
        return number(1, self.text(key)) + (
            number(2, self.text(value)) if isinstance(value, str)
            else number(3, value)) + (
            number(4, self.text(unit)) if unit else b'')

    def table(self):
        return [data(6, s.encode()) for s in self.strings]

    def bytes(self):
        return b''.join(self.fields + self.table())


def small(types=(('samples', 'count'),)):
    m = Maker()
    for kind, unit in types:
        m.value_type(1, kind, unit)
    m.function(1, 'main', '/a.php')
    m.function(2, 'K::run', '/a.php')
    m.location(1, (1, 3))
    m.location(2, (2, 7))
    return m


def rows(content, *args, ok=(bobbin.OK,)):
    """[count, pid, tid, interpreter, annotations, frames...], leaf first."""
    path = write_file(content, 'x.pb')
    out = bobbin.run('dump', '-q', *args, path, ok=ok).out.decode('ascii')
    fields = [line.split('\t') for line in out.splitlines()]
    return [[f[0]] + f[2:5] + f[7:] for f in fields]


def plain(count, *frames):
    return [str(count), '-', '-', '-', '-'] + list(frames)


def info(content):
    path = write_file(content, 'x.pb')
    return bobbin.run('info', '--json', path)


def expect_rows(got, *want):
    expect(got == list(want), 'want %r, got %r', want, got)


# --- what is read ---

def test_a_sample_is_leaf_first():
    m = small()
    m.sample([2, 1], [5])
    expect_rows(rows(m.bytes()), plain(5, RUN, MAIN))


def test_packed_with_gzip():
    m = small()
    m.sample([1], [5])
    expect_rows(rows(gzip.compress(m.bytes())), plain(5, MAIN))


def test_tables_may_come_in_any_order():
    m = small()
    m.sample([2, 1], [5])
    m.sample([1], [2])
    fields = list(reversed(m.fields[1:3])) + m.fields[3:]
    content = b''.join(m.table() + fields + m.fields[:1])
    expect_rows(rows(content), plain(5, RUN, MAIN), plain(2, MAIN))


def test_numbers_need_not_be_packed():
    m = small()
    m.add(2, number(1, 2) + number(1, 1) + number(2, 4))
    expect_rows(rows(m.bytes()), plain(4, RUN, MAIN))


def test_ids_may_have_any_size():
    m = Maker()
    m.value_type(1, 'samples', 'count')
    m.function(1 << 60, 'f', '/f.py')
    m.function(7, 'g', '/g.py')
    m.location(99, (1 << 60, 1))
    m.location(5, (7, 2))
    m.sample([99, 5], [1])
    expect_rows(rows(m.bytes()), plain(1, 'Y;f;/f.py;1;-;-;-;-',
                                       'Y;g;/g.py;2;-;-;-;-'))


def test_inlined_functions_are_frames_of_their_own():
    m = small()
    m.location(3, (2, 8), (1, 4))
    m.sample([3, 1], [1])
    expect_rows(rows(m.bytes()),
                plain(1, 'P;K::run;/a.php;8;-', 'P;main;/a.php;4;-', MAIN))


def test_addresses_without_functions():
    m = small()
    m.add(3, number(1, 1) + number(5, m.text('/lib/libx.so')))
    m.location(3, rest=number(2, 1) + number(3, 0xbeef))
    m.sample([3, 1], [1])
    got = rows(m.bytes())
    expect(got[0][5].startswith('N;0xbeef;/lib/libx.so;'), '%r', got)


def test_lines_of_0_are_none():
    m = small()
    m.location(3, (1, 0))
    m.location(4, (1, -1))
    m.sample([3, 4], [1])
    expect_rows(rows(m.bytes()),
                plain(1, 'P;main;/a.php;-;-', 'P;main;/a.php;-;-'))


def test_labels_are_tracks_and_annotations():
    m = small()
    m.sample([1], [1], m.label('pid', 7), m.label('tid', 9),
             m.label('thread', '9'), m.label('interpreter', 2))
    m.sample([1], [2], m.label('pid', '7'), m.label('route', '/x'),
             m.label('bytes', 4096, 'bytes'), m.label('n', -1))
    m.sample([1], [3], m.label('thread', '12'))
    expect_rows(rows(m.bytes()),
                ['1', '7', '9', '2', '-', MAIN],
                ['2', '7', '-', '-', 'route=/x,bytes=4096%20bytes,n=-1',
                 MAIN],
                ['3', '-', '12', '-', '-', MAIN])


def test_names_of_threads():
    m = small()
    m.sample([1], [1], m.label('tid', 9), m.label('thread', '9'))
    m.sample([1], [1], m.label('tid', 8), m.label('thread', '9'))
    m.sample([1], [1], m.label('tid', 7), m.label('thread name', 'w'))
    out = os.path.join(case.scratch, 'out.pb.gz')
    bobbin.run('convert', '-q', '-t', 'pprof', '-o', out,
               write_file(m.bytes(), 'x.pb'))
    labels = [dict(s.labels) for s in pprof.Profile(read_file(out)).samples]
    expect(labels == [{'tid': 9, 'thread': '9'}, {'tid': 8, 'thread': '9'},
                      {'tid': 7, 'thread': 'w'}], '%r', labels)
    # A name that is only the number again is no name.
    out = bobbin.run('convert', '-q', '-t', 'jsonl',
                     write_file(m.bytes(), 'x.pb')).out
    expect(out.count(b'"9"') == 1, '%r', out)


# --- which value counts ---

@each([('ns', 'nanoseconds', 20000000, 20000),
       ('us', 'microseconds', 250, 250),
       ('ms', 'milliseconds', 3, 3000),
       ('s', 'seconds', 1, 1000000)])
def test_period(which):
    _, unit, period, want = which
    m = small()
    m.value_type(11, 'cpu', unit)
    m.fields.append(number(12, period))
    m.sample([1], [3])
    got = info(m.bytes()).out
    expect(b'"sampled_us":%d' % (3 * want) in got, '%r', got)


def test_period_of_times_and_counts():
    m = small([('samples', 'count'), ('delay', 'nanoseconds')])
    m.sample([1], [3, 9000])
    m.sample([2, 1], [1, 3000])
    got = info(m.bytes()).out
    expect(b'"sampled_us":12' in got, '%r', got)


def test_times_alone_are_microseconds():
    m = small([('wall', 'nanoseconds')])
    m.sample([1], [2500])
    m.sample([2, 1], [2500])
    path = write_file(m.bytes(), 'x.pb')
    result = bobbin.run('info', '--json', path)
    expect(b'"sampled_us":5' in result.out, '%r', result.out)
    expect(b'wall (nanoseconds)' in result.err, '%r', result.err)


@each([('last', None, 9), ('default', 'size', 4)])
def test_other_units_are_counts(which):
    _, default, want = which
    m = small([('size', 'bytes'), ('blocks', 'objects')])
    if default:
        m.fields.append(number(14, m.text(default)))
    m.sample([1], [4, 9])
    expect_rows(rows(m.bytes()), plain(want, MAIN))


def test_the_count_of_what_is_shown_by_default():
    m = small([('alloc', 'count'), ('alloc_space', 'bytes'),
               ('inuse', 'count'), ('inuse_space', 'bytes')])
    m.sample([1], [1, 2, 3, 4])
    expect_rows(rows(m.bytes()), plain(3, MAIN))
    m.fields.append(number(14, m.text('alloc_space')))
    expect_rows(rows(m.bytes()), plain(1, MAIN))


def test_negative_values_are_left_out_aloud():
    m = small()
    m.sample([1], [-4])
    m.sample([1], [4])
    path = write_file(m.bytes(), 'x.pb')
    result = bobbin.run('dump', path)
    expect(result.out.count(b'\n') == 1, '%r', result.out)
    expect(b'1 samples with negative values' in result.err, '%r', result.err)


def test_comments_and_time():
    m = small()
    m.sample([1], [1])
    m.fields.append(number(9, 1700000000 * 10**9))
    for s in ('host: a: b', 'no pair', 'made by bobbin 9'):
        m.fields.append(number(13, m.text(s)))
    out = bobbin.run('info', write_file(m.bytes(), 'x.pb')).out
    expect(b'host = a: b' in out and b'comment = no pair' in out, '%r', out)
    expect(b'made by' not in out, '%r', out)
    expect(b'2023-11-14 22:13:20' in out, '%r', out)


# --- what is wrong ---

def broken(how):
    m = small()
    if how == 'location':
        m.sample([2, 9], [1])
    elif how == 'function':
        m.location(3, (9, 1))
        m.sample([3], [1])
    elif how == 'string':
        m.add(5, number(1, 3) + number(2, 99))
        m.location(3, (3, 1))
        m.sample([3], [1])
    elif how == 'label':
        m.sample([1], [1], number(1, 99))
    elif how == 'values':
        m.sample([1], [1, 2])
    elif how == 'twice':
        m.location(1, (1, 9))
    elif how == 'zero':
        m.location(0, (1, 9))
    elif how == 'inside':
        m.add(2, b'\x0a\x05\x01')
    elif how == 'varint':
        m.add(2, packed(1, [1]) + data(2, b'\xff'))
    elif how == 'wire':
        m.fields.append(number(2, 5))
    at = sum(map(len, m.fields[:-1]))
    m.sample([1], [1])
    return m.bytes(), at


@each(['label', 'values', 'zero', 'inside', 'varint', 'wire'])
def test_damage_is_named_with_its_byte(how):
    content, at = broken(how)
    path = write_file(content, 'x.pb')
    result = bobbin.run('dump', '-f', 'pprof', path, ok=(bobbin.FAILED,))
    expect(b'pprof: byte %d: ' % at in result.err, 'byte %d: %r', at,
           result.err)


@each(['location', 'function', 'string', 'twice'])
def test_references_are_checked(how):
    content, _ = broken(how)
    path = write_file(content, 'x.pb')
    result = bobbin.run('dump', path, ok=(bobbin.FAILED,))
    expect(re.search(rb'pprof: byte \d+: .*(exist|another)', result.err),
           '%r', result.err)


@each(['label', 'values', 'zero', 'inside', 'varint', 'wire', 'location',
       'function', 'string', 'twice'])
def test_recovery_goes_on_behind_it(how):
    content, _ = broken(how)
    path = write_file(content, 'x.pb')
    out = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run('recover', '-f', 'pprof', path, '-o', out,
                        ok=(bobbin.PARTIAL,))
    expect(b'passed over' in result.err, '%r', result.err)
    last = bobbin.run('dump', out).out.splitlines()[-1]
    expect(last.endswith(b'\t' + MAIN.encode()), '%r', last)


def test_strings_begin_with_the_empty_one():
    m = small()
    m.strings[0] = 'x'
    m.sample([1], [1])
    path = write_file(m.bytes(), 'x.pb')
    result = bobbin.run('dump', path, ok=(bobbin.FAILED,))
    expect(b'first string is not empty' in result.err, '%r', result.err)
    path = write_file(b''.join(m.fields), 'y.pb')
    result = bobbin.run('dump', path, ok=(bobbin.FAILED,))
    expect(b'no strings' in result.err, '%r', result.err)


def test_too_many_inlined_functions():
    m = small()
    m.location(3, *[(1, 1)] * 257)
    path = write_file(m.bytes(), 'x.pb')
    result = bobbin.run('dump', path, ok=(bobbin.FAILED,))
    expect(b'more than 256 functions' in result.err, '%r', result.err)


def test_every_prefix():
    m = small()
    m.sample([2, 1], [5], m.label('pid', 7))
    content = m.bytes()
    for n in range(0, len(content), 3):
        path = write_file(content[:n], 'x.pb')
        bobbin.run('dump', '-f', 'pprof', path,
                   ok=(bobbin.OK, bobbin.FAILED))
        bobbin.run('recover', '-f', 'pprof', path, '-o',
                   os.path.join(case.scratch, 'out.rbt'),
                   ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))


def test_a_cut_profile_keeps_its_counts():
    m = small()
    m.sample([2, 1], [5])
    m.sample([1], [2])
    path = write_file(b''.join(m.fields), 'x.pb')
    out = os.path.join(case.scratch, 'out.rbt')
    bobbin.run('recover', path, '-o', out, ok=(bobbin.PARTIAL,))
    counts = [line.split(b'\t')[0] for line in
              bobbin.run('dump', out).out.splitlines()]
    expect(counts == [b'5', b'2'], '%r', counts)


def test_a_cut_is_told_once():
    m = small([('samples', 'count'), ('wall', 'nanoseconds')])
    m.sample([1], [1, 1000])
    content = b''.join(m.table() + m.fields)
    path = write_file(content + b'\x12\x7f', 'x.pb')
    result = bobbin.run('recover', path, '-o',
                        os.path.join(case.scratch, 'out.rbt'),
                        ok=(bobbin.PARTIAL,))
    expect(result.err.count(b'passed over') == 1, '%r', result.err)
    expect(b'2 bytes from byte %d' % len(content) in result.err, '%r',
           result.err)


# --- other people's files, and our own ---

def numbers(values):
    """Of a field, packed or not."""
    return [n for v in values
            for n in (pprof.packed(v) if isinstance(v, bytes) else [v])]


class Foreign:
    """Stacks as [(name, file, line)] root first, with all values."""

    def __init__(self, name):
        top = pprof.message(gzip.decompress(
            read_file(os.path.join(DATA, name))))
        text = [s.decode() for s in top[6]]
        by_id = {field: {m[1][0]: m for m in map(pprof.message, top[field])}
                 for field in (4, 5)}
        self.types = [text[pprof.message(t)[1][0]] for t in top[1]]
        self.samples = []
        for s in map(pprof.message, top[2]):
            stack = []
            for ident in reversed(numbers(s[1])):
                for line in reversed(by_id[4][ident][4]):
                    line = pprof.message(line)
                    fn = by_id[5][line[1][0]]
                    stack.append('%s %s:%d' % (text[fn[2][0]],
                                               text[fn[4][0]], line[2][0]))
            self.samples.append((';'.join(stack), numbers(s[2])))


def test_go_cpu():
    theirs = Foreign('go-cpu.pb.gz')
    want = {}
    for stack, values in theirs.samples:
        want[stack] = want.get(stack, 0) + values[0]
    path = os.path.join(DATA, 'go-cpu.pb.gz')
    out = bobbin.run('convert', '-q', '-t', 'folded', path).out.decode()
    got = {line.rpartition(' ')[0]: int(line.rpartition(' ')[2])
           for line in out.splitlines()}
    expect(got == want, 'other stacks')
    facts = bobbin.run('info', '--json', path).out
    total = sum(v[1] for _, v in theirs.samples) // 1000
    expect(b'"sampled_us":%d' % total in facts, '%r', facts)


def test_go_heap_counts_what_is_in_use():
    theirs = Foreign('go-heap.pb.gz')
    expect(theirs.types[2] == 'inuse_objects', '%s', theirs.types)
    want = sum(v[2] for _, v in theirs.samples)
    path = os.path.join(DATA, 'go-heap.pb.gz')
    facts = bobbin.run('info', '--json', path).out
    expect(b'"samples":%d' % want in facts, 'not %d: %r', want, facts)


@each(['multi-segment', 'names-and-lines', 'native-mixed', 'tiny',
       'utf8-and-binary'])
def test_reli(name):
    def samples(path):
        return re.search(rb'"samples":(\d+)',
                         bobbin.run('info', '--json', path).out).group(1)
    source = fixtures.rbt_path(name)
    theirs = os.path.join(os.path.splitext(source)[0] + '.out',
                          'pprof.pb.gz')
    expect(samples(theirs) == samples(source), 'not as many samples')


def test_samples_that_weigh_something_else():
    m = small([('samples', 'count'), ('wall', 'nanoseconds')])
    m.value_type(11, 'wall', 'nanoseconds')
    m.fields.append(number(12, 10000000))
    m.sample([1], [1, 10000000])
    m.sample([2, 1], [1, 30000000])
    result = info(m.bytes())
    expect(b'"sampled_us":40000' in result.out, '%r', result.out)
    expect(b'average' in result.err, '%r', result.err)


@each(['annotations', 'pid-bundled-ts', 'rle-runs',
       'timestamps', 'tiny'])
def test_round_trip(name):
    source = fixtures.rbt_path(name)
    path = os.path.join(case.scratch, 'x.pb.gz')
    bobbin.run('convert', '-q', '-o', path, source)

    def folded(file):
        out = bobbin.run('convert', '-q', '-t', 'folded', file).out
        return sorted(out.splitlines())
    expect(folded(path) == folded(source), 'other stacks')
