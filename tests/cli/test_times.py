"""One model of time: all surfaces show the same figures (docs/time.md)."""
import json
import re

from support import bobbin, case, fixtures, tach
from support.case import each, expect

TRACES = [
    ('threads', tach.path('real_threads')),
    ('old threads', tach.path('old_threads')),
    ('many threads', tach.path('threads64')),
    ('periods that differ', fixtures.rbt_path('multi-segment')),
    ('several processes', fixtures.rbt_path('pid-bundled')),
    ('annotations', fixtures.rbt_path('annotations')),
    ('times', fixtures.rbt_path('timestamps')),
]

SECONDS = {'us': 1e-6, 'ms': 1e-3, 's': 1, 'm': 60, 'h': 3600}


def seconds(text):
    """'1.5 s' or '2 m 03 s' as a number."""
    words = re.findall(r'([\d.]+) (us|ms|s|m|h)\b', text)
    expect(words, 'no time in %r', text)
    return sum(float(n) * SECONDS[unit] for n, unit in words)


def same(shown, us, what):
    """Text has four digits, or whole seconds."""
    expect(abs(shown - us / 1e6) <= max(us / 1e6 * 1e-3, 1e-6) or
           (us >= 120e6 and abs(shown - us / 1e6) < 1),
           '%s: %s s, not %s us', what, shown, us)


def info_json(path, *options):
    return json.loads(bobbin.run('info', '--json', *options, path).out)


def analyze_json(path, *options):
    return json.loads(bobbin.run('analyze', '--json', *options, path).out)


@each(TRACES)
def test_json_of_info_and_analyze_agree(item):
    _, path = item
    info, time = info_json(path), analyze_json(path)['time']
    for key in ('wall_us', 'thread_us', 'cpu_us', 'idle_us', 'waited_us',
                'idle_threads', 'idle_rule'):
        if key == 'waited_us' and not info[key]:
            continue
        expect(info[key] == time[key], '%s: %s and %s', key, info[key],
               time[key])
    expect(time['share_us'] == time['thread_us'] - time['idle_us'],
           'shares are of %s', time)


@each(TRACES)
def test_text_shows_the_figures_of_json(item):
    _, path = item
    facts = analyze_json(path)['time']
    info = bobbin.run('info', path).out.decode()
    report = bobbin.run('analyze', path).err.decode()
    for label, key in (('wall time', 'wall_us'), ('thread time', 'thread_us'),
                       ('CPU time', 'cpu_us')):
        shown = [re.search(r'^  %s +(.*)$' % label, info, re.M),
                 re.search(r'(?:^|, )%s ([^,\n]*)' % label, report, re.M)]
        for found, where in zip(shown, ('info', 'analyze')):
            expect((found is None) == (facts[key] is None),
                   '%s: %s in %s', label, found, where)
            if found:
                same(seconds(found[1]), facts[key], label + ' of ' + where)
    found = re.search(r'^idle: (.*) of (\d+) thread', report, re.M)
    expect((found is None) == (facts['idle_us'] == 0), 'idle %s', found)
    if found:
        same(seconds(found[1]), facts['idle_us'], 'idle')
        expect(int(found[2]) == facts['idle_threads'], 'threads %s', found[2])


@each(TRACES)
def test_idle_is_set_aside_or_shown_but_never_lost(item):
    _, path = item
    hidden = analyze_json(path)['time']
    shown = analyze_json(path, '--idle')['time']
    for key in ('wall_us', 'thread_us', 'cpu_us', 'idle_us', 'idle_threads'):
        expect(hidden[key] == shown[key], '%s: %s and %s', key, hidden[key],
               shown[key])
    expect(hidden['idle_hidden'] and not shown['idle_hidden'], 'not said')
    expect(shown['share_us'] == shown['thread_us'], 'shares of %s', shown)


def test_idle_threads_of_a_known_recording():
    """A pool of four workers that wait for a queue most of the time."""
    path = tach.path('real_threads')
    time = analyze_json(path)['time']
    expect(time['idle_threads'] == 4 and time['idle_rule'] == 'functions',
           '%s', time)
    rows = analyze_json(path)['sections']['self']['rows']
    expect(rows[0]['name'] != 'Condition.wait', 'first %s', rows[0])
    rows = analyze_json(path, '--idle')['sections']['self']['rows']
    expect(rows[0]['name'] == 'Condition.wait', 'first %s', rows[0])


def test_nothing_but_idle_says_how_to_see_it():
    """Frames of a thread that waits at the queue of a pool."""
    lines = ('Thread._bootstrap /usr/lib/python3.11/threading.py:995;'
             'Thread.run /usr/lib/python3.11/threading.py:975;'
             '_worker /usr/lib/python3.11/concurrent/futures/thread.py:81 9\n')
    path = case.scratch + '/idle.folded'
    with open(path, 'w') as f:
        f.write(lines)
    result = bobbin.run('analyze', '-f', 'folded', path)
    expect(b'--idle shows them' in result.err, 'says %s', result.err)
    shown = bobbin.run('analyze', '--idle', '-f', 'folded', path)
    expect(b'_worker' in shown.out, 'shows %s', shown.out)
