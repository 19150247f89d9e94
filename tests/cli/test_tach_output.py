"""TACH as an output: options, dialects, order, plans."""
import collections
import json
import os
import re

from support import bobbin, case, listing, tach
from support.case import each, expect, read_file

JSON = tach.path('real_json')
BOTH = 'tach, tach-v2'


def path_of(name):
    return os.path.join(case.scratch, name)


def dump(path, *options):
    return listing.parse(bobbin.run('dump', path, *options).out)


def dialect(path):
    return json.loads(bobbin.run('info', '--json', path).out)['dialect']


# ---- options that two formats share --------------------------------------

def test_help_explains_shared_options_once():
    text = bobbin.run('help', 'convert').out.decode()
    expect('Output as %s:' % BOTH in text, 'no common heading')
    for option in ('--compression', '--zstd-level', '--byte-order'):
        expect(len(re.findall(r'^ +%s\b' % option, text, re.M)) == 1,
               '%s more than once', option)
    headings = re.findall(r'^Output as (.*):$', text, re.M)
    expect(len(headings) == len(set(headings)), 'headings %s', headings)


def test_man_page_explains_shared_options_once():
    text = bobbin.run('help', '--man', 'convert').out.decode()
    headings = re.findall(r'^## Output as (.*)$', text, re.M)
    expect(BOTH in headings and len(headings) == len(set(headings)),
           'headings %s', headings)
    expect(text.count('*--compression*') == 1, 'more than once')


def test_completions_offer_shared_options_once():
    for row in bobbin.run('completion', 'bash').out.decode().splitlines():
        expect(row.count('--compression') < 2, 'twice in %r', row)
    rows = [row for row in
            bobbin.run('completion', 'fish').out.decode().splitlines()
            if 'from convert' in row and '-l compression ' in row]
    expect(len(rows) == 1 and "'none zstd'" in rows[0], 'fish: %s', rows)


def test_dialects_are_completed():
    for row in bobbin.run('completion', 'fish').out.decode().splitlines():
        if 'from info' in row and '-l dialect ' in row:
            expect("-a 'v2 early-1 1a 1b 1c'" in row, '%r', row)
            return
    raise case.Failure('no dialects for info')


def test_formats_tell_options_for_reading():
    rows = bobbin.run('formats', '--json').out.decode().splitlines()
    formats = {f['name']: f for f in map(json.loads, rows)}
    expect([o['key'] for o in formats['tach']['read_options']]
           == ['dialect'], 'JSON')
    expect(formats['rbt']['read_options'] == [], 'rbt')
    text = bobbin.run('formats').out.decode()
    expect('when read: ' in text, 'text')


def test_an_option_of_two_others_is_refused():
    result = bobbin.run('convert', '-t', 'rbt', '--compression', 'none', JSON,
                        ok=(bobbin.USAGE,))
    expect(b'an option of tach, tach-v2' in result.err, 'says %r', result.err)


@each([('tach', ['-t', 'tach']), ('v2', ['-t', 'tach-v2'])])
def test_both_take_the_shared_option(item):
    packed = bobbin.run('convert', '-q', *item[1], JSON).out
    plain = bobbin.run('convert', '-q', *item[1], '--compression=none',
                       JSON).out
    expect(len(plain) > len(packed), '%d and %d bytes', len(plain),
           len(packed))


# ---- dialects ------------------------------------------------------------

def test_dialect_is_that_of_a_target_with_dialects():
    old, new = path_of('old.tach'), path_of('new.tach')
    bobbin.run('convert', '--dialect', '1a', '-o', old, JSON)
    expect(dialect(old) == '1a', 'written %s', dialect(old))
    bobbin.run('convert', '--from-dialect', '1a', '--dialect', '1b', '-o',
               new, old)
    expect(dialect(new) == '1b', 'written %s', dialect(new))
    listing.expect_same(dump(JSON), dump(new))


def test_dialect_is_that_of_the_input_elsewhere():
    path = tach.path('old_encodings')
    want = bobbin.run('convert', '-t', 'dump', path).out
    expect(bobbin.run('convert', '-t', 'dump', '--dialect', '1a', path).out
           == want, 'the right one')
    bobbin.run('convert', '--strict', '-t', 'dump', '--dialect', '1b', path,
               ok=(bobbin.FAILED,))
    bobbin.run('recover', '-q', '-t', 'dump', '--dialect', '1a', path)


def test_dialect_of_an_input_that_is_still_coming():
    out = path_of('out.rbt')
    path = tach.path('old_encodings')
    bobbin.run('convert', '-q', '--live', '--from-dialect', '1a', '-o', out,
               path)
    expect(listing.total(listing.parse(bobbin.run('dump', out).out)) ==
           listing.total(listing.parse(
               bobbin.run('dump', '--dialect', '1a', path).out)) > 0,
           'other samples')
    bobbin.run('convert', '-q', '--live', '--from-dialect', '1b', '-o', out,
               path, ok=(bobbin.FAILED,))


# ---- replay --binary -----------------------------------------------------

@each(['real_json', 'real_async', 'real_threads', 'threads64'])
def test_binary_again_is_the_same_file(name):
    data = read_file(tach.path(name))
    packing = 'none' if name == 'real_threads' else 'auto'
    out = path_of('out.bin')
    bobbin.run('replay', '--binary', '--compression', packing, '-o', out,
               tach.path(name))
    expect(read_file(out) == data, 'differs')


def test_dialect_of_replay_is_the_input_s():
    text = bobbin.run('help', 'replay').out.decode()
    expect(len(re.findall(r'^ +--dialect ', text, re.M)) == 1,
           'explained twice')
    path = tach.path('old_encodings')
    bobbin.run('replay', '-q', '--binary', '--dialect', '1a', '-o',
               path_of('out.bin'), path)
    expect(dialect(path_of('out.bin')) == '1b', 'written in another')


# ---- order ---------------------------------------------------------------

@each(['real_threads', 'threads64', 'encodings'])
def test_order_of_time(name):
    """The same samples, each no earlier than the one before it."""
    by_file, by_time = (
        [tuple(fields) for count, fields in dump(tach.path(name), '--order',
                                                 order)
         for _ in range(count)] for order in ('file', 'time'))
    expect(collections.Counter(by_file) == collections.Counter(by_time),
           'other samples')
    times = [int(fields[listing.TIME]) for fields in by_time]
    expect(times == sorted(times), 'not by time')
    if name != 'encodings':
        expect(by_file != by_time, 'nothing to order')
    listing.expect_same(dump(tach.path(name)), dump(tach.path(name),
                                                    '--order=file'))


# ---- plans ---------------------------------------------------------------

@each([('to rbt', 'rbt', JSON, 'thread status, columns'),
       ('to the draft', 'tach-v2', JSON, 'columns'),
       ('nothing lost', 'tach', JSON, None)])
def test_plan(item):
    _, target, path, lost = item
    note = bobbin.run('convert', '-t', target, path).err.decode()
    want = '' if lost is None else 'bobbin: note: %s cannot carry: %s\n' % (
        target, lost)
    expect(note == want, 'says %r', note)
    result = bobbin.run('convert', '--strict-plan', '-t', target, path,
                        ok=(bobbin.OK if lost is None else bobbin.GATE,))
    expect(lost is None or not result.out, 'written all the same')


def test_damage_in_a_profile_is_rescued_into_a_profile():
    path = case.write_file(read_file(JSON)[:5000], 'x.tach')
    result = bobbin.run('dump', path, ok=(bobbin.FAILED,))
    expect(b'-o fixed.tach' in result.err, 'says %r', result.err)


@each([verdict.name for verdict in tach.verdicts()])
def test_verify_complains_where_strict_reading_does(name):
    """Damage that is skipped is reported."""
    path = tach.corrupt_path(name)
    strict = bobbin.run('dump', path, ok=(bobbin.OK, bobbin.FAILED)).err
    report = json.loads(bobbin.run('verify', '--json', path, ok=(
        bobbin.OK, bobbin.FAILED, bobbin.PARTIAL)).out)
    expect(bool(report['complaints']) == bool(strict), '%s, but %r',
           report['complaints'], strict)
    expect((report['status'] == 'clean') == (not strict), '%s',
           report['status'])


def test_verify_names_the_byte():
    path = tach.corrupt_path('footer_size_wrong')
    report = json.loads(bobbin.run('verify', '--json', path,
                                   ok=(bobbin.FAILED,)).out)
    complaint, = report['complaints']
    expect(complaint['offset'] is not None
           and 'byte %d' % complaint['offset'] in complaint['text'],
           '%s', complaint)


# ---- what --dialect and names mean -----------------------------------------

def test_dialect_of_tach_v2_is_that_of_the_output():
    out = path_of('out.tach2')
    bobbin.run('convert', '-q', '--dialect', 'v2', '-t', 'tach-v2', '-o', out,
               JSON)
    expect(dialect(out) == 'v2', 'dialect %s', dialect(out))
    result = bobbin.run('convert', '-q', '--dialect', '1a', '-t', 'tach-v2',
                        '-o', out, JSON, ok=(bobbin.USAGE,))
    expect(b'the format tach writes 1a' in result.err, 'says %r', result.err)


@each(['dump', 'convert'])
def test_a_name_is_no_proof(command):
    path = case.write_file(b'neither text nor TACH\0\1\2' * 50, 'any.bin')
    options = ['-t', 'folded'] if command == 'convert' else []
    result = bobbin.run(command, *options, path, ok=(bobbin.FAILED,))
    expect(b'not a trace in any format' in result.err or
           b'nothing shows that this is a TACH profile' in result.err,
           'says %r', result.err)


def test_verify_sees_damage_in_an_empty_profile():
    """A zstd frame that declares seven bytes and holds none."""
    path = path_of('empty.tach')
    bobbin.run('convert', '-q', '-t', 'tach', '-o', path,
               '-f', 'folded', case.write_file(b'', 'none.folded'))
    data = bytearray(read_file(path))
    expect(data[64:73].hex() == '28b52ffd2000010000', 'other bytes: %s',
           data[64:73].hex())
    bobbin.run('verify', path)
    data[69] = 7
    bobbin.run('verify', case.write_file(bytes(data), 'bad.tach'),
               ok=(bobbin.FAILED,))
