"""The same samples, however the bytes arrive."""
from cli import beside
from oracle import rbt_gen, rbt_oracle, rbt_wire
from oracle.rbt_oracle import METADATA
from support import bobbin, fixtures, listing, outputs, seeds, text
from support.case import each, expect, read_file, write_file

RAW = rbt_gen.WILD._replace(gzip=False)


def dump_file(data):
    return bobbin.run('dump', write_file(data)).out


@each(seeds.blocks(part=0.5))
def test_pipe_is_file(block):
    def check(seed):
        data = rbt_gen.generate(seed)
        piped = bobbin.run('dump', '-', stdin=data).out
        expect(piped == dump_file(data), 'pipe and file differ')
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.25))
def test_trickle_is_file(block):
    """Pieces of 1 to 13 bytes: every event is cut somewhere."""
    def check(seed):
        data = rbt_gen.generate(seed, rbt_gen.SMALL._replace(gzip=True))
        piped = bobbin.run('dump', '-', stdin=data, chunk=1 + seed % 13).out
        expect(piped == dump_file(data), 'trickle and file differ')
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_gzip_is_raw(block):
    def check(seed):
        data = rbt_gen.generate(seed, RAW)
        expect(dump_file(rbt_wire.member(data)) == dump_file(data),
               'compressed and raw differ')
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.5))
def test_concatenation_is_both(block):
    def check(seed):
        one = rbt_gen.generate(seed, RAW)
        two = rbt_gen.generate(seed + 1000000, RAW)
        runs = list(rbt_oracle.runs(one))
        runs += listing.shifted(rbt_oracle.runs(two),
                                len(rbt_oracle.segments(one)))
        listing.expect_same(runs, listing.parse(dump_file(one + two)))
    seeds.for_block(block, check)


@each(seeds.blocks(part=0.25))
def test_several_inputs_are_one(block):
    def check(seed):
        one = rbt_gen.generate(seed, RAW)
        two = rbt_gen.generate(seed + 1000000, RAW)
        joined = bobbin.run('convert', '-t', 'folded',
                            write_file(one + two)).out
        both = bobbin.run('convert', '-t', 'folded',
                          write_file(one, 'one.rbt'),
                          write_file(two, 'two.rbt')).out
        expect(text.folded(both) == text.folded(joined),
               'two files and their concatenation differ')
    seeds.for_block(block, check)


# ---- one thread or many: needs input large enough to be cut up -------------

COPIES = 40


def many_segments():
    """Some megabytes of raw segments, and what folded must say of them.
    Longer runs would add up to more than a count can hold."""
    shape = RAW._replace(max_repeat=1000)
    part = b''.join(rbt_gen.generate(seed, shape) for seed in range(200))
    runs = list(rbt_oracle.runs(part))
    want = text.weights(runs, text.folded_units(part, runs))
    return part * COPIES, {s: n * COPIES for s, n in want.items()}


def test_threads_agree_on_many_segments():
    data, want = many_segments()
    path = write_file(data)
    for threads in ('1', '2', '4', '7'):
        out = bobbin.run('convert', '-t', 'folded', '--threads', threads,
                         path).out
        expect(text.folded(out) == want, '%s threads: wrong weights', threads)


def expect_threads_agree(path, codes=(bobbin.OK,)):
    """Byte for byte, the complaint and the exit code included."""
    first, *others = [
        bobbin.run('convert', '-t', 'folded', '--threads', threads, path,
                   ok=codes)
        for threads in ('1', '2', '4')]
    for other in others:
        expect(other.out == first.out, 'output differs')
        expect(other.err == first.err, 'messages differ: %s / %s',
               first.err, other.err)


def large_trace():
    """5.8 MB in 40 segments."""
    return beside.make_trace('--samples', 3000000, '--segments', 40,
                             '--stacks', 300, '--pids', 3)


@each(['large-1m', 'segmented-rotation', 'gzip-concat', 'corrupt-middle'])
def test_threads_agree_on(name):
    """Behind so much that the file is cut; no fixture is large enough."""
    codes = (bobbin.PARTIAL,) if name in fixtures.DAMAGE else (bobbin.OK,)
    data = read_file(large_trace()) + read_file(fixtures.rbt_path(name))
    expect_threads_agree(write_file(data), codes)


@each(['html', 'flamegraph', 'heatmap', 'heatmap-html', 'callgrind',
       'pstats'])
def test_threads_agree_as(to):
    """Sinks of several threads are joined to one."""
    path = large_trace()
    one, two, three = [outputs.content(to, path, '-j', threads)
                       for threads in '123']
    expect(one == two and one == three, 'other bytes')


# Levels of gzip; 0 stores, so that headers are seen inside of the member.
PACKED = [('packed-raw', (6, None)), ('raw-packed', (None, 6)),
          ('stored', (0,)), ('stored-raw', (0, None)),
          ('raw-stored', (None, 0)), ('raw-packed-raw', (None, 6, None)),
          ('raw-stored-raw', (None, 0, None)), ('members', (0, 0, 6, 0))]


@each(PACKED)
def test_threads_agree_on_packed(which):
    """Behind a gzip member, a segment's offset is none of the file."""
    data = read_file(large_trace())
    expect_threads_agree(write_file(b''.join(
        data if level is None else rbt_wire.member(data, level)
        for level in which[1])))


def test_threads_see_through_magic_in_strings():
    """Segment headers inside of strings are no places to cut."""
    decoy = rbt_wire.header() + rbt_wire.one_frame(b'decoy') \
        + rbt_wire.compact(0) * 50
    segment = rbt_wire.header() + rbt_wire.one_frame(b'real') \
        + b''.join(rbt_wire.string(3 + i, decoy) for i in range(50)) \
        + rbt_wire.compact(0) + rbt_wire.end()
    path = write_file(segment * 400)
    for threads in ('1', '4'):
        out = bobbin.run('convert', '-t', 'folded', '--threads', threads,
                         path).out
        expect(out == b'real /a.php:1 400\n', '%s threads: %r', threads,
               out[:200])


def test_threads_do_not_trust_a_decoy_that_decodes_to_the_end():
    """What defines the stack stands behind all strings, so that a decoder
    which begins inside of one meets nothing wrong up to the end."""
    decoy = rbt_wire.header() + rbt_wire.event(METADATA, b'\0\0')
    strings = b''.join(rbt_wire.string(3 + i, decoy * 20)
                       for i in range(20000))
    path = write_file(rbt_wire.header() + strings
                      + rbt_wire.one_frame(b'real')
                      + rbt_wire.compact(0) * 7 + rbt_wire.end())
    for threads in ('1', '4'):
        out = bobbin.run('convert', '-t', 'folded', '--threads', threads,
                         path).out
        expect(out == b'real /a.php:1 7\n', '%s threads: %r', threads,
               out[:200])


def test_a_growing_file_can_be_read():
    """Any moment of a writer's life is a readable file."""
    data = read_file(fixtures.rbt_path('timestamps'))
    for size in range(499, len(data), 499):
        result = bobbin.run('dump', '-', stdin=data[:size])
        listing.expect_same(rbt_oracle.runs(data[:size]),
                            listing.parse(result.out))
