"""Generated TACH files written again: byte for byte what the oracle's writer
makes of the same samples, in every dialect and byte order."""
import os
import random

from oracle import tach_gen, tach_oracle
from support import bobbin, case, listing, seeds, tach
from support.case import each, expect, read_file, write_file

ORDERS = {'<': 'little', '>': 'big'}


def converted(data, *options, name='in.bin', target='tach'):
    out = os.path.join(case.scratch, 'out.bin')
    bobbin.run('convert', '-t', target, '-o', out, *options,
               write_file(data, name))
    made = read_file(out)
    os.unlink(out)
    return made


@each(seeds.blocks())
def test_bytes(block):
    def check(seed):
        rng = random.Random(seed)
        data = tach_gen.generate(seed)
        dialect = rng.choice(list(tach_oracle.LAYOUTS))
        order = rng.choice('<>')
        profile = tach_oracle.Profile(data)
        want = tach.rewritten(profile, dialect, order, start=start(profile))
        got = converted(data, '--deep', '--compression', 'none', '--dialect',
                        dialect, '--byte-order', ORDERS[order])
        tach.expect_bytes(want, got)
    seeds.for_block(block, check)


def start(profile):
    """A clock that began at 0 is taken for one whose beginning is not known:
    that is then the time of the first sample."""
    if profile.head.start == 0:
        for record in tach_oracle.records(profile):
            for time, _ in record.times:
                return time
    return profile.head.start


@each(seeds.blocks())
def test_samples(block):
    """With everything left to bobbin: dialect, byte order, compression."""
    def check(seed):
        data = tach_gen.generate(seed, tach_gen.PLAIN)
        got, damage = tach.strict(converted(data))
        expect(damage is None, 'damage: %s', damage)
        listing.expect_same(tach.by_thread(tach_oracle.runs(data)),
                            tach.by_thread(got))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_time_order(block):
    """--order time: all samples, each thread's in their order, and no thread
    ahead of another by more than its own clock goes back."""
    def check(seed):
        data = tach_gen.generate(seed, tach_gen.PLAIN)
        result = bobbin.run('dump', '--order', 'time',
                            write_file(data, 'in.bin'))
        got = listing.parse(result.out)
        want = list(tach_oracle.runs(data))
        expect(sorted(listing.expanded(want))
               == sorted(listing.expanded(got)), 'other samples')
        if monotonic(want):
            listing.expect_same(tach.by_thread(want), tach.by_thread(got))
            times = [int(f[listing.TIME]) for _, f in got]
            expect(times == sorted(times), 'not in the order of time')
    seeds.for_block(block, check)


def monotonic(runs):
    """Whether no thread's clock goes back."""
    last = {}
    for _, fields in runs:
        key, time = tuple(fields[2:4]), int(fields[listing.TIME])
        if last.get(key, 0) > time:
            return False
        last[key] = time
    return True
