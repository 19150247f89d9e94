#!/usr/bin/env python3
"""How far shares are off on an idle and on a saturated machine.

    bench/live_busy.py [--hz N]... [PYTHON]...

Programs that work for a while and rest for a while count for themselves how long
they worked (tests/truth: duty.php, duty.py). Each sampler reads them for some
seconds, alone and beside two programs for each processor that never rest. The
table has the share of samples at work minus the share of time at work, in points,
with the borders of that figure in 99 of 100 cases. Captures are repeated until
the borders are narrow enough, 30 times at most. Of Python the newest that is
found is read, or those that are named.

Peers are those of bench/peers.py.
"""
import argparse
import os
import tempfile
import time

import peers
from live_python import samplers_for
from peers import Skipped
from support import load, phps, pythons, targets

ROW = '%-12s %-26s %6s %18s %18s'
TRUTH = os.path.join(peers.ROOT, 'tests', 'truth')


def off(peer, rate, argv, path, machine):
    """Points, and how far they may be off, as text."""
    with load.on(machine), targets.started(argv) as target:
        diary = load.Diary(target.child.stdout)

        def measure():
            run = peer.run(target.pid, load.SECONDS, rate, path)
            end = time.monotonic_ns()
            at_work = sum(count for stack, count in run.stacks.items()
                          if stack[-1] == 'work')
            return (100 * at_work / sum(run.stacks.values()),
                    diary.share(end - load.SECONDS * 10 ** 9, end))
        mean, spread = load.differences(measure)
    return '%+.1f +- %.1f' % (mean, load.WIDTH * spread)


def bench(name, argv, samplers, rates, path):
    for peer in samplers:
        for rate in rates:
            try:
                if not peer.is_there():
                    raise Skipped('not found')
                print(ROW % (name, peer.name, rate,
                             off(peer, rate, argv, path, 'idle'),
                             off(peer, rate, argv, path, 'busy')), flush=True)
            except Skipped as why:
                print('%s %s skipped: %s' % (name, peer.name, why), flush=True)
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--hz', type=int, action='append',
                        help='rates (997)')
    parser.add_argument('python', nargs='*', help='interpreters to look at')
    args = parser.parse_args()
    if args.python:
        os.environ['PYTHON_BINS'] = ':'.join(args.python)
    rates = args.hz or [997]
    print(ROW % ('target', 'sampler', 'Hz', 'idle, points', 'loaded, points'))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'out')
        php = phps.find()[-1]
        bench('PHP ' + php.split()[0],
              [phps.program(php), '-n', os.path.join(TRUTH, 'php', 'duty.php')],
              [peers.Bobbin('bobbin', True),
               peers.Bobbin('bobbin --no-realtime', True, '--no-realtime'),
               peers.Bobbin('bobbin --pause', True, '--pause'),
               peers.Phpspy('phpspy'), peers.Phpspy('phpspy -S', '-S')],
              rates, path)
        for name in pythons.find()[0 if args.python else -1:]:
            paused, *others = samplers_for(name)
            bench('Python ' + name.split()[0],
                  [name.split()[1], os.path.join(TRUTH, 'python', 'duty.py')],
                  [paused, peers.Bobbin('bobbin --no-realtime', False,
                                        '--no-realtime'), *others],
                  rates, path)


if __name__ == '__main__':
    main()
