"""One model of time: all surfaces show the same figures (docs/time.md)."""
import json
import os
import re
import sys

from live import sandbox
from screen.tmux import Terminal
from support import bobbin, case, fixtures, flame, pages, tach, view
from support.case import each, expect, read_file

THREADS = '''
import queue, threading, time
end = time.time() + 1
def busy():
    while time.time() < end:
        sum(range(1000))
waits = threading.Thread(target=queue.Queue().get, args=(True, 1))
works = threading.Thread(target=busy)
waits.start(), works.start()
busy()
waits.join(), works.join()
'''
_recorded = {}


def recorded(*options):
    """Three threads, two of which work and one of which waits for work; recorded
    once for all tests."""
    if options not in _recorded:
        script = case.write_file(THREADS.encode(), 'threads.py')
        out = case.scratch + '/threads.rbt'
        bobbin.run('record', '-q', '-r', '100', *options, '-o', out, '--',
                   sys.executable, script)
        _recorded[options] = read_file(out)
    return case.write_file(_recorded[options], 'live.rbt')


TRACES = [
    ('threads', tach.path('real_threads')),
    ('old threads', tach.path('old_threads')),
    ('many threads', tach.path('threads64')),
    ('tasks', tach.path('real_async')),
    ('periods that differ', fixtures.rbt_path('multi-segment')),
    ('several processes', fixtures.rbt_path('pid-bundled')),
    ('annotations', fixtures.rbt_path('annotations')),
    ('times', fixtures.rbt_path('timestamps')),
    ('gaps', fixtures.rbt_path('corrupt-middle')),
    ('stacks alone', lambda: case.write_file(b'a;b 5\na;c 3\n', 'in.folded')),
    ('a live capture', recorded),
    ('a live capture with status', lambda: recorded('--on-cpu')),
    ('what top has saved', lambda: saved_by_top()),
]
LABELS = (('wall time', 'wall_us'), ('thread time', 'thread_us'),
          ('CPU time', 'cpu_us'))


def opened(item):
    return item[1]() if callable(item[1]) else item[1]


def run(*args):
    """Damage is passed over, and told by the exit status."""
    return bobbin.run(*args, ok=(bobbin.OK, bobbin.PARTIAL))


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
    return json.loads(run('info', '--json', *options, path).out)


def analyze_json(path, *options):
    return json.loads(run('analyze', '--json', *options, path).out)


@each(TRACES)
def test_json_of_info_and_analyze_agree(item):
    path = opened(item)
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
def test_json_of_diff_has_the_same_on_both_sides(item):
    path = opened(item)
    info = info_json(path)
    for option in ((), ('--idle',)):
        told = json.loads(run('diff', '--json', *option, path, path).out)
        share = analyze_json(path, *option)['time']['share_us']
        for side in told['before'], told['after']:
            for key in ('wall_us', 'thread_us', 'cpu_us', 'idle_us', 'gaps',
                        'lost', 'missed', 'unkept', 'idle_threads',
                        'idle_rule', 'waited_us'):
                expect(side[key] == info[key], '%s: %s, not %s', key,
                       side[key], info[key])
            expect(side['time_us'] == share, 'of %s, not %s',
                   side['time_us'], share)
            expect(side['idle_hidden'] == (not option), 'not said')


# ---- surfaces -------------------------------------------------------------

def words_of_info(path, *options):
    """Its rows as the sentences of all others."""
    rows = re.findall(r'^  (wall time|thread time|CPU time|idle|missing) +(.*)$',
                      run('info', *options, path).out.decode(), re.M)
    times = ', '.join('%s %s' % row for row in rows
                      if row[0] not in ('idle', 'missing'))
    return '\n'.join([times] + ['%s: %s' % row for row in rows
                                if row[0] in ('idle', 'missing')])


def words_of_analyze(path, *options):
    return run('analyze', *options, path).err.decode()


def words_of_markdown(path, *options):
    """The list at its top."""
    text = run('analyze', '--md', *options, path).out.decode()
    return text.split('## ')[0].replace('\n- ', '\n')


def words_of_flamegraph(path, *options):
    shown = flame.Picture(run('convert', '-q', '-t', 'flamegraph', *options,
                              path).out)
    return '\n'.join([shown.about] + shown.lines)


def words_of_heatmap(path, *options):
    return run('convert', '-q', '-t', 'heatmap', *options, path).out.decode()


def words_of_heatmap_page(path, *options):
    page = run('convert', '-q', '-t', 'heatmap-html', *options, path).out
    return re.sub('<[^>]*>', '', page.decode())


def words_of_diff(path, *options):
    """What it says of each side, which have to say the same."""
    text = run('diff', *options, path, path).out.decode()
    sides = re.search(r'^before.*\n((?:       .*\n)+)'
                      r'after.*\n((?:       .*\n)+)', text, re.M)
    expect(sides and sides[1] == sides[2], 'sides: %s', text)
    words = re.sub(r'\s+', ' ', sides[1]).strip()
    return re.sub(' (idle|missing): ', r'\n\1: ', words)


def told_apart(words):
    return words.replace('; idle:', '\nidle:').replace('; missing:',
                                                       '\nmissing:')


def words_of_diff_in_markdown(path, *options):
    text = run('diff', '--md', *options, path, path).out.decode()
    sides = re.findall('^- (before|after): (.*)$', text, re.M)
    expect([side for side, _ in sides] == ['before', 'after'] and
           sides[0][1] == sides[1][1], 'sides: %s', sides)
    return told_apart(sides[0][1])


def words_of_difference(path, *options):
    shown = flame.Picture(run('diff', '-t', 'svg', *options, path, path).out)
    sides = [re.sub('^(before|after): ', '', line) for line in shown.lines]
    expect(sides[0] == sides[1], 'sides: %s', sides)
    return told_apart(sides[0])


def words_of_answer(info):
    """What the page writes into its header, from what its engine says."""
    lines = [', '.join('%s %s' % (t['label'], t['text'])
                       for t in info['times'] if t['label'] != 'idle'),
             info['idle_line'],
             'missing: ' + info['missing'] if info['missing'] else '']
    return '\n'.join(line for line in lines if line)


def words_of_view(path, *options):
    with view.serve(*options, path, status=run('info', path).code) as server:
        return words_of_answer(server.ask('info'))


def words_of_facts(facts, info):
    """The header of a page; the box beside it says how idle was found, and shows
    it."""
    text = {t['label']: t['text'] for t in facts['times']}
    idle = text.pop('idle', None)
    lines = [', '.join('%s %s' % row for row in text.items()),
             'missing: ' + facts['missing'] if facts['missing'] else '']
    if idle:
        expect(info['hides_idle'] and info['idle_samples'] > 0, 'no box')
        lines.append('idle: %s set aside (%s)' % (idle, info['idle_rule']))
    return '\n'.join(line for line in lines if line)


def words_of_page(path, *options):
    page = pages.make(path)
    info = pages.ask(page, ('info', {}))[0]['text']
    return words_of_facts(pages.facts(page), json.loads(info))


def words_of_page_of_a_difference(path, *options):
    page = case.scratch + '/difference.html'
    pages.make(path)    # skips where there is no engine
    run('diff', '-o', page, path, path)
    facts = pages.facts(page)
    info = json.loads(pages.ask(page, ('info', {}))[0]['text'])
    sides = [words_of_facts(side, info) for side in (facts, facts['before'])]
    expect(sides[0] == sides[1], 'sides: %s', sides)
    return sides[0]


def words_of_explore(path, *options):
    """Its first line, and what it says when idle is shown or hidden."""
    with Terminal(240, 30, *options, path) as t:
        top = t.wait_for('thread time').split('\n')[0]
        facts = [fact.strip() for fact in re.split('\u00b7|\\[', top)]
        words = ', '.join(fact for fact in facts if ' time ' in fact) + ''.join(
            '\n' + fact for fact in facts if fact.startswith('missing: '))
        if not {'no idle', 'with idle'} & set(facts):
            return words
        t.keys('i', 'i')
        wanted = 'shown' if options else 'set aside'
        said = t.wait(lambda shown: re.search('idle: .* ' + wanted, shown),
                      'idle')
        return words + '\n' + re.search('idle: .*', said)[0].rstrip()


SURFACES = [
    ('info', words_of_info),
    ('analyze', words_of_analyze),
    ('Markdown', words_of_markdown),
    ('flamegraph', words_of_flamegraph),
    ('heatmap', words_of_heatmap),
    ('heatmap-html', words_of_heatmap_page),
    ('diff', words_of_diff),
    ('diff in Markdown', words_of_diff_in_markdown),
    ('difference', words_of_difference),
    ('page of a difference', words_of_page_of_a_difference),
    ('view', words_of_view),
    ('explore', words_of_explore),
    ('page', words_of_page),
]
PAIRS = [('%s of %s' % (surface[0], trace[0]), surface, trace)
         for trace in TRACES for surface in SURFACES]


def check_words(words, facts, is_told=False):
    """What the surface says, against the figures of info --json."""
    for label, key in LABELS:
        found = re.search(r'(?:^|, |: )%s ([^,;\n]*)' % label, words,
                          re.M)
        expect((found is None) == (facts[key] is None), '%s: %s in %s', label,
               found, words)
        if found:
            same(seconds(found[1]), facts[key], label)
    found = re.search(r'idle: (.*) of (\d+) thread(.*)', words)
    expect((found is None) == (facts['idle_us'] == 0), 'idle %s', words)
    if found:
        same(seconds(found[1]), facts['idle_us'], 'idle')
        expect(int(found[2]) == facts['idle_threads'], 'threads %s', found[2])
        rule = {'functions': '(by known functions)',
                'status': '(by status and known functions)'}
        expect(rule[facts['idle_rule']] in found[3], 'rule %s', found[3])
    found = re.search(r'missing: (.*)', words)
    gaps = re.search(r'\b(\d+) gap', found[1] if found else '')
    expect((int(gaps[1]) if gaps else 0) == facts['gaps'], 'gaps %s', found)


@each(PAIRS)
def test_words_show_the_figures_of_json(item):
    _, (name, words_of), trace = item
    path = opened(trace)
    facts = info_json(path)
    words = words_of(path)
    check_words(words, facts)
    expect(missing(words) == missing(words_of_info(path)), 'missing %s',
           words)
    if name != 'info' and facts['idle_us']:
        expect('set aside' in words, 'not said')
        if name.startswith('page'):
            return
        expect(name == 'explore' or '--idle shows' in words, 'not said how')
        shown = words_of(path, '--idle')
        check_words(shown, facts)
        expect(re.search('idle: .* shown', shown), 'not shown: %s', shown)


def missing(words):
    return re.findall(r'missing: (.*)', words)


def own_sums(data):
    """{(function, file): [samples, microseconds]} of the innermost frames."""
    step, paths, sums = 3 if data['mixed'] else 2, flame.paths(data), {}
    flat, box = data['self'], 0
    for at in range(0, len(flat), step):
        box += flat[at]
        own = sums.setdefault(paths[box][-1] if paths[box] else None, [0, 0])
        own[0] += flat[at + 1]
        own[1] += flat[at + step - 1] * data['period']
    return sums


@each(TRACES)
def test_a_picture_has_what_analyze_has(item):
    """Samples and time of each function, with idle samples and without."""
    path = opened(item)
    for option in ((), ('--idle',)):
        report = analyze_json(path, '--top', '100000', *option)
        data = flame.Picture(run('convert', '-q', '-t', 'flamegraph', *option,
                                 path).out).data
        sums = own_sums(data)
        for row in report['sections']['self']['rows']:
            own = sums.pop((row['name'], row['file'] or ''))
            expect(own[0] == row['samples'], '%s: %s', row, own)
            expect(data['period'] == 0 or own[1] == row['time_us'],
                   '%s: %s', row, own)
        expect(set(sums) <= {None}, 'more functions: %s', sums)


@each(TRACES)
def test_idle_is_set_aside_or_shown_but_never_lost(item):
    path = opened(item)
    hidden = analyze_json(path)['time']
    shown = analyze_json(path, '--idle')['time']
    for key in ('wall_us', 'thread_us', 'cpu_us', 'idle_us', 'idle_threads'):
        expect(hidden[key] == shown[key], '%s: %s and %s', key, hidden[key],
               shown[key])
    expect(hidden['idle_hidden'] and not shown['idle_hidden'], 'not said')
    expect(shown['share_us'] == shown['thread_us'], 'shares of %s', shown)


# ---- what top has seen ----------------------------------------------------

SEEN = '''
import queue, sys, threading, time
def one(): return sum(range(100000))
def other(): return sum(range(200000))
def rests(): time.sleep(0.013)
def works():
    while True:
        one(), other(), rests()
threading.Thread(target=queue.Queue().get, daemon=True).start()
threading.Thread(target=works, daemon=True).start()
works()
'''
_saved = {}


def rows_of_top(shown):
    """{function: (own, total)} as they are written."""
    rows = (re.match(r' *[\d.]+ +[\d.]+ +([\d.]+ \w+) +([\d.]+ \w+)  '
                     r'(\S+)  \S*/top-\d+\.py', line)
            for line in shown.split('\n'))
    return {row[3]: (row[1], row[2]) for row in rows if row}


def since(shown):
    return re.search('; since ([^:]*):', shown)[1]


def saved_by_top():
    """The trace that `s` saves, and the rows that top showed meanwhile. The
    process has ended, so both stand still."""
    if not _saved:
        script = case.write_file(SEEN.encode(), 'top-%d.py' % os.getpid())
        out = case.scratch + '/saved.rbt'
        with Terminal(120, 30, '-P', os.path.basename(script), '--interval',
                      '100ms', '-r', '200', command='top') as t:
            with sandbox.process(sys.executable, script):
                t.wait(lambda now: re.search(r' [1-9][.\d]* s .* rests', now),
                       'seconds of work')
            t.keys('3')
            first = since(t.wait_for('top 0 processes'))
            before = t.wait(lambda now: since(now) != first and
                            'OwnTime\u25bc' in now, 'a table of all')
            t.keys('s', 'C-u')
            t.type(out)
            t.keys('Enter')
            shown = t.wait_for('saved.rbt: ')
            _saved['rows'] = rows_of_top(shown)
            expect(_saved['rows'] == rows_of_top(before), 'it moved: %s',
                   shown)
        _saved['trace'] = read_file(out)
    return case.write_file(_saved['trace'], 'saved.rbt')


def test_what_top_saves_has_the_times_that_it_showed():
    path = saved_by_top()
    sections = analyze_json(path)['sections']
    own, total = ({row['name']: row['time_us'] for row in
                   sections[name]['rows'] if '/top-' in (row['file'] or '')}
                  for name in ('self', 'total'))
    shown = _saved['rows']
    expect({'one', 'other', 'rests', 'works'} <= set(shown), '%s', shown)
    for name, (own_text, total_text) in shown.items():
        same(seconds(own_text), own.get(name, 0), 'own time of ' + name)
        same(seconds(total_text), total[name], 'total time of ' + name)


def test_times_of_sums_stand_a_filter():
    """Who leaves out a sum does not make another one longer."""
    path = saved_by_top()
    rows = analyze_json(path)['sections']['self']['rows']
    out = case.scratch + '/less.rbt'
    bobbin.run('convert', '-q', '--match', r'^rests ', '-o', out, path)
    row, = [r for r in analyze_json(out)['sections']['self']['rows']
            if r['name'] == 'rests']
    expect(row['time_us'] == sum(r['time_us'] for r in rows
                                 if r['name'] == 'rests') > 0, '%s of %s',
           row, rows)


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
