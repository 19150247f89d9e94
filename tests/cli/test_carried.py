"""How options change what a conversion loses, and options that exclude each
other."""
from oracle import rbt_gen
from support import bobbin, fixtures, tach
from support.case import each, expect, write_file

TINY = fixtures.rbt_path('tiny')


def lost(*args):
    """The losses that the note before a conversion names."""
    note = bobbin.run('convert', *args).err.decode()
    return note.partition('cannot carry: ')[2].strip().split(', ')


@each([('with-status', 'rbt', tach.path('real_threads'), 'thread status'),
       ('opcodes', 'phpspy', TINY, 'opcodes'),
       ('native', 'phpspy', TINY, 'native frames')])
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
