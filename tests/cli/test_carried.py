"""How options change what a conversion loses, and options that exclude each
other."""
import os

from oracle import rbt_gen
from support import bobbin, case, fixtures, tach
from support.case import each, expect, read_file, write_file

TINY = fixtures.rbt_path('tiny')


def path_of(name):
    return os.path.join(case.scratch, name)


def lost(*args):
    """The losses that the note before a conversion names."""
    note = bobbin.run('convert', *args).err.decode()
    return note.partition('cannot carry: ')[2].strip().split(', ')


@each([('with-status', 'rbt', tach.path('real_threads'), 'thread status'),
       ('opcodes', 'phpspy', fixtures.rbt_path('opcodes'), 'opcodes'),
       ('native', 'phpspy', fixtures.rbt_path('native-mixed'),
        'native frames')])
def test_option_carries(item):
    option, target, path, loss = item
    expect(loss in lost('-t', target, path), '%s is not lost', loss)
    expect(loss not in lost('-t', target, '--' + option, path),
           '%s is lost in spite of --%s', loss, option)


def test_threads_are_not_lost_in_rbt():
    expect('threads' in lost('-t', 'folded', tach.path('real_threads')),
           'nothing to lose')
    expect('threads' not in lost('-t', 'rbt', tach.path('real_threads')),
           'threads are lost')


@each(['file', 'pipe'])
def test_only_what_a_trace_has_is_lost(how):
    """The format could hold annotations, threads and opcodes too."""
    plain = write_file(b'0 f /x.php:1\n1 <main> /x.php:2\n\n' * 3, 'x.phpspy')
    path = path_of('plain.rbt')
    bobbin.run('convert', '-q', '-o', path, plain)
    args = ['convert', '-t', 'folded'] + ([path] if how == 'file' else [])
    said = bobbin.run(*args, stdin=None if how == 'file' else
                      read_file(path)).err.decode()
    for word in 'annotations', 'threads', 'opcodes', 'native', 'segments':
        expect(word not in said, '%s is not there to be lost: %s', word, said)
    expect(bobbin.run('convert', '-t', 'phpspy', path).err == b'',
           'nothing is lost')


def test_a_line_says_what_was_written():
    out = path_of('x.folded')
    said = bobbin.run('convert', '-o', out, TINY).err.decode().splitlines()
    expect(said[-1].startswith('bobbin: wrote %s (folded): ' % out) and
           'samples' in said[-1], '%s', said)
    expect(bobbin.run('convert', '-q', '-o', out, TINY).err == b'', 'quiet')
    expect(b'wrote' not in bobbin.run('convert', '-t', 'folded', TINY).err,
           'standard output needs no name')


def test_exact_copies_keep_their_order():
    result = bobbin.run('recover', '--exact', '--order', 'time', '-o',
                        '/dev/null', TINY,
                        ok=(bobbin.FAILED, bobbin.USAGE))
    expect(b'order' in result.err, 'message: %s', result.err)


def test_status_needs_samples_that_have_one():
    """Without a status nothing is added."""
    path = write_file(rbt_gen.generate(5, rbt_gen.FLAT))
    plain = bobbin.run('convert', '-q', '-t', 'rbt', path).out
    expect(bobbin.run('convert', '-q', '-t', 'rbt', '--with-status',
                      path).out == plain, 'other bytes')
