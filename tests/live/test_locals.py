"""stack --locals: variables of frames, against what repr() says of them."""
import json
import sys

from support import bobbin, case, phps, pythons
from support.case import each, expect


def look(pid, *options):
    out = bobbin.run('stack', '-p', str(pid), '--locals', '--json',
                     *options).out
    process, = json.loads(out)['processes']
    return process


def frame(process, function):
    return next(f for t in process['threads'] for f in t['frames']
                if f['function'] == function)


def values(found):
    return {x['name']: x.get('value') for x in found['locals']}


@each(pythons.find())
def test_values_are_as_repr_has_them(name):
    with pythons.started(name, 'variables.py') as target:
        process = look(target.pid, '--redact', '(?<=token=)\\w+')
        inner = frame(process, 'inner')
        got, truth = values(inner), target.truth
        for key, text in truth['inner'].items():
            expect(got[key] == text, '%s is %s, not %s', key, got[key], text)
        expect('unset' not in got, 'a variable without a value')
        expect(got['long'] == "'%s...'" % ('a' * 100), '%s', got['long'])
        expect(got['huge'] == '<int of 5001 bits>', '%s', got['huge'])
        expect(got['many'] == '[0, 1, 2, 3, 4, 5, 6, 7, ...]', '%s', got)
        expect(got['circle'] == '[[[...]]]', '%s', got['circle'])
        expect(got['user'] == '<__main__.User at 0x%x>' % truth['user'],
               '%s', got['user'])
        expect(got['date'] == '<datetime.date at 0x%x>' % truth['date'],
               '%s', got['date'])
        expect((got['colour'], got['kind'], got['point']) ==
               ('__main__.Colour(1)', '<class __main__.User>',
                "__main__.Point((1, 'b'))"), '%s', got)
        arguments = {x['name'] for x in inner['locals'] if x['argument']}
        expect(arguments == {'n', 'args', 'key', 'kw'}, '%s', arguments)
        outer = values(frame(process, 'outer'))
        expect(outer == {'a': '17', 'token': "'token=***&x=1'"}, '%s', outer)
        expect(values(frame(process, 'numbers')) == {'x': '17'},
               'of a generator')
        expect(frame(process, '<module>')['locals'] == [], 'of a module')


def test_what_others_change_is_whole_or_not_told():
    with pythons.started('own ' + sys.executable, 'variables.py') as target:
        for _ in range(40):
            told = values(frame(look(target.pid), 'change'))['names']
            if told is None:
                continue
            expect(len(told) <= len("['three', 'two', 'one']") and
                   set(told[1:-1].split(', ')) <=
                   {"'one'", "'two'", "'three'"}, 'torn: %s', told)


def test_text_and_the_way_others_spell_it():
    with pythons.started('own ' + sys.executable, 'variables.py') as target:
        out = bobbin.run('dump', '-l', '-p', str(target.pid)).out
        expect(b'\n        arg n = 17\n' in out and
               b'\n        var token = ' in out, '%s', out)
        expect(b'\x1b' not in out and b'\\x1b[31m' in out, 'escapes')
        out = bobbin.run('stack', '-p', str(target.pid)).out
        expect(b'SECRET42' not in out, 'nobody asked for variables')


def test_traces_have_no_variables():
    trace = case.write_file(b'a;b 1\n', 't.folded')
    for option in (['--locals'], ['--redact', 'x']):
        err = bobbin.run('dump', trace, *option, ok=(bobbin.USAGE,)).err
        expect(option[0].encode() in err, '%s', err)


@each(phps.find())
def test_php(name):
    """The same values as --trace-var tells, and no others."""
    of = 'local::App\\Shop::serve()'
    with phps.started(name, 'vars.php', 'still') as target:
        phps.wait_for_sleep(target.pid)
        process = look(target.pid, '--redact', 'agent')
        serve = frame(process, 'App\\Shop::serve')
        got = values(serve)
        truth = {key[len(of):]: value for key, value in target.truth.items()
                 if key.startswith(of) and key[len(of):] in got}
        expect(len(truth) > 10, '%s', got)
        for key, value in truth.items():
            if key != '$refers':
                expect(got[key] == value, '%s is %s, not %s', key, got[key],
                       value)
        expect(got['$refers'] == '(string) "***"', '%s', got['$refers'])
        expect('$undefined' not in got, 'a variable without a value')
        arguments = [x['name'] for x in serve['locals'] if x['argument']]
        expect(arguments == ['$user', '$n', '$wait'], '%s', arguments)
        again = values(frame(process, 'App\\again'))
        expect(again.get('$local') == '(string) "of again"', '%s', again)
