#!/usr/bin/env python3
"""Records memory images of Python for tests/unit/test_python_images.c:

    PYTHON_BINS=/path/python:... tools/python-images.py BUILD

BUILD is a build directory with tools/memory-image in it. Each interpreter
sleeps in stacks of known shape; an image is kept only when what was read from
it is what the script says about itself: of threads, and of tasks that wait
while another runs.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests'))

from support import case, pythons  # noqa: E402

FOLDER = os.path.join(ROOT, 'tests', 'data', 'python')


def said(truth):
    """What the script says of its threads but the main one, as memory-image
    prints it."""
    return sorted(' '.join('%s:%d' % (name, line)
                           for name, _, line, _, _ in stack)
                  for stack in truth['stacks'].values()
                  if stack[0][0] != '<module>')


def is_said(text, truth):
    """Whether memory-image has printed just that. What runs a task begins
    with its mark, and the frames that are behind it are the last ones."""
    left = said(truth)
    for line in text.splitlines():
        name, _, stack = line.split(' ', 2)
        if name == 'MainThread':
            continue
        if stack.startswith('task.name='):
            stack = stack.split(' ', 2)[2]
            found = [s for s in left if s.endswith(' ' + stack)]
        else:
            found = [s for s in left if s == stack]
        if not found:
            return False
        left.remove(found[0])
    return not left


def has_tasks(text, truth):
    """Whether all tasks are there that the script says, and one runs."""
    def is_there(stack):
        end = ' '.join(name.replace(' ', '_') + ('' if line is None else
                                                 ':%d' % line)
                       for name, line in stack)
        return any(line.endswith(' ' + end) for line in text.splitlines())

    return text.split(' ', 3)[2].startswith('task.name=') and all(
        any(map(is_there, stacks)) for stacks in truth['waiting'])


def record(tool, name, script, is_right):
    stem = os.path.join(FOLDER, '%s-%s' % (name.split()[0].split('-')[0],
                                           script[:-3]))
    with pythons.started(name, script) as target:
        for _ in range(50):
            time.sleep(0.5)
            text = subprocess.run([tool, str(target.pid), stem + '.img'],
                                  capture_output=True, text=True,
                                  check=True).stdout
            if is_right(target, text):
                break
        else:
            os.remove(stem + '.img')
            sys.exit('%s %s: read\n%s' % (name, script, text))
    with open(stem + '.txt', 'w') as file:
        file.write(text)


def main():
    # Images hold the paths of their scripts and parts of their environment,
    # which are nobody's business.
    tool = os.path.join(os.path.abspath(sys.argv[1]), 'tools', 'memory-image')
    names = pythons.find()
    app = os.path.join(tempfile.gettempdir(), 'app')
    shutil.copytree(pythons.SCRIPTS, app)
    pythons.SCRIPTS = app
    case.scratch = app
    os.chdir(app)
    os.environ.clear()
    os.environ['PYTHONDONTWRITEBYTECODE'] = '1'
    os.makedirs(FOLDER, exist_ok=True)
    for name in names:
        record(tool, name, 'still.py',
               lambda target, text: is_said(text, target.truth))
        record(tool, name, 'tasks.py',
               lambda target, text: has_tasks(text, target.truth))
    shutil.rmtree(app)


main()
