#!/usr/bin/env python3
"""Whole programs, paused against unpaused: which functions get another share?

    bench/live_programs.py [--seconds S] [--slices N] [--rate HZ] [PROGRAM]...

Runs linters, test runners, template engines and web frameworks of both languages
in a loop (bench/programs; `scripts/install-clients.sh programs` brings them). Each
is recorded in slices, paused and unpaused in turn, so that what changes with time
changes in both. Then the share of each function, on top of stacks (self) and
anywhere in them (total), is compared.

Samples of a program are not independent, so the interval of a share comes from
how much it differs from slice to slice. How many intervals wide a difference of
chance can be, among all functions, is found by dividing the paused slices into
two halves, again and again, and comparing those: LIMIT is what the largest
difference is below in 19 of 20 such divisions, so that paused against paused
lists nothing. What is beyond it is listed, unless the difference is below the share of
stacks that the unpaused captures say were inferred (INFERRED, docs/truth.md):
IN IT is how many functions are. RAREST is the share, of functions of 1 %, that
would be noticed.

The target runs on the first processor. Paused samples are taken from there too:
the clock of that processor interrupts the target at the moment of the sample. From
elsewhere it runs on for some microseconds until it stops, and stops sooner where
it makes a system call. With --apart unpaused samples are taken from the last
processor: what tears needs the target and the sampler to run at the same time.
Give it two idle processors, or the figures flatter.
"""
import argparse
import collections
import contextlib
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

import peers
from support import apache, case, clients, phps, pythons, targets, web

SCRIPTS = os.path.join(peers.ROOT, 'bench', 'programs')
PROGRAMS = ['lint.py', 'tests.py', 'template.py', 'web.py',
            'lint.php', 'tests.php', 'template.php', 'web.php']
# Modules of PHP that the programs need, with those that come first.
MODULES = ['tokenizer', 'ctype', 'dom', 'xml', 'xmlwriter', 'simplexml',
           'mbstring', 'phar']
# What servers are asked for.
PATHS = ['/show/3/', '/show/8/', '/show/17/', '/data/ab']
HEAD = '%-14s %8s %8s %7s %7s %7s %7s %9s %14s %6s %7s'
ROW = '  %-5s %-46s %8.3f %% %8.3f %% %+6.1f'
DIVISIONS = 200
CPUS = sorted(os.sched_getaffinity(0))
# Functions that were seen less often in both are no matter of statistics.
LEAST = 10

Slice = collections.namedtuple('Slice', 'n self total lost inferred')
Found = collections.namedtuple('Found', 'z kind name paused unpaused')


class Sampler(peers.Bobbin):
    """Functions are told apart by their files."""
    key = staticmethod(lambda frame: (frame[0], os.path.basename(frame[1])))

    def __init__(self, is_php, *options):
        super().__init__('bobbin', is_php, *options)
        self.keep = peers.keeps_all
        if self.stops or '--apart' in options:
            cpu = CPUS[0 if self.stops else -1]
            self.argv = ['taskset', '-c', str(cpu), peers.BOBBIN]

    def command(self, pid, seconds, rate, path):
        """TACH does not say how many stacks were inferred."""
        return super().command(pid, seconds, rate, path) + ['-t', 'rbt']

    def slice(self, pid, seconds, rate, path):
        run = self.run(pid, seconds, rate, path)
        info = json.loads(subprocess.check_output(
            [peers.BOBBIN, 'info', '--json', path]))
        own, total = collections.Counter(), collections.Counter()
        for stack, count in run.stacks.items():
            own[stack[-1]] += count
            for name in set(stack):
                total[name] += count
        return Slice(sum(own.values()), own, total, run.lost,
                     info['inferred_percent'] or 0)


# --- statistics ------------------------------------------------------------

def shares(slices, kind, name):
    return [getattr(s, kind)[name] / s.n for s in slices]


def compare(a, b, kind, name):
    """By how many standard errors the share of b is above that of a; both. The
    error is that from slice to slice, but not below that of independent
    samples: a few slices may agree by chance."""
    x, y = shares(a, kind, name), shares(b, kind, name)
    p = statistics.mean(x + y)
    error = sum(max(statistics.variance(v),
                    p * (1 - p) * statistics.mean(1 / s.n for s in of)) /
                len(v) for v, of in ((x, a), (y, b)))
    difference = statistics.mean(y) - statistics.mean(x)
    return (difference / math.sqrt(error) if error else 0,
            statistics.mean(x), statistics.mean(y))


def names_of(slices):
    """(kind, name) of all functions that were seen often enough."""
    for kind in ('self', 'total'):
        seen = collections.Counter()
        for s in slices:
            seen.update(getattr(s, kind))
        yield from ((kind, name) for name, n in seen.items() if n >= LEAST)


def differences(a, b):
    return [Found(z, kind, name, x, y) for kind, name in names_of(a + b)
            for z, x, y in [compare(a, b, kind, name)]]


def chance(slices, rng):
    """The largest difference between two halves of the same."""
    order = rng.sample(slices, len(slices))
    half = len(order) // 2
    return max((abs(f.z) for f in differences(order[:half], order[half:])),
               default=0)


def limit_of(paused):
    rng = random.Random(1)
    found = sorted(chance(paused, rng) for _ in range(DIVISIONS))
    return found[int(0.95 * DIVISIONS)]


def rarest(slices, limit):
    """In points: a difference of a function of 1 % that would be noticed."""
    n = sum(s.n for s in slices) / 2
    return 100 * limit * math.sqrt(2 * 0.01 * 0.99 / n)


def distance(paused, unpaused):
    def total(slices):
        out = collections.Counter()
        for s in slices:
            out.update(s.self)
        return out
    a, b = total(paused), total(unpaused)
    n, m = sum(a.values()), sum(b.values())
    return sum(abs(a[k] / n - b[k] / m) for k in a | b) / 2


# --- programs --------------------------------------------------------------

def php_of(name):
    return phps.with_packages(name, 'php_programs', MODULES)


@contextlib.contextmanager
def python_started(script, name):
    env = dict(os.environ, **clients.python_packages('programs', 'programs'))
    with targets.started([name.split()[1], script], env=env) as target:
        port = target.truth.get('port')
        server = port and web.Server(target.child, port)
        with asked(server) if server else contextlib.nullcontext():
            yield target.pid


@contextlib.contextmanager
def php_started(script, name):
    if os.path.basename(script) != 'web.php':
        with targets.started(php_of(name) + [script]) as target:
            yield target.pid
        return
    with apache.command_line(php_of(name), script, PATHS[0]) as server:
        with asked(server):
            yield server.child.pid


def asked(server):
    """All the time, by one client."""
    answer = server.ask(PATHS[0])
    case.expect(b' 200 ' in answer.split(b'\n')[0], 'answer %s', answer[:80])
    return server.busy(lambda i: PATHS[i % len(PATHS)], 1)


def record(script, name, args, path):
    """Paused and unpaused slices, in pairs of a random order."""
    is_php = script.endswith('.php')
    kinds = [Sampler(is_php, '--pause'),
             Sampler(is_php, '--apart' if args.apart else '--near')]
    out = {kind: [] for kind in kinds}
    rng = random.Random(script)
    started = php_started if is_php else python_started
    with started(os.path.join(SCRIPTS, script), name) as pid:
        os.sched_setaffinity(pid, CPUS[:1])
        for _ in range(args.slices):
            for kind in rng.sample(kinds, 2):
                out[kind].append(kind.slice(pid, args.seconds,
                                            args.rate, path))
    return [out[kind] for kind in kinds]


# --- report ----------------------------------------------------------------

def print_program(script, name, paused, unpaused):
    limit = limit_of(paused)
    all_of_them = differences(paused, unpaused)
    inferred = statistics.mean(s.inferred for s in unpaused)
    beyond = [f for f in all_of_them if abs(f.z) > limit]
    found = sorted((f for f in beyond
                    if 100 * abs(f.paused - f.unpaused) > inferred),
                   key=lambda f: -abs(f.z))
    print(HEAD % (
        script, name.split()[0], sum(s.n for s in paused),
        len(all_of_them), '%.1f' % limit, '%.2f' % rarest(paused, limit),
        '%.2f %%' % statistics.mean(s.lost for s in unpaused),
        '%.2f %%' % inferred,
        '%.3f, %.3f' % (distance(paused, unpaused),
                        distance(paused[::2], paused[1::2])),
        len(beyond) - len(found), len(found)))
    for f in found:
        print(ROW % (f.kind, ' '.join(f.name)[-46:], 100 * f.paused,
                     100 * f.unpaused, f.z))
    sys.stdout.flush()
    return found


def interpreters(script):
    find = pythons.find if script.endswith('.py') else phps.find
    names = [name for name in find() if not name.endswith(' -')]
    if script.endswith('.py') and not os.environ.get('PYTHON_BINS'):
        names = [name for name in names if name.startswith('3.13 ')]
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seconds', type=float, default=2,
                        help='of each slice (2)')
    parser.add_argument('--slices', type=int, default=11,
                        help='paused, and as many unpaused (11)')
    parser.add_argument('--rate', type=int, default=1000, help='Hz (1000)')
    parser.add_argument('--apart', action='store_true',
                        help='unpaused samples from another processor')
    parser.add_argument('program', nargs='*', help='of %s' %
                        ', '.join(PROGRAMS))
    args = parser.parse_args()
    print('%d slices of %g s each, %d Hz, load %.1f\n' % (
        args.slices, args.seconds, args.rate, os.getloadavg()[0]))
    print(HEAD % ('program', 'of', 'samples', 'shares', 'limit', 'rarest',
                  'lost', 'inferred', 'distance', 'in it', 'listed'))
    with tempfile.TemporaryDirectory() as folder:
        for script in args.program or PROGRAMS:
            for name in interpreters(script):
                try:
                    slices = record(script, name, args,
                                    os.path.join(folder, 'out'))
                except (case.Skip, case.Failure) as why:
                    print('%s %s skipped: %s' % (script, name.split()[0],
                                                 why), flush=True)
                    continue
                print_program(script, name, *slices)


if __name__ == '__main__':
    main()
