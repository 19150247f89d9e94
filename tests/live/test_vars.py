"""Variables of running PHP as annotations, against what the script says that
they are."""
import json
import re

from support import bobbin, case, listing, phps, targets
from support.case import each, expect

EVERY = phps.find()
AT_ONCE = 32


def show(target, specs, *options):
    """What `bobbin stack` says each of the variables is."""
    args = [part for spec in specs for part in ('--trace-var', spec)]
    out = bobbin.run('stack', '--json', '-p', str(target.pid), *args,
                     *options).out
    thread, = json.loads(out)['processes'][0]['threads']
    return thread['annotations']


@each(EVERY)
def test_variables_are_what_the_script_says(name):
    with phps.started(name, 'vars.php', 'still') as target:
        phps.wait_for_sleep(target.pid)
        specs = list(target.truth)
        expect(len(specs) > AT_ONCE, 'variables: %s', specs)
        for first in range(0, len(specs), AT_ONCE):
            part = specs[first:first + AT_ONCE]
            got = show(target, part)
            for spec in part:
                expect(got.get(spec) == target.truth[spec],
                       '%s is %r instead of %r', spec, got.get(spec),
                       target.truth[spec])


@each(EVERY)
def test_variables_stand_on_every_sample(name):
    spec = 'local::App\\Shop::serve()$user'
    with phps.started(name, 'vars.php', 'still') as target:
        phps.wait_for_sleep(target.pid)
        runs = target.record('-r', '200', '-d', '300ms', '--trace-var', spec,
                             '--trace-var', 'global::$items',
                             enough=targets.at_least(6))
        expect(listing.total(runs) > 5, '%d samples', listing.total(runs))
        for _, fields in runs:
            found = fields[listing.ANNOTATIONS]
            expect('joe' in found and 'count%3D10' in found,
                   'annotations %s', found)


def values(runs, key):
    """The values of a variable, one for each sample that has it."""
    out = []
    for count, fields in runs:
        for pair in fields[listing.ANNOTATIONS].split(','):
            name, _, value = pair.partition('=')
            if targets.plain(name) == key:
                out += [targets.plain(value)] * count
    return out


@each(['%s %s' % (name, how) for name in EVERY for how in ('run', 'pause')])
def test_values_that_change_are_whole_or_left_out(label):
    name, how = label.rsplit(' ', 1)
    specs = ['global::$pair', 'global::$changing', 'global::$nested[in][side]',
             'local::App\\busy()$count', 'local::App\\work()$twice[1]']
    with phps.started(name, 'vars.php', 'busy') as target:
        runs = target.record(
            '-r', '2000', '-d', '500ms',
            *(['--pause'] if how == 'pause' else []),
            *[part for spec in specs for part in ('--trace-var', spec)],
            enough=lambda runs: all(values(runs, spec) for spec in specs[:4]))
    got = {spec: values(runs, spec) for spec in specs}
    for spec, value in ((s, v) for s in specs for v in got[s]):
        if spec in ('global::$pair', 'global::$nested[in][side]'):
            expect(re.fullmatch(r'\(string\) "(([a-z])\2{39,138})"', value),
                   '%s is %r', spec, value)
        elif spec == 'global::$changing':
            expect(re.fullmatch(r'\(int\) \d{1,12}|\(string\) "text\d+"',
                                value) or value == 'null',
                   '%s is %r', spec, value)
        elif spec == 'local::App\\busy()$count':
            expect(re.fullmatch(r'\(int\) \d{1,12}|null', value), '%s is %r',
                   spec, value)
        else:
            expect(re.fullmatch(r'\(string\) "(\d+):\1"', value), '%s is %r',
                   spec, value)
    for spec in specs[:4]:
        expect(got[spec], 'no sample has %s', spec)
    counts = [int(re.search(r'\d+', v).group())
              for v in got['local::App\\busy()$count'] if v != 'null']
    expect(counts == sorted(counts), 'a counter that goes back')


@each(EVERY)
def test_memory_is_what_php_says(name):
    with phps.started(name, 'vars.php', 'still') as target:
        phps.wait_for_sleep(target.pid)
        got = show(target, ['memory::memory_get_usage',
                            'memory::memory_get_peak_usage',
                            'memory::memory_get_usage_real',
                            'memory::memory_get_peak_usage_real'])
        expect(len([k for k in got if k.startswith('memory::')]) == 4,
               'memory %r', got)
        number = {k: int(v.split()[1]) for k, v in got.items()
                  if k.startswith('memory::')}
        expect(100000 < number['memory::memory_get_usage'] <=
               number['memory::memory_get_peak_usage'] <=
               number['memory::memory_get_peak_usage_real'] < 64 << 20 and
               number['memory::memory_get_usage_real'] % 4096 == 0,
               'memory %r', number)


@each([
    ('globl::$x', 'character 1'),
    ('global::x', 'character 9'),
    ('local::f()$x[', 'character 13'),
    ('memory::all', 'character 9'),
])
def test_a_wrong_variable_is_refused_before_anything_is_done(what):
    spec, place = what
    for command in (['record', '-p', '1'], ['stack', '-p', '1'],
                    ['daemon', '-P', 'x', '-o', case.scratch]):
        done = bobbin.run(*command, '--trace-var', spec, ok=(bobbin.USAGE,))
        expect(place.encode() in done.err and spec.encode() in done.err,
               '%s', done.err)


@each(EVERY)
def test_what_matches_is_not_told(name):
    specs = ['local::App\\Shop::serve()$user', 'local::App\\Shop::serve()$text',
             'global::$config[database][host]', 'global::$items[9]',
             'local::App\\Shop::serve()$long']
    with phps.started(name, 'vars.php', 'still') as target:
        phps.wait_for_sleep(target.pid)
        got = show(target, specs, '--redact', '^joe$|"q|\\.\\w+|\\b10|[\\xc3]')
        expect([got[spec] for spec in specs] ==
               ['(string) "***"', '(string) "two\\nlines ***uoted\\""',
                '(string) "db***"', '(int) ***',
                '(string) "<invalid-utf8>"'], 'annotations %r', got)
        expect(got['request.script'].endswith('/vars***'), '%r', got)
        done = bobbin.run('record', '-p', str(target.pid), '--redact', '(',
                          ok=(bobbin.USAGE,))
        expect(b'redact pattern' in done.err, '%s', done.err)
