"""Firefox Profiler loads what bobbin writes, and counts the same.

Its command line has the parts of the web page that matter here: loading and
upgrading a file, call trees, markers.
"""
import collections
import json
import os

from support import bobbin, case, clients, fixtures, gecko, outputs, tach
from support.case import Failure, each, expect, read_file

INPUTS = [
    ('php', fixtures.rbt_path('timestamps')),
    ('annotations', fixtures.rbt_path('annotations')),
    ('processes', fixtures.rbt_path('pid-bundled-ts')),
    ('periods', fixtures.rbt_path('multi-segment')),
    ('names', tach.path('names')),
    ('clocks', tach.path('ids_status_time')),
    ('async', tach.path('real_async')),
    ('threads', tach.path('real_threads')),
    ('empty', tach.path('empty_none')),
    ('no-samples', fixtures.rbt_path('empty-segment')),
]
SMALL = [i for i in INPUTS if i[0] in ('annotations', 'threads')]
# Starting it takes a moment on a busy machine, and it gives up after half a
# second.
TRIES = 20


class Session:
    """A loaded file; the client runs in the background until it is closed."""

    def __init__(self, path):
        folder = clients.module('profiler', '@firefox-devtools/profiler-cli')
        node = os.path.join(clients.HOME, 'bin', 'node')
        if not os.access(node, os.X_OK):
            clients.missing('profiler')
        self.start = [node, os.path.join(folder, 'dist', 'profiler-cli.js')]
        # Its socket is in there, and names of sockets must be short.
        self.env = {'PROFILER_CLI_SESSION_DIR': case.scratch,
                    'PROFILER_CLI_NO_SYMBOLICATE': '1'}
        self.path = path

    def ask(self, *args, ok=(0,)):
        return clients.output(self.start + list(args) + ['--session', 's'],
                              env=self.env, ok=ok)

    def get(self, *args):
        return json.loads(self.ask(*args, '--json'))

    def __enter__(self):
        for left in reversed(range(TRIES)):
            try:
                self.ask('load', self.path)
                return self
            except Failure as failure:
                self.close()
                if left == 0 or 'did not become ready' not in str(failure):
                    raise

    def close(self):
        clients.output(self.start + ['stop', 's'], env=self.env,
                       ok=range(256))

    def __exit__(self, *_):
        self.close()

    def threads(self):
        """In the order of the file."""
        found = self.get('thread', 'list', '--limit', '0')['threads']
        return sorted(found, key=lambda thread: thread['threadIndex'])


def loaded(path):
    """(session, what bobbin's tests see in the file)."""
    target = outputs.converted('gecko', path, name='out.gecko.json')
    return Session(target), gecko.Profile(read_file(target))


def plain(name):
    """Without what is not ASCII: the client takes its own answers apart
    between the bytes of a character."""
    return name.encode('ascii', 'ignore').decode()


def functions(rows):
    """(name, self, total) of each function, recursion counted once."""
    own, total = collections.Counter(), collections.Counter()
    for row in rows:
        for function in {frame[:2] for frame in row.stack}:
            total[function] += row.weight
        if row.stack:
            own[row.stack[-1][:2]] += row.weight
    return collections.Counter(
        (plain(function[0]), float(own[function]), float(weight))
        for function, weight in total.items())


def expect_functions(session, handle, thread):
    listed = session.get('thread', 'functions', handle, '--include-idle',
                         '--limit', '0')
    expect(listed['weightType'] == thread.unit, 'unit')
    got = collections.Counter(
        (plain(f['name']), round(f['selfSamples'], 3),
         round(f['totalSamples'], 3)) for f in listed['functions'])
    want = functions(thread.rows())
    expect(got == want, '%s: missing %s, extra %s', thread.name,
           str(want - got)[:200], str(got - want)[:200])


@each(INPUTS)
def test_counts_the_same(source):
    """Threads, markers, rows, and the weight of every function."""
    session, profile = loaded(source[1])
    with session:
        threads = session.threads()
        expect([(t['name'], t['pid'], t['tid'], t['markerCount'])
                for t in threads] ==
               [(t.name, t.pid, t.tid, len(t.markers()))
                for t in profile.threads], 'threads: %s', str(threads)[:300])
        meta = session.get('profile', 'meta')
        expect(meta['product'] == profile.meta['product'], 'product')
        for shown, thread in list(zip(threads, profile.threads))[:5]:
            handle = '--thread=' + shown['threadHandle']
            info = session.get('thread', 'info', handle)
            expect(info['sampleCount'] == len(thread.rows()), '%s: %d rows',
                   thread.name, info['sampleCount'])
            expect_functions(session, handle, thread)


@each(SMALL)
def test_shows_markers(source):
    session, profile = loaded(source[1])
    with session:
        for shown, thread in zip(session.threads(), profile.threads):
            found = session.get('thread', 'markers', '--list', '--limit', '0',
                                '--thread=' + shown['threadHandle'])
            got = collections.Counter(
                (m['name'], gecko.micro(m['start']),
                 gecko.micro(m['duration']),
                 m['fields'][0]['value'] if m.get('fields') else None)
                for m in found.get('flatMarkers', []))
            want = collections.Counter(
                (m.name, m.begin, m.end - m.begin, m.value)
                for m in thread.markers())
            expect(got == want, '%s: missing %s, extra %s', thread.name,
                   str(want - got)[:200], str(got - want)[:200])


def test_reads_packed():
    """gzip is unpacked by the viewer."""
    target = outputs.converted('gecko', tach.path('tiny'), name='out.json')
    packed = clients.output(['gzip', '-c', target])
    with Session(case.write_file(packed, 'out.json.gz')) as session:
        expect(len(session.threads()) == 1, 'threads')


def test_totals():
    """What the viewer sums up is what bobbin counts."""
    path = tach.path('real_threads')
    session, profile = loaded(path)
    with session:
        shown = sum(session.get(
            'thread', 'samples', '--include-idle', '--thread=' +
            t['threadHandle'])['categoryBreakdown']['totalSamples']
            for t in session.threads())
    samples = json.loads(bobbin.run('info', '--json', path).out)['samples']
    expect(shown == samples, '%d samples, not %d', shown, samples)
