"""Characters that act, and bytes that are not UTF-8, in names, paths,
annotations and metadata: no output that a terminal or a reader of lines sees has
one of them."""
import json
import os
import re

from oracle import rbt_wire as wire
from screen.pty_run import Pty
from support import bobbin, case, chars, pythons, targets
from support.case import each, expect

# Each odd character between plain ones, all of them in a few names.
TEXT = ''.join('a%s' % c for c in chars.ODD if c != '\0').encode()
# Bytes that are not UTF-8: C1 and others alone, overlong, a surrogate, beyond
# U+10FFFF, cut off.
BROKEN = [b'\x80', b'\x9b2J', b'\xff', b'\xc0\x80', b'\xc0\x9b', b'\xed\xa0\x80',
          b'\xf4\x90\x80\x80', b'\xe2\x82', b'\xc2']
TEXTS = {'acting': TEXT, 'broken': b''.join(b'a' + b for b in BROKEN) + b'a'}
# These keep bytes that are not UTF-8 as they are: who reads them may know
# another encoding.
KEEP_BROKEN = ('folded', 'phpspy')


def trace(odd=TEXT):
    """A trace in which everything that can be named has such a name."""
    text = [b'', b'name' + odd, b'/file' + odd + b'.php',
            b'space' + odd, b'key' + odd, b'value' + odd]
    return (wire.header() + wire.metadata(b'meta' + odd, b'is' + odd) +
            wire.metadata(b'process.7.command', b'command' + odd) +
            wire.metadata(b'process.7.runtime', b'php' + odd) +
            b''.join(wire.string(i, t) for i, t in enumerate(text)) +
            wire.frame(0, 3, 0, 1, 2, 5) + wire.native(1, 1, 2, 7) +
            wire.frame(2, 0, 0, 1, 0, -1) +
            wire.stack(0, [0, 1, 2]) + wire.stack(1, [2]) +
            b''.join(wire.compact(i % 2) + wire.annotation((4, 5))
                     for i in range(20)) +
            wire.pid_sample(0, 7) + wire.end())


def check(out, what):
    """Lines, blanks between them, and what may be shown."""
    keeps = any(name in what for name in KEEP_BROKEN)
    text = out.decode('utf-8', 'surrogateescape' if keeps else 'strict')
    text = text.replace('\n', '').replace('\t', '')
    found = chars.ACTS.search(text)
    expect(found is None, '%s: U+%04X in %r', what,
           ord(found[0]) if found else 0,
           text[max(0, found.start() - 20):found.end() + 20] if found else '')


FORMATS = ('folded', 'folded --tachyon-names', 'phpspy', 'phpspy --native',
           'callgrind', 'speedscope', 'gecko', 'chrome', 'jsonl', 'dump',
           'heatmap', 'heatmap-html', 'html', 'flamegraph')


def with_texts(items):
    """Each of them with each kind of text."""
    return ['%s: %s' % (text, item) for text in TEXTS for item in items]


def take(item):
    """The path of a trace with this kind of text, and the item."""
    text, item = item.split(': ', 1)
    return case.write_file(trace(TEXTS[text])), item


@each(with_texts(FORMATS))
def test_formats(item):
    path, item = take(item)
    to, *options = item.split()
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


@each(with_texts(REPORTS))
def test_reports(item):
    path, item = take(item)
    run = bobbin.run(*item.split(), path)
    check(run.out, item)
    check(run.err, item)


@each(['convert -t jsonl', 'convert -t speedscope', 'convert -t gecko',
       'convert -t chrome', 'info --json', 'analyze --json', 'verify --json'])
def test_json_in_html(item):
    """The formats and the reports escape alike: JSON may stand in a page."""
    path = case.write_file(trace(b'</script>&'))
    run = bobbin.run(*item.split(), path)
    expect(not re.search(rb'[<>&]', run.out), '%s', run.out[:400])


@each(with_texts(['--top 5', '--json', '--md', '-t folded', '-o diff.html',
                  '-o diff.svg']))
def test_diff(options):
    os.chdir(case.scratch)
    path, options = take(options)
    run = bobbin.run('diff', *options.split(), path, path)
    check(run.out, options)
    check(run.err, options)
    if options.startswith('-o'):
        with open(options.split()[1], 'rb') as file:
            check(file.read(), options)


# Each between two letters, in a name of its own.
ONE_BY_ONE = [c.encode() for c in chars.ODD if c != '\0'] + BROKEN


def many_names():
    """A trace with a function for each character or broken sequence."""
    names = [b'n%da%sa' % (i, o) for i, o in enumerate(ONE_BY_ONE)]
    return (wire.header() +
            b''.join(wire.string(i, n) for i, n in enumerate([b''] + names)) +
            b''.join(wire.frame(i, 0, 0, i + 1, i + 1, 5)
                     for i in range(len(names))) +
            b''.join(wire.stack(i, [i]) for i in range(len(names))) +
            b''.join(wire.compact(i) for i in range(len(names))) +
            wire.end())


# What ncurses sends itself, and the question for the colour behind the text. A
# name's ESC has an `a` behind it, so that none of them looks so.
CONTROL = re.compile(r'\x1b\[[0-9;?<>]*[A-Za-z]|\x1b[()][0AB]|\x1b[=>78M]|'
                     r'\x1b\]11;\?\x1b\\|[\r\n\b\x0f\t]')


def check_screen(out, what):
    check(CONTROL.sub('', out.decode('utf-8')).encode(), what)


@each(['', 't', 'S', '<', '>', 'jS', 'n', 'a', 'v', '/a\r', 'ma\r', 'bb'])
def test_explorer(keys):
    n = len(ONE_BY_ONE)
    with Pty(case.write_file(many_names()), cols=120, rows=n + 30) as term:
        term.wait_for(b'quit')
        term.write(keys.encode())
        term.wait_for(b'n%da' % (n - 1))
        term.write(b'q\x03')
        expect(term.end() == 0, 'status %d', term.status)
        check_screen(term.out, 'explorer')
        for i, odd in enumerate(ONE_BY_ONE):
            want = b'n%da%sa' % (i, re.sub(
                rb'[^2J]', lambda m: b'\\x%02x' % ord(m[0]), odd))
            expect(want in term.out, '%s is not shown', want)


@each(sorted(TEXTS))
def test_facets_and_title(text):
    path = case.write_file(trace(TEXTS[text]), 'x\x1ba\x9b2J\u202e.rbt')
    with Pty(path, cols=300, rows=60) as term:
        term.wait_for(b'quit')
        term.write(b'aq\x03')
        expect(term.end() == 0, 'status %d', term.status)
        check_screen(term.out, 'facets')


def test_screen_of_top():
    python = pythons.find()[-1]
    if python.startswith('none'):
        raise case.Skip('no Python was found')
    text = '\x1ba\x9b2J\u202e\u2028\u061c\u200f\x07\x7f'
    with targets.crowd([[python.split()[1], '-c', HOSTILE, text]]) as (c,):
        targets.need_permission(c.pid)
        with Pty('-p', str(c.pid), command='top', cols=300) as term:
            term.wait_for(b'name\\x1ba\\xc2\\x9b2J')
            term.write(b'q')
            expect(term.end() == 0, 'status %d', term.status)
            check_screen(term.out, 'top')


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
