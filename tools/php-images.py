#!/usr/bin/env python3
"""Records memory images of PHP for tests/unit/test_php_images.c:

    PHP_BINS=/path/php:... PHP_EMBED=/path/libphp.so:... \\
    tools/php-images.py BUILD

BUILD is a build directory with tools/memory-image in it. Each interpreter
sleeps in stacks of known shape; an image is kept only when what was read from
it is what the script says about itself. Libraries with threads (ZTS) run one
script in several: what differs is where each has its state.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests'))

from support import phps, targets  # noqa: E402

FOLDER = os.path.join(ROOT, 'tests', 'data', 'php')
SHAPES = ['closure', 'delegation', 'include', 'constructor', 'get', 'autoload']
# The same code; what differs is how a thread's state is found.
SHAPES_ZTS = ['closure', 'autoload']
THREADS = 3


def said(truth):
    """What the script says, as memory-image prints it."""
    return ' '.join(name.replace('\\\\', '\\') +
                    ('' if line < 0 else ':%d' % line)
                    for name, _, line in reversed(truth['stack']))


def image(tool, target, name, shape, right):
    """Keeps an image when what was read is one of those in `right`: lists of
    stacks."""
    stem = os.path.join(FOLDER, '%s-%s' % (name, shape))
    text = subprocess.run([tool, str(target.pid), stem + '.img'],
                          stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    got = [re.sub(r'\{closure:\d+-\d+\}', '{closure}', line.split(' ', 2)[2])
           for line in text.splitlines()]
    if got not in right:
        os.remove(stem + '.img')
        sys.exit('%s %s: read\n  %s\nand it is\n  %s' % (name, shape, got,
                                                        right))
    with open(stem + '.txt', 'w') as file:
        file.write(text)


def record(tool, name, shape):
    version = name.split()[0].replace('-nts', '')
    with phps.started(name, 'shapes.php', shape) as target:
        image(tool, target, version, shape, [[said(target.truth)]])


def record_threads(tool, program, library):
    with targets.started([program, library,
                          os.path.join(phps.SCRIPTS, 'embedded.php'),
                          str(THREADS)]) as target:
        # Until the last of them waits.
        time.sleep(1)
        said = subprocess.run(
            [os.path.join(os.path.dirname(tool), '..', 'bobbin'), 'stack',
             '-p', str(target.pid)], capture_output=True, text=True,
            check=True).stdout
        version = re.search(r'^php (\d\.\d)', said, re.M).group(1)
        stacks = ['<main>:1 <main>:19' + ' wait:7' * n + ' wait:10'
                  for n in range(THREADS)]
        image(tool, target, version + '-zts', 'threads',
              [stacks, [stack + ' usleep' for stack in stacks]])


def main():
    # Images hold the paths of their scripts and parts of their environment,
    # which are nobody's business.
    tool = os.path.join(os.path.abspath(sys.argv[1]), 'tools', 'memory-image')
    names = [name for name in phps.find() if not name.startswith('none')]
    libraries = [path for path in os.environ.get('PHP_EMBED', '').split(':')
                 if path]
    app = os.path.join(tempfile.gettempdir(), 'app')
    program = os.path.join(app, 'embed')
    shutil.copytree(phps.SCRIPTS, app)
    try:
        if libraries:
            subprocess.run([os.environ.get('CC', 'cc'), '-w', '-o', program,
                            os.path.join(app, 'embed.c'), '-ldl',
                            '-lpthread'], check=True)
        phps.SCRIPTS = app
        os.chdir(app)
        os.environ.clear()
        os.makedirs(FOLDER, exist_ok=True)
        for name in names:
            for shape in SHAPES:
                if '-nts' in name or shape in SHAPES_ZTS:
                    record(tool, name, shape)
        for library in libraries:
            record_threads(tool, program, library)
    finally:
        shutil.rmtree(app)


main()
