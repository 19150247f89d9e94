"""pprof output, field by field."""
import gzip

from oracle import rbt_wire as wire
from support import bobbin, fixtures, outputs, pprof, tach, truth
from support.case import each, expect, write_file


# Threads with names, one of them not UTF-8.
PERF = (b'my w\xff<b> 101/102 10.000001: cpu-clock:\n\t7f00 foo (/bin/x)\n\n'
        b'other 7/7 10.010001: cpu-clock:\n\t7f00 foo (/bin/x)\n\n')


def profile(source, *args):
    return pprof.Profile(outputs.content('pprof', source, *args))


def named(name):
    return fixtures.rbt_path(name)


@each(['multi-segment', 'native-mixed', 'names-and-lines', 'opcodes',
       'pid-bundled-ts', 'rle-runs'])
def test_stacks(name):
    got = {}
    p = profile(named(name))
    for sample in p.samples:
        key = p.frames(sample)
        old = got.get(key, (0, 0))
        got[key] = old[0] + sample.values[0], old[1] + sample.values[1]
    want = truth.Truth(named(name)).stacks(tuple)
    expect(got == {key: (n, us * 1000) for key, (n, us) in want.items()},
           'other stacks')


@each(['multi-segment', 'native-mixed'])
def test_rules(name):
    p = profile(named(name))
    expect(p.types == [('samples', 'count'), ('wall', 'nanoseconds')],
           'types %s', p.types)
    expect(p.default_type == 'wall', 'default %s', p.default_type)
    expect(p.period_type == ('wall', 'nanoseconds'), 'period type')
    expect(not any(p.system_names), 'a system name')
    expect(len(set(p.functions.values())) == len(p.functions),
           'a function twice')
    places = [tuple(lines) for lines in p.locations.values()]
    expect(len(set(places)) == len(places), 'a location twice')
    expect(len({(tuple(s.locations), tuple(s.labels)) for s in p.samples})
           == len(p.samples), 'a sample twice')


def test_one_gzip_member():
    data = outputs.content('pprof', named('multi-segment'))
    expect(data[:2] == b'\x1f\x8b', 'no gzip')
    expect(data.count(b'\x1f\x8b\x08') == 1, 'several members')
    expect(data[4:8] == bytes(4), 'a time in the head')
    gzip.decompress(data)


@each([('php', named('tiny'), 'php'), ('python', tach.path('tiny'), 'python')])
def test_mapping(which):
    p = profile(which[1])
    expect(p.mapping_files == {1: which[2]}, '%s', p.mapping_files)


def test_times():
    """The clocks of timed segments, the periods of others."""
    p = profile(named('multi-segment'))
    expect(p.duration == (8500 + 2000 + 46250) * 1000,
           'duration %d', p.duration)
    expect(p.period == 10000000, 'period %d', p.period)
    expect(p.time == 0, 'time %d', p.time)
    p = profile(fixtures.PHPSPY + '/laravel-request-info.txt')
    expect(p.time == 1760000000125000000, 'time %d', p.time)
    expect(p.duration == (1000007 + 10000) * 1000, 'duration %d', p.duration)


def test_duration_is_of_the_longest_track():
    body = wire.one_frame()
    source = write_file(wire.header(1000) + body + b''.join(
        wire.pid_sample(0, pid) for pid in (1, 2, 1, 2, 1)) + wire.end())
    expect(profile(source).duration == 3000000, 'duration')


def test_cpu_mode():
    """Samples of processor time are called so."""
    source = write_file(wire.header(1000)
                        + wire.metadata(b'profiler.mode', b'cpu')
                        + wire.one_frame() + wire.compact(0) + wire.end())
    p = profile(source)
    expect(p.types[1] == ('cpu', 'nanoseconds'), '%s', p.types)
    expect(p.default_type == 'cpu', '%s', p.default_type)


def test_comments():
    p = profile(named('metadata'))
    expect(p.comments[0].startswith('made by bobbin '), '%s', p.comments)
    info = truth.Truth(named('metadata')).info
    pairs = ['%s: %s' % (m['key'], m['value'])
             for s in info['segments'] for m in s['metadata']]
    expect(set(p.comments[1:]) <= set(pairs) and len(p.comments) > 1,
           '%s', p.comments)


def labels(p):
    return {label for sample in p.samples for label in sample.labels}


def test_labels_of_threads():
    got = labels(profile(tach.path('threads64')))
    tids = {e.track.tid for e in truth.Truth(tach.path('threads64')).entries}
    expect({v % (1 << 64) for k, v in got if k == 'tid'} == tids, '%s', got)
    expect({v for k, v in got if k == 'thread'} == set(map(str, tids)),
           '%s', got)


def test_labels_of_named_threads():
    got = labels(profile(write_file(PERF, 'in.perf'), '-f', 'perf'))
    expect({v for k, v in got if k == 'thread'} == {'my w\ufffd<b>', 'other'},
           '%s', got)
    expect({v for k, v in got if k == 'pid'} == {101, 7}, '%s', got)


def annotated():
    return write_file(b''.join(
        [wire.header(1000), wire.one_frame()]
        + [wire.string(10 + i, text) for i, text in enumerate(
            (b'route', b'/a', b'uri', b'/a?1', b'/b'))]
        + [wire.compact(0), wire.annotation((10, 11), (12, 13)),
           wire.compact(0), wire.annotation((10, 14), (12, 13)),
           wire.compact(0), wire.annotation((12, 13)), wire.end()]))


def test_labels_are_chosen():
    source = annotated()
    expect(labels(profile(source)) == {('route', '/a'), ('route', '/b')},
           'route alone')
    expect(len(profile(source).samples) == 3, 'samples by route')
    expect(labels(profile(source, '--labels', '')) == set(), 'none')
    expect(len(profile(source, '--labels', '').samples) == 1, 'one sample')
    expect(labels(profile(source, '--labels', 'uri,route')) ==
           {('uri', '/a?1'), ('route', '/a'), ('route', '/b')}, 'both')


def test_suffixes():
    for suffix in ('.pb.gz', '.pprof', '.pprof.gz'):
        path = outputs.converted('pprof', named('tiny'), name='p' + suffix)
        other = path + suffix
        bobbin.run('convert', '-q', '-o', other, named('tiny'))
        with open(path, 'rb') as a, open(other, 'rb') as b:
            expect(a.read() == b.read(), '%s: packed twice?', suffix)
