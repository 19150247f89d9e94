"""Where the samples of a capture are: each that was taken is in a file, or it
was told why it is not.

    sampled = written + pending + lost by cause

`sampled` is the capture's own count. After the end nothing is pending, and
`written` is what bobbin finds in all files.
"""
import contextlib
import glob
import json
import os
import re

from support import bobbin, listing, phps, targets
from support.case import expect

# Causes by which a sample is lost that was taken; the others are why one was
# not.
CAUSES = ('disk', 'removed', 'memory')

EITHER = (bobbin.OK, bobbin.PARTIAL)


# Stacks that change with each sample, so that each takes some bytes.
PHP = '''function f($n) { return $n > 0 ? f($n - 1) : usleep(300); }
echo "ready\\n";
for ($i = 0; ; $i++) { f($i % 60); }
'''


@contextlib.contextmanager
def worker(mark):
    php = phps.program(phps.find()[0])
    with targets.crowd([[php, '-n', '-r', PHP, mark]]) as children:
        targets.need_permission(children[0].pid)
        yield children[0]


def files(folder):
    """Traces of a folder, unfinished ones too, but not what stands beside
    them."""
    return sorted(path for path in glob.glob(os.path.join(folder, '*'))
                  if os.path.isfile(path) and os.path.getsize(path) > 0 and
                  not path.endswith(('.live', '.defs', '.idx', '.sock',
                                     '.filler')))


def packed(folder):
    """Those whose samples are all in a side file still."""
    return sorted(path[:-5] for path in glob.glob(
        os.path.join(folder, '*.live'))
        if os.path.getsize(path) > 0 and os.path.getsize(path[:-5]) == 0)


def found(paths):
    """Samples that are in files."""
    return sum(listing.total(listing.parse(bobbin.run(
        'dump', '--recover', path, ok=EITHER).out)) for path in paths)


def in_folder(folder):
    return found(files(folder) + packed(folder))


def lost(status):
    return sum(status['lost_by'][cause] for cause in CAUSES)


def check_status(status):
    """While it runs; nothing is in two places or in none."""
    expect(status['sampled'] == status['written'] + status['pending'] +
           lost(status), 'samples are missing: %r', status)


def told(text):
    """What a daemon or a recording says at its end: samples taken, written,
    and those lost by each cause."""
    text = text.decode('utf-8', 'replace')
    counts = re.findall(r'([\d,]+) samples? taken, ([\d,]+)', text)
    expect(len(counts) == 1, 'where samples are is not told once: %s', text)
    taken, written = (int(n.replace(',', '')) for n in counts[0])
    by = dict.fromkeys(CAUSES, 0)
    for line in re.findall(r'samples? lost: (.*)', text):
        for cause, count in re.findall(r'(\w+) (\d+)', line):
            if cause in CAUSES:
                by[cause] += int(count)
    return taken, written, by


def check_end(text, folder):
    """The equation, at the end, exactly."""
    taken, written, by = told(text)
    there = in_folder(folder)
    expect(written == there, '%d samples were said to be written, %d are in '
           'files: %s', written, there, text[-2000:])
    expect(taken == there + sum(by.values()),
           '%d taken, %d in files, lost %r: %s', taken, there, by,
           text[-2000:])
    return taken, written, by


def check_files(folder, by):
    """What files, info and analyze tell of losses is what the log told."""
    paths = files(folder) + packed(folder)
    expect(in_metadata(paths) == by, 'files tell %r, the log %r',
           in_metadata(paths), by)
    shown = sum(json.loads(bobbin.run('info', '--json', path, ok=EITHER).out)
                ['samples_unkept'] for path in paths)
    expect(shown == sum(by.values()), 'info tells %d, the log %r', shown, by)
    report = json.loads(bobbin.run('analyze', '--recover', '--json', *paths,
                                   ok=EITHER).out)
    expect(report['damage']['unkept'] == sum(by.values()),
           'analyze tells %r, the log %r', report['damage'], by)


def in_metadata(paths):
    """Losses that files tell, by cause."""
    sums = dict.fromkeys(CAUSES, 0)
    for path in paths:
        info = json.loads(bobbin.run('info', '--json', path,
                                     ok=EITHER).out)
        for segment in info['segments']:
            for fact in segment['metadata']:
                cause = fact['key'].replace('profiler.lost_', '')
                if cause in CAUSES:
                    sums[cause] += int(fact['value'])
    return sums
