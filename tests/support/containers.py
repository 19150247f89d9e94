"""Targets in namespaces of their own, as a container has them.

What is inside sees everything that is outside, and one more file system, /mnt,
which nobody outside sees: programs are copied there. Its root is another one
than ours.
"""
import contextlib
import os
import shutil
import subprocess

from support import case, targets

# Becomes the program "$@", with files copied to /mnt first.
ENTER = r'''
set -e
root=$1 files=$2
shift 2
mount --make-rprivate /
mount --rbind / "$root"
mount -t tmpfs none "$root/mnt"
for file in $files; do cp -L "$file" "$root/mnt/"; done
mkdir "$root/mnt/old"
cd "$root"
pivot_root . mnt/old
umount -l /mnt/old
[ -z "$NEW_PROC" ] || mount -t proc none /proc
cd /
exec "$@"
'''


def _need():
    for tool in ('unshare', 'pivot_root', 'mount'):
        if not shutil.which(tool):
            raise case.Skip('no %s (util-linux)' % tool)
    done = subprocess.run(
        ['unshare', '--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs',
         'none', '/mnt'], capture_output=True)
    if done.returncode != 0:
        raise case.Skip('no namespaces here: %s' %
                        done.stderr.decode().strip()[-100:])


def _child_of(pid):
    with open('/proc/%d/task/%d/children' % (pid, pid)) as file:
        child, = file.read().split()
    return int(child)


@contextlib.contextmanager
def started(argv, files, *, own_pids=False, **options):
    """argv runs inside, where the files are in /mnt."""
    _need()
    root = os.path.join(case.scratch, 'root')
    os.makedirs(root, exist_ok=True)
    words = ['unshare', '--mount', '--fork', '--kill-child']
    if own_pids:
        words += ['--pid']
        options['env'] = dict(options.get('env') or os.environ, NEW_PROC='1')
    with targets.started(words + ['sh', '-c', ENTER, 'sh', root,
                                  ' '.join(files)] + list(argv),
                         **options) as target:
        target.pid = _child_of(target.pid)
        yield target


def numbers_inside(pid):
    """What the threads of a process call themselves: {inside: outside}."""
    out = {}
    for tid in os.listdir('/proc/%d/task' % pid):
        with open('/proc/%d/task/%s/status' % (pid, tid)) as file:
            for line in file:
                if line.startswith('NSpid:'):
                    out[line.split()[-1]] = tid
    return out
