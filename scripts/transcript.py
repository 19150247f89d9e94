#!/usr/bin/env python3
"""Makes the transcripts in a page anew: runs the commands of its console blocks
(those behind "$ ") and puts what they print below them.

    scripts/transcript.py docs/first-five-minutes.md

The shop of demo/ runs meanwhile, and commands are typed in a new folder, on a
terminal of COLUMNS. A command of more than LINES lines is shown up to there.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINES = 40
COLUMNS = 110


def shown(line, folder):
    """What a terminal shows of a command."""
    done = subprocess.run(
        ['script', '-qec', 'stty cols %d rows 24; %s' % (COLUMNS, line),
         '/dev/null'],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        env=dict(os.environ, NO_COLOR='1', TERM='xterm', LANG='C.UTF-8',
                 PATH=os.path.join(ROOT, 'build') + ':' + os.environ['PATH']),
        check=False)
    rows = []
    for row in re.split('\r*\n', done.stdout.decode()):
        row = re.sub('\033\\[[0-9;?]*[A-Za-z]', '', row).split('\r')[-1]
        rows.append(row.rstrip())
    while rows and not rows[-1]:
        rows.pop()
    return rows[:LINES] + ['...'] * (len(rows) > LINES)


def renew(block, folder):
    out = []
    for line in block.split('\n'):
        if line.startswith('$ '):
            out += ([''] if out else []) + [line] + shown(line[2:], folder)
    return '```console\n%s\n```' % '\n'.join(out)


def main():
    path = sys.argv[1]
    with open(path) as file:
        text = file.read()
    folder = tempfile.mkdtemp(prefix='transcript-')
    demo = os.path.join(tempfile.gettempdir(), 'demo')
    shop = subprocess.Popen(
        [os.environ.get('PYTHON', 'python3'),
         os.path.join(ROOT, 'demo', 'start.py'), demo],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        shop.stdout.readline()
        text = re.sub(r'```console\n(.*?)\n```',
                      lambda found: renew(found.group(1), folder), text,
                      flags=re.S)
    finally:
        shop.stdin.close()
        shop.wait()
        shutil.rmtree(folder)
        shutil.rmtree(demo)
    with open(path, 'w') as file:
        file.write(text)


if __name__ == '__main__':
    main()
