"""Reading phpspy text: two ordinary captures and one full of traps."""
import os

from support import bobbin, fixtures, listing, text
from support.case import each, expect, read_file, write_file

CAPTURES = ['symfony-doctrine', 'laravel-request-info']


def path_of(name):
    return os.path.join(fixtures.PHPSPY, name + '.txt')


def truth(name):
    """Frames of each trace, leaf first."""
    with open(os.path.join(fixtures.PHPSPY, name + '.truth.txt'),
              encoding='ascii') as file:
        return [row.rstrip('\n').split('\t') for row in file]


def dump(path):
    result = bobbin.run('convert', '-f', 'phpspy', '-t', 'dump', path)
    return list(listing.expanded(listing.parse(result.out)))


@each(CAPTURES)
def test_frames(name):
    got = [fields[listing.FRAMES:] for fields in dump(path_of(name))]
    want = truth(name)
    expect(len(got) == len(want), '%d traces, not %d', len(got), len(want))
    for index, (a, b) in enumerate(zip(want, got)):
        expect(a == b, 'trace %d: want %s', index, listing.brief(a, b))


@each(CAPTURES)
def test_recognised_by_content(name):
    by_content = bobbin.run('dump', path_of(name)).out
    expect(by_content == bobbin.run('convert', '-f', 'phpspy', '-t', 'dump',
                                    path_of(name)).out,
           'with and without -f phpspy differ')


@each(CAPTURES)
def test_folded(name):
    result = bobbin.run('convert', '-t', 'folded', path_of(name))
    want = read_file(os.path.join(fixtures.PHPSPY, name + '.folded.txt'))
    expect(sorted(text.unescape(result.out).split(b'\n'))
           == sorted(want.split(b'\n')), 'lines differ')


def comments(name):
    """{key: value} of the `# key = value` lines, per trace."""
    out = [{}]
    for row in read_file(path_of(name)).split(b'\n'):
        if row.startswith(b'# ') and b' = ' in row:
            key, _, value = row[2:].partition(b' = ')
            out[-1][key] = value
        elif row == b'':
            out.append({})
    return out


def annotations(fields):
    pairs = fields[listing.ANNOTATIONS].split(',')
    return {text.unescape(k.encode()): text.unescape(v.encode())
            for k, v in (pair.split('=') for pair in pairs)}


@each(CAPTURES)
def test_comments_become_facts(name):
    """pid and time are columns, every other key is an annotation."""
    micros = None
    traces, told = list(dump(path_of(name))), comments(name)
    expect(traces and not any(told[len(traces):]), '%d traces of %d',
           len(traces), len(told))
    for index, (fields, notes) in enumerate(zip(traces, told)):
        notes = dict(notes)
        pid = notes.pop(b'pid', b'-')
        expect(fields[listing.PID].encode() == pid, 'trace %d: pid %s',
               index, fields[listing.PID])
        stamp = notes.pop(b'trace_ts', None)
        if stamp is None:
            expect(fields[listing.TIME] == '-', 'trace %d has a time', index)
        else:
            # The clock may start anywhere; its steps are the text's steps.
            base = int(fields[listing.TIME]) - int(stamp.replace(b'.', b''))
            expect(micros in (None, base), 'trace %d: time %s', index,
                   fields[listing.TIME])
            micros = base
        got = annotations(fields)
        for key, value in notes.items():
            expect(got.get(key) == value, 'trace %d: %r is %r, not %r',
                   index, key, got.get(key), value)


# The blocks of awkward.txt that have frames.  A list inside a block holds
# the readings of one line that are equally good.


def native(symbol, module, offset):
    return ['N;%s;%s;%d' % (symbol, module, offset),
            'P;%s::%s+0x%x;[native];0;-' % (module, symbol, offset)]


AWKWARD = [
    ['P;usleep;<internal>;-1;-', 'P;<main>;Command%20line%20code;1;-'],
    ['P;App\\P::m;/srv/dir%20with%20space/a%20b.php;12;-',
     'P;<main>;C:\\www\\x.php;3;-'],
    # The virtual machine's pseudo frame may be kept or understood.
    ['P;<VM>::ZEND_ASSIGN;<VM>;-1;-',
     'P;Mandelbrot::iterate;/home/u/mandelbrot.php;33;ZEND_ASSIGN',
     'P;<main>;/home/u/mandelbrot.php;45;ZEND_DO_FCALL'],
    [native('clock_nanosleep', 'libc.so.6', 0x5a),
     native('zif_usleep', 'php8.4', 0x42),
     'P;usleep;<internal>;-1;-', 'P;<main>;/app/test.php;15;-',
     native('execute_ex', 'php8.4', 0x4dfa)],
    [native('TRACE-2$fibonacci$4', '[jit]', 0x141),
     'P;<main>;/app/test.php;14;-'],
    ['P;App\\Svc::{closure}(/srv/app/src/Svc.php:30-34);'
     '/srv/app/src/Svc.php;31;-',
     'P;{closure:/srv/app/x.php:5};/srv/app/x.php;7;-',
     'P;<main>;/srv/app/x.php;1;-'],
    ['P;App\\Caf%C3%A9::%E5%AE%9F%E8%A1%8C;/srv/%C3%A9t%C3%A9.php;1;-',
     'P;bad%FF%FE;/srv/b%C3.php;2;-'],
    # "#no-space-comment foo bar:1" is a comment, though reli reads a frame.
    ['P;f;/a.php;1;-'],
    ['P;strlen;<internal>;-1;-', 'P;<main>;/win/eol.php;3;-'],
    ['P;a;/a.php;1;-'],
    ['P;b;/b.php;2;-'],
    ['P;deep;/a.php;1;-', 'P;deeper;/a.php;2;-'],
    ['P;last;/no/blank/after.php;9;-', 'P;<main>;/no/blank/after.php;1;-'],
]


def fits(want, got):
    return len(want) == len(got) and all(
        g in w if isinstance(w, list) else g == w for w, g in zip(want, got))


def test_awkward():
    got = [fields[listing.FRAMES:] for fields in dump(path_of('awkward'))]
    got = [frames for frames in got if frames]
    expect(len(got) == len(AWKWARD), '%d traces with frames, not %d',
           len(got), len(AWKWARD))
    for want, frames in zip(AWKWARD, got):
        expect(fits(want, frames), 'want %s, got %s', want, frames)


@each(range(len(AWKWARD)))
def test_awkward_alone(index):
    """Each block by itself, so that none depends on its neighbours."""
    blocks = [block for block in read_file(path_of('awkward'))
              .replace(b'\r\n', b'\n').split(b'\n\n') if b':' in block]
    expect(len(blocks) == len(AWKWARD), '%d blocks', len(blocks))
    path = write_file(blocks[index].strip(b'\n') + b'\n\n', 'block.txt')
    got = [fields[listing.FRAMES:] for fields in dump(path)]
    expect(len(got) == 1 and fits(AWKWARD[index], got[0]),
           'want %s, got %s', AWKWARD[index], got)


def test_bad_line_is_a_warning():
    """One line that means nothing costs that line, and is named."""
    path = write_file(b'0 a /a.php:1\n\n0 b /b.php:2\nnonsense\n'
                      b'1 c /c.php:3\n\n0 d /d.php:4\n\n', 'bad.txt')
    result = bobbin.run('convert', '-f', 'phpspy', '-t', 'dump', path,
                        ok=(bobbin.OK, bobbin.PARTIAL))
    names = [[frame.split(';')[1] for frame in fields[listing.FRAMES:]]
             for _, fields in listing.parse(result.out)]
    expect(names == [['a'], ['b', 'c'], ['d']], 'traces are %s', names)
    expect(b'4' in result.err, 'line 4 is not named: %s', result.err[:200])


def test_single_line_mode():
    """TAB between frames, line end between traces."""
    path = write_file(b'0 a /a.php:1\t1 <main> /m.php:9\n'
                      b'0 b /b.php:2\t1 <main> /m.php:8\n', 'single.txt')
    names = [[frame.split(';')[1] for frame in fields[listing.FRAMES:]]
             for fields in dump(path)]
    expect(names == [['a', '<main>'], ['b', '<main>']], 'traces are %s',
           names)


@each(CAPTURES)
def test_to_rbt_and_back(name):
    rbt = bobbin.run('convert', '-t', 'rbt', path_of(name)).out
    back = bobbin.run('convert', '-f', 'rbt', '-t', 'dump', stdin=rbt).out
    direct = bobbin.run('convert', '-t', 'dump', path_of(name)).out
    # One period and one segment: only the clock's start may move.
    pick = (listing.PID, listing.ANNOTATIONS)
    listing.expect_same(listing.columns(listing.parse(direct), *pick),
                        listing.columns(listing.parse(back), *pick))
