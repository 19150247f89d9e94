#!/usr/bin/env python3
"""Records memory images of PHP for tests/unit/test_php_images.c:

    PHP_BINS=/path/php:... tools/php-images.py BUILD

BUILD is a build directory with tools/memory-image in it. Each interpreter
sleeps in stacks of known shape; an image is kept only when what was read from
it is what the script says about itself.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests'))

from support import phps  # noqa: E402

FOLDER = os.path.join(ROOT, 'tests', 'data', 'php')
SHAPES = ['closure', 'delegation', 'include', 'constructor', 'get', 'autoload']


def said(truth):
    """What the script says, as memory-image prints it."""
    return ' '.join(name.replace('\\\\', '\\') +
                    ('' if line < 0 else ':%d' % line)
                    for name, _, line in reversed(truth['stack']))


def record(tool, name, shape):
    stem = os.path.join(FOLDER, '%s-%s' % (name.split('-')[0], shape))
    with phps.started(name, 'shapes.php', shape) as target:
        done = subprocess.run([tool, str(target.pid), stem + '.img'],
                              capture_output=True, text=True, check=True)
        got = done.stdout.strip().split(' ', 1)[1]
        got = re.sub(r'\{closure:\d+-\d+\}', '{closure}', got)
        if got != said(target.truth):
            os.remove(stem + '.img')
            sys.exit('%s %s: read\n  %s\nand it is\n  %s' % (
                name, shape, got, said(target.truth)))
    with open(stem + '.txt', 'w') as file:
        file.write(done.stdout)


def main():
    # Images hold the paths of their scripts and parts of their environment,
    # which are nobody's business.
    tool = os.path.join(os.path.abspath(sys.argv[1]), 'tools', 'memory-image')
    names = phps.find()
    app = os.path.join(tempfile.gettempdir(), 'app')
    shutil.copytree(phps.SCRIPTS, app)
    phps.SCRIPTS = app
    os.chdir(app)
    os.environ.clear()
    os.makedirs(FOLDER, exist_ok=True)
    for name in names:
        for shape in SHAPES:
            if name.split()[0].endswith('-nts'):
                record(tool, name, shape)
    shutil.rmtree(app)


main()
