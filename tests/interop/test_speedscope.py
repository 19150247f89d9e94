"""speedscope's own page, in Chromium, shows what is in bobbin's files.

With $BOBBIN_SHOTS, a folder, pictures of what was seen are kept there.
"""
import json
import os

from oracle import rbt_wire as wire
from support import case, clients, fixtures, outputs, tach, truth
from support.case import each, expect, read_file, write_file

FOLDER = os.path.dirname(os.path.abspath(__file__))
INPUTS = [
    ('php', fixtures.rbt_path('multi-segment')),
    ('python', tach.path('real_threads')),
    ('phpspy', fixtures.PHPSPY + '/laravel-request-info.txt'),
]
# Checks a file against speedscope's own description.
AJV = """
const { readFileSync } = require('fs');
const [ajv, schema, file] = process.argv.slice(1);
const Ajv = require(ajv).default;
const check = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(schema)));
if (!check(JSON.parse(readFileSync(file)))) {
  console.error(JSON.stringify(check.errors[0]));
  process.exit(1);
}
"""


def see(path):
    argv = [clients.node(), os.path.join(FOLDER, 'speedscope.mjs'),
            clients.playwright(), clients.browser(),
            clients.module('speedscope', 'speedscope'), path]
    seen = json.loads(clients.output(argv))
    expect(seen['errors'] == [], 'errors: %s', seen['errors'])
    return seen


def shown(us):
    """A time as speedscope writes it."""
    if us >= 60e6:
        return '%d:%02d' % divmod(us // 1000000, 60)
    for unit, factor in (('s', 1e6), ('ms', 1e3), ('\u00b5s', 1)):
        if us >= factor:
            return '%.2f%s' % (us / factor, unit)
    return '0.00ns'


def expect_times(row, key, cost, all_us):
    for what, us in (('self', cost.self_us), ('total', cost.total_us)):
        expect(row[what].split(' ')[0] == shown(us), '%s of %s: %s, not %s',
               what, key, row[what], shown(us))
        expect(abs(row[what + 'Part'] - 100 * us / all_us) < 0.01,
               '%s of %s: %s %%', what, key, row[what + 'Part'])


def expect_rows(seen, known):
    """Every function once, with its own and total time."""
    rows = {(row['name'], row['file']): row for row in seen['rows']}
    expect(len(rows) == len(seen['rows']), 'a function twice')
    want = known.functions()
    expect(set(rows) == set(want), 'other functions: %r',
           list(set(rows) ^ set(want))[:4])
    for key, cost in want.items():
        expect_times(rows[key], key, cost, known.us)


@each(INPUTS)
def test_sandwich(which):
    name, source = which
    known = truth.Truth(source)
    path = outputs.converted('speedscope', source, name='p.speedscope.json')
    seen = see(path)
    expect_rows(seen, known)
    tracks = len({e.track for e in known.entries})
    expect(len(seen['profiles']) == tracks + (tracks > 1),
           '%d profiles', len(seen['profiles']))
    expect(seen['profiles'][0] == 'all together', 'first is %s',
           seen['profiles'][0])
    expect(len(set(seen['profiles'])) == len(seen['profiles']),
           'profiles of one name: %s', seen['profiles'])


@each([(n, fixtures.rbt_path(n)) for n in (
    'tiny', 'rle-runs', 'native-mixed', 'opcodes')])
def test_slices(which):
    """Trace Event JSON of one thread without times, where a slice is as long
    as its samples.  It has no files, so names are all there is."""
    name, source = which
    known = truth.Truth(source)
    seen = see(outputs.converted('chrome', source, name='p.trace.json'))
    rows = {row['name']: row for row in seen['rows']}
    want = {n or '(unnamed)': c for n, c in known.names().items()}
    expect(set(rows) == set(want), 'other functions: %r',
           list(set(rows) ^ set(want))[:4])
    for key, cost in want.items():
        expect_times(rows[key], key, cost, known.us)


def test_slices_of_threads():
    source = tach.path('real_threads')
    seen = see(outputs.converted('chrome', source, name='p.trace.json'))
    tracks = {e.track for e in truth.Truth(source).entries if e.frames}
    expect(len(seen['profiles']) == len(tracks), '%d profiles, not %d',
           len(seen['profiles']), len(tracks))


def test_picture():
    """A picture that is kept, and something on it."""
    path = outputs.converted('speedscope', tach.path('real_threads'),
                             name='p.speedscope.json')
    shot = os.path.join(os.environ.get('BOBBIN_SHOTS') or case.scratch,
                        'speedscope.png')
    argv = [clients.node(), os.path.join(FOLDER, 'speedscope.mjs'),
            clients.playwright(), clients.browser(),
            clients.module('speedscope', 'speedscope'), path, shot]
    clients.output(argv)
    expect(read_file(shot)[:4] == b'\x89PNG', 'no picture')
    expect(os.path.getsize(shot) > 10000, 'nothing on the picture')


NAMES = [b'<script>alert(1)</script>', b'</script>', b'<main>', b'{closure}',
         b'App\\K::f', b'"quoted"', b'a;b', b'f 123', b'caf\xc3\xa9',
         b'\xe2\x80\xae evil', b'__proto__', b'constructor']


def test_names_survive():
    out = [wire.header(1000), wire.string(0, b''), wire.string(1, b'/a.php')]
    for i, name in enumerate(NAMES):
        out += [wire.string(10 + i, name),
                wire.frame(i, 0, 0, 10 + i, 1, 5 + i), wire.stack(i, [i]),
                wire.compact(i), wire.repeat(i)]
    source = write_file(b''.join(out + [wire.end()]))
    path = outputs.converted('speedscope', source, name='p.speedscope.json')
    expect_rows(see(path), truth.Truth(source))


@each(INPUTS + [('empty', fixtures.rbt_path('header-only')),
                ('names', fixtures.rbt_path('utf8-and-binary')),
                ('native', fixtures.rbt_path('native-mixed'))])
def test_schema(which):
    speedscope = clients.module('speedscope', 'speedscope')
    schema = os.path.join(speedscope, 'dist', 'release',
                          'file-format-schema.json')
    for args in ((), ('--lines',)):
        path = outputs.converted('speedscope', which[1], *args)
        clients.output([clients.node(), '-e', AJV, '--',
                        clients.module('ajv', 'ajv'), schema, path])
