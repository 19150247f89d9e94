"""A daemon over a pool at the highest rate, until it has so many samples: how
its memory goes, and whether all of them are in its files.

Files that --keep removes are linked into a folder of ours first, so that the
sum of all can be compared with what the daemon says it has written.
"""
import collections
import contextlib
import itertools
import json
import os
import re
import time

from support import bobbin, case, phps, pythons, targets
from support.daemons import daemon

# Workers that call in some hundred ways, and wait in between.
PHP = '''
function left($n) { return $n > 0 ? (mt_rand(0, 1) ? left($n - 1)
    : right($n - 1)) : usleep(mt_rand(500, 5000)); }
function right($n) { return $n > 0 ? (mt_rand(0, 1) ? left($n - 1)
    : right($n - 1)) : usleep(mt_rand(500, 5000)); }
echo "ready\\n";
while (true) left(mt_rand(0, 6));
'''
PYTHON = '''
import random, time
def left(n):
    return random.choice((left, right))(n - 1) if n else rest()
def right(n):
    return random.choice((left, right))(n - 1) if n else rest()
def rest():
    time.sleep(random.uniform(0.0005, 0.005))
print('ready', flush=True)
while True:
    left(random.randrange(7))
'''

Soak = collections.namedtuple(
    'Soak', 'samples seconds sizes made kept_bytes in_files said lost missed '
    'unread')


def resident(pid):
    """What it has itself, without the files that are mapped."""
    with open('/proc/%d/statm' % pid) as file:
        pages = [int(word) for word in file.read().split()]
    return (pages[1] - pages[2]) * os.sysconf('SC_PAGESIZE')


def growth(sizes):
    """The most of the second half, as a share of the most of the first
    quarter."""
    return max(sizes[len(sizes) // 2:]) / max(sizes[:len(sizes) // 4])


@contextlib.contextmanager
def pool(workers, mark):
    """Half of PHP, half of Python; those of which there are interpreters."""
    kinds = [(name.split()[1], options) for name, options in
             ((phps.find()[-1], ['-n', '-r', PHP]),
              (pythons.find()[-1], ['-c', PYTHON]))
             if not name.startswith('none')]
    if not kinds:
        raise case.Skip('no PHP and no Python was found')
    with targets.crowd([path, *options, mark] for path, options in
                       itertools.islice(itertools.cycle(kinds),
                                        workers)) as started:
        yield started


def link_new(d, links):
    """Links the files that came since. They are known by their numbers: names
    may come again."""
    new = os.path.join(links, 'new')
    for path in d.files():
        with contextlib.suppress(FileNotFoundError):
            os.link(path, new)
            os.rename(new, os.path.join(links, str(os.stat(new).st_ino)))
        with contextlib.suppress(FileNotFoundError):
            os.remove(new)


def samples_in(folder):
    return sum(json.loads(bobbin.run('info', '--json', os.path.join(
        folder, name)).out)['samples'] for name in os.listdir(folder))


def ask(d):
    """The status of a daemon that may get no processor for a while."""
    for _ in range(20):
        case.expect(d.child.poll() is None, 'it has ended')
        with contextlib.suppress(case.Failure):
            return d.status()
    raise case.Failure('the daemon does not answer')


def soak(workers, until, options, looks=0.2, env=None):
    """Until `until` says so of the daemon's status."""
    mark = 'soak%d' % os.getpid()
    links = os.path.join(case.scratch, 'links')
    os.mkdir(links)
    sizes = []
    with pool(workers, mark), daemon(mark, '-r', 'max', '--bundled',
                                     *options, env=env) as d:
        d.wait(lambda s: len(s['workers']) == workers, 'all workers')
        status = ask(d)
        while not until(status):
            time.sleep(looks)
            sizes.append(resident(d.child.pid))
            link_new(d, links)
            status = ask(d)
        text = d.end()
        link_new(d, links)
    kept = sum(map(os.path.getsize, d.files()))
    said = re.search(rb' taken, (\S+) written', text)
    case.expect(said, 'no sum in %r', text[-300:])
    return Soak(status['samples'], status['uptime_s'], sizes,
                len(os.listdir(links)), kept, samples_in(links),
                int(re.sub(rb'\D', b'', said.group(1))), status['lost'],
                status['missed'], status['unread'])
