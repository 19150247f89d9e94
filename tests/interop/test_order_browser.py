"""The view "Time order" in Chromium: zoom, pan, keys, the address, and its
figures compared with `analyze --time`."""
import json

from cli import beside
from interop.test_view_browser import programs, use
from support import bobbin, view
from support.case import expect

OPEN = ['goto', '#view=order']
CHART, RULER = '.lanes canvas', '.order > canvas'
ROW = 18
MIDDLE = (234 + 1286) / 2 / 1300  # of the chart, without its margins
BOXES = 6 + 17  # pixels above the first row: of an open lane with marks


def trace():
    return beside.make_trace('--samples', 20000, '--stacks', 300, '--times',
                             '--pids', 3, '--annotations', '--run-mean', 3)


def span(seen):
    """(from, to) in microseconds of what the address says is shown."""
    for part in seen['hash'].lstrip('#').split('&'):
        if part.startswith('span='):
            return tuple(int(n) for n in part[5:].split('-'))
    return None


def box(server):
    """(start, end, address) of a wide box in the first lane; it is in the
    middle of what the address shows, at MIDDLE."""
    lane = server.ask('lanes')['lanes'][0]
    flat = server.ask('order', track=lane['track'], begin=0, end=20 * 10**6,
                      px=10**6)['lanes'][0]['boxes']
    rows = [flat[i:i + 6] for i in range(0, len(flat), 6)]
    width, start = max((row[3], row[2]) for row in rows[:-40] if row[0] == 1 and
                       row[5] == 0)
    return start, start + width, '#view=order&span=%d-%d' % (
        start - width // 2, start + width + width // 2)


def param(seen, name):
    for part in seen['hash'].lstrip('#').split('&'):
        if part.startswith(name + '='):
            return int(part.split('=')[1])
    return None


def samples(seen):
    return int(seen['status'].split(' sample')[0].replace(',', ''))


def counted(path, begin, end):
    """Samples of analyze, from begin to end in microseconds."""
    report = json.loads(bobbin.run(
        'analyze', '--json', '--idle', '--time', '%.6fs..%.6fs' %
        (begin / 1e6, end / 1e6), path).out)
    return report['samples']['counted']


def test_it_shows_all_threads():
    programs()
    path = trace()
    with view.serve(path) as server:
        seen = use(server, OPEN)[-1]
    expect(seen['tab'] == 'Time order' and seen['painted'] == [True, True],
           '%s', seen)
    expect(samples(seen) == 20000 and 'of 3 threads' in seen['status'], '%s',
           seen['status'])
    expect('20,000 samples of 3 threads' in seen['flames'][1], '%s',
           seen['flames'])


def test_figures_of_what_is_in_sight_are_those_of_analyze():
    programs()
    path = trace()
    with view.serve(path) as server:
        seen = use(server, OPEN, *[['point', CHART, 0.5, 60, 'wheel', -400]
                                   for _ in range(6)])
    widths = []
    for step in seen[2:]:
        begin, end = span(step)
        widths.append(end - begin)
        expect(samples(step) == counted(path, begin, end) > 0,
               '%s, not %d', step['status'], counted(path, begin, end))
    expect(widths == sorted(widths, reverse=True) and
           widths[0] > 5 * widths[-1], 'closer and closer: %s', widths)


def test_the_wheel_zooms_at_the_pointer():
    programs()
    with view.serve(trace()) as server:
        end = server.ask('lanes')['end_us']
        seen = use(server, OPEN, ['point', RULER, 0.18, 10, 'move'],
                   ['point', CHART, 0.19, 60, 'wheel', -600])[-1]
    begin, to = span(seen)
    # The left end of the time line is near: it stays.
    expect(begin < 0.03 * end and to < 0.8 * end, '%d to %d of %d', begin, to,
           end)


def test_a_single_sample_can_be_seen():
    programs()
    path = trace()
    with view.serve(path) as server:
        seen = use(server, OPEN, *[['point', CHART, 0.5, 60, 'wheel', -900]
                                   for _ in range(22)])
    begin, end = span(seen[-1])
    expect(end - begin < 5000, 'a part of a period of 10 ms: %d us',
           end - begin)
    expect(samples(seen[-1]) == counted(path, begin, end) <= 3, '%s',
           seen[-1]['status'])


def test_keys_and_drags_move():
    programs()
    with view.serve(trace()) as server:
        seen = use(server, OPEN, ['key', 'w'], ['key', 'd'], ['key', 'a'],
                   ['key', '-'], ['drag', CHART, 0.7, 0.5], ['key', 'Home'],
                   ['key', '+'], ['back'])
    spans = [span(step) for step in seen]
    closer, right, left, wider, dragged, home, plus, back = spans[2:]
    wide = closer[1] - closer[0]
    expect(right[0] > closer[0] and right[1] - right[0] == wide, '%s', spans)
    expect(abs(left[0] - closer[0]) <= 2, '%s', spans)
    expect(wider is None or wider[1] - wider[0] > wide, '%s', spans)
    expect(home is None and plus is not None, '%s', spans)
    expect(back == home, '%s, then %s', back, home)


def test_an_address_restores_the_stretch():
    programs()
    with view.serve(trace()) as server:
        seen = use(server, OPEN, ['key', 'w'], ['key', 'w'], ['key', 'd'],
                   ['reload'])
    before, after = seen[-2], seen[-1]
    expect(span(before) and span(before) == span(after), '%s', after['hash'])
    for key in ('status', 'flames', 'tab'):
        expect(before[key] == after[key], '%s: %s, then %s', key, before[key],
               after[key])


def test_pointing_says_what_a_box_is():
    programs()
    with view.serve(trace()) as server:
        start, end, address = box(server)
        seen = use(server, ['goto', address],
                   ['point', CHART, MIDDLE, BOXES + ROW // 2, 'move'],
                   ['point', CHART, MIDDLE, 12, 'move'])
    expect('%d ms' % ((end - start) // 1000) in seen[2]['tip'] and
           'sample' in seen[2]['tip'], '%s: %d', seen[2]['tip'], end - start)
    expect('http.route' in seen[3]['tip'], '%s', seen[3]['tip'])


def test_a_click_selects_and_a_double_click_zooms():
    programs()
    with view.serve(trace()) as server:
        start, end, address = box(server)
        at = [CHART, MIDDLE, BOXES + ROW // 2]
        seen = use(server, ['goto', address], ['point', *at, 'click'],
                   ['point', *at, 'dblclick'], ['back'], ['key', '1'])
    clicked, zoomed, back, flame = seen[2:]
    expect((param(clicked, 'from'), param(clicked, 'to')) == (start, end),
           '%s, not %d to %d', clicked['hash'], start, end)
    expect(span(clicked) == span(seen[1]) == span(back), '%s', clicked['hash'])
    a, b = span(zoomed)
    expect(a <= start and end <= b and b - a <= 1.1 * (end - start), '%s',
           zoomed['hash'])
    expect(flame['tab'] == 'Flame graph' and param(flame, 'from') == start,
           'the selection holds: %s', flame['hash'])


def test_dragging_over_the_scale_selects():
    programs()
    path = trace()
    with view.serve(path) as server:
        end = server.ask('lanes')['end_us']
        seen = use(server, OPEN, ['drag', RULER, 0.4, 0.6])[-1]
    begin, to = param(seen, 'from'), param(seen, 'to')
    expect(0.15 * end < begin < to < 0.6 * end and span(seen), '%s',
           seen['hash'])


def test_boxes_can_be_reached_by_keys():
    programs()
    with view.serve(trace()) as server:
        address = box(server)[2]
        seen = use(server, ['goto', address],
                   ['point', CHART, 0.05, 300, 'click'], ['key', 'ArrowDown'],
                   ['key', 'ArrowDown'], ['key', 'ArrowRight'],
                   ['key', 'Enter'])
    tips = [step['tip'] for step in seen[3:6]]
    expect(all('sample' in tip for tip in tips) and len(set(tips)) > 1, '%s',
           tips)
    expect(span(seen[-1]) != span(seen[1]), '%s', seen[-1]['hash'])


def test_the_time_line_has_rows_of_choice():
    programs()
    path = trace()
    with view.serve(path) as server:
        seen = use(server, ['goto', '#rows=process'], ['goto', '#rows=runtime'],
                   ['goto', '#rows=route'], ['goto', '#'],
                   ['click', '.tracks .track:nth-child(2) > button'])
        names = [['process %d' % track['pid'], 'false']
                 for track in server.ask('info')['tracks']]
    expect(seen[0]['tracks'] == [['All threads', 'true']] + names, '%s',
           seen[0]['tracks'])
    expect(seen[1]['tracks'] == seen[0]['tracks'], '%s', seen[1]['tracks'])
    expect([t[0] for t in seen[2]['tracks']] == ['All threads', 'PHP'], '%s',
           seen[2]['tracks'])
    expect(any('/' in t[0] for t in seen[3]['tracks']), '%s',
           seen[3]['tracks'])
    expect(seen[5]['tracks'][2][1] == 'true' and
           'pid=%s' % names[1][0].split()[1] in seen[5]['hash'], '%s',
           seen[5]['tracks'])
