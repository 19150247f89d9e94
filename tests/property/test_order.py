"""--order time: what the rules say, for odd streams of every kind."""
import random

from oracle import rbt_gen, tach_gen, tach_wire, tach_writer
from support import bobbin, listing, order, seeds, tach
from support.case import each, expect, write_file


def dump(path, *options):
    return listing.parse(bobbin.run('dump', *options, path).out)


@each(seeds.blocks())
def test_rbt(block):
    def check(seed):
        path = write_file(rbt_gen.generate(seed))
        listing.expect_same(order.by_time(dump(path)),
                            dump(path, '--order', 'time'))
    seeds.for_block(block, check)


@each(seeds.blocks())
def test_tach(block):
    def check(seed):
        path = write_file(tach_gen.generate(seed, tach_gen.PLAIN), 'in.bin')
        listing.expect_same(order.by_time(dump(path)),
                            dump(path, '--order', 'time'))
    seeds.for_block(block, check)


@each(tach.listed_names())
def test_fixture(name):
    listing.expect_same(order.by_time(dump(tach.path(name))),
                        dump(tach.path(name), '--order', 'time'))


def test_file_order_is_the_default():
    for name in tach.listed_names():
        expect(bobbin.run('dump', tach.path(name)).out ==
               bobbin.run('dump', '--order', 'file', tach.path(name)).out,
               '%s: --order file says something else', name)


def snapshots(rng):
    """What a profiler gives to its writer: at each moment all threads that
    there are, in the order in which they began; most of them sleep."""
    frames = [tach_wire.Frame(b'f%d.py' % i, b'f%d' % i, (i, i, 0, 1), 255)
              for i in range(4)]
    stacks = {}
    time, out = 1000, []
    for _ in range(rng.randrange(1, 200)):
        time += rng.choice((0, 1, 100, 100, 3000))
        if rng.random() < 0.05 or not stacks:
            stacks[100 + len(stacks)] = [rng.choice(frames)]
        for thread in stacks:
            if rng.random() < 0.1:
                stacks[thread] = [rng.choice(frames)
                                  for _ in range(rng.randrange(1, 5))]
            out.append((thread, 0, time, rng.randrange(4), stacks[thread]))
        # The next snapshot has a time of its own.
        time += 1
    return out


@each(seeds.blocks(part=0.5))
def test_snapshots_come_back_as_they_were_given(block):
    """Runs are written when a stack changes, so that the file has another
    order than the samples had."""
    def check(seed):
        samples = snapshots(random.Random(seed))
        writer = tach_writer.Writer('1b', start=1000, interval=100)
        for sample in samples:
            writer.add(*sample)
        got = dump(write_file(writer.finish(), 'in.bin'), '--order', 'time')
        want = [(1, ['0', '-', str(thread), '0', str(status), str(time), '-'] +
                 ['Y;f%d;f%d.py;%d;%d;0;1;-' % ((f.location[0],) * 4)
                  for f in stack])
                for thread, _, time, status, stack in samples]
        listing.expect_same(want, got)
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_sums_do_not_depend_on_order(block):
    def check(seed):
        path = write_file(rbt_gen.generate(seed))
        plain = bobbin.run('convert', '-q', '-t', 'folded', path).out
        expect(bobbin.run('convert', '-q', '-t', 'folded', '--order', 'time',
                          path).out == plain, 'other weights')
    seeds.for_block(block, check)


def test_damage_comes_after_the_samples_before_it():
    data = rbt_gen.generate(1, rbt_gen.SMALL)
    path = write_file(data + b'no header here')
    plain = bobbin.run('dump', path, ok=(bobbin.FAILED,))
    ordered = bobbin.run('dump', '--order', 'time', path,
                         ok=(bobbin.FAILED,))
    listing.expect_same(order.by_time(listing.parse(plain.out)),
                        listing.parse(ordered.out))
    expect(plain.err == ordered.err, 'another message: %s', ordered.err)
