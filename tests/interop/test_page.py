"""Pages that are files: their engine answers as the server does, byte for byte.
In a browser: test_page_browser.py."""
import json
import os
import urllib.parse

from support import bobbin, case, clients, fixtures, pages, view
from support.case import Skip, each, expect

STACKS = [('main;first;target', 30),
          ('main;first;target;target;target;deep', 10),
          ('main;second;target', 15), ('main;second;other', 25),
          ('main', 20)]
# Questions of every kind, with and without what they may take.
QUESTIONS = [('info', {})] + [
    (name, params) for name in ('rows', 'timeline', 'flame', 'matched')
    for params in ({}, {'by': 'line'}, {'by': 'module', 'idle': 1},
                   {'match': '(?i)a'}, {'hide': 'e$'}, {'from': 5,
                                                        'to': 500000})] + [
    ('folded', {}), ('folded', {'by': 'line'}), ('csv', {}),
    ('rows', {'order': 'self'}), ('flame', {'dir': 'callers'}),
    ('flame', {'px': 20}), ('requests', {}), ('difference', {}),
    ('rows', {'by': 'nonsense'}), ('rows', {'focus': 'nobody'}),
    ('rows', {'pid': '1,,2'})]


def folded():
    rows = ''.join('%s %d\n' % row for row in STACKS)
    return case.write_file(rows.encode(), 'in.folded')


def compare(page, inputs, questions, *args):
    answers = pages.ask(page, *questions)
    with view.serve(*args, *inputs) as server:
        for (name, params), answer in zip(questions, answers):
            status, _, want = server.request('%sapi/%s?%s' % (
                server.prefix, name, urllib.parse.urlencode(params)))
            if status == 200:
                expect(answer.get('text', '').encode() == want,
                       '%s %s: %s, not %s', name, params,
                       str(answer)[:400], want[:400])
            else:
                expect(answer.get('error') == json.loads(want)['error'],
                       '%s %s: %s, not %s', name, params, answer, want)


@each(['folded', 'multi-segment', 'annotations', fixtures.LARGE])
def test_the_engine_answers_as_the_server(name):
    clients.node()
    path = folded() if name == 'folded' else fixtures.rbt_path(name)
    compare(pages.make(path), [path], QUESTIONS)


def test_a_page_of_diff_compares_as_diff_does():
    clients.node()
    before = case.write_file(b'main;a 500\nmain;b 500\n', 'before.folded')
    after = case.write_file(b'main;a 900\nmain;b 100\n', 'after.folded')
    page = os.path.join(case.scratch, 'diff.html')
    run = bobbin.run('diff', '-q', '-o', page, before, after,
                     ok=(bobbin.OK, bobbin.FAILED))
    if b'has no engine' in run.err:
        raise Skip('built without clang for WebAssembly')
    compare(page, [before, after], [('info', {}), ('difference', {}),
                                    ('flame', {'side': '0'})], '--diff')
    report = json.loads(bobbin.run('diff', '-q', '--json', before, after).out)
    answer = json.loads(pages.ask(page, ('difference', {}))[0]['text'])
    expect(answer['verdict'] == report['verdict']['text'], '%s',
           answer['verdict'])
