"""Flame graphs of what differs from a baseline."""
from support import bobbin, case, flame
from support.case import expect


def page(*args):
    return flame.Page(bobbin.run('convert', '-q', '-t', 'html', *args).out)


def picture(*args):
    return flame.Picture(bobbin.run('convert', '-q', '-t', 'flamegraph',
                                    *args).out)


def folded(stacks, name):
    return case.write_file(b''.join(b'%s %d\n' % (path, count)
                                    for path, count in stacks), name)


BEFORE = [(b'm;a', 50), (b'm;b', 40), (b'm;gone;x', 10)]
AFTER = [(b'm;a', 50), (b'm;b', 120), (b'm;new', 30)]


def test_difference_is_in_both():
    base = folded(BEFORE, 'base.folded')
    path = folded(AFTER, 'new.folded')
    shown = picture('--baseline', base, path)
    tips = {b.label: b.tip.split('\n') for b in shown.boxes}
    expect(tips['a'][2] == 'before: 50 samples, 50.00%; -25.00 points',
           'a: %s', tips['a'])
    expect(tips['b'][2] == 'before: 40 samples, 40.00%; +20.00 points',
           'b: %s', tips['b'])
    expect(tips['new'][2] == 'before: 0 samples, 0.00%; +15.00 points',
           'new: %s', tips['new'])
    fill = {b.label: tuple(int(b.fill[i:i + 2], 16) for i in (1, 3, 5))
            for b in shown.boxes}
    expect(fill['a'][2] > fill['a'][0], 'a is not blue: %s', fill['a'])
    expect(fill['b'][0] > fill['b'][2] and fill['new'][0] > fill['new'][2],
           'b and new are not red: %s', fill)
    expect(fill['m'][0] - fill['m'][2] < 16, 'm is not grey')
    expect('2 boxes of the baseline, with 10.00% of it, are gone.' in
           shown.notes, 'notes: %s', shown.notes)
    expect(shown.title == 'Differential flame graph', 'title')
    for data in (shown.data, page('--baseline', base, path).data):
        got = {path_: s for path_, (s, _) in zip(
            [flame.paths(data)[b] for b in flame.weights(data, data['base'])],
            flame.weights(data, data['base']).values())}
        expect(got == {tuple((f, '') for f in p.decode().split(';')): n
                       for p, n in BEFORE}, 'baseline %s', got)
