"""Characters that act, in names, paths, annotations and metadata: no output
that a terminal or a reader of lines sees has one of them."""
import json
import os

from oracle import rbt_wire as wire
from support import bobbin, case, chars, pythons, targets
from support.case import each, expect

# Each odd character between plain ones, all of them in a few names.
TEXT = ''.join('a%s' % c for c in chars.ODD if c != '\0').encode()


def trace():
    """A trace in which everything that can be named has such a name."""
    text = [b'', b'name' + TEXT, b'/file' + TEXT + b'.php',
            b'space' + TEXT, b'key' + TEXT, b'value' + TEXT]
    return (wire.header() + wire.metadata(b'meta' + TEXT, b'is' + TEXT) +
            wire.metadata(b'process.7.command', b'command' + TEXT) +
            wire.metadata(b'process.7.runtime', b'php' + TEXT) +
            b''.join(wire.string(i, t) for i, t in enumerate(text)) +
            wire.frame(0, 3, 0, 1, 2, 5) + wire.native(1, 1, 2, 7) +
            wire.frame(2, 0, 0, 1, 0, -1) +
            wire.stack(0, [0, 1, 2]) + wire.stack(1, [2]) +
            b''.join(wire.compact(i % 2) + wire.annotation((4, 5))
                     for i in range(20)) +
            wire.pid_sample(0, 7) + wire.end())


def check(out, what):
    """Lines, blanks between them, and what may be shown."""
    text = out.decode('utf-8').replace('\n', '').replace('\t', '')
    found = chars.ACTS.search(text)
    expect(found is None, '%s: U+%04X in %r', what,
           ord(found[0]) if found else 0,
           text[max(0, found.start() - 20):found.end() + 20] if found else '')


FORMATS = ('folded', 'folded --tachyon-names', 'phpspy', 'phpspy --native',
           'callgrind', 'speedscope', 'gecko', 'chrome', 'jsonl', 'dump',
           'heatmap', 'heatmap-html', 'html', 'flamegraph')


@each(FORMATS)
def test_formats(item):
    to, *options = item.split()
    path = case.write_file(trace())
    run = bobbin.run('convert', '-t', to, *options, path)
    check(run.out, item)
    check(run.err, item)
    expect(b'file' in run.out, 'nothing is written')


REPORTS = [
    'info', 'info --all', 'info --json', 'verify', 'verify --json', 'dump',
    'analyze', 'analyze --tree --last=3 --timeline', 'analyze --json',
    'analyze --csv', 'analyze --md', 'analyze --requests',
    'analyze --group-by file', 'analyze --group-by pid',
    'analyze --callers name', 'recover -t folded', 'recover --json -t dump',
]


@each(REPORTS)
def test_reports(item):
    path = case.write_file(trace())
    run = bobbin.run(*item.split(), path)
    check(run.out, item)
    check(run.err, item)


@each(['', '--json', '--md', '-t folded', '-o diff.html', '-o diff.svg'])
def test_diff(options):
    os.chdir(case.scratch)
    path = case.write_file(trace())
    run = bobbin.run('diff', *options.split(), path, path)
    check(run.out, options)
    check(run.err, options)
    if options.startswith('-o'):
        with open(options.split()[1], 'rb') as file:
            check(file.read(), options)


def test_names_of_files():
    """A file is called so, and it is damaged: every message names it."""
    name = 'x\x1b]0;owned\x07\x9b2J\u202e\u2028.rbt'
    path = case.write_file(trace()[:-30] + b'junk', name)
    for command in ('info', 'verify', 'dump', 'analyze', 'recover'):
        extra = ['-t', 'dump'] if command == 'recover' else []
        run = bobbin.run(command, *extra, path,
                         ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))
        check(run.out, command)
        check(run.err, command)
    run = bobbin.run('info', path + '.missing', ok=(bobbin.FAILED,))
    check(run.err, 'info')
    run = bobbin.run('info', '--\x1b[2J\u202e', path, ok=(bobbin.USAGE,))
    check(run.err, 'usage')


@each(['folded', 'phpspy', 'jsonl'])
def test_nothing_is_lost(to):
    """The names are read back as they were."""
    path = case.write_file(trace())
    out = bobbin.run('convert', '-t', to, path).out
    if to == 'jsonl':
        text = json.dumps([json.loads(line) for line in out.splitlines()],
                          ensure_ascii=False)
        for part in ('name', '/file', 'space', 'key', 'value', 'meta', 'is'):
            want = json.dumps(part + TEXT.decode(), ensure_ascii=False)
            expect(want[1:-1] in text, '%r is not in it', part)
        return
    again = bobbin.run('convert', '-t', to, '-f', to, '-', stdin=out).out
    expect(again == out, 'other lines')
    back = bobbin.run('dump', '-f', to, '-', stdin=out).out
    for part in (b'name', b'/file'):
        expect(escaped(part + TEXT) in back, '%r not in %r',
               escaped(part + TEXT)[:60], back[:400])


def escaped(text):
    """As dump writes bytes."""
    return b''.join(bytes([b]) if 0x21 <= b <= 0x7e and b not in b'%,;='
                    else b'%%%02X' % b for b in text)


HOSTILE = r'''
import sys, threading, time
text = sys.argv[1]
def f(secret):
    print('ready', flush=True)
    while True:
        time.sleep(0.01)
names = {'co_name': 'name' + text, 'co_qualname': 'name' + text,
         'co_filename': '/file' + text + '.py'}
f.__code__ = f.__code__.replace(**{
    key: value for key, value in names.items() if hasattr(f.__code__, key)})
threading.current_thread().name = 'thread' + text
f('local' + text)
'''


@each(['stack', 'stack --locals', 'stack --json', 'stack --locals --json',
       'doctor', 'doctor --json', 'record -d 300ms -t folded -o -',
       'record -d 300ms -t jsonl -o -', 'top --count 1',
       'top --count 1 --json'])
def test_of_a_process(item):
    """Its command line, functions, files, threads and variables."""
    python = pythons.find()[-1]
    if python.startswith('none'):
        raise case.Skip('no Python was found')
    text = '\x1b[2J\x9b2J\u202e\u2028\u061c\u200f\x07\n\r'
    with targets.crowd([[python.split()[1], '-c', HOSTILE, text]]) as (c,):
        targets.need_permission(c.pid)
        run = bobbin.run(*item.split(), '-p', str(c.pid),
                         ok=(bobbin.OK, bobbin.FAILED))
        check(run.out, item)
        check(run.err, item)
        expect('doctor' in item or b'name' in run.out, 'not seen: %s %s',
               run.out, run.err)
