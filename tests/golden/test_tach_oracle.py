"""The TACH oracle against what CPython's reader saw, so that it can be trusted
where nothing was recorded.  Needs no bobbin."""
import collections

from oracle import tach_gen, tach_oracle
from support import listing, tach
from support.case import each, expect, read_file

KINDS = ('repeat_records', 'full_records', 'suffix_records',
         'pop_push_records')


def test_all_files_are_here():
    expect(len(tach.names()) == 18, '%d files, not 18', len(tach.names()))
    expect(len(tach.verdicts()) == 92, '%d damaged files, not 92',
           len(tach.verdicts()))


@each(tach.listed_names())
def test_reads_what_was_recorded(name):
    runs, damage = tach.strict(read_file(tach.path(name)))
    expect(damage is None, 'damage: %s', damage)
    tach.expect_listing(name, runs)


@each(tach.listed_names())
def test_sees_the_same_records(name):
    profile = tach_oracle.Profile(read_file(tach.path(name)))
    rows = list(tach.listing_rows(name))
    want = tach.facts(rows, 'R')
    count, samples = collections.Counter(), 0
    for record in tach_oracle.records(profile):
        count[KINDS[record.kind]] += 1
        if record.kind == tach_oracle.REPEAT:
            samples += len(record.times)
    got = {kind: str(count[kind]) for kind in KINDS}
    got['repeat_samples'] = str(samples)
    expect(got == want, '%s, not %s', got, want)


@each(tach.listed_names())
def test_header_facts(name):
    profile = tach_oracle.Profile(read_file(tach.path(name)))
    want = tach.facts(tach.listing_rows(name), 'H')
    head = profile.head
    got = {'version': '1', 'python': '%d.%d.%d' % head.python,
           'start_us': str(head.start), 'interval_us': str(head.interval),
           'samples': str(head.samples), 'threads': str(head.threads),
           'strings': str(len(profile.strings)),
           'frames': str(len(profile.frames)),
           'compression': str(head.compression)}
    expect(got == want, '%s, not %s', got, want)
    expect(profile.dialect == ('1a' if name.startswith('old_') else '1b'),
           'dialect %s', profile.dialect)
    expect(profile.order == ('>' if name == 'bigendian' else '<'),
           'byte order %s', profile.order)


def test_reads_a_million_samples():
    runs = tach_oracle.runs(read_file(tach.path(tach.BIG)))
    tach.expect_big_listing('\t'.join([str(count)] + fields)
                            for count, fields in runs)


# The oracle keeps to the description where CPython does not: tables end where
# the next part begins, and SUFFIX shares the outermost frames.
STRICTER = ('frame_cut_opcode', 'nfr_one_more', 'nstr_one_more',
            'suffix_new_0_partial')


@each(verdict for verdict in tach.verdicts() if verdict.stage == 'ok')
def test_reads_what_cpython_accepts(verdict):
    """With the dialect given: wrong tables make none fit."""
    if verdict.name in STRICTER:
        return
    runs, damage = tach.strict(read_file(tach.corrupt_path(verdict.name)),
                               '1b')
    expect(damage is None, 'damage: %s', damage)
    tach.expect_listing(verdict.name, runs, tach.CORRUPT)


@each(verdict for verdict in tach.verdicts() if verdict.stage == 'replay')
def test_stops_where_cpython_does(verdict):
    if 'exceeds capacity 256' in verdict.message \
            and verdict.name != 'depth_huge':
        return          # the format has no such limit
    runs, damage = tach.strict(read_file(tach.corrupt_path(verdict.name)),
                               '1b')
    expect(damage is not None, 'no damage seen')
    # CPython collects equal samples of a run before it hands them out.
    more = 1 if verdict.name == 'rle_cut_mid' else 0
    expect(listing.total(runs) == verdict.samples + more,
           '%d samples, not %d', listing.total(runs), verdict.samples)


# ---- the generator ---------------------------------------------------------

def test_generated_files_are_legal():
    for seed in range(150):
        for shape in (tach_gen.WILD, tach_gen.SMALL, tach_gen.PLAIN):
            data = tach_gen.generate(seed, shape)
            _, damage = tach.strict(data)
            expect(damage is None, 'seed %d: %s', seed, damage)
            footer = tach_oracle.Profile(data).footer
            expect(footer.size == len(data), 'seed %d: size %d', seed,
                   footer.size)


def test_generator_leaves_nothing_out():
    """Every dialect and every odd thing occurs within a few seeds."""
    seen = set()
    for seed in range(150):
        profile = tach_oracle.Profile(tach_gen.generate(seed))
        seen.update([profile.dialect, profile.order,
                     'compression %d' % profile.head.compression])
        if profile.statistics:
            seen.add('statistics')
        new = set()
        for record in tach_oracle.records(profile):
            key = record.thread, record.interpreter
            seen.add(record.kind)
            seen.add('%d frames' % min(len(record.stack), 257))
            if key not in new:
                seen.add('kind %d first' % record.kind)
            new.add(key)
            if record.kind == tach_oracle.REPEAT and not record.times:
                seen.add('repeat nothing')
    want = set(tach_oracle.LAYOUTS) | set(range(4)) | {
        '<', '>', 'compression 0', 'compression 1', 'statistics',
        'repeat nothing', '0 frames', '256 frames', '257 frames'} | {
            'kind %d first' % kind for kind in range(4)}
    expect(want <= seen, 'never generated: %s', want - seen)


# ---- the published description ---------------------------------------------

def test_version_2_by_hand():
    data = tach.tiny_as_described()
    profile = tach_oracle.Profile(read_file(tach.path('tiny')))
    expect(tach.rewritten(profile, 'v2') == data, 'the writer differs')
    runs, damage = tach.strict(data)
    expect(damage is None, 'damage: %s', damage)
    want = list(tach.from_listing(tach.listing_rows('tiny')))
    listing.expect_same(tach.without_places(want), tach.without_places(runs))


# ---- the writer ------------------------------------------------------------

# Files from which not all can be known that their writer was told: columns
# that it does not store, and the order in which threads were first seen.
NOT_REPEATABLE = ('ids_status_time', 'locations')


@each(name for name in tach.listed_names() if name not in NOT_REPEATABLE)
def test_writer_makes_the_bytes_of_cpython(name):
    """Of the samples in file order: runs stand before the record that ended
    them, and so they do again."""
    data = read_file(tach.path(name))
    profile = tach_oracle.Profile(data)
    made = tach.rewritten(profile)
    again = tach_oracle.Profile(made)
    expect(again.packed() == profile.samples()[0], 'the records differ')
    expect(made[again.head.strings:-32] == data[profile.head.strings:-32],
           'the tables differ')
    if profile.head.compression == tach_oracle.RAW:
        expect(made == data, 'header or footer differ')
