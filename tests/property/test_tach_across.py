"""TACH to .rbt and back: what both can carry survives."""
import os

from oracle import rbt_oracle, tach_gen, tach_oracle
from support import bobbin, case, listing, seeds, tach
from support.case import each, expect, read_file, write_file

# Status of samples of which nothing is known, and what stands for a line.
UNKNOWN = '4'


def converted(path, name, *options):
    out = os.path.join(case.scratch, name)
    bobbin.run('convert', '-o', out, *options, path)
    return out


def carried(runs):
    """The samples without status and columns."""
    out = []
    for count, fields in runs:
        head = fields[:listing.FRAMES]
        head[listing.STATUS] = UNKNOWN
        out.append((count, head + [
            ';'.join(token.split(';')[:4] + token.split(';')[-1:])
            for token in fields[listing.FRAMES:]]))
    return out


def expect_round_trip(path):
    data = read_file(path)
    back = converted(converted(path, 'out.rbt'), 'out.tach', '--deep')
    got, damage = tach.strict(read_file(back))
    expect(damage is None, 'damage: %s', damage)
    listing.expect_same(tach.by_thread(carried(tach_oracle.runs(data))),
                        tach.by_thread(carried(got)))
    before, after = tach_oracle.Profile(data), tach_oracle.Profile(
        read_file(back))
    for field in ('python', 'interval', 'samples', 'mode'):
        got, want = getattr(after.head, field), getattr(before.head, field)
        expect(got == want, '%s %s, not %s', field, got, want)
    if before.head.start:
        expect(after.head.start == before.head.start, 'start %d, not %d',
               after.head.start, before.head.start)


@each([name for name in tach.listed_names()])
def test_round_trip(name):
    expect_round_trip(tach.path(name))


@each(['stats_extension', 'reserved_nonzero'])
def test_mode_and_statistics(name):
    path = tach.corrupt_path(name)
    expect_round_trip(path)
    back = converted(converted(path, 'out.rbt'), 'out.tach')
    want = tach_oracle.Profile(read_file(path)).statistics
    got = tach_oracle.Profile(read_file(back)).statistics
    expect(got == want, '%s, not %s', got, want)


@each(seeds.blocks(part=0.5))
def test_round_trip_of_generated_files(block):
    def check(seed):
        # .rbt keeps the interval in 32 bits.
        data = bytearray(tach_gen.generate(seed, tach_gen.PLAIN))
        data[20:28] = (1000).to_bytes(8, 'little')
        if tach_oracle.byte_order(data) == '>':
            data[20:28] = (1000).to_bytes(8, 'big')
        expect_round_trip(write_file(bytes(data), 'in.bin'))
    seeds.for_block(block, check)


@each(['real_json', 'real_async', 'tiny'])
def test_rbt_is_proper(name):
    """Read by the oracle of .rbt: names, lines and times."""
    data = read_file(converted(tach.path(name), 'out.rbt'))
    got = []
    for count, fields in rbt_oracle.runs(data):
        frames = [';'.join(['Y'] + token.split(';')[1:4])
                  for token in fields[listing.FRAMES:]]
        got.append((count, [fields[listing.TIME]] + frames))
    profile = tach_oracle.Profile(read_file(tach.path(name)))
    want = []
    for count, fields in tach_oracle.runs(profile.data):
        frames = [';'.join(token.split(';')[:3]
                           + [token.split(';')[3].replace('-', '-1')])
                  for token in fields[listing.FRAMES:]]
        want.append((count, [fields[listing.TIME]] + frames))
    listing.expect_same(differences(want), differences(got), name)


def differences(runs):
    """Times as they pass: .rbt's clock begins anew."""
    out, last = [], None
    for count, fields in runs:
        now = int(fields[0])
        out.append((count, [str(now - (now if last is None else last))]
                    + fields[1:]))
        last = now
    return out


@each(['--strict-plan'])
def test_plan_can_be_an_error(option):
    out = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run('convert', option, '-o', out, tach.path('tiny'),
                        ok=(bobbin.FAILED, bobbin.USAGE, bobbin.GATE))
    expect(b'status' in result.err, 'stderr: %s', result.err[:200])
    expect(not os.path.exists(out), 'written all the same')
