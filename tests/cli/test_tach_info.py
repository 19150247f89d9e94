"""info of CPython's profiles: what its own tools show, and more."""
import collections
import json

from support import bobbin, fixtures, tach
from support.case import each, expect

# Facts about the bytes are checked where a listing gives them.
NAMES = [name for name in tach.listed_names() if not name.startswith('empty')]
KINDS = ('repeat', 'full', 'suffix', 'pop_push')


def info(*args):
    return json.loads(bobbin.run('info', '--json', *args).out.decode())


@each(NAMES)
def test_records_by_kind(name):
    counts = tach.facts(tach.listing_rows(name), 'R')
    samples = int(tach.facts(tach.listing_rows(name), 'E')['samples'])
    rows = {r['kind']: r for r in info(tach.path(name))['records']}
    for kind in KINDS:
        expect(rows[kind]['count'] == int(counts[kind + '_records']),
               '%s: %d records', kind, rows[kind]['count'])
    expect(rows['repeat']['samples'] == int(counts['repeat_samples']),
           'repeated samples')
    expect(sum(r['samples'] for r in rows.values()) == samples, 'samples')


@each(NAMES)
def test_frames_written_and_saved(name):
    total = int(tach.facts(tach.listing_rows(name), 'E')['frames_total'])
    facts = info(tach.path(name))['facts']
    expect(facts['frames_written'] + facts['frames_saved'] == total,
           '%s, not %d', facts, total)


@each(NAMES)
def test_tables(name):
    head = tach.facts(tach.listing_rows(name), 'H')
    facts = info(tach.path(name))['facts']
    expect((facts['strings'], facts['frames'])
           == (int(head['strings']), int(head['frames'])), '%s', facts)
    packed, raw = facts['sample_bytes_packed'], facts['sample_bytes']
    expect((packed == raw) == (head['compression'] == '0'),
           'packed %d, raw %d', packed, raw)


@each(NAMES)
def test_threads_and_status(name):
    threads, bits = collections.Counter(), collections.Counter()
    n_idle = n_all = 0
    for row in tach.listing_rows(name):
        if row[0] != 'S':
            continue
        threads[int(row[2]), int(row[3])] += 1
        n_all += 1
        n_idle += int(row[4]) == 0
        for bit in range(8):
            bits[bit] += int(row[4]) >> bit & 1
    report = info(tach.path(name))
    expect({(t['interpreter'], t['tid']): t['samples']
            for t in report['threads']} == threads, 'threads')
    shown = [t['samples'] for t in report['threads']]
    expect(shown == sorted(shown, reverse=True), 'most samples first')
    expect(report['status_samples'] == n_all
           and report['status']['none'] == n_idle, 'status')
    keys = ['has_gil', 'on_cpu', 'cpu_unknown', 'wants_gil',
            'has_exception', 'main_thread', 'bit_6', 'bit_7']
    for bit, key in enumerate(keys):
        expect(report['status'][key] == bits[bit], '%s: %d', key,
               report['status'][key])


@each([('1a', 'old_encodings'), ('1b', 'encodings'), ('1b zstd', 'rle')])
def test_dialect(item):
    want, name = item[0].split()[0], item[1]
    expect(info(tach.path(name))['dialect'] == want, 'dialect')
    expect(info('--dialect', want, tach.path(name))['dialect'] == want,
           'as asked for')
    text = bobbin.run('info', tach.path(name)).out.decode()
    expect('tach, dialect %s\n' % want in text, 'text')


def test_a_wrong_dialect_is_no_secret():
    result = bobbin.run('info', '--dialect', '1a', tach.path('encodings'),
                        ok=(bobbin.FAILED, bobbin.PARTIAL))
    expect(result.err or b'gap' in result.out, 'not a word')


def test_an_unknown_dialect_is_a_usage_error():
    result = bobbin.run('info', '--dialect', '9z', tach.path('encodings'),
                        ok=(bobbin.USAGE,))
    expect(b'9z' in result.err, 'says %r', result.err)


def test_order_of_time():
    """Threads take turns, so there are more runs of the same samples."""
    by_file, by_time = (info('--order', order, tach.path('real_threads'))
                        for order in ('file', 'time'))
    expect(by_time['runs'] > by_file['runs'], '%d and %d runs',
           by_time['runs'], by_file['runs'])
    for key in ('samples', 'stacks', 'threads', 'status'):
        expect(by_time[key] == by_file[key], '%s differ', key)


def test_text_for_people():
    text = bobbin.run('info', tach.path('real_json')).out.decode()
    for want in ('3,844 frames written, 286,057 saved (98.7 %)',
                 '6.1 bytes per sample, 2.07 packed, ratio 2.94',
                 'python.version = 3.16.0', 'thread status', 'main thread'):
        expect(want in text, 'no %r in %s', want, text)
    expect('not closed' not in text, 'nothing is open: %s', text)
    row, = [r for r in text.splitlines() if r.startswith('  repeat ')]
    expect(len(row.split('%')) == 4, 'shares: %r', row)


def test_statistics_of_the_profiler():
    text = bobbin.run('info', tach.corrupt_path('stats_extension')).out
    for want in (b'profiler.duration_s = 12.5', b'dialect 1c',
                 b'profiler.failed_percent = 1.25'):
        expect(want in text, 'no %r', want)


def test_other_formats_stay_as_they_were():
    path = fixtures.rbt_path('pid-bundled')
    report = info(path)
    expect(report['dialect'] is None and report['threads'] == []
           and report['status'] == {} and report['facts'] == {}, 'JSON')
    text = bobbin.run('info', path).out
    for word in (b'dialect', b'thread  ', b'reuse', b'sample data'):
        expect(word not in text, '%r in %r', word, text)
