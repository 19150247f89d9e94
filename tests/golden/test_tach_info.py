"""`bobbin info` of TACH files against what CPython's reader counted."""
import json

from support import bobbin, tach
from support.case import each, expect

KINDS = ('repeat', 'full', 'suffix', 'pop_push')


def info(path):
    return json.loads(bobbin.run('info', '--json', path).out.decode('utf-8'))


def expect_equal(what, got, want):
    expect(got == want, '%s: %s, not %s', what, got, want)


@each(tach.names())
def test_facts(name):
    rows = list(tach.listing_rows(name))
    head, end = tach.facts(rows, 'H'), tach.facts(rows, 'E')
    got = info(tach.path(name))
    expect_equal('samples', got['samples'], int(end['samples']))
    expect_equal('threads', len(got['threads']), int(head['threads']))
    expect_equal('strings', got['facts']['strings'], int(head['strings']))
    expect_equal('frames', got['facts']['frames'], int(head['frames']))
    expect_equal('frames', got['frames'], int(end['distinct_frames']))
    expect_equal('period', got['segments'][0]['period_us'],
                 int(head['interval_us']))
    expect_equal('frames written and saved', got['facts']['frames_written']
                 + got['facts']['frames_saved'], int(end['frames_total']))
    if got['samples']:
        expect_equal('first time', got['t_first_us'], int(end['min_ts']))
        expect_equal('last time', got['t_last_us'], int(end['max_ts']))
    meta = {pair['key']: pair['value']
            for pair in got['segments'][0]['metadata']}
    expect_equal('version', meta['python.version'], head['python'])


@each(tach.names())
def test_records(name):
    want = tach.facts(tach.listing_rows(name), 'R')
    records = {record['kind']: record
               for record in info(tach.path(name))['records']}
    expect_equal('kinds', sorted(records), sorted(KINDS))
    for kind in KINDS:
        expect_equal(kind, records[kind]['count'],
                     int(want[kind + '_records']))
    expect_equal('samples in runs', records['repeat']['samples'] or 0,
                 int(want['repeat_samples']))


@each(tach.names())
def test_bytes_of_records(name):
    got = info(tach.path(name))
    expect_equal('bytes', sum(r['bytes'] for r in got['records']),
                 got['facts']['sample_bytes'])


def test_threads_and_status_of_a_million_samples():
    rows = list(tach.listing_rows(tach.BIG))
    got = info(tach.path(tach.BIG))
    want = {(int(row[1]), int(row[2])): int(row[3])
            for row in rows if row[0] == 'T'}
    expect_equal('threads', {(t['interpreter'], t['tid']): t['samples']
                             for t in got['threads']}, want)
    by_bit = [sum(int(row[2]) for row in rows
                  if row[0] == 'U' and int(row[1]) >> bit & 1)
              for bit in range(6)]
    names = ('has_gil', 'on_cpu', 'cpu_unknown', 'wants_gil',
             'has_exception', 'main_thread')
    expect_equal('status', [got['status'][name] for name in names], by_bit)


@each([(tach.path('tiny'), '1b'), (tach.path('bigendian'), '1b'),
       (tach.path('old_threads'), '1a'),
       (tach.corrupt_path('stats_extension'), '1c'),
       (tach.corrupt_path('reserved_nonzero'), '1c')])
def test_dialect(item):
    path, dialect = item
    expect_equal('dialect', info(path)['dialect'], dialect)


def test_statistics():
    meta = {pair['key']: pair['value'] for pair in info(
        tach.corrupt_path('stats_extension'))['segments'][0]['metadata']}
    for key, value in (('duration_s', '12.5'), ('samples_per_s', '999.5'),
                       ('failed_percent', '1.25'), ('missed_percent', '0.5')):
        expect_equal(key, meta.get('profiler.' + key), value)


def test_mode():
    meta = {pair['key']: pair['value'] for pair in info(
        tach.corrupt_path('reserved_nonzero'))['segments'][0]['metadata']}
    expect_equal('mode', meta.get('profiler.mode'), 'cpu')
