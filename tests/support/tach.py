"""The TACH files under tests/data, and the listings beside them."""
import collections
import csv
import glob
import gzip
import hashlib
import os

from oracle import tach_oracle, tach_writer
from support import fixtures, listing
from support.case import Failure, expect

TACH = os.path.join(fixtures.DATA, 'tach')
CORRUPT = os.path.join(TACH, 'corrupt')
BENCH = os.path.join(TACH, 'bench')
# Its listing has 38 MB: only the SHA-256 is stored.
BIG = 'big'

ESCAPES = {'\\': '\\', 't': '\t', 'n': '\n', 'r': '\r'}

Verdict = collections.namedtuple(
    'Verdict', 'name stage exception message samples note')


def path(name):
    return os.path.join(TACH, name + '.bin')


def corrupt_path(name):
    return os.path.join(CORRUPT, name + '.bin')


def bench_path(name):
    return os.path.join(BENCH, 'out_%s_1.bin' % name)


def names():
    """All of CPython's files."""
    found = glob.glob(path('*'))
    return sorted(os.path.basename(p)[:-len('.bin')] for p in found)


def listed_names():
    return [name for name in names() if name != BIG]


def verdicts():
    """What CPython's reader does with the damaged files."""
    with open(os.path.join(CORRUPT, 'expected.tsv'), encoding='utf-8',
              newline='') as file:
        rows = list(csv.reader(file, delimiter='\t', quoting=csv.QUOTE_NONE))
    return [Verdict(*row[:4], int(row[4]), row[5]) for row in rows[1:]]


def bench_sums():
    """{name: sha256} of the uncompressed twins."""
    with open(os.path.join(BENCH, 'sha256.txt'), encoding='ascii') as file:
        rows = [row.split() for row in file]
    return {name[len('out_'):-len('_0.bin')]: digest for digest, name in rows}


# ---- listings --------------------------------------------------------------

def listing_rows(name, folder=TACH):
    """The lines of NAME.txt as lists of fields."""
    plain = os.path.join(folder, name + '.txt')
    opened = open(plain, 'rb') if os.path.exists(plain) \
        else gzip.open(plain + '.gz')
    with opened as file:
        for row in file.read().decode('utf-8').split('\n')[:-1]:
            yield row.split('\t')


def facts(rows, kind):
    """{key: number} of the H, E or R line."""
    for row in rows:
        if row[0] == kind:
            return {key: value for key, _, value in
                    (field.partition('=') for field in row[1:])}
    return None


def unescape(text):
    out, start = [], 0
    while True:
        at = text.find('\\', start)
        if at < 0:
            return ''.join(out) + text[start:]
        out.append(text[start:at])
        if text[at + 1] == 'x':
            out.append(chr(int(text[at + 2:at + 4], 16)))
            start = at + 4
        else:
            out.append(ESCAPES[text[at + 1]])
            start = at + 2


def dump_name(text):
    return tach_oracle.escape(unescape(text).encode())


def from_listing(rows):
    """Runs as `bobbin dump` shows them, one per sample."""
    frames, stacks = {}, {}
    for row in rows:
        if row[0] == 'F':
            _, ident, line, end_line, col, end_col, opcode, file, func = row
            frames[ident] = ';'.join(
                ['Y', dump_name(func), dump_name(file), line, end_line, col,
                 end_col, opcode])
        elif row[0] == 'K':
            stacks[row[1]] = [frames[ident] for ident in row[3:]]
        elif row[0] == 'S':
            _, time, interpreter, thread, status, stack = row
            yield 1, ['0', '-', thread, interpreter, status, time,
                      '-'] + stacks[stack]


def undo_dump_name(text):
    raw, start = bytearray(), 0
    while start < len(text):
        if text[start] == '%':
            raw.append(int(text[start + 1:start + 3], 16))
            start += 3
        else:
            raw.append(ord(text[start]))
            start += 1
    out = []
    for char in raw.decode('utf-8'):
        if char in '\\\t\n\r':
            out.append('\\' + {'\\': '\\', '\t': 't', '\n': 'n',
                               '\r': 'r'}[char])
        elif ord(char) < 0x20 or ord(char) == 0x7f:
            out.append('\\x%02x' % ord(char))
        else:
            out.append(char)
    return ''.join(out)


class ListingSum:
    """SHA-256 and facts of the listing of a dump, for files whose listing is
    too large to store.  The lines of the listing are made one by one."""

    def __init__(self, head):
        self.sum = hashlib.sha256()
        self.size = self.samples = self.frames_total = 0
        self.frames, self.stacks = {}, {}
        self.first = self.last = None
        self.by_thread = collections.Counter()
        self.by_status = collections.Counter()
        self.line('H', *head)

    def line(self, *fields):
        row = ('\t'.join(map(str, fields)) + '\n').encode()
        self.sum.update(row)
        self.size += len(row)

    def frame(self, token):
        if token not in self.frames:
            _, func, file, *place = token.split(';')
            self.frames[token] = len(self.frames)
            self.line('F', self.frames[token], *place, undo_dump_name(file),
                      undo_dump_name(func))
        return self.frames[token]

    def stack(self, tokens):
        known = self.stacks.get(tokens)
        if known is None:
            parts = tokens.split('\t') if tokens else []
            ids = [self.frame(token) for token in parts]
            known = self.stacks[tokens] = len(self.stacks), len(ids)
            self.line('K', known[0], len(ids), *ids)
        return known

    def add(self, row):
        """One line of a dump, as text."""
        count, _, _, thread, interpreter, status, time, _, *rest = \
            row.rstrip('\n').split('\t', 8)
        stack, depth = self.stack(rest[0] if rest else '')
        for _ in range(int(count)):
            self.line('S', time, interpreter, thread, status, stack)
        moment, count = int(time), int(count)
        self.samples += count
        self.frames_total += depth * count
        self.first = moment if self.first is None else min(self.first, moment)
        self.last = moment if self.last is None else max(self.last, moment)
        self.by_thread[interpreter, thread] += count
        self.by_status[status] += count

    def end(self, records):
        """records are the fields of the R line, which a dump does not have."""
        self.line('E', 'samples=%d' % self.samples,
                  'stacks=%d' % len(self.stacks),
                  'distinct_frames=%d' % len(self.frames),
                  'frames_total=%d' % self.frames_total,
                  'min_ts=%d' % self.first, 'max_ts=%d' % self.last)
        self.line('R', *records)
        return self.sum.hexdigest()


# ---- the layout of the published description -------------------------------

def tiny_as_described():
    """`tiny` in version 2, put together by hand from the description."""
    head = (b'HCAT' + b'\2\0\0\0'
            + (5000000000).to_bytes(8, 'little')    # 8: start
            + (1000).to_bytes(8, 'little')          # 16: interval
            + b'\1\0\0\0'                           # 24: samples
            + b'\1\0\0\0'                           # 28: threads
            + (64 + 20).to_bytes(8, 'little')       # 32: string table
            + (64 + 20 + 25).to_bytes(8, 'little')  # 40: frame table
            + b'\0\0\0\0'                           # 48: compression
            + bytes(12))                            # 52: reserved
    record = ((4242).to_bytes(8, 'little')          # thread
              + bytes(4)                            # interpreter
              + b'\1'                               # FULL
              + b'\xe8\x07'                         # 1000 microseconds
              + b'\x23'                             # status 35
              + b'\x03' + b'\0\1\2')                # three frames
    strings = b'\6app.py' + b'\4leaf' + b'\3mid' + b'\x08<module>'
    frames = b'\0\1\x18' + b'\0\2\x3c' + b'\0\3\x58'  # lines 12, 30, 44
    footer = (b'\4\0\0\0' + b'\3\0\0\0'
              + (64 + 20 + 25 + 9 + 32).to_bytes(8, 'little') + bytes(16))
    return head + record + strings + frames + footer


# ---- comparing -------------------------------------------------------------

def expect_listing(name, got, folder=TACH):
    """got, the runs of a dump, must be what CPython's reader saw."""
    rows = list(listing_rows(name, folder))
    listing.expect_same(from_listing(rows), got, name)
    expect(listing.total(got) == int(facts(rows, 'E')['samples']),
           '%d samples', listing.total(got))


def expect_big_listing(rows):
    """rows, the lines of a dump, must have the recorded sum."""
    want = list(listing_rows(BIG))
    made = ListingSum(next(row[1:] for row in want if row[0] == 'H'))
    for row in rows:
        made.add(row)
    digest = made.end(next(row[1:] for row in want if row[0] == 'R'))
    threads = {(row[1], row[2]): int(row[3]) for row in want if row[0] == 'T'}
    expect(made.by_thread == threads, 'threads %s, not %s', made.by_thread,
           threads)
    statuses = {row[1]: int(row[2]) for row in want if row[0] == 'U'}
    expect(made.by_status == statuses, 'statuses %s, not %s', made.by_status,
           statuses)
    expect(['sha256', digest] in want, 'SHA-256 of the listing is %s', digest)
    expect(['bytes', str(made.size)] in want, '%d bytes', made.size)


def rewritten(profile, dialect=None, order=None, **changes):
    """The profile's samples as CPython's rules write them elsewhere."""
    return tach_writer.rewrite(profile, tach_oracle.records(profile), dialect,
                               order, **changes)


def expect_bytes(want, got):
    """Equal, or where not, and in which part of the file."""
    if want == got:
        return
    at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b),
              min(len(want), len(got)))
    profile = tach_oracle.Profile(want)
    part = 'header' if at < 64 else \
        'samples' if at < profile.head.strings else \
        'strings' if at < profile.head.frames else \
        'frames' if at < len(want) - 32 else 'footer'
    raise Failure(
        'byte %d (%s) differs: want %s, got %s; sizes %d and %d' % (
            at, part, want[at:at + 16].hex(), got[at:at + 16].hex(),
            len(want), len(got)))


def without_places(runs):
    """Frames with their names and lines only, for comparing dialects: not
    all have columns and opcodes."""
    return [(count, fields[:listing.FRAMES]
             + [';'.join(token.split(';')[:4])
                for token in fields[listing.FRAMES:]])
            for count, fields in runs]


def by_thread(runs):
    """The samples of each thread, one thread after the other: what a writer
    keeps, which stores a run only when it is over."""
    threads = {}
    for count, fields in runs:
        key = fields[listing.TID], fields[listing.INTERP]
        threads.setdefault(key, []).append((count, fields))
    return [run for key in sorted(threads) for run in threads[key]]


# What stands for outer frames that a gap has swallowed.
LOST = 'Y;<lost>;~;-;-;-;-;-'


def is_shown_by(fields, truth):
    """True when the sample is the true one, or all but outer frames of it."""
    if fields[-1] != LOST:
        return fields == truth
    return fields[:-1] == truth[:len(fields) - 1]


def expect_part_of(got, truth, what):
    """Nothing was invented: each sample is a true one, in order, except that
    outer frames may be lost."""
    truth = iter(list(listing.expanded(truth)))
    for index, fields in enumerate(listing.expanded(got)):
        expect(any(is_shown_by(fields, row) for row in truth),
               '%s: sample %d never was: %s', what, index, fields)


def rootless(runs):
    return sum(count for count, fields in runs if fields[-1] == LOST)


def strict(data, dialect=None):
    """(runs, damage or None) by the oracle."""
    out = []
    try:
        for run in tach_oracle.runs(data, dialect):
            out.append(run)
    except tach_oracle.Damage as damage:
        return out, damage
    return out, None
