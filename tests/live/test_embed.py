"""PHP as a library in another program, with and without threads.

$PHP_EMBED names libraries, ':' between them, beside that of the distribution.
"""
import os
import shutil
import subprocess

from support import case, clients, listing, phps, targets
from support.case import Skip, each, expect

LIBRARIES = [path for path in os.environ.get('PHP_EMBED', '').split(':')
             if path] + ['distribution']
THREADS = 3


def started(library, *args, **env):
    compiler = shutil.which(os.environ.get('CC', 'cc'))
    if library == 'distribution':
        (library,), found = clients.server('embed', '/usr/lib/libphp*.so')
        env = dict(found, **env)
    if not compiler:
        raise Skip('no compiler')
    program = os.path.join(case.scratch, 'embed')
    subprocess.run([compiler, '-w', '-o', program,
                    os.path.join(phps.SCRIPTS, 'embed.c'), '-ldl',
                    '-lpthread'], check=True)
    return targets.started([program, library,
                            os.path.join(phps.SCRIPTS, 'embedded.php')] +
                           list(args), env=dict(os.environ, **env))


@each(LIBRARIES)
def test_each_thread_is_sampled_with_its_own_state(library):
    with started(library, str(THREADS)) as target:
        runs = target.record('-r', '100', '-d', '1s', '--memory',
                             '--trace-var', 'global::$name',
                             '--trace-var', 'local::wait()$n')
    threads = target.truth['threads']
    seen = set()
    for _, fields in runs:
        pairs = dict(pair.split('=', 1)
                     for pair in fields[listing.ANNOTATIONS].split(','))
        number = 0 if len(threads) == 1 and fields[listing.TID] == '-' \
            else threads.index(int(fields[listing.TID]))
        frames = [frame[0] for frame in phps.frames(fields)]
        wait = ['wait'] * (number + 1) + ['<main>', '<main>']
        expect(frames in (wait, ['usleep'] + wait), 'stack %r', frames)
        expect(targets.plain(pairs['global::$name']) ==
               '(string) "thread %d"' % number and
               targets.plain(pairs['local::wait()$n']) ==
               '(int) %d' % number, 'thread %d has %r', number, pairs)
        expect(int(pairs['memory.usage']) > 0, 'memory %r', pairs)
        seen.add(number)
    expect(len(seen) == len(threads), 'threads %r of %r', seen, threads)


@each(LIBRARIES)
def test_threads_can_be_stopped_for_their_samples(library):
    with started(library, str(THREADS)) as target:
        runs = target.record('-r', '50', '-d', '1s', '--pause')
    expect(len({fields[listing.TID] for _, fields in runs}) ==
           len(target.truth['threads']), 'threads of %r', runs)
    for _, fields in runs:
        expect(phps.frames(fields)[-3][0] == 'wait', 'stack %r',
               phps.frames(fields))


@each(LIBRARIES)
def test_others_are_sampled_when_a_thread_has_ended(library):
    with started(library, str(THREADS), EMBED_END='1') as target:
        runs = target.record('-r', '100', '-d', '2s', '--pause')
    tids = [fields[listing.TID] for _, fields in runs]
    threads = [str(tid) for tid in target.truth['threads']]
    if len(threads) == 1:
        raise Skip('this library has no threads')
    last = max(i for i, tid in enumerate(tids) if tid == threads[0])
    expect(set(tids[last + 1:]) == set(threads[1:]),
           'behind the end of %s come %r', threads[0], tids[last:])
