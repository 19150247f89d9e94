"""Tolerant reading of damaged TACH files."""
import json
import os
import re

from oracle import tach_oracle, tach_wire as wire, tach_zstd
from support import bobbin, case, listing, tach
from support.case import Skip, each, expect, read_file, write_file

VERDICTS = {verdict.name: verdict for verdict in tach.verdicts()}


def recovered(path, ok=(bobbin.OK, bobbin.PARTIAL)):
    result = bobbin.run('dump', '--recover', path, ok=ok)
    return listing.parse(result.out)


def report(path, ok=(bobbin.OK, bobbin.PARTIAL)):
    """What `bobbin recover` says about the file."""
    out = os.path.join(case.scratch, 'reported.tach')
    result = bobbin.run('recover', '-o', out, path, ok=ok)
    return (result.out + result.err).decode('utf-8')


def good():
    return list(tach.from_listing(tach.listing_rows('good', tach.CORRUPT)))


# Too short for a header: that could be anything.
NOTHING = ('zero_bytes', 'short_header')


@each(name for name in sorted(VERDICTS) if name not in NOTHING)
def test_never_less_than_strict_reading(name):
    path = tach.corrupt_path(name)
    strict = bobbin.run('dump', path, ok=(bobbin.OK, bobbin.FAILED))
    if strict.code == bobbin.OK:
        listing.expect_same(listing.parse(strict.out),
                            recovered(path, ok=(bobbin.OK,)))
    else:
        listing.expect_prefix(listing.parse(strict.out), recovered(path))


@each(name for name in sorted(VERDICTS) if name not in NOTHING)
def test_report(name):
    """Names the place of everything that strict reading stops at."""
    path = tach.corrupt_path(name)
    strict = bobbin.run('dump', path, ok=(bobbin.OK, bobbin.FAILED))
    if strict.code == bobbin.FAILED:
        text = report(path)
        expect(re.search(r'tach: byte \d+', text), 'no place in: %s', text)


@each(NOTHING)
def test_nothing_to_recover(name):
    bobbin.run('recover', '-o', os.path.join(case.scratch, 'out.tach'),
               tach.corrupt_path(name), ok=(bobbin.FAILED,))


@each(name for name in sorted(VERDICTS) if name not in NOTHING)
def test_recover_writes_a_clean_file(name):
    path = tach.corrupt_path(name)
    out = os.path.join(case.scratch, 'out.tach')
    bobbin.run('recover', '-o', out, path, ok=(bobbin.OK, bobbin.PARTIAL))
    got, damage = tach.strict(read_file(out))
    expect(damage is None, 'the recovered file is damaged: %s', damage)
    listing.expect_same(cut_at_256(recovered(path)), got)


def cut_at_256(runs):
    return [(count, fields[:listing.FRAMES + 256]) for count, fields in runs]


# The samples are all there, and so are their names.
@each(['truncated_1', 'truncated_16', 'truncated_32', 'extra_tail',
       'bad_magic', 'version_0', 'version_2', 'version_huge',
       'comp_1_not_zstd', 'frame_off_past_end', 'frame_off_before_64',
       'nstr_huge', 'nfr_huge', 'nstr_one_less', 'nfr_one_less',
       'samples_too_many', 'samples_too_few', 'zstd_cut',
       'zstd_checksum_bad', 'zstd_garbage_after'])
def test_everything_is_found(name):
    listing.expect_same(good(), recovered(tach.corrupt_path(name)), name)


# Only the names of frames are lost.
@each(['str_off_past_end', 'str_off_before_64', 'str_after_frame',
       'str_off_shifted'])
def test_samples_without_names_are_found(name):
    runs = recovered(tach.corrupt_path(name), ok=(bobbin.PARTIAL,))
    expect_nameless(good(), runs)


@each([('threads_too_few', 2), ('rle_cut_mid', 2), ('zstd_bitflip', 1),
       ('str_idx_out', 1), ('frame_lineno_over_u32', 1), ('string_cut', 1),
       ('string_varint_bad', 1)])
def test_number_of_samples(item):
    name, samples = item
    got = listing.total(recovered(tach.corrupt_path(name)))
    expect(got == samples, '%d samples, not %d', got, samples)


def expect_nameless(want, got):
    """The samples of want, with `frame N` for the frame at N of its table."""
    expect(listing.total(got) == listing.total(want), '%d samples, not %d',
           listing.total(got), listing.total(want))
    names = {}
    for fields, nameless in zip(listing.expanded(want),
                                listing.expanded(got)):
        expect(fields[:listing.FRAMES] == nameless[:listing.FRAMES],
               'sample %s, not %s', nameless[:listing.FRAMES],
               fields[:listing.FRAMES])
        expect(len(fields) == len(nameless), 'depths %d and %d',
               len(nameless), len(fields))
        for token, other in zip(fields[listing.FRAMES:],
                                nameless[listing.FRAMES:]):
            expect(re.match(r'Y;frame%20\d+;;-;-;-;-;-$', other),
                   'frame %s', other)
            expect(names.setdefault(other, token) == token,
                   '%s is both %s and %s', other, token, names[other])


def expect_says_names_are_gone(path):
    text = report(path, ok=(bobbin.PARTIAL,))
    expect('name' in text, 'nothing about names: %s', text[:300])


def test_killed_writer():
    """Zero header and no tables: counts, threads and shapes are left."""
    path = tach.corrupt_path('unfinalized')
    expect_says_names_are_gone(path)
    expect_nameless(without_start(good(), 1000),
                    recovered(path, ok=(bobbin.PARTIAL,)))


def without_start(runs, start):
    """Where the clock began was in the header that is lost."""
    out = []
    for count, fields in runs:
        time = (int(fields[listing.TIME]) - start) & tach_oracle.U64
        out.append((count, fields[:listing.TIME] + [str(time)]
                    + fields[listing.TIME + 1:]))
    return out


def test_strict_reading_of_a_killed_writers_file():
    result = bobbin.run('dump', tach.corrupt_path('unfinalized'),
                        ok=(bobbin.FAILED,))
    for word in (b'never finished', b'bobbin recover'):
        expect(word in result.err, 'stderr: %s', result.err[:300])


@each(['real_threads', 'encodings', 'bigendian', 'deep', 'ids_status_time',
       'rle', 'threads64'])
def test_killed_writer_of_a_large_profile(name):
    """What CPython leaves of these when it is killed before the tables."""
    data = read_file(tach.path(name))
    profile = tach_oracle.Profile(data)
    left = bytes(64) + data[64:profile.head.strings]
    path = write_file(left, 'killed.bin')
    expect_says_names_are_gone(path)
    want, _ = tach.strict(data)
    expect_nameless(without_start(want, profile.head.start),
                    recovered(path, ok=(bobbin.PARTIAL,)))


def test_cut_inside_the_samples():
    """The tables are behind the cut, so their names are gone."""
    path = tach.corrupt_path('truncated_half')
    expect_says_names_are_gone(path)
    expect_nameless(good()[:1], recovered(path, ok=(bobbin.PARTIAL,)))


def test_report_of_a_large_loss():
    data = bytearray(read_file(tach.corrupt_path('good')))
    data[28:36] = (1 << 40).to_bytes(8, 'little')
    text = report(write_file(bytes(data), 'in.bin'), ok=(bobbin.PARTIAL,))
    expect('1,099,511,627,772 samples lost' in text, 'report: %s', text)


# ---- behind damage ---------------------------------------------------------

def without_time(runs):
    """Times behind a gap lack what passed in it."""
    return [(count, fields[:listing.TIME] + ['-'] + fields[listing.TIME + 1:])
            for count, fields in runs]


@each([('real_threads', 1), ('real_threads', 3), ('real_threads', 7),
       ('encodings', 4), ('deep', 2)])
def test_goes_on_behind_damage(item):
    """A record's kind is overwritten at one tenth after another.  Everything
    before it stays, and behind it nothing is invented."""
    name, tenth = item
    data = bytearray(read_file(tach.path(name)))
    profile = tach_oracle.Profile(bytes(data))
    starts = [record.start + 64 for record in tach_oracle.records(profile)]
    at = starts[len(starts) * tenth // 10]
    data[at + 12] = 0xee
    before, _ = tach.strict(bytes(data))
    path = write_file(bytes(data), 'in.bin')
    got = recovered(path, ok=(bobbin.PARTIAL,))
    listing.expect_prefix(before, got)
    expect(listing.total(got) > listing.total(before),
           'nothing was found behind the damage')
    truth, _ = tach.strict(read_file(tach.path(name)))
    tach.expect_part_of(tach.by_thread(without_time(got)),
                        tach.by_thread(without_time(truth)), name)
    expect('byte %d' % at in report(path, ok=(bobbin.PARTIAL,)),
           'the report does not name byte %d', at)


def middle_overwritten(name):
    """The file without packing, a tenth of its records overwritten in the
    middle, and how many samples these held."""
    data = tach.rewritten(tach_oracle.Profile(read_file(tach.path(name))))
    profile = tach_oracle.Profile(data)
    starts = [record.start + 64 for record in tach_oracle.records(profile)]
    starts.append(profile.head.strings)
    a = starts[(len(starts) - 1) * 9 // 20]
    b = starts[(len(starts) - 1) * 11 // 20]
    return data, data[:a] + b'\xff' * (b - a) + data[b:], a, b


# Those with enough records for a middle, and more than FULL in them.
@each(['bigendian', 'deep', 'encodings', 'ids_status_time', 'locations',
       'old_encodings', 'old_threads', 'real_async', 'real_json',
       'real_opcodes', 'real_threads', 'threads64'])
def test_a_middle_block_costs_its_own_samples(name):
    """Samples behind it have their inner frames at least, and are as many
    as there were."""
    whole, cut, a, b = middle_overwritten(name)
    if a == b:
        raise Skip('too few records')
    truth = list(tach_oracle.runs(whole))
    before, _ = tach.strict(cut)
    path = write_file(cut, 'in.bin')
    got = recovered(path, ok=(bobbin.PARTIAL,))
    listing.expect_prefix(before, got)
    tach.expect_part_of(tach.by_thread(without_time(got)),
                        tach.by_thread(without_time(truth)), name)
    result = bobbin.run('recover', '--json', '-o',
                        os.path.join(case.scratch, 'out.tach'), path,
                        ok=(bobbin.PARTIAL,))
    said = json.loads(result.out)
    expect(said['samples'] == listing.total(got), 'samples: %s', said)
    expect(said['samples_rootless'] == tach.rootless(got),
           '%d of them without a root: %s', tach.rootless(got), said)
    expect(said['samples'] + said['samples_lost'] == listing.total(truth),
           'samples are missing: %s', said)
    lines = os.path.join(case.scratch, 'out.jsonl')
    bobbin.run('convert', '-q', '--recover', '-t', 'jsonl', '-o', lines, path,
               ok=(bobbin.PARTIAL,))
    gaps = [fact for fact in map(json.loads, case.read_file(
        lines).splitlines()) if fact['type'] == 'gap']
    expect(sum(gap['rootless'] for gap in gaps) == tach.rootless(got),
           'lines: %s', gaps)


def test_goes_on_in_the_next_zstd_frame():
    """Live writers end a frame at every barrier: what a damaged one costs is
    its own samples, and outer frames until threads show a whole stack."""
    first = tach_oracle.Profile(read_file(tach.path('real_threads')))
    records = first.packed()
    cuts = [record.start for record in tach_oracle.records(first)]
    cuts = [cuts[len(cuts) * part // 4] for part in range(4)] + [len(records)]
    frames = [tach_zstd.compress(records[a:b], has_size=False)
              for a, b in zip(cuts, cuts[1:])]
    frames[1] = frames[1][:40] + b'\xff' * 20 + frames[1][60:]
    head = first.head
    tables = first.data[head.strings:-32]
    packed = b''.join(frames)
    data = wire.build('1b', [packed], [tables], [], samples=head.samples,
                      threads=head.threads, start=head.start,
                      compression=tach_oracle.ZSTD,
                      n_strings=len(first.strings),
                      n_frames=len(first.frames))
    data = bytearray(data)
    data[48:56] = (64 + len(packed) + head.frames
                   - head.strings).to_bytes(8, 'little')
    path = write_file(bytes(data), 'in.bin')
    got = recovered(path, ok=(bobbin.PARTIAL,))
    before = listing.parse(bobbin.run('dump', path, ok=(bobbin.FAILED,)).out)
    truth, _ = tach.strict(first.data)
    tach.expect_part_of(tach.by_thread(without_time(got)),
                        tach.by_thread(without_time(truth)), 'real_threads')
    expect(listing.total(got) >= listing.total(before) + 500,
           '%d samples, before the damage %d', listing.total(got),
           listing.total(before))
