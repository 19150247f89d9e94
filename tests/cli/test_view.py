"""`bobbin view`: who may ask, and what is answered.  In a browser:
tests/interop/test_view_browser.py."""
import json
import signal
import time

from cli import beside
from support import bobbin, case, fixtures, view
from support.case import each, expect

STACKS = [('main;first;target', 30),
          ('main;first;target;target;target;deep', 10),
          ('main;second;target', 15), ('main;second;other', 25),
          ('main', 20)]
FIELDS = 6  # of a node


def folded():
    rows = ''.join('%s %d\n' % row for row in STACKS)
    return case.write_file(rows.encode(), 'in.folded')


def nodes(answer):
    """Nodes of a flame graph as (depth, name, start, total, self)."""
    flat, keys = answer['nodes'], answer['keys']
    return [(depth, keys[str(key)]['name'] if key else '', start, total, own)
            for _, depth, key, start, total, own in
            (flat[i:i + FIELDS] for i in range(0, len(flat), FIELDS))]


# ---- who may ask -----------------------------------------------------------

def test_nothing_is_answered_without_the_secret():
    with view.serve(folded()) as server:
        wrong = '/%s/' % ('0' * len(server.secret))
        for path in ('/', '/api/info', '/main.js', wrong, wrong + 'api/info',
                     server.prefix[:-2] + '/', '/../' + server.secret + '/',
                     server.prefix.upper() if server.secret.upper() !=
                     server.secret else wrong):
            status, _, body = server.request(path)
            expect(status == 404 and body == b'not found\n', '%s: %d %s',
                   path, status, body[:80])
        status, _, body = server.request(server.prefix)
        expect(status == 200 and b'<title>bobbin' in body, '%d', status)


@each([('another host', {'Host': 'evil.example'}),
       ('another port', {'Host': '127.0.0.1:1'}),
       ('another origin', {'Origin': 'http://evil.example'}),
       ('no origin at all', {'Origin': 'null'}),
       ('another site', {'Sec-Fetch-Site': 'cross-site'})])
def test_another_origin_gets_nothing(given):
    with view.serve(folded()) as server:
        status, _, body = server.request(server.prefix + 'api/info',
                                         headers=given[1])
        expect(status == 404 and b'samples' not in body, '%d', status)
        own = {'Host': 'localhost:%d' % server.port,
               'Origin': 'http://127.0.0.1:%d' % server.port,
               'Sec-Fetch-Site': 'same-origin'}
        status, _, _ = server.request(server.prefix + 'api/info',
                                      headers=own)
        expect(status == 200, 'its own page: %d', status)


def test_only_reading_is_possible():
    with view.serve(folded()) as server:
        for method in ('POST', 'PUT', 'DELETE', 'OPTIONS'):
            status, _, _ = server.request(server.prefix + 'api/info', method,
                                          body=b'x' * 100000)
            expect(status == 405, '%s: %d', method, status)


def test_the_page_loads_nothing_from_elsewhere():
    with view.serve(folded()) as server:
        for path in ('', 'main.js', 'style.css', 'api/info'):
            status, headers, _ = server.request(server.prefix + path)
            policy = headers['Content-Security-Policy']
            expect(status == 200, '%s: %d', path, status)
            expect(policy.startswith("default-src 'none'; script-src 'self'"),
                   '%s: %s', path, policy)
            expect('unsafe' not in policy and 'http' not in policy, '%s',
                   policy)
            expect(headers['X-Content-Type-Options'] == 'nosniff', '%s', path)
        status, _, _ = server.request(server.prefix + 'no-such-file.js')
        expect(status == 404, 'a file that is not there: %d', status)


def test_secrets_differ():
    with view.serve(folded()) as a, view.serve(folded()) as b:
        expect(a.secret != b.secret and len(a.secret) == 32, '%s %s',
               a.secret, b.secret)


# ---- what is answered ------------------------------------------------------

def test_figures_are_those_of_analyze():
    path = fixtures.rbt_path(fixtures.LARGE)
    report = json.loads(bobbin.run('analyze', '--json', '--group-by',
                                   'function', '--top', '20', path).out)
    with view.serve(path) as server:
        info = server.ask('info')
        rows = server.ask('rows', order='self')
        expect(info['samples'] == rows['samples'], '%d samples, not %d',
               rows['samples'], info['samples'])
        expect(info['samples'] == sum(t['samples'] for t in info['tracks']),
               'tracks do not add up')
        want = report['sections']['self']['rows']
        expect(want, 'no row to compare')
        for mine, row in zip(rows['rows'], want):
            expect(mine['self'] == row['samples'], '%s: %d samples, not %d',
                   mine['text'], mine['self'], row['samples'])


def test_a_flame_graph_has_all_samples_at_their_place():
    with view.serve(folded()) as server:
        seen = nodes(server.ask('flame', px=1000))
        expect(seen[:4] == [(0, '', 0, 100, 0), (1, 'main', 0, 100, 20),
                            (2, 'first', 0, 40, 0), (3, 'target', 0, 40, 30)],
               '%s', seen)
        expect((2, 'second', 40, 40, 0) in seen, '%s', seen)
        expect(sum(node[4] for node in seen) == 100, 'self adds up')
        up = nodes(server.ask('flame', px=1000, dir='callers'))
        expect((1, 'target', 0, 45, 0) in up, '%s', up)


def test_zooming_gives_the_way_to_the_root():
    with view.serve(folded()) as server:
        whole = server.ask('flame', px=1000)
        flat = whole['nodes']
        target = next(flat[i] for i in range(0, len(flat), FIELDS)
                      if flat[i + 1] == 3)
        zoomed = server.ask('flame', px=1000, root=target)
        names = [zoomed['keys'][str(key)]['name']
                 for key in zoomed['path'][1::2]]
        expect(names == ['main', 'first', 'target'], '%s', names)
        expect(zoomed['samples'] == 40, '%d', zoomed['samples'])


def test_what_is_too_narrow_is_left_out():
    rows = 'main;wide 100000\n' + ''.join('main;f%d 1\n' % i
                                         for i in range(500))
    with view.serve(case.write_file(rows.encode(), 'in.folded')) as server:
        few = nodes(server.ask('flame', px=100))
        expect([node[1] for node in few] == ['', 'main', 'wide'], '%s', few)
        many = nodes(server.ask('flame', px=100000))
        expect(len(many) == 503, '%d nodes', len(many))


def test_a_selection_narrows_every_answer():
    with view.serve(folded()) as server:
        few = {'match': '^deep'}
        expect(server.ask('matched', **few)['samples'] == 10, 'matched')
        expect(server.ask('rows', **few)['samples'] == 10, 'rows')
        expect(server.ask('flame', **few)['samples'] == 10, 'flame')
        expect(server.ask('matched', hide='^deep')['samples'] == 100, 'hide')
        line = server.ask('timeline', **few)
        expect(sum(line['bins']) == 10, 'timeline %s', line)
        focus = next(row['text'] for row in server.ask('rows')['rows']
                     if row['name'] == 'target')
        expect(server.ask('flame', focus=focus)['samples'] == 55, 'focus')


def test_idle_threads_are_set_aside():
    pool = ('_bootstrap (threading.py);_bootstrap_inner (threading.py);'
            'run (threading.py);_worker (concurrent/futures/thread.py) 60\n')
    path = case.write_file((pool + 'main;work 40\n').encode(), 'in.folded')
    with view.serve(path) as server:
        info = server.ask('info')
        expect(info['hides_idle'] and info['idle_samples'] == 60, '%s', info)
        shown, hidden = (server.ask('matched', idle=i)['samples']
                         for i in (1, 0))
        expect((shown, hidden) == (100, 40), '%d %d', shown, hidden)
        expect(server.ask('matched')['samples'] == hidden, 'the default')
        figures = {f['label']: f['us'] for f in info['times']}
        expect(figures == {'wall time': 1000000, 'thread time': 1000000,
                           'idle': 600000}, 'samples of 10 ms: %s', figures)
    with view.serve('--idle', path) as server:
        expect(server.ask('matched')['samples'] == 100, '--idle')


@each([('time', {'from': 'x'}), ('number', {'to': '99999999999999999999999'}),
       ('pid', {'pid': '1,,2'}), ('many', {'tid': '1,' * 65}),
       ('group', {'by': 'pid'}), ('pattern', {'match': '('}),
       ('focus', {'focus': 'nobody'})])
def test_a_wrong_question_says_why(given):
    with view.serve(folded()) as server:
        answer = server.ask('rows', ok=400, **given[1])
        expect(len(answer['error']) > 5, '%s', answer)
        expect(server.ask('info')['samples'] == 100, 'it goes on')


def test_names_from_files_stay_text():
    name = '</script><img src=x onerror=alert(1)>\u202e\x1b[31m"'
    path = case.write_file(('main;%s 5\n' % name).encode(), 'in.folded')
    with view.serve(path) as server:
        status, headers, body = server.request(server.prefix + 'api/rows')
        expect(status == 200 and headers['Content-Type'].startswith(
            'application/json'), '%s', headers)
        expect(b'<' not in body and b'\x1b' not in body, '%s', body[:300])
        names = [row['name'] for row in json.loads(body)['rows']]
        expect(any('onerror' in n for n in names), '%s', names)


def test_an_input_that_grows_is_shown():
    path = case.write_file(b'main;a 10\n', 'in.folded')
    with view.serve('--follow', path) as server:
        expect(server.ask('info')['follows'], 'it follows')
        with open(path, 'ab') as file:
            file.write(b'main;b 7\n')
        limit = time.monotonic() + bobbin.TIMEOUT
        while server.ask('info')['samples'] != 17:
            expect(time.monotonic() < limit, 'it never grew: %s',
                   server.ask('info'))
            time.sleep(0.1)
        expect(server.ask('info')['version'] > 0, 'a new version')
        expect(server.ask('rows')['samples'] == 17, 'new rows')


# ---- two inputs ------------------------------------------------------------

def two(before, after):
    """Files with these samples per function."""
    paths = []
    for name, counts in (('before', before), ('after', after)):
        rows = ''.join('main;%s %d\n' % row for row in counts.items())
        paths.append(case.write_file(rows.encode(), name + '.folded'))
    return paths


def test_differences_are_those_of_diff():
    paths = two({'a': 3000, 'b': 5000, 'c': 2000},
                {'a': 4000, 'b': 5100, 'c': 2100})
    report = json.loads(bobbin.run('diff', '--json', *paths).out)
    with view.serve('--diff', *paths) as server:
        expect(server.ask('info')['is_diff'], 'two sides')
        for order in ('self', 'total'):
            mine = server.ask('difference', order=order)['rows']
            want = report[order]
            expect(len(mine) == len(want) >= 3, '%s: %d rows, not %d', order,
                   len(mine), len(want))
            for row, other in zip(mine, want):
                change = row['change']
                expect(row['text'] == other['key'], '%s, not %s', row['text'],
                       other['key'])
                for key in ('delta', 'low', 'high', 'q'):
                    expect(change[key] == other[key], '%s: %s %s, not %s',
                           row['text'], key, change[key], other[key])
                expect(change['is_significant'] == other['significant'],
                       '%s', row['text'])


def test_a_flame_graph_tells_noise_from_change():
    paths = two({'a': 3000, 'b': 5000, 'c': 2000},
                {'a': 4000, 'b': 5000, 'c': 2010})
    with view.serve('--diff', *paths) as server:
        keys = server.ask('flame')['keys'].values()
        marks = {key['name']: key['change']['is_significant'] for key in keys}
        expect(marks == {'main': False, 'a': True, 'b': True, 'c': True} or
               marks == {'main': False, 'a': True, 'b': True, 'c': False},
               '%s', marks)
        expect(server.ask('flame')['samples'] == 11010, 'after by default')
        expect(server.ask('flame', side=0)['samples'] == 10000, 'before')
        server.ask('flame', ok=400, side=2)
    with view.serve('--diff', paths[0], paths[0]) as server:
        answer = server.ask('difference')
        expect(answer['n_changed'] == 0, '%s', answer['verdict'])
        expect(not any(key['change']['is_significant'] for key in
                       server.ask('flame')['keys'].values()), 'noise')


def test_one_input_has_no_difference():
    with view.serve(folded()) as server:
        server.ask('difference', ok=400)
        expect('change' not in next(iter(
            server.ask('flame')['keys'].values())), 'a change of what?')
    run = bobbin.run('view', '--no-open', '--diff', folded(),
                     ok=(bobbin.USAGE, bobbin.FAILED))
    expect(b'two inputs' in run.err or b'built without' in run.err, '%s',
           run.err)


# ---- start and end ---------------------------------------------------------

@each([('INT', signal.SIGINT), ('TERM', signal.SIGTERM),
       ('HUP', signal.SIGHUP)])
def test_a_signal_ends_it(given):
    with view.serve(folded(), ends=given[1]) as server:
        server.ask('info')


def test_without_samples_there_is_nothing_to_show():
    run = bobbin.run('view', '--no-open', folded(), '--match', 'nobody',
                     ok=(bobbin.FAILED,))
    expect(b'no samples' in run.err or b'built without' in run.err, '%s',
           run.err)


@each(['70000', 'x', '-1', ''])
def test_a_wrong_port_is_refused(port):
    run = bobbin.run('view', '--no-open', '--port=' + port, folded(),
                     ok=(bobbin.USAGE, bobbin.FAILED))
    expect(b'port' in run.err or b'built without' in run.err, '%s', run.err)


def test_an_address_that_is_not_here_is_refused():
    run = bobbin.run('view', '--no-open', '--bind', '192.0.2.1', folded(),
                     ok=(bobbin.FAILED,))
    expect(b'192.0.2.1' in run.err or b'built without' in run.err, '%s',
           run.err)


# ---- the order of samples --------------------------------------------------

BOX, BAND, MARK = 6, 8, 5  # numbers of each
STATES = ['idle', 'garbage collection', 'waits for the GIL', 'on CPU',
          'off CPU', 'unknown']


def rows_of(flat, n):
    return [flat[i:i + n] for i in range(0, len(flat), n)]


def timed():
    return beside.make_trace('--samples', 20000, '--stacks', 300, '--times',
                             '--pids', 3, '--annotations', '--run-mean', 3)


def charts(server, **params):
    tracks = [lane['track'] for lane in server.ask('lanes')['lanes']]
    return server.ask('order', track=','.join(map(str, tracks)), **params)


def test_lanes_are_the_tracks():
    with view.serve(timed()) as server:
        answer, info = server.ask('lanes'), server.ask('info')
        expect(answer['n_lanes'] == 3, '%s', answer)
        for lane, track in zip(answer['lanes'], info['tracks']):
            for key, value in track.items():
                expect(lane[key] == value, '%s: %s, not %s', key, lane[key],
                       value)
        expect(answer['end_us'] > info['t_last_us'], '%s', answer['end_us'])
        rest = server.ask('lanes', first=1)
        expect(rest['lanes'] == answer['lanes'][1:], '%s', rest)


def test_a_span_has_the_samples_of_analyze():
    path = timed()
    with view.serve(path) as server:
        end = server.ask('info')['t_last_us'] // 1000000
        for begin, end in ((0, 2), (end // 3, end // 2), (end - 5, end)):
            report = json.loads(bobbin.run(
                'analyze', '--json', '--group-by', 'function', '--top', '1000',
                '--time', '%ds..%ds' % (begin, end), path).out)
            answer = charts(server, begin=begin * 10**6, end=end * 10**6,
                            px=100000)
            count = sum(lane['samples'] for lane in answer['lanes'])
            want = report['samples']['counted']
            expect(count == want > 0, '%d samples, not %d', count, want)
            bands = [b for lane in answer['lanes']
                     for b in rows_of(lane['bands'], BAND)]
            expect(sum(sum(b[2:]) for b in bands) == want, 'bands')
            outer = [b for lane in answer['lanes']
                     for b in rows_of(lane['boxes'], BOX) if b[0] == 1]
            expect(sum(b[4] for b in outer) == want, 'outermost boxes')


def self_of_boxes(answer):
    """Samples of each function as the innermost one; fails if a box of several
    is in the way."""
    nodes, out = rows_of(answer['nodes'], 2), {}
    for lane in answer['lanes']:
        for depth, node, start, width, samples, n in rows_of(lane['boxes'],
                                                             BOX):
            expect(n == 0, 'a merged box')
            parent, key = nodes[node - 1]
            out[key] = out.get(key, 0) + samples
            if parent:
                caller = nodes[parent - 1][1]
                out[caller] = out.get(caller, 0) - samples
            else:
                expect(depth == 1, 'a root at %d', depth)
    return {answer['keys'][str(k)]['text']: n for k, n in out.items() if n}


def test_boxes_have_the_figures_of_analyze():
    path = beside.make_trace('--samples', 300, '--stacks', 30, '--times',
                             '--run-mean', 2, name='few')
    report = json.loads(bobbin.run('analyze', '--json', '--group-by',
                                   'function', '--top', '1000', path).out)
    with view.serve(path) as server:
        answer = charts(server, px=10**9)
        want = {row['text']: row['samples']
                for row in report['sections']['self']['rows']}
        expect(self_of_boxes(answer) == want, '%s, not %s',
               self_of_boxes(answer), want)
        expect(answer['states'] == STATES, '%s', answer['states'])


def test_charts_are_as_large_as_what_can_be_seen():
    with view.serve(timed()) as server:
        for px in (10, 300, 100000):
            answer = charts(server, px=px)
            parts = [len(lane[what]) // size for lane in answer['lanes']
                     for what, size in (('boxes', BOX), ('bands', BAND),
                                        ('marks', MARK))]
            expect(sum(parts) <= 3 * 24000, '%s', parts)
            if px == 10:
                expect(max(parts) < 28 * 4 * 12, '%s', parts)
            expect(sum(lane['samples'] for lane in answer['lanes']) == 20000,
                   'thinning drops no sample')


@each([('track', {'track': 'x'}), ('many', {'track': '1,' * 65}),
       ('begin', {'begin': '-1'}), ('px', {'px': '1e9'})])
def test_a_wrong_span_says_why(given):
    with view.serve(folded()) as server:
        answer = server.ask('order', ok=400, **given[1])
        expect(len(answer['error']) > 5, '%s', answer)


def test_odd_spans_are_empty():
    with view.serve(timed()) as server:
        for odd in ({'track': 4294967297}, {'track': 99},
                    {'track': 1, 'begin': 5, 'end': 3},
                    {'track': 1, 'begin': 2**62, 'end': 2**63},
                    {'track': 1, 'px': 0, 'begin': 0, 'end': 0}):
            lane = server.ask('order', **odd)['lanes'][0]
            expect(lane['samples'] == 0 and lane['boxes'] == [], '%s: %s',
                   odd, lane)


# ---- samples over time -----------------------------------------------------

def bins_of(row):
    """{bin: (key, lead, samples by state)}"""
    return {b[0]: (b[1], b[2], b[3:])
            for b in rows_of(row['bins'], 3 + len(STATES))}


def test_bins_have_all_samples():
    path = timed()
    with view.serve(path) as server:
        lanes = server.ask('lanes')['lanes']
        answer = server.ask('bins', n=200, track=','.join(
            str(lane['track']) for lane in lanes))
        for lane, row in zip(lanes, answer['rows']):
            count = sum(sum(b[2]) for b in bins_of(row).values())
            expect(row['track'] == lane['track'] and count == lane['samples'],
                   '%s: %d, not %d', row['track'], count, lane['samples'])
        second = 10**6
        for begin, end in ((0, 40), (40, 90)):
            first, last = (t * second // answer['bin_us']
                           for t in (begin, end))
            begin, end = (i * answer['bin_us'] for i in (first, last))
            count = sum(sum(b[2]) for row in answer['rows']
                        for i, b in bins_of(row).items() if first <= i < last)
            want = json.loads(bobbin.run(
                'analyze', '--json', '--time', '%.6fs..%.6fs' %
                (begin / 1e6, end / 1e6), path).out)['samples']['counted']
            # Stretches that several bins share are spread evenly.
            expect(abs(count - want) <= 0.01 * want, '%d, not %d', count, want)


def test_bins_by_route_are_those_of_analyze():
    path = timed()
    report = json.loads(bobbin.run(
        'analyze', '--json', '--group-by', 'annotation:http.route', '--top',
        '100', path).out)
    want = {row['text']: row['samples']
            for row in report['sections']['self']['rows']}
    with view.serve(path) as server:
        tracks = ','.join(str(lane['track'])
                          for lane in server.ask('lanes')['lanes'])
        rows = server.ask('bins', rows='route', track=tracks)['rows']
        got = {row['name']: sum(sum(b[2]) for b in bins_of(row).values())
               for row in rows if row['name']}
        for name, samples in got.items():
            expect(want[name] == samples, '%s: %d, not %d', name, samples,
                   want[name])
        expect(len(got) == len([w for w in want if w in got]) > 3, '%s', got)
        rows = server.ask('bins', rows='runtime', track=tracks)['rows']
        expect([row['name'] for row in rows] == ['PHP'], '%s',
               [row['name'] for row in rows])


def test_a_bin_names_what_is_on_top():
    path = case.write_file(b'main;a 30\nmain;b 10\nmain 20\n', 'in.folded')
    with view.serve(path) as server:
        answer = server.ask('bins', n=1, track=server.ask('lanes')['lanes'][0][
            'track'])
        (key, lead, states), = bins_of(answer['rows'][0]).values()
        expect(sum(states) == 60 and lead <= 60, '%s', states)
        expect(answer['keys'][str(key)]['name'] in ('a', 'main'), '%s', answer)


@each([('rows', {'rows': 'pid'}), ('n', {'n': 0}), ('many', {'n': 1025}),
       ('track', {'track': '1,' * 65})])
def test_wrong_bins_are_refused(given):
    with view.serve(folded()) as server:
        expect(server.ask('bins', ok=400, **given[1])['error'], 'a reason')
