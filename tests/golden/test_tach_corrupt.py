"""Damaged TACH files: bobbin's verdict beside that of CPython's reader."""
import collections
import re

from support import bobbin, listing, tach
from support.case import each, expect, read_file

# Where bobbin judges otherwise, with the number of samples it reads and the
# reason.  Everything else must be as in expected.tsv.
Other = collections.namedtuple('Other', 'code samples reason')
DIFFERENCES = {
    'old_u32_header': Other(
        bobbin.OK, 4, 'a healthy file of dialect 1a, which bobbin reads'),
    'depth_257': Other(
        bobbin.OK, 1, 'the format has no limit of 256 frames'),
    'suffix_over_256': Other(
        bobbin.OK, 2, 'the format has no limit of 256 frames'),
    'pop_push_over_256': Other(
        bobbin.OK, 2, 'the format has no limit of 256 frames'),
    'zstd_skippable_first': Other(
        bobbin.OK, 4, 'skippable frames mean nothing, wherever they are'),
    'zstd_empty_first': Other(
        bobbin.OK, 4, 'an empty frame is a frame'),
    'rle_cut_mid': Other(
        bobbin.FAILED, 2, 'the first sample of the run is whole; CPython '
        'collects equal ones before it hands them out'),
    'zstd_bitflip': Other(
        bobbin.FAILED, 1, 'unpacked as it is read: what came before the '
        'damage is given; CPython unpacks everything first'),
    'zstd_checksum_bad': Other(
        bobbin.FAILED, 4, 'the sum stands behind the data'),
    'zstd_garbage_after': Other(
        bobbin.FAILED, 4, 'the garbage stands behind the data'),
}
# Accepted by both, but the frames are not those of CPython's listing.
READ_OTHERWISE = {
    'suffix_new_0_partial':
        'the description keeps the outermost frames, CPython the innermost',
    'frame_cut_opcode':
        'a byte of the footer is no opcode',
}
# Wrong, though no sample is in doubt: CPython says nothing, bobbin warns.
WARNED = {
    'checksum_nonzero': 'checksum',
    'comp_2': 'compression',
    'footer_size_wrong': 'size|bytes',
    'frame_cut_opcode': 'opcode|frame',
    'nfr_one_more': 'frame',
    'nstr_one_more': 'string',
    'pop_too_many': 'pop|frames',
    'rle_zero': 'REPEAT',
    'str_idx_out_unused': 'string',
    'string_bad_utf8': 'UTF-8',
    'threads_too_many': 'thread',
}
# Odd, but nothing is wrong with them.
SILENT = (
    'good', 'depth_256', 'depth_257', 'full_depth_0', 'old_u32_header',
    'pop_0_push_1', 'pop_all_push_0', 'reserved_nonzero', 'rle_first',
    'stats_extension', 'suffix_first', 'suffix_over_256',
    'u32_varint_10_bytes_small', 'varint_10_bytes_max',
    'varint_overlong_zero', 'zstd_empty_first', 'zstd_good',
    'zstd_skippable_first', 'zstd_skippable_last', 'zstd_two_frames',
    'zstd_two_frames_unknown')

VERDICTS = {verdict.name: verdict for verdict in tach.verdicts()}


def expected(name):
    """(exit code, samples)"""
    if name in DIFFERENCES:
        return DIFFERENCES[name][:2]
    verdict = VERDICTS[name]
    return (bobbin.OK if verdict.stage == 'ok' else bobbin.FAILED,
            verdict.samples)


def strict(name):
    """The result and its runs."""
    result = bobbin.run('dump', tach.corrupt_path(name),
                        ok=(bobbin.OK, bobbin.FAILED))
    return result, listing.parse(result.out)


@each(sorted(VERDICTS))
def test_verdict(name):
    result, runs = strict(name)
    got, want = (result.code, listing.total(runs)), expected(name)
    expect(got == want, 'exit code and samples %s, not %s; stderr: %s', got,
           want, result.err[:300])


@each(name for name in sorted(VERDICTS)
      if VERDICTS[name].stage == 'ok' and name not in READ_OTHERWISE)
def test_listing(name):
    tach.expect_listing(name, strict(name)[1], tach.CORRUPT)


@each(name for name in sorted(VERDICTS)
      if expected(name)[0] == bobbin.FAILED)
def test_error_names_the_place(name):
    """At most one error, with an offset inside the file or at its end."""
    result, _ = strict(name)
    text = result.err.decode('utf-8')
    places = [int(n) for n in re.findall(r'\bbyte (\d+)', text)]
    size = len(read_file(tach.corrupt_path(name)))
    if name == 'zero_bytes':
        return      # nobody can tell what an empty file was to be
    expect(places, 'no place in: %s', text[:300])
    expect(places[0] <= size, 'byte %d of a file of %d', places[0], size)


@each(sorted(WARNED.items()))
def test_complaint_about_what_cpython_lets_pass(item):
    name, word = item
    result, _ = strict(name)
    text = result.err.decode('utf-8')
    expect(result.code == bobbin.OK, 'exit code %d', result.code)
    expect(re.search(word, text), 'nothing about %s: %s', word, text[:300])
    expect(re.search(r'byte \d+', text), 'no place in: %s', text[:300])


@each(SILENT)
def test_nothing_to_complain_about(name):
    result, _ = strict(name)
    expect(not result.err, 'stderr: %s', result.err[:300])


def test_every_verdict_is_explained():
    for name, other in DIFFERENCES.items():
        verdict = VERDICTS[name]
        as_cpython = (bobbin.OK if verdict.stage == 'ok' else bobbin.FAILED,
                      verdict.samples)
        expect(as_cpython != other[:2], '%s is no difference', name)
        expect(other.reason, '%s has no reason', name)


def test_suffix_keeps_the_outermost_frames():
    """As the description has it: shares two of five frames, adds none."""
    _, runs = strict('suffix_new_0_partial')
    before, after = (fields[listing.FRAMES:] for _, fields in runs)
    expect(len(before) == 5 and after == before[-2:],
           'kept %s of %s', after, before)


def test_opcode_that_is_not_there():
    _, runs = strict('frame_cut_opcode')
    tokens = [token for _, fields in runs
              for token in fields[listing.FRAMES:]]
    want = tach.from_listing(tach.listing_rows('frame_cut_opcode',
                                               tach.CORRUPT))
    tokens_of_cpython = [token for _, fields in want
                         for token in fields[listing.FRAMES:]]
    for got, theirs in zip(tokens, tokens_of_cpython):
        expect(got.split(';')[:-1] == theirs.split(';')[:-1], '%s, not %s',
               got, theirs)
    expect(tokens[-1].endswith(';-'), 'opcode in %s', tokens[-1])


def test_deep_stacks_are_whole():
    for name, depth in (('depth_257', 257), ('suffix_over_256', 257),
                        ('pop_push_over_256', 257)):
        _, runs = strict(name)
        got = len(runs[-1][1]) - listing.FRAMES
        expect(got == depth, '%s: %d frames', name, got)


@each(sorted(VERDICTS))
def test_verify(name):
    """Finds fault with what strict reading refuses or warns about, and with
    nothing else."""
    result, _ = strict(name)
    verdict = bobbin.run('verify', tach.corrupt_path(name),
                         ok=(bobbin.OK, bobbin.FAILED, bobbin.GATE,
                             bobbin.PARTIAL))
    clean = verdict.code == bobbin.OK
    expect(clean == (not result.err), 'verify: %d, stderr of dump: %s',
           verdict.code, result.err[:200])
