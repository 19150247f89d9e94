"""Pictures of what changed: noise is grey, changes have colours, and
all outputs have the same figures."""
import json

from support import bobbin, case, flame, recording
from support.case import expect


def picture(*args):
    return flame.Picture(bobbin.run('convert', '-q', '-t', 'flamegraph',
                                    *args).out)


def folded(stacks, name):
    return case.write_file(b''.join(b'%s %d\n' % (path, count)
                                    for path, count in stacks), name)


BEFORE = [(b'm;a', 500), (b'm;b', 400), (b'm;gone;x', 100)]
AFTER = [(b'm;a', 500), (b'm;b', 1200), (b'm;new', 300)]


def colour(fill):
    """red, blue or grey"""
    red, _, blue = (int(fill[i:i + 2], 16) for i in (1, 3, 5))
    return 'red' if red > blue + 16 else 'blue' if blue > red + 16 else 'grey'


def colours(shown):
    return {b.label: colour(b.fill) for b in shown.boxes}


def test_difference_is_in_it():
    base = folded(BEFORE, 'base.folded')
    path = folded(AFTER, 'new.folded')
    shown = picture('--baseline', base, path)
    tips = {b.label: b.tip.split('\n') for b in shown.boxes}
    expect(tips['a'][1:] == [
        'before 50.0 %, after 25.0 %: -25.0 points [-28.6, -21.3], q <0.001',
        '500 samples before, 500 after'], 'a: %s', tips['a'])
    expect(tips['b'][1].startswith('before 40.0 %, after 60.0 %: +20.0 points'),
           'b: %s', tips['b'])
    expect(colours(shown) == {'all': 'grey', 'm': 'grey', 'a': 'blue',
                              'b': 'red', 'new': 'red'}, 'colours %s',
           colours(shown))
    expect('10.00% of the baseline is in 2 call paths that only it has.' in
           shown.notes, 'notes: %s', shown.notes)
    expect(shown.title == 'Difference', 'title')
    data = shown.data
    got = {path_: s for path_, (s, _) in zip(
        [flame.paths(data)[b] for b in flame.weights(data, data['base'])],
        flame.weights(data, data['base']).values())}
    expect(got == {tuple((f, '') for f in p.decode().split(';')): n
                   for p, n in BEFORE}, 'baseline %s', got)
    expect(data['diff']['verdict'].startswith('a shrank: self -25.0 points'),
           'verdict %s', data['diff']['verdict'])


def recordings(after, samples):
    weights = recording.zipf()
    return [recording.write(recording.trace(weights, 10000, 1, 4), 'before'),
            recording.write(recording.trace(after(weights), samples, 2, 4),
                            'after')]


def changes(data, of):
    return dict(zip(data['name'], zip(*[iter(data['diff'][of])] * 4)))


def check_figures(paths):
    """The same figures in JSON, Markdown, text and picture. Returns the
    functions that changed."""
    report = json.loads(bobbin.run('diff', '-q', '--json', *paths).out)
    shown = picture('-b', *paths)
    data = shown.data
    text = b' '.join(bobbin.run('diff', '-q', *paths).out.split()).decode()
    markdown = bobbin.run('diff', '-q', '--md', *paths).out.decode()
    expect(data['diff']['verdict'] == report['verdict']['text'],
           'verdicts differ')
    expect(text.startswith(report['verdict']['text']), 'text: %s', text[:200])
    expect(report['verdict']['text'] in markdown.replace('\\', ''), 'markdown: %s',
           markdown[:400])
    for of in 'self', 'total':
        found = changes(data, of)
        for row in report[of]:
            want = (round(row['low'] * 1e6), round(row['high'] * 1e6),
                    round(row['q'] * 1e4), int(row['significant']))
            got = found[row['function']]
            expect(all(abs(a - b) <= 1 for a, b in zip(got, want)),
                   '%s %s: %s, not %s', of, row['function'], got, want)
    tips = {b.label: b.tip for b in shown.boxes}
    for row in report['paths']:
        if row['function'] not in tips:
            continue
        want = ('before %.1f %%, after %.1f %%: %+.1f points [%+.1f, %+.1f]'
                % tuple(100 * x for x in (
                    row['before']['share'], row['after']['share'],
                    row['delta'], row['low'], row['high'])))
        expect(want in tips[row['function']], '%s: %s, not %s',
               row['function'], tips[row['function']], want)
        expect(row['significant'] == (colours(shown)[row['function']] !=
                                      'grey'), 'colour of %s', row)
    return {row['function'] for row in report['self'] + report['total'] +
            report['paths'] if row['significant']}


def test_noise_is_grey_everywhere():
    # Of different length, so that only shares can be compared.
    for paths in recordings(dict, 10000), recordings(dict, 25000):
        expect(check_figures(paths) == set(), 'noise is called a change')
        shown = picture('-b', *paths)
        expect(set(colours(shown).values()) == {'grey'}, 'colours: %s',
               colours(shown))
        expect(shown.data['diff']['max'] == 0, 'the legend has colours')


def test_a_planted_change_has_its_colour_everywhere():
    paths = recordings(lambda w: recording.slower(w, 'f05', 0.08), 20000)
    changed = check_figures(paths)
    expect('f05' in changed, 'f05 is not among %s', changed)
    shown = picture('-b', *paths)
    expect(colours(shown)['f05'] == 'red', 'colours: %s', colours(shown))
    expect(shown.data['diff']['verdict'].startswith('f05 grew: self +'),
           'verdict: %s', shown.data['diff']['verdict'])


def test_paths_that_do_not_match_are_not_called_gone():
    """The outermost frame has another file: no call path is in both, but all
    functions are."""
    paths = [case.write_file(b''.join(
        b'0 work /app/a.php:%d\n1 <main> %s:1\n\n' % (i % 3 + 1, name)
        for i in range(900)), name.strip(b'/').decode())
        for name in (b'/old.php', b'/new.php')]
    shown = picture('-b', *paths)
    expect('100.00% of the baseline is in 2 call paths that only it has.' in
           shown.notes, 'notes: %s', shown.notes)
    expect('gone' not in shown.notes, 'notes: %s', shown.notes)
    report = json.loads(bobbin.run('diff', '-q', '--json', *paths).out)
    work = next(r for r in report['self'] if r['function'] == 'work')
    expect(work['mark'] is None and not work['significant'], 'work: %s', work)
