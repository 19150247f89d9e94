#!/usr/bin/env python3
"""Speed and memory, as a table of ratios to limits of the same machine.

    bench/run.py [--build DIR] [--quick]     (or: make bench)

Rates vary from machine to machine and from minute to minute; what is worth
comparing is the last column. Instructions come from valgrind's callgrind and
do not vary. docs/benchmarks.md explains each line and keeps one run.
"""
import argparse
import gzip
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LARGE = os.path.join(ROOT, 'tests', 'data', 'rbt', 'large-1m.rbt')
STREAMS = os.path.join(ROOT, 'tests', 'data', 'tach', 'bench')

# What reli 0.12 needed for the same file on PHP 8.2, on a machine like the
# one these tables come from: 60 to 91 thousand samples a second to folded, 47
# thousand to pprof.
RELI_FOLDED = 91e3
RELI_PPROF = 47e3
# The same for its writer from interned traces: 35 to 40 thousand.
RELI_WRITE = 40e3
# What a frame of zstd begins with.
ZSTD_MAGIC = b'\x28\xb5\x2f\xfd'


def run(*argv, **kwargs):
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **kwargs).stdout.decode()


def best(rounds, action):
    """Smallest wall time of several rounds: the least disturbed one."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def unpack_time(path, scratch):
    """What `zstd -d` takes for the samples of a packed TACH file, which lie
    between its header and its strings; None without that program, or when they
    are not packed."""
    if not shutil.which('zstd'):
        return None
    with open(path, 'rb') as file:
        data = file.read()
    if data[64:68] != ZSTD_MAGIC:
        return None
    with open(scratch, 'wb') as file:
        file.write(data[64:struct.unpack_from('<Q', data, 40)[0]])
    return best(10, lambda: run('zstd', '-qdfo', os.devnull, scratch))


def write_time(size, path):
    """Seconds it takes to write so many bytes to a new file."""
    block = bytes(1 << 20)

    def once():
        os.unlink(path)
        start = time.perf_counter()
        with open(path, 'wb', buffering=0) as f:
            for at in range(0, size, len(block)):
                f.write(block[:size - at])
        return time.perf_counter() - start

    return min(once() for _ in range(5))


def copy_rate():
    """Bytes a second that one core copies in memory: the physical limit."""
    block = bytearray(os.urandom(1 << 20) * 64)
    target = bytearray(len(block))

    def copy():
        target[:] = block
    return len(block) / best(10, copy)


class Table:
    def __init__(self):
        print('%-46s %16s  %s' % ('what', 'measured', 'against'))
        print('-' * 100)

    def row(self, what, value, against=''):
        print('%-46s %16s  %s' % (what, value, against))
        sys.stdout.flush()


class Bench:
    def __init__(self, build, quick):
        self.build = build
        self.bobbin = os.path.join(build, 'bobbin')
        self.quick = quick
        self.table = Table()
        self.copy = copy_rate()
        self.tmp = tempfile.mkdtemp(prefix='bobbin-bench-')
        self.table.row('copying in memory, one core',
                       '%.1f GB/s' % (self.copy / 1e9), 'the limit below')

    def tool(self, name):
        return os.path.join(self.build, 'bench', name)

    def path(self, name):
        return os.path.join(self.tmp, name)

    def decode(self, stacks, mean, samples, how):
        out = run(self.tool('bench_decode'), str(stacks), str(mean),
                  str(samples), how)
        n, size, rate = re.match(r'(\d+) samples (\d+) bytes ([\d.]+)',
                                 out).groups()
        rate = float(rate) * 1e6
        return rate, int(size) / int(n) * rate / self.copy

    def instructions(self, stacks, samples):
        """Instructions of bob_next for each sample. The difference between
        two lengths leaves the definitions out."""
        def collected(n):
            done = subprocess.run(
                ['valgrind', '--tool=callgrind',
                 '--callgrind-out-file=/dev/null',
                 '--toggle-collect=bob_next', self.tool('bench_decode'),
                 str(stacks), '1', str(n), 'want', '1'],
                check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            return int(re.search(rb'Collected : (\d+)',
                                 done.stderr).group(1))
        return (collected(2 * samples) - collected(samples)) / samples

    def decoding(self):
        n = 2000000 if self.quick else 20000000
        for stacks, mean, how, name in (
                (100, 1, 'want', 'decode to weights, 100 stacks'),
                (400, 1, 'want', 'decode to weights, 400 stacks'),
                (2000, 1, 'want', 'decode to weights, 2000 stacks'),
                (400, 20, 'want', 'decode to weights, runs of 20'),
                (400, 1, 'order', 'decode in order, 400 stacks'),
                (400, 20, 'order', 'decode in order, runs of 20')):
            rate, share = self.decode(stacks, mean, n * mean // 2 + n, how)
            self.table.row(name, '%.0f M samples/s' % (rate / 1e6),
                           '%.2f of copying the bytes' % share)
        if shutil.which('valgrind') is None:
            self.table.row('instructions for a compact sample', '-',
                           'skipped: no valgrind')
            return
        for stacks in (100, 400, 2000):
            self.table.row('instructions for a compact sample, %d stacks'
                           % stacks, '%.1f' % self.instructions(
                               stacks, 200000), 'goal: at most 12')

    def large(self, target, reli):
        """The whole command on reli's own large file; seconds and bytes."""
        out = self.path('large.' + target)

        def convert():
            if os.path.exists(out):
                os.unlink(out)
            run(self.bobbin, 'convert', '-q', '--threads', '1', '-t',
                target, '-o', out, LARGE)
        spent = best(5 if self.quick else 20, convert)
        rate = 1e6 / spent
        self.table.row('large-1m.rbt to %s, whole command' % target,
                       '%.1f M samples/s' % (rate / 1e6),
                       '%.0f times reli (%.0f k/s)' % (rate / reli,
                                                       reli / 1e3))
        return spent, os.path.getsize(out)

    def against_reli(self):
        spent, size = self.large('folded', RELI_FOLDED)
        self.table.row('  the same, output bytes',
                       '%.0f MB/s' % (size / spent / 1e6),
                       '%.2f of copying' % (size / spent / self.copy))
        self.large('pprof', RELI_PPROF)

    def parallel(self):
        source = self.path('many.rbt')
        with open(LARGE, 'rb') as f:
            segment = f.read()
        copies = 20 if self.quick else 100
        with open(source, 'wb') as f:
            for _ in range(copies):
                f.write(segment)

        def convert(threads):
            return lambda: run(self.bobbin, 'convert', '-q', '--threads',
                               threads, '-t', 'folded', '-o', '/dev/null',
                               source)
        rounds = 3 if self.quick else 7
        one, two = best(rounds, convert('1')), best(rounds, convert('2'))
        self.table.row('large-1m.rbt %d times over, one thread to two'
                       % copies,
                       '%.2f times' % (one / two),
                       'limit 2.00; %d processors' % os.cpu_count())

    def writing(self):
        out = run(self.tool('bench_write'), '5' if self.quick else '50')
        for line in out.splitlines():
            name, rate, size, per = re.match(
                r'(.+?)\s{2,}([\d.]+) M samples/s\s+([\d.]+) bytes/sample'
                r'\s+\d+ writes of (\d+)', line).groups()
            against = '%s bytes a sample, %s a write(2)' % (size, per)
            if name.endswith('runs of 1'):
                against = '%.0f times reli (40 k/s); ' % (
                    float(rate) * 1e6 / RELI_WRITE) + against
            self.table.row(name, rate + ' M samples/s', against)

    def start(self):
        null = best(50, lambda: run('true'))
        spent = best(50, lambda: run(self.bobbin, '--version'))
        self.table.row('start-up', '%.1f ms' % (spent * 1e3),
                       '%.1f ms more than true(1)' % ((spent - null) * 1e3))

    def memory(self):
        source = self.path('billion.rbt')
        n = 10 ** 8 if self.quick else 10 ** 9
        with open(source, 'wb') as f:
            subprocess.run([os.path.join(self.build, 'tools', 'make-trace'),
                            '--samples', str(n), '--stacks', '2000',
                            '--run-mean', '20'], check=True, stdout=f)
        for target in ('folded', 'rbt'):
            pid = os.fork()
            if pid == 0:
                os.execv(self.bobbin, [self.bobbin, 'convert', '-q', '-t',
                                       target, '-o', '/dev/null', source])
            _, status, usage = os.wait4(pid, 0)
            if status != 0:
                raise SystemExit('convert to %s failed' % target)
            self.table.row('%.0e samples to %s, resident memory'
                           % (n, target), '%.1f MiB'
                           % (usage.ru_maxrss / 1024),
                           '%.0f MB of input, %.2f s'
                           % (os.path.getsize(source) / 1e6,
                              usage.ru_utime + usage.ru_stime))

    def spend(self, *argv):
        """Processor seconds and resident MiB of one command."""
        pid = os.fork()
        if pid == 0:
            os.execv(argv[0], argv)
        _, status, usage = os.wait4(pid, 0)
        if status != 0:
            raise SystemExit('%s failed' % ' '.join(argv))
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def outputs(self):
        """Every target from the same trace, to nowhere."""
        source = self.path('outputs.rbt')
        n = 10 ** 6 if self.quick else 10 ** 7
        with open(source, 'wb') as f:
            subprocess.run([os.path.join(self.build, 'tools', 'make-trace'),
                            '--samples', str(n), '--stacks', '5000',
                            '--run-mean', '2'], check=True, stdout=f)
        for row in run(self.bobbin, 'formats', '--json').splitlines():
            name = json.loads(row)['name']
            if not json.loads(row)['can_write']:
                continue
            spent, memory = self.spend(self.bobbin, 'convert', '-q',
                                       '--threads', '1', '--max-output',
                                       'none', '-t', name, '-o', '/dev/null',
                                       source)
            self.table.row('%.0e samples to %s' % (n, name),
                           '%.2f s' % spent, '%.1f M samples/s, %.0f MiB'
                           % (n / spent / 1e6, memory))

    def explore(self):
        """The explorer's answers, drawn but not shown."""
        source = self.path('explore.rbt')
        n = 10 ** 6 if self.quick else 10 ** 7
        with open(source, 'wb') as f:
            subprocess.run([os.path.join(self.build, 'tools', 'make-trace'),
                            '--samples', str(n), '--stacks', '50000',
                            '--pids', '4', '--times'], check=True, stdout=f)
        for row in run(self.tool('bench_explore'), source).splitlines():
            name, spent = row.split('\t')
            self.table.row('explore %.0e samples: %s' % (n, name),
                           spent + ' ms', 'goal: below %s' % (
                               '1000 ms' if name == 'open' else '50 ms'))

    def packing(self):
        packed = self.path('packed.rbt.gz')
        run(self.bobbin, 'convert', '-q', '--compress', '-o', packed, LARGE)
        raw = self.path('raw.rbt')
        run(self.bobbin, 'convert', '-q', '-o', raw, LARGE)
        sizes = [os.path.getsize(p) for p in (LARGE, raw, packed)]
        self.table.row('large-1m.rbt written anew', '%d bytes' % sizes[1],
                       '%.3f of reli\'s file' % (sizes[1] / sizes[0]))
        with open(LARGE, 'rb') as f:
            zlib = len(gzip.compress(f.read(), 6))
        self.table.row('  with --compress', '%d bytes' % sizes[2],
                       '%.3f of gzip -6 of reli\'s file' % (sizes[2] / zlib))

    def cpython(self, name):
        """{what: samples a second} of CPython's own TACH code on one of the
        streams, or None when $PYTHON does not have it."""
        done = subprocess.run(
            [os.environ.get('PYTHON', 'python3'),
             os.path.join(HERE, 'peer_cpython.py'),
             os.path.join(STREAMS, 'out_%s_1.bin' % name),
             '1' if self.quick else '3'],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            return None
        rows = (line.split() for line in done.stdout.decode().splitlines())
        return {what: float(rate) for what, rate in rows}

    def against(self, peer, what, rate):
        """How many times CPython, when it was measured."""
        if not peer:
            return ''
        return '; %.0f times CPython (%.2f M/s)' % (rate / peer[what],
                                                    peer[what] / 1e6)

    def tach_read(self, path):
        out = run(self.tool('bench_tach_read'), path,
                  '5' if self.quick else '40')
        samples, records, rate, per = re.match(
            r'(\d+) samples (\d+) records \d+ bytes ([\d.]+) M samples/s '
            r'([\d.]+) M records/s', out).groups()
        zstd = re.search(r'([\d.]+) times zstd', out)
        return (int(samples), float(rate) * 1e6, float(per) * 1e6,
                zstd and float(zstd.group(1)))

    def tach(self):
        for name in ('pr_mix', 'low_rle'):
            packed = os.path.join(STREAMS, 'out_%s_1.bin' % name)
            plain = self.path(name + '.bin')
            run(self.bobbin, 'convert', '-q', '-t', 'tach', '--compression',
                'none', '-o', plain, packed)
            peer = self.cpython(name)
            if peer is None:
                self.table.row('CPython beside us', '-', 'skipped: no '
                               'CPython 3.15 or newer (set PYTHON=...)')
            self.tach_reading(name, plain, packed, peer)
            self.tach_writing(name, packed, peer)
            self.tach_sizes(name, packed)

    def tach_reading(self, name, plain, packed, peer):
        samples, rate, records, _ = self.tach_read(plain)
        share = os.path.getsize(plain) / samples * rate / self.copy
        self.table.row('TACH %s to weights' % name,
                       '%.1f M samples/s' % (rate / 1e6),
                       '%.1f M records/s; %.2f of copying the bytes'
                       % (records / 1e6, share))
        samples, rate, _, zstd = self.tach_read(packed)
        self.table.row('  packed', '%.1f M samples/s' % (rate / 1e6),
                       '%.2f times the time of zstd alone' % zstd +
                       self.against(peer, 'read', rate))
        fold = ('convert', '-q', '-t', 'folded', '-o', os.devnull)
        self.tach_replay('to folded, without CPython\'s start', 'collapsed',
                         samples, peer, *fold, packed)
        if peer:
            for what, path in (('', plain), ('packed ', packed)):
                self.tach_replay('%sto folded, both as commands' % what,
                                 'collapsed', samples,
                                 self.cpython_command(path, samples), *fold,
                                 path)
        if name == 'pr_mix':
            self.tach_long(packed, samples, peer)
        for what in ('collapsed', 'gecko'):
            self.tach_replay('replay --%s, to a new file' % what, what,
                             samples, peer, 'replay', '-q', '--' + what,
                             '-o', self.path('out.' + what), packed)

    def tach_long(self, packed, samples, peer):
        """Ten times as many samples in the same stacks, so that a command is
        more than its start and its text; CPython as a command too."""
        long = self.path('long.bin')
        run(self.bobbin, 'convert', '-q', '-t', 'tach', '-o', long,
            *[packed] * 10)
        self.tach_replay('ten times over to folded', 'collapsed',
                         10 * samples, peer and self.cpython_command(
                             long, 10 * samples), 'convert', '-q', '-t',
                         'folded', '-o', os.devnull, long)

    def cpython_command(self, path, samples):
        """The rate of CPython's replay as its users start it."""
        spent = best(2, lambda: run(
            os.environ.get('PYTHON', 'python3'), '-m', 'profiling.sampling',
            'replay', '--collapsed', '-o', self.path('peer.txt'), path))
        return {'collapsed': samples / spent}

    def tach_replay(self, row, what, samples, peer, *command):
        out = command[command.index('-o') + 1]

        def once():
            if out != os.devnull and os.path.exists(out):
                os.unlink(out)
            start = time.perf_counter()
            run(self.bobbin, *command)
            return time.perf_counter() - start

        rate = samples / min(once() for _ in range(3 if self.quick else 10))
        limit = ''
        if out == os.devnull:
            unpack = unpack_time(command[-1], self.path('samples.zst'))
            if unpack:
                limit = '; %.1f times `zstd -d`' % (samples / rate / unpack)
        else:
            size = os.path.getsize(out)
            limit = '; %.1f times writing the %.0f MB' % (
                samples / rate / write_time(size, out), size / 1e6)
        self.table.row('  ' + row, '%.2f M samples/s' % (rate / 1e6),
                       (self.against(peer, what, rate) + limit)[2:])

    def tach_writing(self, name, packed, peer):
        for line in run(self.tool('bench_tach_write'), packed,
                        '2' if self.quick else '10').splitlines():
            kind, rate, size = re.search(
                r'(none|zstd)\s+([\d.]+) M samples/s\s+([\d.]+)',
                line).groups()
            what = 'write' if kind == 'none' else 'write zstd'
            self.table.row('  %s' % what, rate + ' M samples/s',
                           '%s bytes a sample' % size +
                           self.against(peer, what.replace(' ', '-'),
                                        float(rate) * 1e6))

    def tach_sizes(self, name, packed):
        small = self.path('small.bin')
        run(self.bobbin, 'convert', '-q', '-t', 'tach', '--small', '-o',
            small, packed)
        self.table.row('  --small', '%d bytes' % os.path.getsize(small),
                       '%.3f of CPython\'s' % (os.path.getsize(small) /
                                               os.path.getsize(packed)))

    def close(self):
        shutil.rmtree(self.tmp)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'))
    parser.add_argument('--quick', action='store_true')
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    bench = Bench(args.build, args.quick)
    try:
        for part in (bench.decoding, bench.against_reli, bench.parallel,
                     bench.writing, bench.packing, bench.start,
                     bench.memory, bench.outputs, bench.explore,
                     bench.tach):
            part()
    finally:
        bench.close()


if __name__ == '__main__':
    main()
