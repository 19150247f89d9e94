"""`bobbin view`: stacks that the page shapes, two ranges that it compares, and
what its tables and trees are made of.  The models here are written anew from
docs/view.md."""
import collections
import json
import os
import random

from cli import beside
from oracle import rbt_wire as wire
from support import bobbin, case, fixtures, view
from support.case import each, expect

FILES = {'a': '/app/a.py', 'b': '/app/b.py', 'c': '/app/vendor/x/lib/c.py',
         'd': '/app/vendor/x/lib/d.py', 'e': '/app/vendor/y/log/e.py',
         'f': '/app/a.py'}
MODULE = {'a': '/app', 'b': '/app', 'c': 'x/lib', 'd': 'x/lib', 'e': 'y/log',
          'f': '/app'}


def text(name):
    return '%s %s' % (name, FILES[name])


def random_stacks(seed):
    rng = random.Random(seed)
    stacks = collections.Counter()
    for _ in range(60):
        stacks[tuple(rng.choice('abcdef')
                     for _ in range(rng.randint(1, 12)))] += rng.randint(1, 9)
    return stacks


def written(stacks):
    rows = ''.join('%s %d\n' % (';'.join(text(f) + ':1' for f in stack), n)
                   for stack, n in stacks.items())
    return case.write_file(rows.encode(), 'in.folded')


def shaped(stack, rules):
    """What docs/view.md promises, for one stack; None: it is left out."""
    out = []
    has_focus = any(kind == 'focus' for kind, _ in rules)
    for frame in stack:
        if ('hide', frame) in rules:
            continue
        shown = MODULE[frame] if ('collapse', MODULE[frame]) in rules \
            else text(frame)
        if has_focus and not out and ('focus', frame) not in rules:
            continue
        if out and out[-1] == shown and shown == MODULE[frame]:
            continue
        if ('recursion', '') in rules and shown in out:
            out = out[:out.index(shown) + 1]
            continue
        out.append(shown)
    return None if has_focus and not out else tuple(out)


def parameter(rules):
    lines = []
    for kind, of in rules:
        if kind == 'recursion':
            lines.append(kind)
        elif kind == 'collapse':
            lines.append('collapse module ' + of)
        else:
            lines.append('%s function %s' % (kind, text(of)))
    return '\n'.join(lines)


RULES = [[('recursion', '')], [('hide', 'a')], [('focus', 'b')],
         [('collapse', 'x/lib')], [('collapse', '/app'), ('recursion', '')],
         [('hide', 'c'), ('collapse', 'x/lib'), ('focus', 'a')],
         [('focus', 'd'), ('recursion', '')],
         [('hide', 'a'), ('hide', 'b'), ('collapse', 'x/lib'),
          ('collapse', 'y/log'), ('recursion', '')]]


@each([(seed, rules) for seed in range(3) for rules in RULES])
def test_shaped_stacks_are_those_of_the_model(given):
    seed, rules = given
    stacks = random_stacks(seed)
    want = collections.Counter()
    for stack, n in stacks.items():
        to = shaped(stack, rules)
        if to is not None:
            want[to] += n
    shape = parameter(rules)
    with view.serve(written(stacks)) as server:
        lines = server.ask('folded', shape=shape)['text'].splitlines()
        matched = server.ask('matched', shape=shape)['samples']
        rows = server.ask('rows', shape=shape)['rows']
        plain = server.ask('matched')['samples']
    got = collections.Counter()
    for line in lines:
        stack, n = line.rsplit(' ', 1)
        got[tuple(stack.split(';')) if stack else ()] += int(n)
    empty = want.pop((), 0)
    got.pop((), 0)
    expect(got == want, '%s', str(dict(got - want) or dict(want - got))[:300])
    expect(matched == sum(want.values()) + empty, '%d', matched)
    expect(plain == sum(stacks.values()), 'what is not shaped: %d', plain)
    for row in rows:
        total = sum(n for stack, n in want.items() if row['text'] in stack)
        own = sum(n for stack, n in want.items()
                  if stack[-1] == row['text'])
        expect((row['total'], row['self']) == (total, own), '%s', row)


def test_a_focus_is_the_match_of_analyze():
    path = fixtures.rbt_path(fixtures.LARGE)
    with view.serve(path) as server:
        row = server.ask('rows', order='total')['rows'][5]
        seen = server.ask('matched', shape='focus function ' +
                          row['id'].replace('\\', '\\\\'))
        expect(seen['samples'] == row['total'], '%s, not %s', seen, row)
        expect(seen['time_us'] == row['total_us'], '%s, not %s', seen, row)


def test_a_deep_recursion_is_one_call():
    deep = ';'.join(['r', 's'] * 4000)
    path = case.write_file(('m;%s 5\nm;r;leaf 2\n' % deep).encode(),
                           'in.folded')
    with view.serve(path) as server:
        lines = server.ask('folded', shape='recursion')['text']
    expect(sorted(lines.splitlines()) == ['m;r;leaf 2', 'm;r;s 5'], '%s',
           lines[:200])


def test_names_that_are_long_or_strange_are_found_again():
    names = ['x' * 1000, 'a\\nb', 'back\\\\slash', '\u202edlrow',
             'two\tparts', 'y' * 150 + '~0123456789abcdef']
    rows = ''.join('main;%s 3\n' % name for name in names)
    with view.serve(case.write_file(rows.encode(), 'in.folded')) as server:
        for row in server.ask('rows', order='self')['rows']:
            escaped = row['id'].replace('\\', '\\\\').replace('\n', '\\n')
            left = server.ask('rows', shape='hide function ' + escaped)
            texts = [r['id'] for r in left['rows']]
            expect(row['id'] not in texts and len(texts) == len(names),
                   '%s: %d left', row['id'][:80], len(texts))


@each([('kind', 'shrink function main'), ('group', 'hide pid 5'),
       ('nothing', 'hide'), ('no text', 'focus function'),
       ('many', '\n'.join(['recursion'] * 33))])
def test_a_wrong_shape_says_why(given):
    with view.serve(written(random_stacks(1))) as server:
        answer = server.ask('rows', ok=400, shape=given[1])
        expect('rule' in answer['error'], '%s', answer)


# ---- two ranges of one trace -----------------------------------------------

def trace():
    return beside.make_trace('--samples', 20000, '--stacks', 300, '--times',
                             '--pids', 2, '--annotations', name='in.rbt')


def changed():
    """Two functions change places after the first of three parts."""
    rng = random.Random(5)
    data = wire.header(flags=1) + wire.string(0, b'')
    for i in range(20):
        data += wire.string(1 + i, b'f%d' % i) + \
            wire.frame(i, 0, 0, 1 + i, 0, 3) + wire.stack(i, [i])
    for at in range(30000):
        share = 0.3 if at < 10000 else 0.1
        pick = rng.random()
        data += wire.sample(0 if pick < share else 1 if pick < 0.4 else
                            rng.randrange(2, 20), 1000)
    return case.write_file(data + wire.end(), 'in.rbt')


def cut(path, span, name):
    out = os.path.join(case.scratch, name)
    bobbin.run('convert', '-q', '--time', span, '-o', out, path)
    return out


# A row of the page as one of `diff --json`: what is exact.
def exact(change):
    return (change['samples_before'], change['samples_after'],
            change['before'], change['after'], change['delta'],
            change['is_significant'])


def exact_of_diff(row):
    return (row['before']['samples'], row['after']['samples'],
            row['before']['share'], row['after']['share'], row['delta'],
            row['significant'])


@each(['self', 'total'])
def test_two_ranges_are_compared_as_two_traces_are(order):
    path = changed()
    with view.serve(path) as server:
        line = server.ask('timeline')
        bin_us, n = line['bin_us'], len(line['bins'])
        # A view takes whole bins; so do these ranges.
        a, b, c = 0, n // 3 * bin_us, n // 3 * 2 * bin_us
        seen = server.ask('difference', order=order, **{
            'base': '%d-%d' % (a, b), 'from': b, 'to': c})
    parts = [cut(path, '%dus..%dus' % span, name) for span, name in (
        ((a, b), 'a.rbt'), ((b, c), 'b.rbt'))]
    want = json.loads(bobbin.run('diff', '--json', '--idle', *parts).out)
    expect((seen['samples_before'], seen['samples_after'], seen['n_changed']) ==
           (want['before']['samples'], want['after']['samples'],
            want['verdict']['changed']), '%s', seen['verdict'])
    expect([row['text'] for row in seen['rows']] ==
           [row['key'] for row in want[order]] and len(seen['rows']) == 20,
           '%s', [row['text'] for row in seen['rows']])
    for row, same in zip(seen['rows'], want[order]):
        expect(exact(row['change']) == exact_of_diff(same), '%s: %s, not %s',
               row['text'], row['change'], same)
        # Clumps at the edges of a range are cut in one of them.
        for end in ('low', 'high'):
            expect(abs(row['change'][end] - same[end]) < 0.002,
                   '%s: %s, not %s', row['text'], row['change'], same)
    marked = {row['text'] for row in seen['rows']
              if row['change']['is_significant']}
    expect({'f0', 'f1'} <= marked and len(marked) < 5, '%s', marked)


def test_a_range_is_compared_with_all():
    with view.serve(changed()) as server:
        line = server.ask('timeline')
        end = len(line['bins']) // 3 * line['bin_us']
        base = '0-%d' % end
        whole = server.ask('difference', base=base)
        before = server.ask('rows', base=base, side=0)
        only = server.ask('rows', **{'from': 0, 'to': end})
        graph = server.ask('flame', base=base)
    expect((whole['samples_before'], whole['samples_after']) ==
           (only['samples'], 30000), '%s', whole['verdict'])
    expect(before['rows'] == only['rows'] and only['rows'], 'the side before')
    by_text = {row['text']: row['change'] for row in whole['rows']}
    for key in graph['keys'].values():
        expect(key['change'] == by_text[key['text']], '%s: %s', key['text'],
               key['change'])
    expect(len(graph['keys']) == 20, '%d', len(graph['keys']))


@each(['x', '5', '5-', '-5', '1-2-3', '1-99999999999999999999999'])
def test_a_wrong_base_says_why(given):
    with view.serve(trace()) as server:
        answer = server.ask('rows', ok=400, base=given)
        expect('base' in answer['error'], '%s', answer)


# ---- trees, facets, small time lines ---------------------------------------

def children(level, keys):
    nodes = level['nodes']
    return {keys[str(nodes[i])]['text']: nodes[i:i + 4]
            for i in range(0, len(nodes), 4)}


def test_a_tree_has_the_calls_of_the_stacks():
    stacks = random_stacks(7)
    with view.serve(written(stacks)) as server:
        way, prefix = [], ()
        while True:
            answer = server.ask('branches', way='.'.join(map(str, way)))
            expect(len(answer['levels']) == len(way) + 1, '%s', way)
            seen = children(answer['levels'][-1], answer['keys'])
            want = collections.Counter()
            for stack, n in stacks.items():
                if stack[:len(prefix)] == prefix and len(stack) > len(prefix):
                    want[text(stack[len(prefix)])] += n
            expect({k: v[1] for k, v in seen.items()} == want, '%s: %s',
                   prefix, seen)
            if not seen:
                break
            name, node = max(seen.items(), key=lambda item: item[1][1])
            own = sum(n for stack, n in stacks.items()
                      if stack == prefix + (name[0],))
            expect(node[2] == own, '%s: %s', name, node)
            way.append(node[0])
            prefix += (name[0],)
    expect(len(prefix) > 3, 'it went down')


def test_classes_are_a_grouping():
    rows = b'App\\Cart::total 5\nApp\\Cart::add;App\\Cart::{closure} 3\n' \
           b'strlen 2\n'
    path = case.write_file(rows, 'in.folded')
    report = json.loads(bobbin.run('analyze', '--json', '--group-by', 'class',
                                   path).out)
    with view.serve(path) as server:
        rows = server.ask('rows', by='class', order='self')['rows']
    expect([(r['text'], r['self'], r['total']) for r in rows] ==
           [('App\\Cart', 8, 8), ('(no class)', 2, 2)], '%s', rows)
    expect([r['samples'] for r in report['sections']['self']['rows']] ==
           [8, 2], '%s', report['sections']['self'])


def test_facets_select_as_annotations_do():
    path = trace()
    with view.serve(path) as server:
        facets = server.ask('facets')['facets']
        expect(facets, 'none')
        for facet in facets:
            value = facet['values'][0]
            if value['value'] == '(none)':
                continue
            pair = '%s=%s' % (facet['key'], value['value'])
            seen = server.ask('matched', annot=pair)
            expect(seen['samples'] == value['samples'], '%s: %s', pair, seen)
            report = json.loads(bobbin.run(
                'analyze', '--json', '--idle', '--annotation', pair, path).out)
            expect(report['samples']['counted'] == value['samples'],
                   '%s: %s', pair, report['samples'])
            again = server.ask('facets', annot=pair)['facets']
            same = next(f for f in again if f['key'] == facet['key'])
            expect(same == facet, 'another value can be chosen')


def test_small_time_lines_add_up():
    path = trace()
    with view.serve(path) as server:
        rows = server.ask('rows', order='total')['rows'][:100]
        answer = server.ask('sparks', keys=','.join(
            str(r['key']) for r in rows))
        parts = answer['parts']
        for i, row in enumerate(rows):
            seen = answer['sparks'][i * parts:(i + 1) * parts]
            expect(sum(seen) == row['total'], '%s: %d, not %d', row['text'],
                   sum(seen), row['total'])
        line = server.ask('timeline', focus=rows[0]['id'])['bins']
    expect(sum(line) == rows[0]['total'], 'the time line')


# ---- requests --------------------------------------------------------------

def test_a_route_selects_its_samples():
    path = trace()
    report = json.loads(bobbin.run('analyze', '--json', '--idle', '--requests',
                                   path).out)
    with view.serve(path) as server:
        answer = server.ask('requests')
        expect([r['route'] for r in answer['routes']] ==
               [r['route'] for r in report['sections']['routes']['rows']],
               '%s', answer['routes'])
        for route in answer['routes']:
            expect(route['key'] == 'http.route', '%s', route)
            seen = server.ask('matched', annot='http.route=' + route['route'])
            expect(seen['samples'] == route['samples'], '%s: %s', route, seen)
        expect(answer['time_us'] == sum(r['time_us'] for r in
                                        answer['routes']) > 0, '%s', answer)


def annotated(rows):
    """A sample for each row of pairs."""
    words = sorted({word for row in rows for pair in row for word in pair})
    data = wire.header() + wire.one_frame()
    data += b''.join(wire.string(10 + i, word)
                     for i, word in enumerate(words))
    for row in rows:
        data += wire.compact(0) + wire.annotation(*[
            (10 + words.index(k), 10 + words.index(v)) for k, v in row])
    return case.write_file(data + wire.end())


def test_only_a_route_that_is_an_annotation_is_selected():
    path = annotated([
        [(b'request.route', b'/a'), (b'http.route', b'/x'), (b'route', b'/y')],
        [(b'http.route', b'/b'), (b'route', b'/y')], [(b'route', b'/c')],
        [(b'uri', b'/d/1')], [(b'route', b'/e/{n}')], [(b'uri', b'/e/2')],
        [(b'route', b'/f\0g')], [(b'route', b'/h' * 2000)]])
    with view.serve(path) as server:
        routes = server.ask('requests')['routes']
    expect({r['route'][:9]: r.get('key') for r in routes} == {
        '/a': 'request.route', '/b': 'http.route', '/c': 'route',
        '/d/{n}': None, '/e/{n}': None, '/f\0g': None, '/h/h/h/h/': None},
        '%s', str(routes)[:400])


# ---- what a parameter cannot have ------------------------------------------

def test_what_has_a_nul_is_asked_for_by_another_id():
    path = case.write_file(wire.header() + wire.one_frame(
        b'a\0b', b'/x\0y/z/a.php') + wire.compact(0) + wire.end())
    with view.serve(path) as server:
        for by in ('function', 'file', 'module'):
            row, = server.ask('rows', by=by)['rows']
            expect('\0' not in row['id'] and '\0' in row['text'], '%s', row)
            same = server.ask('timeline', by=by, focus=row['id'])
            expect(sum(same['bins']) == 1, '%s', same)
        seen = server.ask('rows', shape='collapse module ' + row['module_id'])
        expect(seen['rows'][0]['text'] == row['text'], '%s', seen)
        status, _, body = server.request(
            server.prefix + 'api/rows?shape=hide%20function%20a%00b')
        expect(status == 400 and b'NUL' in body, '%d: %s', status, body)


def test_values_that_cannot_be_asked_for_are_not_offered():
    path = annotated([[(b'k', b'good')], [(b'k', b'a\0b')], [(b'k', b'\xff')],
                      [(b'k', b'x' * 3000)], [(b'n\0', b'1')]])
    with view.serve(path) as server:
        facet, = server.ask('facets')['facets']
    expect(facet == {'key': 'k', 'n_values': 5, 'values': [
        {'value': 'good', 'samples': 1}, {'value': '(none)', 'samples': 1}]},
        '%s', facet)
