"""Shares of functions that return within microseconds, read from another
processor while they run, against captures that stop the process: no share is
off by more than the stacks that were inferred, and these are counted."""
import collections
import json
import os
import statistics

from support import bobbin, case, listing, load, phps, pythons
from support.case import each, expect

# Slices of each kind, in turn, and how often they are taken: what is wrong is
# wrong each time.
SLICES, TRIES = 6, 3
# Standard errors. A few slices show their spread only roughly, and the largest
# of some thirty differences counts.
WIDTH = 6
PHP_WORK = ['1', '50']
PYTHON_WORK = ['brief', 'linter']


def counts_of(runs):
    """Samples by the function on top, and how many there are."""
    out = collections.Counter()
    for count, fields in runs:
        out[fields[listing.FRAMES].split(';')[1]] += count
    return out


def slice_of(target, *options):
    """Samples by function, and the percentage that was inferred or lost."""
    path = os.path.join(case.scratch, 'out.rbt')
    runs = target.record('-r', '997', '-d', '500ms', *options, to='out.rbt',
                         enough=lambda runs: load.looks(runs) >= 50)
    info = json.loads(bobbin.run('info', '--json', path).out)
    return counts_of(runs), load.looks(runs), info['inferred_percent']


def far(paused, others):
    """By how many points the share of a function differs beyond what chance
    allows; the function."""
    worst = 0, None
    names = {name for counts, _, _ in paused + others for name in counts}
    for name in names:
        error, means = 0, []
        for kind in paused, others:
            shares = [counts[name] / sum(counts.values())
                      for counts, _, _ in kind]
            mean = statistics.mean(shares)
            least = (mean * (1 - mean) + 0.01) * statistics.mean(
                1 / looks for _, looks, _ in kind)
            error += max(statistics.variance(shares), least) / len(kind)
            means.append(mean)
        off = abs(means[0] - means[1]) - WIDTH * error ** 0.5
        worst = max(worst, (100 * off, name))
    return worst


def check(target, *options):
    """Paused captures stand before, between and behind the others."""
    for left in reversed(range(TRIES)):
        kinds = {(): [], options: []}
        for i in range(SLICES):
            for kind in sorted(kinds, reverse=i % 2 == 1):
                how = kind or ('--pause',)
                kinds[kind].append(slice_of(target, *how))
        paused, others = kinds[()], kinds[options]
        told = statistics.mean(percent for _, _, percent in others)
        if far(paused[::2], paused[1::2])[0] > 0:
            continue # the program itself is not the same from slice to slice
        off, name = far(paused, others)
        if off <= told:
            return told
    expect(off <= told, '%s is off by %.1f points beyond chance, but only '
           '%.1f %% are said to be inferred', name, off, told)
    raise case.Skip('the program differs from one paused slice to the next')


@each(['%s %s' % (name, work) for name in phps.find() for work in PHP_WORK])
def test_php_is_off_by_what_was_inferred_at_most(label):
    name, work = label.rsplit(' ', 1)
    with phps.started(name, 'oracle.php', 'run', work) as target:
        told = check(target, '--apart')
    expect(work != '1' or told > 0, 'nothing changes while it is read')


@each(['%s %s' % (name, work) for name in pythons.find()
       for work in PYTHON_WORK])
def test_python_is_off_by_what_was_inferred_at_most(label):
    name, work = label.rsplit(' ', 1)
    with pythons.started(name, 'busy.py', work) as target:
        check(target, '--apart')


@each(['%s --near' % phps.find()[-1], '%s --pause' % phps.find()[-1]])
def test_what_waits_while_it_is_read_needs_no_inference(label):
    name, how = label.rsplit(' ', 1)
    load.need_realtime()
    with phps.started(name, 'oracle.php', 'run', '1') as target:
        _, _, told = min((slice_of(target, how) for _ in range(TRIES)),
                         key=lambda s: s[2])
    expect(told < load.BIAS, '%s %% were inferred', told)
