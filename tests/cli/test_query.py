"""bobbin query: what is asked of a store, as a file."""
import collections
import os

from support import bobbin, case, stores
from support.case import each, expect

SECOND = 1_000_000


def make_store():
    """(folder, samples by host)"""
    folder, taken = stores.folder(), {}
    for host in ('web1', 'web2'):
        taken[host] = [
            stores.Sample(stores.START + 50_000 * i, ('f%d' % (i % 7), 'main'),
                          100, '/r%d' % (i % 3)) for i in range(100)]
        for half in range(2):
            stores.put(folder, '%s/%d.rbt' % (host, half), stores.segment(
                taken[host][50 * half:50 * half + 50], 'shop', host))
    bobbin.run('store', '--seal', '-q', folder)
    return folder, taken


def leaves(path):
    counts = collections.Counter()
    for line in bobbin.run('dump', path).out.decode().splitlines():
        fields = line.split('\t')
        counts[fields[8].split(';')[1]] += int(fields[0])
    return counts


def out_file(name):
    return os.path.join(case.scratch, name)


@each(['asked.rbt', 'asked.rbt.gz', 'asked'])
def test_a_file_has_the_samples_that_are_asked_for(name):
    folder, taken = make_store()
    start, path = stores.START // SECOND, out_file(name)
    run = bobbin.run('query', folder, '--host', 'web2', '--route', '/r1',
                     '--from', '@%d' % (start + 1), '--to', '@%d' % (start + 2),
                     '--explain', '-o', path)
    want = collections.Counter(
        s.stack[0] for s in taken['web2'] if s.route == '/r1' and
        stores.START + SECOND <= s.time < stores.START + 2 * SECOND)
    expect(len(want) > 0 and leaves(path) == want, '%r, not %r', leaves(path),
           want)
    expect(b'reads 1 of 4 segments' in run.err and
           b'(rbt): %d samples' % sum(want.values()) in run.err, '%r', run.err)


def test_any_format_may_be_written():
    folder, _ = make_store()
    folded = bobbin.run('query', folder, '-t', 'folded').out
    expect(sum(int(line.split()[-1]) for line in folded.splitlines()) == 200,
           '%r', folded)
    expect(bobbin.run('query', folder, '-t', 'folded').out ==
           bobbin.run('convert', '--store', folder, '-t', 'folded').out,
           'another answer than that of convert')
    piped = bobbin.run('query', folder).out
    expect(bobbin.run('dump', case.write_file(piped, 'piped.rbt')).out ==
           bobbin.run('dump', '--store', folder).out, 'other samples')


def test_what_asks_for_nothing_is_told():
    folder, _ = make_store()
    path = out_file('old.rbt')
    with open(path, 'wb') as file:
        file.write(b'old')
    run = bobbin.run('query', folder, '--host', 'web3', '-o', path, ok=(1,))
    expect(b'no segment has samples' in run.err, '%r', run.err)
    with open(path, 'rb') as file:
        expect(file.read() == b'old', 'the old file is gone')
    run = bobbin.run('query', folder, '--from', '@5', '--to', '@6', ok=(1,))
    expect(b'store 1970-01-01T00:00:05Z..00:00:06Z: no segment' in run.err,
           '%r', run.err)
    for args, why in (([], b'no directory'), ([folder, 'x'], b"'x' is one"),
                      (['--store', folder, 'x'], b"'x' is one")):
        run = bobbin.run('query', *args, ok=(2,))
        expect(why in run.err, '%r: %r', args, run.err)


@each(['recover', 'verify', 'replay'])
def test_commands_for_files_say_what_to_do_instead(command):
    run = bobbin.run(command, '--store', 'x', ok=(2,))
    expect(b'bobbin query DIR -o FILE' in run.err, '%r', run.err)


@each(['analyze --store', 'info --store', 'convert -t folded --store',
       'query'])
def test_a_mistyped_time_is_no_format(how):
    for when in ('yesterdy', '14:99'):
        said = bobbin.run(*how.split(), case.scratch, '--from', when,
                          ok=(bobbin.USAGE,)).err.decode()
        expect("--from '%s' is not a time" % when in said and
               'format' not in said, 'says %r', said)
