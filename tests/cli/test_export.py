"""What `bobbin view` saves: the figures of a file are those of the page, which
are compared with other readers of its format.  The menu of the page:
tests/interop/test_export_browser.py."""
import csv
import io
import json
import os
import urllib.parse

from support import bobbin, case, fixtures, outputs, tach, view
from support.case import each, expect, read_file

TIMED = 'annotations-ts'


def fetch(server, path, **params):
    """(status, headers, body)"""
    return server.request('%s%s?%s' % (server.prefix, path,
                                       urllib.parse.urlencode(params)))


def save(server, to, what={}):
    status, headers, body = fetch(server, 'export/' + to, **what)
    expect(status == 200, '%s: %d %s', to, status, body[:300])
    expect(headers['Content-Disposition'] == 'attachment' and
           headers['X-Content-Type-Options'] == 'nosniff' and
           headers['Content-Type'] == 'application/octet-stream', '%s',
           headers)
    return body


def selections(server):
    """A few, of which some have less than everything."""
    info = server.ask('info')
    found = [{}, {'idle': 1}, {'by': 'line'}]
    if info['has_clock']:
        bins = server.ask('timeline')
        edge = bins['bin_us'] * (len(bins['bins']) // 3)
        # Between two edges of bins, as a request's time is.
        found += [{'from': edge, 'to': 2 * edge},
                  {'from': edge + 1, 'to': 2 * edge + 7}]
    track = info['tracks'][0]
    if track['pid'] is not None:
        found.append({'pid': track['pid']})
    return found


@each([('rbt', fixtures.rbt_path(TIMED), []),
       ('many', fixtures.rbt_path(fixtures.LARGE), []),
       ('filtered', fixtures.rbt_path(TIMED), ['--time', '0.1s..0.3s']),
       ('threads', tach.path('real_threads'), []),
       ('idle', tach.path('real_threads'), ['--idle'])])
def test_stacks_and_traces_have_the_samples_of_the_page(given):
    _, path, args = given
    with view.serve(*args, path) as server:
        for what in selections(server):
            want = server.ask('matched', **what)
            stacks = server.ask('folded', **what)
            expect(want['samples'] == stacks['samples'] ==
                   outputs.of_folded(stacks['text'].encode())[0],
                   '%s: %s', what, want)
            for to in ('jsonl', 'pprof', 'flamegraph'):
                got = outputs.sums(to, save(server, to, what))[0]
                expect(got == want['samples'], '%s of %s: %s, not %s', to,
                       what, got, want)


def test_every_format_of_the_list_is_written():
    path = fixtures.rbt_path(TIMED)
    known = map(json.loads, bobbin.run('formats', '--json').out.splitlines())
    with view.serve(path) as server:
        status, _, body = fetch(server, 'formats')
        listed = json.loads(body)['formats']
        want = sorted(f['name'] for f in known if f['can_write'])
        expect(status == 200 and sorted(f['name'] for f in listed) == want,
               '%s, not %s', listed, want)
        for f in listed:
            status, _, body = fetch(server, 'export/' + f['name'])
            expect(status == 200 and body or b'has no engine' in body,
                   '%s: %d %s', f['name'], status, body[:200])


def test_a_whole_trace_is_kept_whole():
    path = fixtures.rbt_path(TIMED)
    with view.serve(path) as server:
        saved = case.write_file(save(server, 'rbt'), 'saved.rbt')
    for report in (['dump'], ['analyze', '--json']):
        want = bobbin.run(*report, path).out
        got = bobbin.run(*report, saved).out.replace(
            os.fsencode(saved), os.fsencode(path))
        expect(report == ['dump'] or json.loads(got)['samples'] ==
               json.loads(want)['samples'], '%s', report)
    samples = ['convert', '-q', '-t', 'jsonl']
    expect(outputs.of_jsonl(bobbin.run(*samples, saved).out) ==
           outputs.of_jsonl(bobbin.run(*samples, path).out), 'others')


def test_folded_stacks_are_those_of_convert():
    path = fixtures.rbt_path(fixtures.LARGE)
    want = bobbin.run('convert', '-q', '-t', 'folded', path).out
    with view.serve(path) as server:
        text = server.ask('folded', by='line')['text']
    expect(sorted(text.encode().split(b'\n')) == sorted(want.split(b'\n')),
           'other lines')


@each(['main;a;b 5\n', '%23x;%41;a%zz /b.php:3 2\n', 'a%3Bb;c%0Ad 7\n',
       'two%20words /dir/file.php:3;x 3\n'])
def test_odd_names_are_read_back(text):
    path = case.write_file(text.encode(), 'in.folded')
    with view.serve(path) as server:
        saved = case.write_file(server.ask('folded', by='line')['text']
                                .encode(), 'out.folded')
    want, got = (bobbin.run('convert', '-q', '-t', 'folded', name).out
                 for name in (path, saved))
    expect(got == want, '%s, not %s', got, want)


def test_csv_has_the_rows_of_the_table():
    with view.serve(fixtures.rbt_path(fixtures.LARGE)) as server:
        answer = server.ask('rows', order='total')
        rows = list(csv.DictReader(io.StringIO(server.ask('csv')['text'])))
    expect(len(rows) == answer['n_rows'] and len(rows) > 20, '%d', len(rows))
    for row, want in zip(rows, answer['rows']):
        expect([row['name'], row['file'], int(row['self_samples']),
                int(row['self_us']), int(row['total_samples'])] ==
               [want['name'], want['file'], want['self'], want['self_us'],
                want['total']] and
               abs(float(row['self_share']) - want['self_share'][0]) < 1e-5,
               '%s, not %s', row, want)


@each([('=cmd()', "'=cmd()"), ('+1', "'+1"), ('-1', "'-1"), ('@x', "'@x"),
       ('a"b,c', 'a"b,c'), ('a%0Ab%1B[1m', 'a\\x0ab\\x1b[1m')])
def test_a_cell_is_text(given):
    name, want = given
    path = case.write_file(('main;%s 5\n' % name).encode(), 'in.folded')
    with view.serve(path) as server:
        text = server.ask('csv')['text']
    names = [row['name'] for row in csv.DictReader(io.StringIO(text))]
    expect(sorted(names) == sorted(['main', want]), '%s', names)


def test_sides_are_apart():
    before = case.write_file(b'main;old 5\n', 'before.folded')
    after = case.write_file(b'main;new 7\n', 'after.folded')
    with view.serve('--diff', before, after) as server:
        for side, name in (('', b'main;new 7\n'), ('0', b'main;old 5\n')):
            what = {'side': side} if side else {}
            expect(save(server, 'folded', what) == name ==
                   server.ask('folded', **what)['text'].encode(), '%s', side)


# ---- what is refused -------------------------------------------------------

@each([('no such format', 'nonsense', {}, b'nonsense'),
       ('a wrong parameter', 'rbt', {'pid': 'x'}, b'pid'),
       ('a path', '../../etc/passwd', {}, b''),
       ('no format', '', {}, b'format')])
def test_a_wrong_request_says_why(given):
    _, to, params, why = given
    with view.serve(fixtures.rbt_path(TIMED)) as server:
        status, _, body = fetch(server, 'export/' + to, **params)
    expect(status in (400, 404) and why in body, '%d %s', status, body)


@each([('the secret', '/' + '0' * 32 + '/', {}),
       ('the host', None, {'Host': 'evil.example'}),
       ('the origin', None, {'Origin': 'http://evil.example'}),
       ('the site', None, {'Sec-Fetch-Site': 'cross-site'})])
def test_another_page_gets_no_file(given):
    _, prefix, headers = given
    with view.serve(fixtures.rbt_path(TIMED)) as server:
        for path in ('export/folded', 'formats'):
            status, _, body = server.request((prefix or server.prefix) + path,
                                             headers=headers)
            expect(status == 404 and body == b'not found\n', '%s: %d %s',
                   path, status, body[:80])


def test_an_input_that_has_changed_is_not_taken_for_the_page():
    path = case.write_file(b'main;a 5\n', 'in.folded')
    with view.serve(path) as server:
        case.write_file(b'main;a 6\n', 'in.folded')
        status, _, body = fetch(server, 'export/folded')
        expect(status == 400 and b'it has changed since it was read' in body,
               '%d %s', status, body)
        expect(server.ask('folded')['text'] == 'main;a 5\n', 'the page')
        os.unlink(path)
        status, _, body = fetch(server, 'export/folded')
        expect(status == 400 and b'in.folded' in body, '%d %s', status, body)


def test_an_input_that_cannot_be_read_again_has_no_formats():
    fifo = os.path.join(case.scratch, 'fifo')
    os.mkfifo(fifo)
    if os.fork() == 0:
        with open(fifo, 'wb') as to:
            to.write(b'main;a 5\n')
        os._exit(0)
    with view.serve(fifo) as server:
        status, _, body = fetch(server, 'export/folded')
        expect(status == 400 and b'fifo' in body, '%d %s', status, body)
        expect(server.ask('folded')['text'] == 'main;a 5\n', 'the page')


def test_an_input_that_grows_is_saved_as_it_is():
    path = case.write_file(read_file(fixtures.rbt_path(TIMED)), 'in.rbt')
    with view.serve('--follow', path) as server:
        expect(outputs.of_folded(save(server, 'folded'))[0] ==
               server.ask('info')['samples'], 'samples')
