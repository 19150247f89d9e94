"""What an output adds up to, read by a parser of its own format.

`sums` gives (samples, microseconds); None for what the format does not tell.
"""
import json
import marshal
import os

from support import (bobbin, callgrind, case, flame, gecko, pages,
                     perfetto, pprof)
from support.case import expect, read_file


def converted(to, source, *args, name=None):
    """The path of the output, with all samples."""
    path = os.path.join(case.scratch, name or 'out.' + to)
    bobbin.run('convert', '-q', '--idle', '-t', to, '-o', path, *args, source)
    return path


def content(to, source, *args):
    return read_file(converted(to, source, *args))


def of_folded(data):
    return sum(int(line.rpartition(b' ')[2])
               for line in data.split(b'\n')[:-1]), None


def of_pprof(data):
    profile = pprof.Profile(data)
    samples = sum(s.values[0] for s in profile.samples)
    ns = sum(s.values[1] for s in profile.samples)
    expect(ns % 1000 == 0, '%d ns', ns)
    return samples, ns // 1000


def of_speedscope(data):
    file = json.loads(data)
    frames = len(file['shared']['frames'])
    totals = []
    for profile in file['profiles']:
        expect(profile['type'] == 'sampled', 'type %s', profile['type'])
        expect(profile['unit'] == 'microseconds', 'unit %s', profile['unit'])
        expect(len(profile['samples']) == len(profile['weights']),
               '%d stacks, %d weights', len(profile['samples']),
               len(profile['weights']))
        expect(all(0 <= f < frames for s in profile['samples'] for f in s),
               'a frame that is not there')
        totals.append(sum(profile['weights']))
        expect(profile['startValue'] == 0 and
               profile['endValue'] == totals[-1], 'range')
    expect(len(totals) == 1 or totals[0] == sum(totals[1:]),
           'threads have %s', totals)
    return None, totals[0]


def of_callgrind(data):
    profile = callgrind.Profile(data)
    expect(profile.totals() == profile.summary(), 'summary %s, not %s',
           profile.summary(), profile.totals())
    return profile.totals()


def unmarshalled(data):
    """marshal stops at the end of the value; nothing may follow."""
    stats = marshal.loads(data)
    expect(isinstance(stats, dict), 'not a dictionary')
    return stats


def of_pstats(data):
    stats = unmarshalled(data)
    return (sum(row[0] for row in stats.values()),
            round(sum(row[2] for row in stats.values()) * 1e6))


def of_jsonl(data):
    samples = us = period = 0
    lines = [json.loads(line) for line in data.decode('utf-8').split('\n')[:-1]]
    expect(lines[0]['type'] == 'trace' and lines[-1]['type'] == 'end',
           'first %s, last %s', lines[0]['type'], lines[-1]['type'])
    for line in lines:
        if line['type'] == 'segment':
            period = line.get('period_us', 10000)
        elif line['type'] == 'samples':
            samples += line['count']
            us += line['count'] * period
    return samples, us


def of_perfetto(data):
    samples = perfetto.Trace(data).samples
    ns = sum(s.weight for s in samples)
    expect(ns % 1000 == 0, '%d ns', ns)
    return len(samples), ns // 1000


def of_chrome(data):
    """Slices do not tell samples; the totals are beside them."""
    other = json.loads(data)['otherData']
    return int(other['samples']), int(other['time_us'])


def of_flame(data):
    """Its times are those of reports: tests/cli/test_times.py."""
    boxes = flame.weights(data, data['self']).values()
    return sum(samples for samples, _ in boxes), None


def of_html(data):
    """A page carries a trace."""
    trace, = pages.carried(data)
    return of_jsonl(content('jsonl', case.write_file(trace, 'carried.rbt')))


def of_gecko(data):
    threads = gecko.Profile(data).threads
    total = sum(thread.weight() for thread in threads)
    return (total, None) if threads[0].unit == 'samples' else (None, total)


READERS = {
    'folded': of_folded,
    'pprof': of_pprof,
    'speedscope': of_speedscope,
    'callgrind': of_callgrind,
    'pstats': of_pstats,
    'gecko': of_gecko,
    'jsonl': of_jsonl,
    'perfetto': of_perfetto,
    'chrome': of_chrome,
    'flamegraph': lambda data: of_flame(flame.Picture(data).data),
    'html': of_html,
}


def sums(to, data):
    return READERS[to](data)
