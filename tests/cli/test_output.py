"""Where output goes, and which files are left if it cannot be written."""
import fcntl
import gzip
import json
import os
import select
import signal
import subprocess
import time

from cli import beside, terminal
from support import bobbin, case, fixtures, listing
from support.case import each, expect, read_file, write_file

TINY = fixtures.rbt_path('tiny')
BAD = fixtures.rbt_path('corrupt-middle')


def path_of(name):
    return os.path.join(case.scratch, name)


def dump(*args, **more):
    return listing.parse(bobbin.run('dump', *args, **more).out)


def files():
    return sorted(os.listdir(case.scratch))


def test_standard_input_and_output():
    data = read_file(TINY)
    by_name = bobbin.run('convert', '-t', 'folded', TINY).out
    expect(bobbin.run('convert', '-t', 'folded', stdin=data).out == by_name,
           'without IN')
    expect(bobbin.run('convert', '-t', 'folded', '-', '-o', '-',
                      stdin=data).out == by_name, 'with - and -')


def test_an_input_is_opened_once():
    """A FIFO is opened once: its writer is gone after it was read."""
    fifo = path_of('fifo')
    os.mkfifo(fifo)
    want = bobbin.run('convert', '-t', 'folded', TINY).out
    writer = subprocess.Popen(['sh', '-c', 'cat "$0" >"$1"', TINY, fifo])
    child = subprocess.Popen([bobbin.PROGRAM, 'convert', '-qt', 'folded',
                              fifo], stdout=subprocess.PIPE)
    try:
        said = child.communicate(timeout=bobbin.TIMEOUT)[0]
    finally:
        child.kill()
        child.wait()
        writer.kill()
        writer.wait()
    expect(said == want, 'it says %r', said[:80])


def test_several_inputs_become_one():
    one, two = fixtures.rbt_path('rle-runs'), fixtures.rbt_path('gzip-single')
    out = path_of('out.rbt')
    bobbin.run('convert', '-o', out, one, two)
    first = dump(one)
    segments = 1 + max(int(f[listing.SEGMENT]) for _, f in first)
    listing.expect_same(first + listing.shifted(dump(two), segments),
                        dump(out))


def test_output_may_be_an_input():
    path = write_file(read_file(TINY))
    before = dump(path)
    bobbin.run('convert', '-o', path, path, path)
    listing.expect_same(before + listing.shifted(before, 1), dump(path))
    expect(files() == ['in.rbt'], 'left behind: %s', files())


def test_shell_redirection_onto_the_input_is_noticed():
    path = write_file(read_file(TINY))
    with open(path, 'ab') as out:
        result = subprocess.run([bobbin.PROGRAM, 'convert', '-t', 'rbt', path],
                                stdout=out, stderr=subprocess.PIPE,
                                check=False)
    expect(result.returncode == bobbin.USAGE, 'exit %d', result.returncode)
    expect(read_file(path) == read_file(TINY), 'the input is damaged')


def test_closed_standard_files_are_not_written_to():
    """A file that is opened must not get the descriptor of stderr."""
    whole, alone = path_of('whole.folded'), path_of('alone.folded')
    bobbin.run('convert', '--recover', '-o', whole, BAD,
               ok=(bobbin.PARTIAL,))
    for closed in ('2>&-', '>&- 2>&-', '<&- >&- 2>&-'):
        result = subprocess.run(
            ['sh', '-c', 'exec "$0" "$@" ' + closed, bobbin.PROGRAM,
             'convert', '--recover', '-o', alone, BAD], check=False)
        expect(result.returncode == bobbin.PARTIAL, '%s: exit %d', closed,
               result.returncode)
        expect(read_file(alone) == read_file(whole), '%s: %s', closed,
               read_file(alone)[:80])


def test_suffix_gz_packs():
    out = path_of('out.rbt.gz')
    bobbin.run('convert', '-o', out, TINY)
    expect(read_file(out)[:2] == b'\x1f\x8b', 'not packed')
    listing.expect_same(dump(TINY), dump(out))


def test_a_link_stays_a_link():
    write_file(b'old', 'real.folded')
    os.symlink('real.folded', path_of('link.folded'))
    bobbin.run('convert', '-o', path_of('link.folded'), TINY)
    expect(os.path.islink(path_of('link.folded')), 'the link is gone')
    expect(read_file(path_of('real.folded')) != b'old', 'not written')


def test_mode_of_a_replaced_file_stays():
    path = write_file(b'old', 'out.folded')
    os.chmod(path, 0o640)
    bobbin.run('convert', '-o', path, TINY)
    mode = os.stat(path).st_mode & 0o777
    expect(mode == 0o640, 'mode %o', mode)


def test_the_damaged_one_of_several_inputs_is_named():
    """Also when it is found before anything was read of it."""
    packed = gzip.compress(read_file(TINY))
    bad = write_file(packed[:10] + b'\xff' * 40, 'bad.rbt.gz')
    result = bobbin.run('convert', '--strict', '-t', 'folded', TINY, bad,
                        ok=(bobbin.FAILED,))
    expect(result.err.count(bad.encode()) == 2, 'says %r', result.err)
    expect(b'recover %s ' % bad.encode() in result.err, 'says %r', result.err)
    expect(TINY.encode() not in result.err, 'says %r', result.err)


def test_damage_before_the_first_sample_keeps_the_old_file():
    bad = write_file(read_file(TINY)[:12] + b'\xff' * 200, 'bad.rbt')
    old = write_file(b'old', 'out.folded')
    bobbin.run('convert', '-o', old, bad, ok=(bobbin.FAILED,))
    expect(read_file(old) == b'old', 'the old file is gone')
    expect(files() == ['bad.rbt', 'out.folded'], 'left behind: %s', files())


@each([('missing input', bobbin.FAILED, ['convert', '/nonexistent']),
       ('unknown input', bobbin.FAILED, ['convert', __file__]),
       ('bad option', bobbin.USAGE, ['convert', '--timestamps=x', TINY]),
       ('bad pattern', bobbin.USAGE, ['convert', '--match=(', TINY])])
def test_an_old_file_survives_failure(item):
    _, code, words = item
    old = write_file(b'old', 'out.rbt')
    bobbin.run(*words, '-o', old, ok=(code,))
    expect(read_file(old) == b'old', 'the old file is gone')
    expect(files() == ['out.rbt'], 'left behind: %s', files())


def test_what_comes_before_damage_is_kept():
    out = path_of('out.rbt')
    strict = listing.parse(bobbin.run('dump', BAD, ok=(bobbin.FAILED,)).out)
    bobbin.run('convert', '--strict', '-o', out, BAD, ok=(bobbin.FAILED,))
    listing.expect_same(strict, dump(out))


def test_convert_skips_damage():
    out = path_of('out.rbt')
    bobbin.run('convert', '-o', out, BAD, ok=(bobbin.PARTIAL,))
    expect(listing.total(dump(out)) == 530, 'samples missing')


@each([('rbt', ['convert', '-t', 'rbt', TINY]), ('recover', ['recover', TINY]),
       ('converter:rbt', ['converter:rbt', TINY])])
def test_binary_output_is_refused_on_a_terminal(item):
    code, shown, err = terminal.run(*item[1], out=True)
    expect(code == bobbin.USAGE and not shown, 'exit %d, %r', code, shown)
    expect(b'-o FILE' in err, 'no hint: %r', err)


def test_text_goes_to_a_terminal():
    code, shown, _ = terminal.run('convert', '-t', 'folded', TINY, out=True)
    expect(code == bobbin.OK and shown, 'exit %d', code)


@each(['convert', 'info'])
def test_typing_a_trace_is_not_expected(command):
    """No input, and standard input is a terminal: say so, do not wait."""
    master, slave = os.openpty()
    code, _, err = terminal.run(command, err=False, out=True, stdin=slave)
    os.close(slave)
    os.close(master)
    expect(code == bobbin.USAGE and b'no input' in err, 'exit %d: %r', code,
           err)


def said_meanwhile(listener, teller, seconds):
    """What a conversion says while it is fed for so long, or until it says
    something about its speed."""
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'convert', '-t', 'folded', '-o', '/dev/null'],
        stdin=subprocess.PIPE, stderr=teller,
        env=dict(os.environ, TERM='xterm'))
    os.close(teller)
    os.set_blocking(listener, False)
    said, end = b'', time.monotonic() + seconds
    while time.monotonic() < end and b'/s' not in said:
        child.stdin.write(b'0 f /a.php:1\n\n0 g /a.php:2\n\n' * 1000)
        try:
            said += os.read(listener, 65536)
        except BlockingIOError:
            pass
    child.stdin.close()
    expect(child.wait() == bobbin.OK, 'it says %r', said)
    os.close(listener)
    return said


def test_progress_is_for_terminals():
    said = said_meanwhile(*os.openpty(), bobbin.TIMEOUT)
    expect(b'/s' in said, 'no progress: %r', said)
    said = said_meanwhile(*os.pipe(), 1)
    expect(b'/s' not in said and b'\r' not in said, 'progress: %r', said)


@each([('file', ['-o', '/dev/full']), ('standard output', [])])
def test_full_disk(item):
    if not os.path.exists('/dev/full'):
        raise case.Skip('no /dev/full')
    with open('/dev/full', 'wb') as full:
        result = subprocess.run(
            [bobbin.PROGRAM, 'convert', '-qt', 'folded', TINY] + item[1],
            stdout=full, stderr=subprocess.PIPE, check=False)
    expect(result.returncode == bobbin.FAILED, 'exit %d', result.returncode)
    expect(b'No space left' in result.stderr, 'says %r', result.stderr)


@each([('info', TINY), ('help',), ('formats',), ('verify', TINY)])
def test_full_disk_for_reports(words):
    if not os.path.exists('/dev/full'):
        raise case.Skip('no /dev/full')
    with open('/dev/full', 'wb') as full:
        result = subprocess.run([bobbin.PROGRAM] + list(words), stdout=full,
                                stderr=subprocess.PIPE, check=False)
    expect(result.returncode == bobbin.FAILED, 'exit %d', result.returncode)
    expect(b'No space left' in result.stderr, 'says %r', result.stderr)


@each([('by signal', True), ('by error', False)])
def test_broken_pipe_is_quiet(item):
    """If the reader ends early, nothing is printed."""
    path = beside.make_trace('--samples', 20000, '--run-mean', 1)
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'dump', path], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, restore_signals=item[1])
    child.stdout.read(10)
    child.stdout.close()
    err = child.stderr.read()
    code = child.wait()
    expect(code in (0, -signal.SIGPIPE, 128 + signal.SIGPIPE), 'exit %d',
           code)
    expect(not err, 'says %r', err)


def read_late(words, key='stdout'):
    """What comes out of a pipe that does not block, has room for a page and
    is read when it is full. (output, exit code)"""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    child = subprocess.Popen([bobbin.PROGRAM, *words], **{key: writer})
    full = select.poll()
    full.register(writer, select.POLLOUT)
    wait_for(lambda: not full.poll(0) or child.poll() is not None)
    os.close(writer)
    with open(reader, 'rb') as file:
        said = file.read()
    return said, child.wait(bobbin.TIMEOUT)


@each([('convert',), ('dump',), ('analyze',), ('info',), ('diff',)])
def test_output_that_does_not_block(item):
    path = beside.make_trace('--samples', 3000, '--run-mean', 1)
    words = {'convert': ['convert', '-qt', 'folded', path],
             'dump': ['dump', '-q', path],
             'analyze': ['analyze', '-q', '--json', path],
             'info': ['info', '-q', '--json'] + [path] * 9,
             'diff': ['diff', '-q', '--json', path, path]}[item[0]]
    want = bobbin.run(*words).out
    expect(len(want) > 8192, 'only %d bytes: no pipe gets full', len(want))
    said, code = read_late(words)
    expect(code == bobbin.OK and said == want, 'exit %d, %d bytes of %d',
           code, len(said), len(want))


def test_messages_where_standard_error_does_not_block():
    words = ['verify', '/nonexistent'] + ['/nonexistent/' + 'x' * 200] * 50
    want = bobbin.run(*words, ok=(bobbin.FAILED,)).err
    expect(len(want) > 8192, 'only %d bytes: no pipe gets full', len(want))
    said, code = read_late(words, 'stderr')
    expect(code == bobbin.FAILED and said == want, 'exit %d, %d bytes of %d',
           code, len(said), len(want))


@each([('SIGINT', signal.SIGINT), ('SIGTERM', signal.SIGTERM),
       ('SIGHUP', signal.SIGHUP)])
def test_a_signal_leaves_nothing_behind(item):
    old = write_file(b'old', 'out.folded')
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'convert', '-q', '-o', old], stdin=subprocess.PIPE)
    child.stdin.write(read_file(TINY))
    child.stdin.flush()
    wait_for(lambda: len(files()) == 2)
    child.send_signal(item[1])
    expect(child.wait(bobbin.TIMEOUT) == -item[1], 'exit %d',
           child.returncode)
    child.stdin.close()
    expect(files() == ['out.folded'] and read_file(old) == b'old',
           'left behind: %s', files())


def wait_for(condition):
    deadline = time.monotonic() + bobbin.TIMEOUT
    while not condition():
        expect(time.monotonic() < deadline, 'it never happens')
        time.sleep(0.01)


def test_a_signal_spares_the_segments_that_are_whole():
    data = read_file(beside.make_trace('--samples', 3000, '--segments', 3,
                                       name='source'))
    child = subprocess.Popen(
        [bobbin.PROGRAM, 'convert', '-q', '-o', path_of('t%d.rbt')],
        stdin=subprocess.PIPE)
    child.stdin.write(data[:len(data) // 2])
    child.stdin.flush()
    wait_for(lambda: 't0.rbt' in files() and len(files()) == 3)
    child.send_signal(signal.SIGTERM)
    expect(child.wait(bobbin.TIMEOUT) == -signal.SIGTERM, 'exit %d',
           child.returncode)
    child.stdin.close()
    expect(files() == ['source', 't0.rbt'], 'left behind: %s', files())
    bobbin.run('verify', path_of('t0.rbt'))


@each([('braces', 't-{}.rbt', ['t-0000.rbt', 't-0001.rbt', 't-0002.rbt']),
       ('percent', 't%d.rbt', ['t0.rbt', 't1.rbt', 't2.rbt']),
       ('digits', '%03d', ['000', '001', '002'])])
def test_a_file_per_segment(item):
    _, pattern, names = item
    source = beside.make_trace('--samples', 3000, '--segments', 3, '--times',
                               '--pids', 2, name='source')
    bobbin.run('convert', '-t', 'rbt', '-o', path_of(pattern), source)
    expect(files() == sorted(names + ['source']), 'files: %s', files())
    for name in names:
        bobbin.run('verify', path_of(name))
    joined = b''.join(read_file(path_of(name)) for name in names)
    listing.expect_same(dump(source), dump(stdin=joined))


def test_rotation_by_size_into_packed_files():
    source = beside.make_trace('--samples', 30000, name='source')
    bobbin.run('convert', '--rotate-size', '20k', '-o', path_of('{}.rbt.gz'),
               source)
    names = [name for name in files() if name.endswith('.rbt.gz')]
    expect(len(names) > 2, 'files: %s', files())
    joined = b''.join(read_file(path_of(name)) for name in names)
    want = listing.columns(dump(source), listing.PID)
    listing.expect_same(want, listing.columns(dump(stdin=joined),
                                              listing.PID))


@each([('one file', 'out.rbt'), ('files', '{}.rbt')])
def test_rotation_keeps_dates(item):
    start = 1790000000
    source = beside.make_trace('--samples', 3000, '--times', '--start',
                               start * 10 ** 6, name='source')
    bobbin.run('convert', '-q', '--rotate-time', '5s', '-o', path_of(item[1]),
               source)
    parts = [path_of(name) for name in files() if name.endswith('.rbt')]

    def wall(paths):
        out = bobbin.run('analyze', '--json', *paths).out
        return json.loads(out)['time']['wall_us']

    def count(paths, since):
        return len(dump(*['--from', '@%d' % (start + since)] + paths))

    expect(wall([source]) > 25000000, 'the trace is short')
    expect(wall(parts) == wall([source]), '%d us', wall(parts))
    for since in (0, 7, 14, 28):
        expect(count(parts, since) == count([source], since), '%d', since)


def test_a_format_without_segments_takes_no_pattern():
    bobbin.run('convert', '-o', path_of('x-{}.folded'), TINY,
               ok=(bobbin.USAGE,))
    expect(files() == [], 'left behind: %s', files())


def live(out, *options):
    return subprocess.Popen(
        [bobbin.PROGRAM, 'convert', '-q', '--live', '-o', out]
        + list(options), stdin=subprocess.PIPE)


def test_live_output_can_be_read_while_it_grows():
    """Input is in the file after a second, and a signal completes it."""
    data = read_file(beside.make_trace('--samples', 2000, name='source'))
    want = dump(path_of('source'))
    out = path_of('out.rbt')
    child = live(out)
    child.stdin.write(data)
    child.stdin.flush()
    # An annotation could still follow the newest sample: it may wait.
    wait_for(lambda: os.path.exists(out) and os.path.getsize(out) > 0 and
             listing.total(dump(out)) >= 1999)
    child.send_signal(signal.SIGTERM)
    expect(child.wait(bobbin.TIMEOUT) == 0, 'exit %d', child.returncode)
    child.stdin.close()
    listing.expect_same(want, dump(out))
    bobbin.run('verify', out)


def test_packed_live_output_survives_a_kill():
    data = read_file(beside.make_trace('--samples', 2000, '--segments', 2,
                                       name='source'))
    out = path_of('out.rbt.gz')
    child = live(out)
    # All but the end: the second segment is still open.
    child.stdin.write(data[:-1])
    child.stdin.flush()
    recover = [bobbin.PROGRAM, 'recover', '-q', '-t', 'dump', out]
    wait_for(lambda: os.path.exists(out) and b'\t1\t' in subprocess.run(
        recover, capture_output=True, check=False).stdout)
    child.kill()
    child.wait()
    child.stdin.close()
    result = bobbin.run('recover', '-q', '-t', 'dump', out,
                        ok=(bobbin.OK, bobbin.PARTIAL))
    listing.expect_prefix(listing.parse(result.out), dump(path_of('source')))
    expect(listing.total(listing.parse(result.out)) > 1000, 'segment 1 lost')


def test_live_input_that_is_damaged_ends_the_output_well():
    out = path_of('out.rbt')
    strict = listing.parse(bobbin.run('dump', BAD, ok=(bobbin.FAILED,)).out)
    result = bobbin.run('convert', '--live', '-o', out, BAD,
                        ok=(bobbin.FAILED,))
    expect(b"'bobbin recover %s " % BAD.encode() in result.err, 'says %r',
           result.err)
    listing.expect_same(strict, dump(out))
    bobbin.run('verify', out)


@each([('no name', ['-t', 'rbt']), ('pattern', ['-o', 'x{}.rbt'])])
def test_live_needs_one_file(item):
    bobbin.run('convert', '--live', TINY, *item[1], ok=(bobbin.USAGE,))


def test_live_output_may_not_be_an_input():
    path = write_file(read_file(TINY))
    bobbin.run('convert', '--live', '-o', path, path, ok=(bobbin.USAGE,))
    expect(read_file(path) == read_file(TINY), 'the input is gone')


def test_segments_that_cannot_be_written():
    result = bobbin.run('convert', '-o', path_of('no/such/{}.rbt'), TINY,
                        ok=(bobbin.FAILED,))
    expect(len(result.err.splitlines()) == 1, 'says %r', result.err)


def test_a_bad_baseline_is_the_one_that_is_named():
    bad = write_file(b'no trace at all, and of no kind\n' * 4, 'bad.bin')
    result = bobbin.run('convert', '-b', bad, '-t', 'html', TINY,
                        ok=(1,))
    expect(b'bad.bin' in result.err and b'tiny' not in result.err, '%r',
           result.err)
