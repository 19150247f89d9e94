"""Targets whose memory changes all the time: collectors, imports, threads that
come and go, memory that is out, forks. Stacks stay whole, and few are lost."""
import os
import re
import subprocess

from support import bobbin, case, listing, phps, pythons, targets
from support.case import Skip, each, expect

# Where a stack of Python may begin: the program, or a thread of it.
ROOTS = {'<module>', '_bootstrap', 'Thread._bootstrap'}


def check(target, runs, roots, lost=5):
    total = listing.total(runs)
    expect(total > 20, '%d samples', total)
    expect(target.lost_percent() < lost, '%s', target.result.err)
    for _, fields in runs:
        expect(fields[listing.FRAMES:], 'a stack without frames')
        root = fields[-1].split(';')[1]
        expect(root in roots, 'a stack begins at %s', root)
    expect(target.child.poll() is None, 'the target has ended')


@each(['%s %s' % (name, storm) for name in pythons.find()
       for storm in ('gc', 'imports', 'threads', 'memory', 'errors')])
def test_python_in_a_storm(label):
    name, storm = label.rsplit(' ', 1)
    with pythons.started(name, 'storms.py', storm) as target:
        runs = target.record('-r', '1000', '-d', '500ms', to='out.rbt',
                             enough=targets.at_least(50))
        # A thousand frames that come and go cannot always be copied in time.
        check(target, runs, ROOTS, lost=80 if storm == 'errors' else 5)


@each(['gc', 'includes', 'exceptions', 'forks'])
def test_php_in_a_storm(storm):
    name = phps.find()[-1]
    if storm == 'forks' and subprocess.run(
            [phps.program(name), '-n', '-r',
             'exit(function_exists("pcntl_fork") ? 0 : 1);']
            ).returncode != 0:
        raise Skip('this PHP has no pcntl')
    with phps.started(name, 'storms.php', storm, case.scratch) as target:
        runs = target.record('-r', '1000', '-d', '500ms',
                             enough=targets.at_least(50))
        check(target, runs, {'<main>'})
        frames = [phps.frames(fields) for _, fields in runs]
        files = {f[1] for stack in frames for f in stack}
        known = re.compile(r'/(storms|made_\d+)\.php$|^<internal>')
        expect(all(known.search(f) for f in files), 'files: %r', files)
        names = {f[0] for stack in frames for f in stack}
        expect('child' not in names, 'functions of a child: %r', names)


def test_the_end_of_memory_ends_a_capture_of_php():
    path = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run(
        'record', '-r', '500', '-o', path, '--', phps.program(
            phps.find()[-1]), '-n', '-dmemory_limit=64M',
        '-ddisplay_errors=0', '-r', 'function grow() { $a = []; while (true) '
        '{ $a[] = str_repeat("x", 1000); usleep(1); } } grow();',
        ok=(bobbin.OK, 255))
    bobbin.run('verify', path)
    runs = listing.parse(bobbin.run('dump', path).out)
    expect(any('grow' in text for _, fields in runs for text in fields),
           '%s', result.err)
