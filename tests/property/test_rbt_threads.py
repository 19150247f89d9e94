"""Threads in .rbt: what a TACH profile knows of its samples, as far as .rbt has
room for it, comes through; other readers see a stream like any other."""
import os
import random

from oracle import rbt_gen, rbt_lint, rbt_oracle, tach_gen
from support import bobbin, case, listing, seeds, tach
from support.case import each, expect, read_file, write_file

TRACK = b'bobbin.track.'


def dump(path, *options, ok=(bobbin.OK,)):
    return listing.parse(bobbin.run('dump', *options, path, ok=ok).out)


def converted(path, to, *options):
    out = os.path.join(case.scratch, 'out.' + to)
    bobbin.run('convert', '-q', '-t', to, '-o', out, *options, path)
    return out


def place(token):
    """A frame's name, file, line and opcode; in .rbt a line of -1 is none.
    The opcode is last in the tokens of either language."""
    _, name, file, line = token.split(';')[:4]
    return name, file, '-1' if line == '-' else line, token.split(';')[-1]


def threads(runs):
    """Runs with what .rbt keeps."""
    return [(count, [fields[i] for i in (
        listing.SEGMENT, listing.PID, listing.TID, listing.INTERP,
        listing.TIME)] + [place(f) for f in fields[listing.FRAMES:]])
            for count, fields in runs]


def expect_threads(want, got):
    listing.expect_same(threads(want), threads(got))


@each(seeds.blocks())
def test_threads_come_through(block):
    def check(seed):
        path = write_file(tach_gen.generate(seed, tach_gen.PLAIN), 'in.bin')
        expect_threads(dump(path), dump(converted(path, 'rbt')))
    seeds.for_block(block, check)


@each(seeds.blocks())
def test_status_on_request(block):
    """Its words are an annotation of each sample."""
    words = ('gil', 'cpu', 'unknown', 'gil-wait', 'exception', 'main')

    def text(status):
        status = int(status)
        found = [word for i, word in enumerate(words) if status >> i & 1]
        if status & 0xc0:
            found.append('0x%x' % (status & 0xc0))
        return 'status=' + ('|'.join(found) or '-')

    def check(seed):
        path = write_file(tach_gen.generate(seed, tach_gen.PLAIN), 'in.bin')
        got = dump(converted(path, 'rbt', '--with-status'))
        want = dump(path)
        expect_threads(want, got)
        listing.expect_same(
            [(count, [text(fields[listing.STATUS])])
             for count, fields in want],
            [(count, [fields[listing.ANNOTATIONS]]) for count, fields in got])
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_other_readers_see_a_stream_like_any_other(block):
    """The second decoder knows nothing of tracks: it sees one number for each
    of them in a segment, and metadata."""
    def check(seed):
        path = write_file(tach_gen.generate(seed, tach_gen.PLAIN), 'in.bin')
        data = read_file(converted(path, 'rbt'))
        rbt_lint.check(data)
        want = dump(path)
        numbers = {}
        got = rbt_oracle.runs(data)
        expect(listing.total(want) == listing.total(got), 'other samples')
        for track, number in zip(
                each_sample(want, listing.TID, listing.INTERP),
                each_sample(got, listing.PID)):
            expect(numbers.setdefault(track, number) == number,
                   'two numbers for %s', track)
        expect(len(set(numbers.values())) == len(numbers),
               'one number for two tracks')
    seeds.for_block(block, check)


def each_sample(runs, *columns):
    for count, fields in runs:
        for _ in range(count):
            yield tuple(fields[i] for i in columns)


@each(seeds.blocks(part=0.5))
def test_there_and_back(block):
    def check(seed):
        path = write_file(tach_gen.generate(seed, tach_gen.PLAIN), 'in.bin')
        back = converted(converted(path, 'rbt'), 'tach')
        expect_threads(tach.by_thread(dump(path)), tach.by_thread(dump(back)))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.25))
def test_rewriting_and_rotating(block):
    def check(seed):
        path = write_file(tach_gen.generate(seed, tach_gen.PLAIN), 'in.bin')
        first = converted(path, 'rbt')
        want = dump(first)
        again = os.path.join(case.scratch, 'again.rbt')
        os.rename(first, again)
        expect_threads(want, dump(converted(again, 'rbt')))
        # Segments and their clocks begin anew; the rest stays.
        got = dump(converted(again, 'rbt', '--rotate-size', '500'))
        drop = (listing.TID, listing.INTERP)
        listing.expect_same(listing.columns(want, *drop),
                            listing.columns(got, *drop))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.1))
def test_prefixes(block):
    """However short the file is, what it has is right."""
    def check(seed):
        path = write_file(tach_gen.generate(seed, tach_gen.PLAIN), 'in.bin')
        whole = converted(path, 'rbt')
        data, want = read_file(whole), dump(whole)
        rng = random.Random(seed)
        for _ in range(10):
            cut = write_file(data[:rng.randrange(16, len(data) + 1)])
            got = list(listing.expanded(dump(cut)))
            expect(got == list(listing.expanded(want))[:len(got)],
                   'other samples')
    seeds.for_block(block, check)


def test_exact_recovery_keeps_threads():
    parts = []
    for seed in range(3):
        path = write_file(tach_gen.generate(seed, tach_gen.PLAIN), 'in.bin')
        parts.append(read_file(converted(path, 'rbt')))
    damaged = bytearray(b''.join(parts))
    # An event of no known type that is longer than the file.
    middle = len(parts[0]) + 16
    damaged[middle:middle + 4] = b'\xfe\xff\xff\x7f'
    out = os.path.join(case.scratch, 'fixed.rbt')
    bobbin.run('recover', '--exact', '-o', out, write_file(bytes(damaged)),
               ok=(bobbin.PARTIAL,))
    whole = dump(write_file(b''.join(parts), 'whole.rbt'))
    for segment in ('0', '2'):
        listing.expect_same(
            [run for run in whole if run[1][listing.SEGMENT] == segment],
            [run for run in dump(out) if run[1][listing.SEGMENT] == segment])


def test_beginning_survives():
    path = write_file(tach_gen.generate(7, tach_gen.PLAIN), 'in.bin')
    rbt = converted(path, 'rbt')
    meta = [event.values for events in rbt_oracle.segments(read_file(rbt))
            for event in events if event.type == rbt_oracle.METADATA]
    begin = dict(meta).get(b'profiler.t_begin_us')
    info = bobbin.run('info', '--json', converted(rbt, 'tach')).out
    expect(begin is not None and begin in info, 'began at %s: %s', begin,
           info[:300])


def test_joining_formats():
    """Several inputs of different formats into one output."""
    first = write_file(tach_gen.generate(3, tach_gen.PLAIN), 'in.bin')
    second = write_file(rbt_gen.generate(3, rbt_gen.FLAT))
    alone = dump(first), dump(second)
    n_tach = 1 + max(int(f[listing.SEGMENT]) for _, f in alone[0])
    out = os.path.join(case.scratch, 'both.rbt')
    bobbin.run('convert', '-q', '-o', out, first, second)
    expect_threads(alone[0] + listing.shifted(alone[1], n_tach), dump(out))
