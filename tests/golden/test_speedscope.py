"""speedscope output: profiles, weights, and what is merged."""
import json

from oracle import rbt_wire as wire
from support import bobbin, fixtures, outputs, tach, truth
from support.case import expect, write_file


# Threads with names, one of them not UTF-8.
PERF = (b'my w\xff<b> 101/102 10.000001: cpu-clock:\n\t7f00 foo (/bin/x)\n\n'
        b'other 7/7 10.010001: cpu-clock:\n\t7f00 foo (/bin/x)\n\n')


def written(source, *args):
    return json.loads(outputs.content('speedscope', source, *args))


def stacks(file, profile):
    names = [f['name'] for f in file['shared']['frames']]
    return [([names[i] for i in stack], weight) for stack, weight in
            zip(profile['samples'], profile['weights'])]


def trace(*parts):
    """Functions f, g and h; stack 0 is f, 1 is f;g, 2 is f;h."""
    out = [wire.header(1000), wire.string(0, b''), wire.string(1, b'/a.php')]
    for i, name in enumerate((b'f', b'g', b'h')):
        out += [wire.string(2 + i, name), wire.frame(i, 0, 0, 2 + i, 1, i)]
    out += [wire.stack(0, [0]), wire.stack(1, [1, 0]), wire.stack(2, [2, 0])]
    return write_file(b''.join(out + list(parts) + [wire.end()]))


def test_head():
    file = written(fixtures.rbt_path('tiny'))
    expect(file['$schema'] ==
           'https://www.speedscope.app/file-format-schema.json', 'schema')
    expect(file['exporter'].startswith('bobbin@'), 'exporter')
    expect(file['activeProfileIndex'] == 0, 'active profile')


def test_one_profile_of_one_track():
    file = written(trace(wire.compact(0)))
    expect([p['name'] for p in file['profiles']] == ['all samples'],
           '%s', file['profiles'])


def test_order_is_kept_and_neighbours_merged():
    file = written(trace(wire.compact(1), wire.repeat(2), wire.compact(2),
                         wire.compact(1)))
    expect(stacks(file, file['profiles'][0]) ==
           [(['f', 'g'], 3000), (['f', 'h'], 1000), (['f', 'g'], 1000)],
           '%s', file['profiles'])


def test_all_together_first_then_by_samples():
    file = written(trace(wire.pid_sample(1, 7), wire.pid_sample(2, 9),
                         wire.pid_sample(1, 9)))
    profiles = file['profiles']
    expect([p['name'] for p in profiles] == ['all together', 'pid 9',
                                             'pid 7'], '%s', profiles)
    expect(stacks(file, profiles[0]) ==
           [(['f', 'g'], 2000), (['f', 'h'], 1000)], '%s', profiles[0])
    expect([p['endValue'] for p in profiles] == [3000, 2000, 1000],
           '%s', profiles)


def test_thread_names():
    names = [p['name'] for p in
             written(tach.path('real_threads'))['profiles']]
    want = {'thread %d' % e.track.tid
            for e in truth.Truth(tach.path('real_threads')).entries}
    expect(set(names[1:]) == want, '%s', names)


def test_named_threads():
    names = [p['name'] for p in written(write_file(PERF, 'in.perf'), '-f',
                                        'perf')['profiles']]
    expect(names == ['all together', 'pid 101 thread 102 (my w\ufffd<b>)',
                     'pid 7 thread 7 (other)'], '%s', names)


def test_functions_or_lines():
    source = write_file(b''.join(
        [wire.header(1000), wire.one_frame(line=3),
         wire.frame(1, 0, 0, 1, 2, 8), wire.stack(1, [1]),
         wire.compact(0), wire.compact(1), wire.end()]))
    expect(written(source)['shared']['frames'] ==
           [{'name': 'f', 'file': '/a.php'}], 'functions')
    expect(written(source, '--lines')['shared']['frames'] ==
           [{'name': 'f', 'file': '/a.php', 'line': 3},
            {'name': 'f', 'file': '/a.php', 'line': 8}], 'lines')


def test_long_timelines_are_shortened():
    """Above the limit only the order within windows is lost, and said so."""
    n = 300001
    body = b''.join(wire.compact(i % 3) for i in range(n))
    source = trace(body)
    result = bobbin.run('convert', '-t', 'speedscope', source)
    expect(b'timelines were shortened' in result.err, 'nothing said')
    profile, = json.loads(result.out)['profiles']
    expect(3 <= len(profile['samples']) <= 100000, '%d entries',
           len(profile['samples']))
    expect(sum(profile['weights']) == n * 1000, 'weights')
    quiet = bobbin.run('convert', '-t', 'speedscope', trace(body[:2000]))
    expect(b'shortened' not in quiet.err, 'said for a short one')


def test_empty():
    file = written(fixtures.rbt_path('header-only'))
    profile, = file['profiles']
    expect(profile['samples'] == [] and profile['endValue'] == 0,
           '%s', profile)
