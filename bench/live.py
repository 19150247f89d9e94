#!/usr/bin/env python3
"""What capturing PHP costs, and how true it is, beside its peers.

    bench/live.py [--php PHP] [--seconds S] [--rounds N]

Runs tests/live/php/oracle.php, calm and call-heavy, and prints for each sampler
and rate: samples per second, processor time, samples lost and impossible (a
caller and a callee that do not belong together), the distance of the leaf
distribution from that of a paused capture (which comes twice: what is between
the two is noise), the same distance with two programs for each processor that
never rest, bytes per sample, how long the target stood for each, as the sampler
says, and by how much a job that calls all the time takes longer, with the
borders of that figure (the median of many short turns, each compared to those
beside it without a sampler), and by how much more of a processor it takes. Peers
are those of bench/peers.py; the line `/ PEER` behind each has bobbin's figure as
a multiple of its.

Tearing needs the target and the sampler to run at the same time: give it two
idle processors, or the figures flatter.
"""
import argparse
import collections
import os
import sys
import tempfile

import peers
from peers import FASTEST, Skipped
from support import load, phps

ROW = '%-10s %-22s %-6s %9s %8s %8s %10s %9s %9s %9s %8s %20s'
RATES = [99, 1000, FASTEST]
# What it waits for a processor is the second number of schedstat.
JOB = '''function f($n) { return $n < 2 ? $n : f($n - 1) + f($n - 2); }
function at() { return hrtime(true) -
    (int)explode(' ', file_get_contents('/proc/thread-self/schedstat'))[1]; }
echo "ready\\n";
while (fgets(STDIN) !== false) {
    $t = at();
    for ($i = 0; $i < 4; $i++) f(25);
    echo (at() - $t) / 1e9, "\\n";
}'''


def leaves(stacks):
    out = collections.Counter()
    for stack, count in stacks.items():
        out[stack[-1]] += count
    return out


def distance(a, b):
    n, m = sum(a.values()) or 1, sum(b.values()) or 1
    return sum(abs(a[k] / n - b[k] / m) for k in set(a) | set(b)) / 2


def percent(value, digits=1):
    return '-' if value is None else '%.*f %%' % (digits, value)


def ratio(ours, theirs):
    return '-' if not ours or not theirs else 'x%.2g' % (ours / theirs)


def impossible(stacks, pairs):
    bad = sum(count for stack, count in stacks.items()
              if stack[0] != '<main>' or
              any(pair not in pairs for pair in zip(stack, stack[1:])))
    return 100 * bad / (sum(stacks.values()) or 1)


def print_head(row, *first):
    print(row % (*first, 'rate', 'cpu', 'lost', 'impossible', 'distance',
                 'loaded', 'B/sample', 'stopped', 'slower'), flush=True)


def print_run(row, first, run, bad, far, loaded, slower):
    n = sum(run.stacks.values())
    print(row % (*first, '%.0f/s' % (run.moments / run.seconds),
                 percent(100 * run.cpu / run.seconds), percent(run.lost, 2),
                 percent(bad, 3), '%.3f' % far,
                 '-' if loaded is None else '%.3f' % loaded,
                 '-' if run.size is None else '%.1f' % (run.size / (n or 1)),
                 '-' if run.stopped is None else '%.0f us' % run.stopped,
                 '-' if slower is None else peers.slower_text(slower)),
          flush=True)


def print_ratio(row, first, ours, theirs):
    """Ours as a multiple of theirs, of a run at the same rate."""
    def size_of(run):
        return run.size and run.size / (sum(run.stacks.values()) or 1)
    print(row % (*first, ratio(ours.moments / ours.seconds,
                               theirs.moments / theirs.seconds),
                 ratio(ours.cpu / ours.seconds,
                       theirs.cpu / theirs.seconds), '', '', '', '',
                 ratio(size_of(ours), size_of(theirs)), '', ''), flush=True)


class Bench:
    """All samplers at all rates on one target; the first sampler is the
    truth that leaves are compared with, and ours for peers that stop the
    target, the second is ours for the others."""

    def __init__(self, row, samplers, seconds, path):
        self.row, self.samplers, self.path = row, samplers, path
        self.seconds = seconds
        self.truth, self.ours = None, {}

    def far(self, run):
        return distance(self.truth, leaves(run.stacks))

    def far_loaded(self, peer, rate, pid):
        """None at full speed, where a sampler is one load more."""
        if rate == FASTEST:
            return None
        with load.burners():
            return self.far(peer.run(pid, self.seconds, rate, self.path))

    def one(self, first, peer, rate, pid, is_bad, slower):
        run = peer.run(pid, self.seconds, rate, self.path)
        is_truth = self.truth is None
        if is_truth:
            self.truth = leaves(run.stacks)
        first = first + (peer.name, str(rate))
        print_run(self.row, first, run, is_bad(run.stacks), self.far(run),
                  self.far_loaded(peer, rate, pid),
                  None if is_truth else slower(peer, rate))
        if peer in self.samplers[:2]:
            self.ours[peer.stops, rate] = run
        elif (peer.stops, rate) in self.ours:
            print_ratio(self.row, first[:-2] + ('  / ' + peer.name, str(rate)),
                        self.ours[peer.stops, rate], run)

    def all(self, first, pid, is_bad, slower):
        for i, peer in enumerate(self.samplers):
            try:
                if not peer.is_there():
                    raise Skipped('not found')
                # The truth twice: their distance is that of equals.
                for rate in [1000, 1000] if i == 0 else RATES:
                    self.one(first, peer, rate, pid, is_bad, slower)
            except Skipped as why:
                print('%s %s skipped: %s' % (' '.join(first), peer.name, why),
                      flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--php', help='the interpreter to look at')
    parser.add_argument('--seconds', type=float, default=5,
                        help='of each capture (5)')
    parser.add_argument('--rounds', type=int, default=9,
                        help='with and without a sampler, of the job that '
                        'is slowed down (9; 0: none)')
    args = parser.parse_args()
    if args.php:
        os.environ['PHP_BINS'] = args.php
    name = phps.find()[-1]
    if name.endswith(' -'):
        sys.exit('no PHP was found')
    print('PHP %s, %g s each, load %.1f\n' % (
        name, args.seconds, os.getloadavg()[0]))
    print_head(ROW, 'target', 'sampler', 'Hz')
    samplers = [peers.Bobbin('bobbin --pause', True, '--pause'),
                peers.Bobbin('bobbin', True), peers.Phpspy('phpspy'),
                peers.Phpspy('phpspy -S', '-S')]
    job = [phps.program(name), '-n', '-r', JOB]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out')

        def slower(peer, rate):
            if rate != 1000 or args.rounds == 0 or kind == 'calm':
                return None
            return peers.slow_down(job, peer, rate, path, args.rounds)

        for kind, calm in (('calm', 50), ('call-heavy', 1)):
            pairs = {(a, b) for a, _, b in phps.calls(name, calm)}
            with phps.started(name, 'oracle.php', 'run', str(calm)) as target:
                Bench(ROW, samplers, args.seconds, path).all(
                    (kind,), target.pid,
                    lambda stacks: impossible(stacks, pairs), slower)


if __name__ == '__main__':
    main()
