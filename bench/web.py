#!/usr/bin/env python3
"""How fast the browser shows a trace, as ratios to other viewers.

    bench/web.py [--build DIR] [--quick]     (or: make bench-web)

Opens traces in `bobbin view`, in a page of one file, and the same samples in
speedscope's own page and in the loader of Firefox Profiler (its command line,
which draws nothing), all of them in this run, in Chromium. Times go from the
start of the command, or from the request of the page, until the page has
answered a key; the start of the browser does not count. Frames are the times
from one to the next while the mouse moves; `still` is what this machine does
when nothing moves. docs/benchmarks.md keeps one run.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.append(os.path.join(ROOT, 'tests'))

from run import Table  # noqa: E402
from support import case, clients  # noqa: E402


class Bench:
    def __init__(self, build, quick):
        self.build, self.quick = build, quick
        self.bobbin = os.path.join(build, 'bobbin')
        self.tmp = tempfile.mkdtemp(prefix='bobbin-bench-')
        self.browser = [clients.node(), os.path.join(HERE, 'web.mjs'),
                        clients.playwright(), clients.browser()]
        self.table = Table()

    def trace(self, samples, stacks):
        path = os.path.join(self.tmp, '%d-%d.rbt' % (samples, stacks))
        with open(path, 'wb') as file:
            subprocess.run([os.path.join(self.build, 'tools', 'make-trace'),
                            '--samples', str(samples), '--stacks', str(stacks),
                            '--pids', '4', '--times'], check=True, stdout=file)
        return path

    def convert(self, path, target, name):
        out = os.path.join(self.tmp, name)
        subprocess.run([self.bobbin, 'convert', '-q', '--max-output', 'none',
                        '-t', target, '-o', out, path], check=True)
        return out

    def see(self, *args):
        done = subprocess.run(self.browser + list(args), check=True,
                              stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    def speedscope(self, path):
        """Seconds until its views are there; None without it."""
        try:
            folder = clients.module('speedscope', 'speedscope')
        except case.Skip as why:
            print(why)
            return None
        return self.see('speedscope', folder, self.convert(
            path, 'speedscope', 'a.speedscope.json'))['ready']

    def firefox(self, path):
        """Seconds until its loader has answered; None without it."""
        try:
            folder = clients.module('profiler', '@firefox-devtools/profiler-cli')
        except case.Skip as why:
            print(why)
            return None
        argv = [os.path.join(clients.HOME, 'bin', 'node'),
                os.path.join(folder, 'dist', 'profiler-cli.js')]
        env = dict(os.environ, PROFILER_CLI_SESSION_DIR=self.tmp,
                   PROFILER_CLI_NO_SYMBOLICATE='1')
        gecko = self.convert(path, 'gecko', 'a.json.gz')
        start = time.perf_counter()
        how = dict(env=env, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
        # Loading goes on behind a command that gives up; the question waits.
        subprocess.run(argv + ['load', gecko, '--session', 's'], check=False,
                       **how)
        while subprocess.run(argv + ['profile', 'info', '--session', 's'],
                             check=False, **how).returncode != 0:
            if time.perf_counter() - start > 120:
                print('Firefox Profiler did not load it in two minutes')
                return None
        took = time.perf_counter() - start
        subprocess.run(argv + ['stop', '--session', 's'], check=False, **how)
        return took

    def explorer_kib(self, path):
        """Resident memory of the terminal's explorer with the same file."""
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            tool = os.path.join(self.build, 'bench', 'bench_explore')
            os.execv(tool, [tool, path])
        return os.wait4(pid, 0)[2].ru_maxrss

    def moves(self, what, seen):
        still = seen['moves']['still']
        for name in 'brush', 'zoom', 'pan':
            frame = seen['moves'][name]
            self.table.row(
                '%s: %s, 95 %% of %d frames' % (what, name, frame['n']),
                '%.1f ms' % frame['p95'],
                'longest %.0f ms; still %.1f, %.0f ms; goal 16, 50 ms' %
                (frame['max'], still['p95'], still['max']))

    def inversion(self, what, seen):
        took = seen['invert']
        self.table.row(what, '%.0f ms' % (took['took'] * 1e3),
                       'longest frame meanwhile %.0f ms' % took['max'])

    def server(self):
        n = 10 ** 6 if self.quick else 10 ** 7
        path = self.trace(n, 50000)
        seen = self.see('view', self.bobbin, path)
        name = 'view of %.0e samples in 50,000 stacks' % n
        self.table.row(name, '%.2f s' % seen['ready'],
                       'goal 1.5 s; address after %.2f s' % seen['address'])
        tenth = self.speedscope(self.trace(n // 10, 50000))
        if tenth is not None:
            self.table.row('  speedscope, a tenth of it', '%.1f s' % tenth,
                           '%.0f times as long; goal 20' %
                           (tenth / seen['ready']))
        self.moves('  view', seen)
        self.inversion('  view: invert', seen)
        explorer = self.explorer_kib(path)
        self.table.row('  memory of the server', '%.0f MiB' %
                       (seen['kib'] / 1024), '%.2f of explore\'s; goal 1.20' %
                       (seen['kib'] / explorer))

    def page(self):
        n = 10 ** 5 if self.quick else 10 ** 6
        source = self.trace(n, 20000)
        path = self.convert(source, 'html', 'a.html')
        seen = self.see('page', path)
        self.table.row('page of %.0e samples in 20,000 stacks' % n,
                       '%.2f MB' % (os.path.getsize(path) / 1e6), 'goal 6 MB')
        self.table.row('  until it answers', '%.2f s' % seen['ready'],
                       'goal 1 s')
        for name, took in (('speedscope', self.speedscope(source)),
                           ('Firefox Profiler, loading', self.firefox(source))):
            if took is not None:
                self.table.row('  ' + name, '%.1f s' % took,
                               '%.1f times as long' % (took / seen['ready']))
        self.moves('  page', seen)
        self.inversion('  page: invert', seen)

    def inverting(self):
        n = 30000 if self.quick else 300000
        seen = self.see('view', self.bobbin, self.trace(2 * n, n))
        self.inversion('view: invert %d stacks; goal 300 ms' % n, seen)

    def run(self):
        try:
            self.server()
            self.page()
            self.inverting()
        finally:
            shutil.rmtree(self.tmp)


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--build', default=os.environ.get(
        'BUILD_DIR', os.path.join(ROOT, 'build')))
    args.add_argument('--quick', action='store_true',
                      help='a tenth of the samples')
    args = args.parse_args()
    try:
        Bench(os.path.abspath(args.build), args.quick).run()
    except case.Skip as why:
        sys.exit('bench/web.py: %s' % why)


if __name__ == '__main__':
    main()
