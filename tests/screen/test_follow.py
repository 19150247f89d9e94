"""A file that grows is shown as it grows."""
import os
import signal
import subprocess
import sys

from screen import sample
from screen.tmux import Terminal
from support import bobbin, case
from support.case import expect

WRITER = '''
import sys, time
data = open(sys.argv[1], 'rb').read()
at = int(sys.argv[3])
out = open(sys.argv[2], 'ab', buffering=0)
while at < len(data):
    out.write(data[at:at + 97])
    at += 97
    time.sleep(0.001)
'''


def start_writer(source, target, at=0):
    return subprocess.Popen([sys.executable, '-c', WRITER, source, target,
                             str(at)])


def test_growing_file():
    os.chdir(case.scratch)
    whole = sample.write('whole.txt', sample.shop())
    first = sample.shop()[:20000]
    first = first[:first.rindex(b'\n\n') + 2]
    sample.write('live.txt', first)
    count = first.count(b'\n\n')
    with Terminal(80, 24, '--follow', 'live.txt') as terminal:
        terminal.wait_for('%d samples' % count)
        terminal.keys('t', 'j', 'Enter')
        terminal.wait_for('callers and callees')
        with open('live.txt', 'ab') as file:
            file.write(sample.shop()[len(first):])
        terminal.wait_for(' 300 samples')
        # The same view, with the numbers of now.
        shown = terminal.wait_for('total 300 100.0%')
        expect('callers and callees' in shown and '<main>' in shown,
               'the view is lost: %s', shown)
        terminal.keys('q')
        terminal.wait_for('status 0')
    expect(case.read_file('live.txt') == case.read_file(whole), 'not whole')


def test_writer_is_killed_and_resumed():
    os.chdir(case.scratch)
    whole = sample.write('whole.txt', sample.shop())
    size = os.path.getsize(whole)
    start = sample.shop().index(b'\n\n') + 2
    sample.write('live.txt', sample.shop()[:start])
    with Terminal(80, 24, '--follow', 'live.txt') as terminal:
        terminal.wait_for(' 1 sample ')
        writer = start_writer(whole, 'live.txt', start)
        terminal.wait(lambda now: ' 1 sample ' not in now and
                      'samples' in now, 'the first samples')
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        at = os.path.getsize('live.txt')
        expect(at < size, 'it was faster than its killer')
        writer = start_writer(whole, 'live.txt', at)
        terminal.wait_for(' 300 samples')
        expect(writer.wait() == 0, 'the writer failed')
        terminal.keys('q')
        terminal.wait_for('status 0')


def test_damage_is_told_inside_the_screen():
    os.chdir(case.scratch)
    sample.write('shop.txt', sample.shop())
    bobbin.run('convert', '-o', 'live.rbt', 'shop.txt')
    with Terminal(80, 24, '--follow', 'live.rbt') as terminal:
        terminal.wait_for(' 300 samples')
        with open('live.rbt', 'ab') as file:
            file.write(b'\xff' * 100)
        shown = terminal.wait(
            lambda now: now.splitlines()[-1].startswith('rbt: '),
            'a complaint')
        expect(shown.startswith('live.rbt') and
               len(shown.splitlines()) == 24, 'the screen broke: %s', shown)
        terminal.keys('q')
        terminal.wait_for('status 0')
