"""Source is shown from directories that the user names, and from no others."""
import os

from oracle import rbt_wire as wire
from support import bobbin, case
from support.case import each, expect, write_file

SECRET = b'root:secret:0:0\n' * 3
FORMATS = ['heatmap', 'heatmap-html', 'html', 'flamegraph']


def trace_of(*paths):
    """A trace with a frame in line 2 of each of them."""
    data = wire.header() + wire.string(0, b'') + wire.string(1, b'f')
    for i, path in enumerate(paths):
        data += (wire.string(2 + i, os.fsencode(path)) +
                 wire.frame(i, 0, 0, 1, 2 + i, 2) + wire.stack(i, [i]) +
                 wire.compact(i))
    return write_file(data + wire.end(), 'trace.rbt')


def convert(to, path, *options):
    return bobbin.run('convert', '-t', to, *options, path)


def make(name, data=SECRET):
    path = os.path.join(case.scratch, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)
    return path


@each(FORMATS)
def test_none_by_default(to):
    path = make('app/a.php')
    done = convert(to, trace_of(path, '/etc/passwd', '/etc/shadow'))
    expect(b'secret' not in done.out and b'root:x' not in done.out,
           'source is shown')
    if to.startswith('heatmap'):
        expect(b'no source shown: give --source DIR' in done.err,
               'not told how: %s', done.err)
    if to == 'heatmap-html':
        expect(b'--source DIR' in done.out, 'the page does not tell how')


@each(FORMATS[:2])
def test_below_the_directory(to):
    path = make('app/src/a.php')
    trace = trace_of(path)
    for root in ('app', 'app/', 'app/src', '.'):
        done = convert(to, trace, '--source',
                       os.path.join(case.scratch, root))
        expect(b'secret' in done.out, '%s: not shown', root)
        expect(b'no source' not in done.err.lower(), '%s', done.err)
    os.chdir(case.scratch)
    expect(b'secret' in convert(to, trace, '--source', 'app').out,
           'not by a relative name')
    make('other/x')
    expect(b'secret' in convert(to, trace, '--source', 'other', '--source',
                                'app').out, 'not by the second')
    expect(b'secret' not in convert(to, trace, '--source', 'other').out,
           'shown from another directory')


@each(FORMATS[:2])
def test_elsewhere(to):
    make('app/src/a.php')
    here = os.path.join(case.scratch, 'app')
    done = convert(to, trace_of('/srv/shop/src/a.php'), '--source',
                   '/srv/shop=' + here)
    expect(b'secret' in done.out, 'not shown')
    for path in ('/srv/shopx/src/a.php', '/srv/src/a.php', '/srv/shop'):
        done = convert(to, trace_of(path), '--source', '/srv/shop=' + here)
        expect(b'secret' not in done.out, '%s is shown', path)
    done = convert(to, trace_of('src/a.php'), '--source', here)
    expect(b'secret' in done.out, 'a relative name is not shown')


@each(FORMATS[:2])
def test_never_out_of_it(to):
    outside = make('outside.php')
    make('app/ok.php', b'fine\n' * 3)
    os.makedirs(os.path.join(case.scratch, 'folder'))
    make('folder/in.php')
    app = os.path.join(case.scratch, 'app')
    os.symlink(outside, app + '/link.php')
    os.symlink('../outside.php', app + '/up.php')
    os.symlink('../folder', app + '/folder')
    os.symlink('/', app + '/top')
    os.symlink('/proc/self/root', app + '/magic')
    paths = [app + '/link.php', app + '/up.php', app + '/folder/in.php',
             app + '/../outside.php', app + '/x/../../outside.php',
             app + '/top' + outside, app + '/magic' + outside,
             '../outside.php', app + '/./../outside.php']
    for path in paths:
        done = convert(to, trace_of(path, app + '/ok.php'), '--source', app)
        expect(b'secret' not in done.out, '%s is shown', path)
        expect(b'fine' in done.out, 'the good one is not shown')


def make_fifo(path):
    os.mkfifo(path)


def make_folder(path):
    os.mkdir(path)


def make_zeros(path):
    os.symlink('/dev/zero', path)


def make_huge(path):
    with open(path, 'wb') as file:
        file.truncate(1 << 40)


def make_loop(path):
    os.symlink(os.path.basename(path), path)


@each([('fifo', make_fifo), ('folder', make_folder), ('zeros', make_zeros),
       ('huge', make_huge), ('loop', make_loop)])
def test_only_files(kind):
    path = os.path.join(case.scratch, 'a.php')
    kind[1](path)
    trace = trace_of(path)
    for to in FORMATS[:2]:
        done = convert(to, trace, '--source', case.scratch)
        expect(b'a.php' in done.out, 'no line for it')


def test_device():
    """A device where a file should be is not opened."""
    path = os.path.join(case.scratch, 'a.php')
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        raise case.Skip('no device can be made here')
    convert('heatmap', trace_of(path), '--source', case.scratch)


def test_other_names_stay_where_they_are():
    """Also below the directory: only what looks like source."""
    for name in ('.env', 'id_rsa', 'secret.txt'):
        path = make(name)
        done = convert('heatmap', trace_of(path), '--source', case.scratch)
        expect(b'secret:0' not in done.out, '%s is shown', name)


def test_no_such_directory():
    trace = trace_of('/a.php')
    for root in ('/nowhere', '/x=/nowhere'):
        done = bobbin.run('convert', '-t', 'heatmap', '--source', root, trace,
                          ok=(bobbin.FAILED,))
        expect(b'/nowhere' in done.err, 'not named: %s', done.err)
