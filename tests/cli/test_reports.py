"""info, verify, recover, formats: their reports as text and as JSON."""
import json
import os

from cli import beside, terminal
from oracle import rbt_oracle
from oracle import rbt_wire as wire
from support import bobbin, case, fixtures
from support.case import each, expect, write_file

MULTI = fixtures.rbt_path('multi-segment')
META = fixtures.rbt_path('metadata')
BAD = fixtures.rbt_path('corrupt-middle')
CUT = fixtures.rbt_path('truncated')


def info(*paths, ok=(bobbin.OK,)):
    result = bobbin.run('info', '--json', *paths, ok=ok)
    return [json.loads(row) for row in result.out.decode().splitlines()]


def test_info_lists_segments():
    facts, = info(MULTI)
    expect([s['period_us'] for s in facts['segments']]
           == [10000, 1000, 2000, 7777, 250], 'periods')
    expect([s['samples'] for s in facts['segments']] == [4, 6, 5, 0, 1],
           'samples')
    expect([s['offset'] for s in facts['segments']]
           == [s[0].start for s in rbt_oracle.segments(
               case.read_file(MULTI))], 'offsets')
    expect([s['timed'] for s in facts['segments']]
           == [False, False, True, False, False], 'timed')
    expect(facts['segments'][2]['t_last_us'] == 8500, 'last time')
    expect(facts['sampled_us'] == 4 * 10000 + 6 * 1000 + 5 * 2000 + 250,
           'sampled time %d', facts['sampled_us'])


def test_info_lists_pids():
    facts, = info(fixtures.rbt_path('pid-bundled'))
    counts = [p['samples'] for p in facts['pids']]
    expect(sum(counts) == facts['samples'] and counts == sorted(
        counts, reverse=True), 'pids %s', facts['pids'])


def test_info_says_who_processes_are():
    path = write_file(
        wire.header() + wire.one_frame() +
        b''.join(wire.metadata(key, value) for key, value in [
            (b'process.7.runtime', b'php'),
            (b'process.7.command', b'old'),
            (b'process.8.command', b'\x1b[31mred'),
            (b'process.99999999999999999999.command', b'none'),
            (b'process..runtime', b'none'),
            (b'process.9.runtimes', b'none'),
            (b'process.10.runtime', b'of nobody'),
            (b'process.7.command', b'php-fpm: pool www')]) +
        wire.pid_sample(0, 7) + wire.pid_sample(0, 7) +
        wire.pid_sample(0, 8) + wire.pid_sample(0, 9) + wire.end())
    facts, = info(path)
    expect(facts['pids'] == [
        {'pid': 7, 'samples': 2, 'runtime': 'php',
         'command': 'php-fpm: pool www'},
        {'pid': 8, 'samples': 1, 'command': '\x1b[31mred'},
        {'pid': 9, 'samples': 1}], '%r', facts['pids'])
    text = bobbin.run('info', path).out
    expect(b'  php  php-fpm: pool www\n' in text and
           b'\\x1b[31mred\n' in text and b'\x1b' not in text, '%s', text)


def test_info_lists_annotations_and_metadata():
    facts, = info(fixtures.rbt_path('annotations'))
    keys = {a['key']: (a['samples'], a['values'])
            for a in facts['annotations']}
    expect(keys['query'] == (308, 4) and keys['http.url'] == (300, 3),
           'annotations %s', keys)
    facts, = info(META)
    first, second = [[m['key'] for m in s['metadata']]
                     for s in facts['segments']]
    expect('host' in first and 'pid' in first and second, 'metadata')


def test_info_counts_stacks_and_bytes():
    path = beside.make_trace('--stacks', 321, '--samples', 50000)
    facts, = info(path)
    expect(facts['stacks'] == 321, '%d stacks', facts['stacks'])
    expect(facts['bytes'] == os.path.getsize(path), 'size')
    expect(sum(r['bytes'] for r in facts['records']) == facts['bytes'],
           'the record mix does not add up')


def test_info_tells_packed_from_unpacked():
    facts, = info(fixtures.rbt_path('gzip-single'))
    expect(facts['bytes'] < facts['bytes_unpacked'], 'sizes')


def test_info_of_several_inputs():
    reports = info(MULTI, META)
    expect([r['input'] for r in reports] == [MULTI, META], 'inputs')
    text = bobbin.run('info', MULTI, META).out.decode()
    expect(MULTI in text and META in text, 'text')


def test_info_of_damage():
    facts, = info(BAD, ok=(bobbin.PARTIAL,))
    expect(facts['gaps'] == 1 and facts['samples'] == 530, 'gaps')
    facts, = info(CUT, ok=(bobbin.PARTIAL,))
    expect(facts['incomplete'] and facts['gaps'] == 1, 'cut')


def test_info_cuts_long_tables():
    path = beside.make_trace('--segments', 50, '--samples', 5000)
    short = bobbin.run('info', path).out.decode()
    full = bobbin.run('info', '--all', path).out.decode()
    expect('and 30 more' in short and len(full.splitlines())
           > len(short.splitlines()) + 28, 'tables')
    facts, = info(path)
    expect(len(facts['segments']) == 50, 'JSON is always complete')


def test_a_file_without_a_byte_is_no_trace():
    path = write_file(b'', 'none.rbt')
    for words in (['info', path], ['verify', path], ['analyze', path],
                  ['convert', '-t', 'folded', path], ['dump', path]):
        result = bobbin.run(*words, ok=(bobbin.FAILED,))
        said = result.err + result.out
        expect(b'none.rbt' in said and b'empty' in said, '%s: %s', words,
               said)


def test_names_cannot_steer_a_terminal():
    """Control bytes of a file never reach the screen."""
    text = b'0 evil\x1b[2J\x07 /a\xc2\x9b31m.php:1\n# k\x1b]0;x\x07 = v\n\n'
    path = write_file(text, 'evil\x1b[2J.txt')
    for words in (['info', path], ['verify', path], ['dump', path],
                  ['info', path + '\x1b[2Jmissing']):
        _, shown, rest = terminal.run(*words, '--color=never', out=True,
                                      err=True)
        for bad in (b'\x1b', b'\x07', b'\xc2\x9b'):
            expect(bad not in shown + rest, '%r in %s: %r', bad, words[0],
                   shown[:200])


def test_verify_lists_every_complaint():
    """Damage twice: both places are named."""
    data = bytearray(case.read_file(fixtures.rbt_path('segmented-rotation')))
    starts = [s[0].start for s in rbt_oracle.segments(bytes(data))]
    bad = [starts[1], starts[3]]    # with a healthy one between them
    for start in bad:
        data[start:start + 4] = b'XXXX'
    result = bobbin.run('verify', '--json', write_file(bytes(data)),
                        ok=(bobbin.FAILED,))
    report = json.loads(result.out.decode())
    offsets = [c['offset'] for c in report['complaints']
               if c['severity'] == 'error']
    expect(report['status'] == 'damaged' and set(bad)
           <= set(offsets), 'offsets %s, not %s', offsets, bad)


@each([('clean', MULTI, 'clean', bobbin.OK),
       ('damaged', BAD, 'damaged', bobbin.FAILED),
       ('cut', CUT, 'incomplete', bobbin.PARTIAL)])
def test_verify_verdict(item):
    _, path, status, code = item
    report = json.loads(bobbin.run('verify', '--json', path,
                                   ok=(code,)).out.decode())
    expect(report['status'] == status, 'status %s', report['status'])
    text = bobbin.run('verify', path, ok=(code,)).out.decode()
    expect(status in text.splitlines()[-1], 'says %r', text)


def test_verify_tells_an_early_end_once():
    lines = bobbin.run('verify', CUT, ok=(bobbin.PARTIAL,)).out.splitlines()
    expect(len(lines) == 2, 'says %r', lines)


def test_worst_verdict_wins():
    bobbin.run('verify', CUT, BAD, MULTI, ok=(bobbin.FAILED,))
    bobbin.run('verify', MULTI, CUT, MULTI, ok=(bobbin.PARTIAL,))


def test_recover_reports_to_programs():
    out = os.path.join(case.scratch, 'out.rbt')
    result = bobbin.run('recover', '--json', '-o', out, BAD,
                        ok=(bobbin.PARTIAL,))
    report = json.loads(result.out.decode())
    gap, = report['gaps']
    expect((gap['offset'], gap['length'], gap['code'])
           == (50402, 12, 'corrupt'), 'gap %s', gap)
    expect(report['samples'] == 530 and report['segments'] == 3, 'sums')
    # Without -o standard output is the trace; the report goes beside it.
    result = bobbin.run('recover', '--json', BAD, ok=(bobbin.PARTIAL,))
    expect(json.loads(result.err.decode())['samples'] == 530, 'stderr')


def test_quiet_recovery_says_nothing():
    result = bobbin.run('recover', '-q', BAD, ok=(bobbin.PARTIAL,))
    expect(not result.err, 'says %r', result.err)


def test_formats():
    rows = bobbin.run('formats', '--json').out.decode().splitlines()
    formats = {f['name']: f for f in map(json.loads, rows)}
    expect({'rbt', 'phpspy', 'folded', 'dump'} <= set(formats), 'names')
    keys = [o['key'] for o in formats['rbt']['options']]
    expect('compress' in keys and 'timestamps' in keys, 'options %s', keys)
    text = bobbin.run('formats').out.decode()
    for name, facts in formats.items():
        expect(name in text and all('--' + o['key'] in text
                                    for o in facts['options']), name)


@each([60, 80, 120])
def test_tables_of_info_fit_the_terminal(columns):
    """Bars and columns of less use go first; a command is cut in its middle."""
    path = fixtures.rbt_path('pid-bundled')
    _, shown, _ = terminal.run('info', '--color=never', path, out=True,
                               env={'COLUMNS': str(columns)})
    tables = shown.decode().replace('\r', '').split('metadata')[0]
    wide = [row for row in tables.splitlines() if len(row) > columns]
    expect(not wide, 'wider than %d: %s', columns, wide)
    expect(('#' in tables) == (columns >= 92), 'bars at %d: %s', columns,
           tables)
    piped = bobbin.run('info', path).out
    expect(b'offset' in piped and b'#' in piped, 'piped: %s', piped)
