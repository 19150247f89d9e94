"""One tiny file per rule of the format, against what the original tool does.

Where bobbin does something else on purpose, DIFFERENT says what and why.
"""
import os

from support import bobbin, fixtures, listing
from support.case import each, expect

# name: (samples of a strict dump, exit code, why)
DIFFERENT = {
    'empty-file': (0, bobbin.FAILED, 'no byte is no trace'),
    'header-10-bytes': (
        0, bobbin.OK, 'a file that ends early is unfinished, not wrong'),
    'truncated-sample': (
        1, bobbin.OK, 'unfinished; the whole sample before the cut counts'),
    'truncated-varint': (
        1, bobbin.OK, 'unfinished; the whole sample before the cut counts'),
    'gzip-cut': (
        0, bobbin.OK, 'an unfinished member is read as far as it goes'),
    'string-negative-length': (
        1, bobbin.FAILED, 'the sample before the error is complete'),
    'segment-end-4-junk': (
        1, bobbin.FAILED, 'the sample before the error is complete'),
    'gzip-then-raw': (
        2, bobbin.OK, 'raw segments may follow a gzip member'),
    'raw-then-gzip': (
        2, bobbin.OK, 'gzip members may follow a raw segment'),
}


def recorded():
    """name -> (strict samples, whether it is an error, recovered samples)"""
    table = {}
    with open(os.path.join(fixtures.EDGE, 'edge.tsv'),
              encoding='utf-8', errors='replace') as file:
        next(file)
        for row in file:
            name, _, strict, error, recovered, _ = row.split('\t')
            table[name] = (int(strict), error != '-', int(recovered))
    return table


def recorded_samples():
    """(name, 'strict' or 'recovered') -> runs"""
    table, runs = {}, None
    with open(os.path.join(fixtures.EDGE, 'edge.samples.txt'),
              encoding='ascii') as file:
        for row in file:
            if row.startswith('## '):
                runs = table[tuple(row[3:].split())] = []
                continue
            segment, pid, time, annotations, *frames = \
                row.rstrip('\n').split('\t')
            runs.append((1, [segment, pid, '-', '-', '-', time, annotations]
                         + frames))
    return table


RECORDED = recorded()
SAMPLES = recorded_samples()


def test_all_edge_cases_are_here():
    expect(len(RECORDED) == 34, '%d edge cases, not 34', len(RECORDED))
    expect(set(DIFFERENT) <= set(RECORDED), 'a difference without a file')


@each(sorted(RECORDED))
def test_strict(name):
    samples, error, _ = RECORDED[name]
    code = bobbin.FAILED if error else bobbin.OK
    if name in DIFFERENT:
        samples, code, _ = DIFFERENT[name]
    result = bobbin.run('dump', fixtures.edge_path(name), ok=(code,))
    got = listing.parse(result.out)
    expect(listing.total(got) == samples, '%d samples, not %d',
           listing.total(got), samples)
    if name not in DIFFERENT and (name, 'strict') in SAMPLES:
        listing.expect_same(SAMPLES[name, 'strict'], got)
    if (name, 'recovered') in SAMPLES:
        listing.expect_prefix(SAMPLES[name, 'recovered'], got)


@each(sorted(RECORDED))
def test_recover(name):
    codes = (bobbin.OK, bobbin.PARTIAL)
    if name == 'empty-file':
        codes = (DIFFERENT[name][1],)
    result = bobbin.run('dump', '--recover', fixtures.edge_path(name),
                        ok=codes)
    got = listing.parse(result.out)
    at_least = RECORDED[name][2]
    expect(listing.total(got) >= at_least, '%d samples, not %d',
           listing.total(got), at_least)
    want = SAMPLES.get((name, 'recovered')) or SAMPLES.get((name, 'strict'))
    if want:
        listing.expect_prefix(want, got)
