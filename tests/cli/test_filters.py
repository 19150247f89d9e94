"""The filters, on every command that reads."""
import json
import urllib.parse

from support import bobbin, fixtures, listing, tach
from support.case import each, expect

PIDS = fixtures.rbt_path('pid-bundled-ts')
TIMES = fixtures.rbt_path('timestamps')
NOTES = fixtures.rbt_path('annotations')
MULTI = fixtures.rbt_path('multi-segment')
STATES = tach.path('old_threads')
GIL, CPU, UNKNOWN, WANTS, EXCEPTION, MAIN = 1, 2, 4, 8, 16, 32


def dump(path, *options):
    return listing.parse(bobbin.run('dump', path, *options).out)


def kept(path, keep):
    return [run for run in dump(path) if keep(run[1])]


def frames(fields):
    """[(function, file, line)], leaf first."""
    parts = [frame.split(';') for frame in fields[listing.FRAMES:]]
    return [tuple(map(urllib.parse.unquote, p[1:4])) for p in parts]


def names(fields):
    return [name for name, _, _ in frames(fields)]


def test_pid():
    listing.expect_same(kept(PIDS, lambda f: f[listing.PID] == '99999'),
                        dump(PIDS, '--pid', '99999'))


def test_several_pids():
    listing.expect_same(
        kept(PIDS, lambda f: f[listing.PID] in ('1', '99999')),
        dump(PIDS, '--pid', '1', '-p99999'))


def test_pid_drops_samples_without_one():
    runs = dump(MULTI, '--pid', '321')
    expect(listing.total(runs) == 1, '%d samples', listing.total(runs))


def test_thread():
    listing.expect_same(
        kept(STATES, lambda f: f[listing.TID] in ('100000', '100005')),
        dump(STATES, '--thread', '100000', '--thread=100005'))


@each([('gil', 'gil', GIL, 0), ('wants-gil', 'wants-gil', WANTS, 0),
       ('cpu', 'cpu', CPU, 0), ('idle', 'idle', 0, CPU | UNKNOWN),
       ('not idle', '!idle', CPU, 0), ('not gil', '!gil', 0, GIL),
       ('exception', 'exception', EXCEPTION, 0), ('main', 'main', MAIN, 0),
       ('several', 'wants-gil,!main,idle', WANTS, MAIN | CPU | UNKNOWN)])
def test_status(item):
    _, text, wanted, unwanted = item
    total = 0
    for name in ('old_threads', 'ids_status_time', 'encodings'):
        def keep(fields):
            state = int(fields[listing.STATUS])
            return state & wanted == wanted and state & unwanted == 0

        want = kept(tach.path(name), keep)
        total += listing.total(want)
        listing.expect_same(want, dump(tach.path(name), '--status', text))
    expect(total > 0, 'no file has such samples')


def test_status_drops_samples_without_one():
    expect(dump(MULTI, '--status', '!gil') == [], 'php has no GIL')


@each([('both ends', '10ms..63024us', 10000, 63024),
       ('open end', '0.05..', 50000, None),
       ('open beginning', '..0.03s', 0, 30000),
       ('minutes', '..1m', 0, 60000000), ('hours', '1h..', 3600000000, None)])
def test_time(item):
    _, text, start, end = item

    def keep(fields):
        time = fields[listing.TIME]
        return time != '-' and start <= int(time) and (
            end is None or int(time) < end)

    want = kept(TIMES, keep)
    expect(want, 'nothing to see')
    listing.expect_same(want, dump(TIMES, '--time', text))


@each([('pair', 'query=SELECT 1', lambda a: 'query=SELECT%201' in a),
       ('key', 'http.url', lambda a: any(
           p.startswith('http.url=') for p in a)),
       ('sign in the value', 'note=café 🐘 = 100%, a;b\tc',
        lambda a: any(p.startswith('note=') for p in a))])
def test_annotation(item):
    _, text, keep = item
    want = kept(NOTES, lambda f: keep(f[listing.ANNOTATIONS].split(',')))
    expect(want, 'nothing to see')
    listing.expect_same(want, dump(NOTES, '--annotation', text))


def test_all_annotations_must_hold():
    want = kept(NOTES, lambda f: 'db.system=mysql' in f[listing.ANNOTATIONS])
    listing.expect_same(want, dump(NOTES, '-a', 'query=SELECT 1',
                                   '-a', 'db.system'))


def test_match():
    want = kept(MULTI, lambda f: 'PDO::query' in names(f))
    expect(0 < listing.total(want) < listing.total(dump(MULTI)), 'all alike')
    listing.expect_same(want, dump(MULTI, '--match', '^PDO::query '))


def test_match_sees_file_and_line():
    want = kept(MULTI, lambda f: ('App\\Http\\Router::dispatch',
                                  '/app/src/Router.php', '42') in frames(f))
    expect(want, 'nothing to see')
    listing.expect_same(want, dump(MULTI, '-m', r'Router\.php:42$'))


def test_hide():
    runs = dump(MULTI, '--hide', '^PDO::')
    expect(listing.total(runs) == listing.total(dump(MULTI)) > 0,
           'samples lost')
    for _, fields in runs:
        expect(fields[listing.FRAMES:], 'a sample without frames')
        expect('PDO::query' not in names(fields), 'still there')


def test_match_comes_after_hide():
    expect(dump(MULTI, '--hide', 'PDO', '--match', 'PDO') == [],
           'found what was hidden')


def test_no_line():
    runs = dump(MULTI, '--no-line')
    expect(listing.total(runs) == listing.total(dump(MULTI)), 'samples lost')
    lines = {line for _, fields in runs for _, _, line in frames(fields)}
    expect(lines == {'-'}, 'lines %s', lines)


@each(['convert', 'recover', 'info', 'verify'])
def test_other_commands_filter_too(command):
    more = {'convert': ['-t', 'dump'], 'recover': ['-t', 'dump'],
            'info': ['--json'], 'verify': ['--json']}[command]
    result = bobbin.run(command, '--pid', '99999', PIDS, *more)
    if command in ('info', 'verify'):
        samples = json.loads(result.out.decode())['samples']
    else:
        samples = listing.total(listing.parse(result.out))
    want = listing.total(kept(PIDS, lambda f: f[listing.PID] == '99999'))
    expect(samples == want, '%d samples, not %d', samples, want)
