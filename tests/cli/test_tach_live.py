"""TACH that is written while its input is still coming."""
import collections
import os
import signal
import subprocess
import time

from cli import beside
from support import bobbin, case, fixtures, listing
from support.case import each, expect, read_file

TINY = fixtures.rbt_path('tiny')


def path_of(name):
    return os.path.join(case.scratch, name)


def dump(path):
    return listing.parse(bobbin.run('dump', path).out)


def live(out):
    return subprocess.Popen(
        [bobbin.PROGRAM, 'convert', '-q', '--live', '-o', out],
        stdin=subprocess.PIPE)


def wait_for(condition):
    deadline = time.monotonic() + bobbin.TIMEOUT
    while not condition():
        expect(time.monotonic() < deadline, 'it never happens')
        time.sleep(0.01)


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def feed(child, out):
    """Gives it most of a trace, until some of that is written."""
    source = beside.make_trace('--samples', 3000, '--times', '--pids', 3,
                               '--run-mean', 2, name='source')
    data = read_file(source)
    child.stdin.write(data[:-100])
    child.stdin.flush()
    wait_for(lambda: size(out + '.part') > 64 and size(out + '.part.defs'))
    return source


@each([('SIGINT', signal.SIGINT), ('SIGTERM', signal.SIGTERM)])
def test_a_signal_ends_a_live_profile_well(item):
    out = path_of('out.tach')
    child = live(out)
    feed(child, out)
    child.send_signal(item[1])
    expect(child.wait(bobbin.TIMEOUT) == 0, 'exit %d', child.returncode)
    child.stdin.close()
    expect(sorted(os.listdir(case.scratch)) == ['out.tach', 'source'],
           'left behind: %s', os.listdir(case.scratch))
    bobbin.run('verify', out)
    expect(listing.total(dump(out)) > 2000, 'few samples')


def test_an_unfinished_profile_is_never_overwritten():
    out = path_of('out.tach')
    part = case.write_file(b'precious', 'out.tach.part')
    result = bobbin.run('convert', '-q', '--live', '-o', out, TINY,
                        ok=(bobbin.FAILED,))
    expect(b'recover' in result.err, 'says %r', result.err)
    expect(read_file(part) == b'precious' and not os.path.exists(out),
           'it is gone')


def test_a_killed_live_profile_is_recovered():
    out = path_of('out.tach')
    child = live(out)
    source = feed(child, out)
    child.kill()
    child.wait()
    child.stdin.close()
    result = bobbin.run('dump', out + '.part', ok=(bobbin.FAILED,))
    expect(b"bobbin recover %s.part -o %s'" % (out.encode(), out.encode())
           in result.err, 'says %r', result.err)
    bobbin.run('recover', '-q', out + '.part', '-o', out,
               ok=(bobbin.OK, bobbin.PARTIAL))
    bobbin.run('verify', out)
    got, want = samples(out), samples(source)
    expect(len(got) > 1000, '%d samples', len(got))
    expect(not collections.Counter(got) - collections.Counter(want),
           'samples that never were')


def samples(path):
    """[(time, process or thread, functions)]: what both formats have. In a
    profile a process is a thread, and each has an order of its own."""
    return [(fields[listing.TIME],
             fields[listing.PID].replace('-', '') + fields[listing.TID].replace(
                 '-', ''),
             tuple(f.split(';')[1] for f in fields[listing.FRAMES:]))
            for count, fields in dump(path) for _ in range(count)]


def test_a_live_profile_is_packed_better_than_cpythons():
    source = beside.make_trace('--samples', 5000, '--times', '--pids', 3,
                               '--run-mean', 2, name='source')
    bobbin.run('convert', '-q', source, '-o', path_of('plain.tach'))
    bobbin.run('convert', '-q', '--live', source, '-o', path_of('live.tach'))
    small, plain = (size(path_of(n)) for n in ('live.tach', 'plain.tach'))
    expect(small < 0.97 * plain, '%d bytes, not live %d', small, plain)
    expect(dump(path_of('live.tach')) == dump(path_of('plain.tach')),
           'the samples differ')
