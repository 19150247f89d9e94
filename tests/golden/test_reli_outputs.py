"""Outputs beside those that reli's own converters made of the same files.

reli knows functions, files, lines and numbers of samples; in all of them
bobbin must agree.  Where it differs on purpose, docs/errata.md says so and the
code below takes the difference back: empty and broken names, lines that are
not known, recursion and empty stacks in call graphs, what periods weigh.
"""
import collections
import gzip
import json
import os
import re

from support import callgrind, fixtures, outputs, pprof, text, truth
from support.case import each, expect, read_file

RECORDED = ['multi-segment', 'names-and-lines', 'native-mixed', 'tiny',
            'utf8-and-binary']


def recorded(name, file):
    return read_file(os.path.join(fixtures.beside(name, '.out'), file))


def place(name, file, line):
    """-1 and 0 are reli's words for a line that is not known."""
    return name, file, max(line, 0)


def expect_same(got, want, what):
    for key in set(got) | set(want):
        expect(got.get(key) == want.get(key), '%s %r: %r, not %r', what, key,
               got.get(key), want.get(key))


# ---- speedscope ------------------------------------------------------------

def speedscope_stacks(file):
    """Stacks of the first profile, root first, each with its weight.  Both
    put U+FFFD for what is not UTF-8, but not equally many of them."""
    def mended(text):
        return re.sub('\ufffd+', '\ufffd', text)
    frames = [place(mended(f['name']), mended(f.get('file', '')),
                    f.get('line', 0)) for f in file['shared']['frames']]
    profile = file['profiles'][0]
    return [(tuple(frames[i] for i in stack), weight) for stack, weight in
            zip(profile['samples'], profile['weights'])]


def merged(stacks):
    """Equal neighbours as one."""
    result = []
    for stack, weight in stacks:
        if result and result[-1][0] == stack:
            result[-1][1] += weight
        else:
            result.append([stack, weight])
    return result


def sums(stacks):
    found = collections.Counter()
    for stack, weight in stacks:
        found[stack] += weight
    return found


@each(RECORDED)
def test_speedscope(name):
    """The same stacks, also in their order where there is one track; a weight
    is the time that reli's 1 stands for."""
    path = fixtures.rbt_path(name)
    file = json.loads(outputs.content('speedscope', path, '--lines'))
    got = speedscope_stacks(file)
    want = speedscope_stacks(json.loads(recorded(
        name, 'speedscope-substitute.json' if name == 'utf8-and-binary'
        else 'speedscope.json')))
    us = [e.us // e.samples for e in truth.Truth(path).entries
          for _ in range(e.samples)]
    expect(len(us) == len(want), '%d samples, not %d', len(us), len(want))
    want = [(stack, n * period) for (stack, n), period in zip(want, us)]
    expect_same(sums(got), sums(want), 'stack')
    if len(file['profiles']) == 1:
        expect(merged(got) == merged(want), 'another order')
    expect(len(file['profiles']) == 1 or name == 'multi-segment',
           'profiles of %s', name)


# ---- pprof -----------------------------------------------------------------

def recorded_pprof(name):
    """reli writes no mapping, and bytes that are not UTF-8 as they are."""
    top = pprof.message(gzip.decompress(recorded(name, 'pprof.pb.gz')))
    strings = [s.decode('utf-8', 'replace') for s in top[6]]
    functions, locations, stacks = {}, {}, collections.Counter()
    for msg in map(pprof.message, top[5]):
        functions[pprof.one(msg, 1)] = (strings[pprof.one(msg, 2)],
                                        strings[pprof.one(msg, 4)])
    for msg in map(pprof.message, top[4]):
        line = pprof.message(pprof.one(msg, 4))
        locations[pprof.one(msg, 1)] = place(
            *functions[pprof.one(line, 1)], pprof.one(line, 2))
    for msg in map(pprof.message, top[2]):
        ids = pprof.packed(pprof.one(msg, 1, b''))
        count, = pprof.packed(pprof.one(msg, 2))
        stacks[tuple(locations[i] for i in ids)] += count
    return stacks


@each(RECORDED)
def test_pprof(name):
    profile = pprof.Profile(outputs.content('pprof', fixtures.rbt_path(name)))
    got = collections.Counter()
    for sample in profile.samples:
        stack = [line for i in sample.locations
                 for line in profile.locations[i]]
        got[tuple(place(*profile.functions[f], line)
                  for f, line in stack)] += sample.values[0]
    expect_same(got, recorded_pprof(name), 'stack')


# ---- callgrind -------------------------------------------------------------

class Recorded:
    """own: {name: {line: samples}}; calls: {(caller, callee, line): samples}.
    Functions are told apart by name alone; one with a line break in it goes
    on in the next line."""

    def __init__(self, data):
        self.own = collections.defaultdict(collections.Counter)
        self.calls = collections.Counter()
        function = callee = None
        last = ''
        for line in data.decode('utf-8', 'replace').split('\n'):
            cost = re.fullmatch(r'(-?\d+) (\d+)', line)
            if line.startswith('fn='):
                function, callee = line[3:], None
            elif line.startswith('cfn='):
                callee = line[4:]
            elif cost and callee is None:
                self.own[function][max(int(cost[1]), 0)] += int(cost[2])
            elif cost:
                self.calls[function, callee, max(int(cost[1]), 0)] += \
                    int(cost[2])
            elif not re.match('(fl|fn|cfl|cfn|calls)=|$', line):
                if last.startswith('fn='):
                    function += '\n' + line
                elif last.startswith('cfn='):
                    callee += '\n' + line
            last = line


def known_as(name):
    """What reli would have called a function: bobbin names those without a
    name, and escapes what would break a line."""
    return '' if name == '(unnamed)' else text.unescape(
        name.encode()).decode()


@each(RECORDED)
def test_callgrind(name):
    profile = callgrind.Profile(outputs.content('callgrind',
                                                fixtures.rbt_path(name)))
    own = collections.defaultdict(collections.Counter)
    for (function, _), lines in profile.own.items():
        for line, (_, samples) in lines.items():
            own[known_as(function)][line] += samples
    calls = collections.Counter()
    for call in profile.calls:
        if call.caller[0] != '(root)':
            calls[known_as(call.caller[0]), known_as(call.callee[0]),
                  call.line] += call.count
    empty, _ = truth.Truth(fixtures.rbt_path(name)).empty()
    expect(sum(own.pop('(root)', {}).values()) == empty, 'no frames: %d',
           empty)
    want = Recorded(recorded(name, 'callgrind.out'))
    expect_same(own, want.own, 'function')
    expect_same(calls, want.calls, 'call')
