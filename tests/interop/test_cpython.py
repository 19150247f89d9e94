"""bobbin and CPython read each other's files.

CPython 3.15 is the first with this format.  $PYTHON names one; otherwise that
of scripts/install-clients.sh, python3.16, python3.15 and python3 are looked for.
Without one only the harness is tested.  What runs inside CPython is in
cpython.py beside this file.
"""
import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import types
from unittest import mock

from oracle import tach_zstd
from support import bobbin, case, clients, fixtures, listing, seeds, tach
from support.bobbin import ROOT
from support.case import Failure, Skip, each, expect, read_file

SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cpython.py')
NAMES = ('python3.16', 'python3.15', 'python3')

# What CPython's reader refuses: its own older layout.
OLD = ('old_encodings', 'old_threads')
LISTED = [n for n in tach.listed_names() if n not in OLD]
# Each with something of its own; small.
VARIED = ('deep', 'encodings', 'ids_status_time', 'locations', 'names',
          'threads64')


# ---- the other side --------------------------------------------------------

@functools.lru_cache(maxsize=None)
def interpreter():
    """(path, has zstd) of a CPython that knows the format, or None."""
    own = os.path.join(clients.HOME, 'pythons', 'usr', 'bin', 'python3.15')
    for name in (os.environ.get('PYTHON'), own) + NAMES:
        path = name and shutil.which(name)
        if path is None:
            continue
        done = subprocess.run([path, SIDE, 'check'], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            return path, done.stdout.endswith(b' zstd\n')
    return None


def given(values):
    """Like each; no tests without the other side."""
    return each(values if interpreter() else ())


def test_found():
    if interpreter() is None:
        raise Skip('no CPython 3.15 or newer (set PYTHON=...)')


class FourArguments:
    """BinaryWriter of a 3.16 of August 2026."""
    def __init__(self, path, period, start, compression=0):
        pass


class SixArguments:
    def __init__(self, path, period, start, compression=0, mode=-1,
                 capture_features=-1):
        self.mode = mode


@each([FourArguments, SixArguments])
def test_the_writer_is_asked_what_it_takes(writer):
    """Versions differ in the arguments of their writer."""
    inside = types.ModuleType('_remote_debugging')
    inside.BinaryWriter = writer
    spec = importlib.util.spec_from_file_location('inside_cpython', SIDE)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, _remote_debugging=inside):
        spec.loader.exec_module(module)
    extra = {'mode': 3, 'capture_features': 5}
    made, taken = module.open_writer('x', 100, 1, 0, extra)
    expect(isinstance(made, writer), '%r', made)
    expect(taken == (extra if writer is SixArguments else {}), '%r', taken)
    expect(getattr(made, 'mode', None) in (None, 3), '%r', vars(made))


def python(*args):
    """Standard output of that CPython."""
    path, _ = interpreter()
    done = subprocess.run((path,) + args, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=bobbin.TIMEOUT, cwd=case.scratch)
    if done.returncode != 0:
        said = done.stderr.decode('utf-8', 'replace').strip()
        raise Failure('%s %s: exit code %d: %s' % (
            path, ' '.join(args), done.returncode, said.split('\n')[-1]))
    return done.stdout


def side(*args):
    return python(SIDE, *args)


def cpython_reads(path):
    return listing.parse(side('list', path))


def cpython_info(path):
    return json.loads(side('info', path))


def cpython_writes(kind, seed, compression):
    """(path, runs in the order of writing) of a random profile."""
    path = scratch('cpython.bin')
    return path, listing.parse(side('write', str(seed), kind, compression,
                                    path))


def random_kinds(*kinds, part=1 / 20):
    """Profiles to be made by CPython: (name, kind, seed, compression)."""
    has_zstd = interpreter() and interpreter()[1]
    count = max(1, int(seeds.COUNT * part))
    for kind in kinds:
        for seed in range(seeds.FIRST, seeds.FIRST + count):
            yield '%s-%d' % (kind, seed), kind, seed, \
                'zstd' if has_zstd and seed % 2 else 'none'


def scratch(name):
    return os.path.join(case.scratch, name)


# ---- comparing -------------------------------------------------------------

def bobbin_reads(path):
    return listing.parse(bobbin.run('dump', path).out)


def converted(source, *args, name='bobbin.tach'):
    path = scratch(name)
    bobbin.run('convert', '-q', '-t', 'tach', '-o', path, *args, source)
    return path


def expect_agreement(path):
    """Both must see the same samples in one of bobbin's files."""
    want = bobbin_reads(path)
    listing.expect_same(want, cpython_reads(path), 'samples for CPython')
    expect(cpython_info(path)['sample_count'] == listing.total(want),
           'samples in the header')


def by_thread(runs):
    """A writer may hold runs of a thread back; within it order is kept."""
    return sorted(listing.expanded(runs), key=lambda fields: (
        int(fields[listing.TID]), int(fields[listing.INTERP])))


def expect_written(want, got):
    want, got = by_thread(want), by_thread(got)
    expect(len(want) == len(got), '%d samples, not %d', len(got), len(want))
    for index, (a, b) in enumerate(zip(want, got)):
        expect(a == b, 'sample %d of its thread: want %s, got %s', index,
               listing.brief(a, b), listing.brief(b, a))


def expect_rewritten(path):
    """bobbin must write CPython's file as it is, byte for byte."""
    want = read_file(path)
    got = read_file(converted(path, '--compression', 'none'))
    same = os.path.commonprefix([want, got])
    expect(want == got, 'byte %d of %d is the first of other bytes',
           len(same), len(want))


# ---- CPython reads what bobbin wrote ---------------------------------------

@given(LISTED + list(OLD))
def test_reads_rewritten(name):
    path = converted(tach.path(name))
    expect_written(tach.from_listing(tach.listing_rows(name)),
                   cpython_reads(path))
    expect_agreement(path)


@given(['--compression=none', '--small', '--byte-order=big',
       '--byte-order=little', '--dialect=1b', '--zstd-level=19'])
def test_reads_written_with(option):
    for name in VARIED:
        expect_agreement(converted(tach.path(name), option,
                                   name=name + '.tach'))


@given(fixtures.intact_names())
def test_reads_rbt(name):
    expect_agreement(converted(fixtures.rbt_path(name)))


@given(['rle', 'threads64', 'real_opcodes', 'encodings'])
def test_reads_live(name):
    path = converted(tach.path(name), '--live')
    expect_written(tach.from_listing(tach.listing_rows(name)),
                   cpython_reads(path))


@given([tach.BIG])
def test_reads_zstd_frames(name):
    """What is written live is cut into frames that end, so that a crash loses
    only the last."""
    path = converted(tach.path(name), '--live')
    expect(read_file(path).count(tach_zstd.MAGIC) > 1, 'one zstd frame')
    expect(cpython_collapsed(path) == cpython_collapsed(tach.path(name)),
           'other samples')


# ---- bobbin reads what CPython wrote ---------------------------------------

@given(random_kinds('plain', 'threads', 'odd'))
def test_random_profiles(which):
    path, want = cpython_writes(*which[1:])
    got = bobbin_reads(path)
    expect_written(want, got)
    listing.expect_same(cpython_reads(path), got, 'order of samples')
    oracle, damage = tach.strict(read_file(path))
    expect(damage is None, 'oracle: %s', damage)
    listing.expect_same(oracle, got, 'samples for the oracle')


@given(random_kinds('plain', 'threads'))
def test_rewrites_same_bytes(which):
    """Also mode, capture features and statistics, where CPython knew them."""
    _, kind, seed, _ = which
    path, _ = cpython_writes(kind, seed, 'none')
    expect_rewritten(path)


@given(random_kinds('odd'))
def test_keeps_facts(which):
    """What the header says survives, whatever happens to the samples."""
    path, _ = cpython_writes(*which[1:])
    want, got = cpython_info(path), cpython_info(converted(path))
    for key in ('compression_type', 'string_count', 'frame_count'):
        del want[key], got[key]
    for key, value in want.items():
        expect(got[key] == value, '%s is %s, not %s', key, got[key], value)


# ---- collapsed stacks ------------------------------------------------------

def cpython_collapsed(path):
    out = scratch('cpython.collapsed')
    python('-m', 'profiling.sampling', 'replay', '--collapsed', '-o', out,
           path)
    return read_file(out)


def expect_collapsed(path):
    out = scratch('bobbin.collapsed')
    bobbin.run('replay', '-q', path, '--collapsed', '-o', out)
    want = cpython_collapsed(path).split(b'\n')
    got = read_file(out).split(b'\n')
    for number, (a, b) in enumerate(zip(want, got), 1):
        expect(a == b, 'line %d: want %r, got %r', number, a[-200:], b[-200:])
    expect(len(want) == len(got), '%d lines, not %d', len(got), len(want))


# Not names: bobbin escapes what would break a line or a frame in two.
@given([name for name in LISTED if name != 'names'])
def test_collapsed(name):
    expect_collapsed(tach.path(name))


@given(random_kinds('tame', part=1 / 40))
def test_collapsed_random(which):
    path, _ = cpython_writes(*which[1:])
    expect_collapsed(path)


# ---- a recording -----------------------------------------------------------

WORK = b"""
import time

def busy(n):
    return sum(i * i for i in range(n))

def outer():
    return busy(1000) + busy(10)

end = time.monotonic() + 0.5
while time.monotonic() < end:
    outer()
"""


@given(['none', 'zstd'])
def test_recording(compression):
    script = case.write_file(WORK, 'work.py')
    path = scratch('live.bin')
    try:
        python('-m', 'profiling.sampling', 'run', '--binary', '--compression',
               compression, '-r', '2khz', '-o', path, script)
    except Failure as failure:
        raise Skip('nothing can be recorded here: %s' % failure)
    got = bobbin_reads(path)
    expect(listing.total(got) > 0, 'no samples')
    listing.expect_same(cpython_reads(path), got)
    expect(any('busy' in frame for _, fields in got
               for frame in fields[listing.FRAMES:]), 'no frame of the script')
    expect_collapsed(path)
    if compression == 'none':
        expect_rewritten(path)
