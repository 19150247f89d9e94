"""Source files in `bobbin view`: which are read, and the figures of lines."""
import json
import os
import tempfile
import urllib.parse

from support import bobbin, case, fixtures, view
from support.case import each, expect

TEXT = b'import time\ndef f():\n\tg()\ndef g():\n    return 1\nf()\n'


def place(text=TEXT):
    """A root with app.py in it, and the path that a trace names."""
    root = os.path.realpath(tempfile.mkdtemp(dir=case.scratch))
    path = os.path.join(root, 'app.py')
    with open(path, 'wb') as f:
        f.write(text)
    return root, path


def trace(path):
    """Line 3 calls g from two functions; one stack has it twice."""
    rows = [('main {0}:6;f {0}:3;g {0}:5', 40), ('main {0}:6;f {0}:3', 10),
            ('main {0}:6;h {0}:3;f {0}:3;g {0}:5', 30),
            ('main {0}:6;other /elsewhere/x.py:9', 20)]
    text = ''.join('%s %d\n' % (row.format(path), n) for row, n in rows)
    return case.write_file(text.encode(), 'in.folded')


def text_of(server, ok=200, **params):
    query = urllib.parse.urlencode(params)
    status, headers, body = server.request('%ssource?%s' % (server.prefix,
                                                            query))
    expect(status == ok, 'status %d: %s', status, body[:200])
    expect(headers['Content-Type'].startswith('application/json'), '%s',
           headers)
    return json.loads(body)


def lines(answer):
    return {row['line']: (row['self'], row['total'])
            for row in answer['lines']}


# ---- figures ---------------------------------------------------------------

def test_lines_have_their_sums():
    _, path = place()
    with view.serve(trace(path)) as server:
        answer = server.ask('listing', file=path)
        expect(answer['samples'] == 100 and answer['file']['text'] == path,
               '%s', answer)
        # A stack with the line twice counts once.
        expect(lines(answer) == {3: (10, 80), 5: (70, 70), 6: (0, 100)}, '%s',
               answer['lines'])
        names = [k['name'] for k in answer['lines'][0]['keys']]
        expect(sorted(names) == ['f', 'h'], '%s', names)


def test_figures_of_lines_are_those_of_analyze():
    path = fixtures.rbt_path(fixtures.LARGE)
    report = json.loads(bobbin.run('analyze', '--json', '--lines', '--top',
                                   '100000', path).out)
    want = {}
    for name, field in (('self', 0), ('total', 1)):
        for row in report['sections'][name]['rows']:
            at = (row['name'], row['file'], row['line'])
            want.setdefault(at, [0, 0])[field] = row['samples']
    n = 0
    with view.serve(path) as server:
        for row in server.ask('rows', by='file')['rows'][:20]:
            for line in server.ask('listing', file=row['id'])['lines']:
                for key in line['keys']:
                    at = (key['name'], key['file'], key.get('line'))
                    expect([key['self'], key['total']] == want[at], '%s: %s, '
                           'not %s', at, key, want[at])
                    n += 1
                if len(line['keys']) == 1:
                    expect([line['self'], line['total']] == want[at], '%s',
                           line)
    expect(n > 10, 'only %d lines', n)


def test_the_file_follows_from_the_focus():
    _, path = place()
    with view.serve(trace(path)) as server:
        expect(server.ask('listing')['file']['text'] == path, 'the heaviest')
        for by, focus in (('function', 'other /elsewhere/x.py'),
                          ('line', 'other /elsewhere/x.py:9'),
                          ('name', 'other')):
            answer = server.ask('listing', by=by, focus=focus)
            expect(answer['file']['text'] == '/elsewhere/x.py' and
                   answer['focus']['name'] == 'other' and
                   lines(answer) == {9: (20, 20)}, '%s', answer)
        server.ask('listing', ok=400, file='no such file')
        server.ask('listing', ok=400, focus='no such function')


def test_callers_of_a_line():
    _, path = place()
    with view.serve(trace(path)) as server:
        answer = server.ask('callers', file=path, line=5)
        rows = [(r['name'], r.get('line'), r['total']) for r in answer['rows']]
        expect(rows == [('f', 3, 70)] and answer['key']['name'] == 'g', '%s',
               answer)
        # The innermost frame on the line counts.
        answer = server.ask('callers', file=path, line=3)
        rows = [(r['name'], r['total']) for r in answer['rows']]
        expect(rows == [('main', 50), ('h', 30)], '%s', rows)
        answer = server.ask('callers', file=path, line=6)
        expect([(r['is_root'], r['total']) for r in answer['rows']] ==
               [(True, 100)], '%s', answer)
        expect(server.ask('callers', file=path, line=4)['rows'] == [],
               'a line without samples')
        server.ask('callers', ok=400, file=path, line='x')


def test_a_trace_without_files():
    path = case.write_file(b'main;f 3\n', 'in.folded')
    with view.serve(path) as server:
        answer = server.ask('listing')
        expect(answer['lines'] == [] and 'file' not in answer, '%s', answer)
        expect('why' in text_of(server), 'no text')


# ---- text ------------------------------------------------------------------

def test_text_only_below_a_root():
    root, path = place()
    with view.serve(trace(path)) as server:
        answer = text_of(server, file=path)
        expect('text' not in answer and answer['can_name'], '%s', answer)
    with view.serve('--source', root, trace(path)) as server:
        answer = text_of(server, file=path)
        expect(answer['text'] == TEXT.decode() and not answer['is_cut'], '%s',
               answer)
        answer = text_of(server, file='/elsewhere/x.py')
        expect('text' not in answer and answer['can_name'], '%s', answer)
    moved = '/elsewhere=' + root
    os.rename(path, os.path.join(root, 'x.py'))
    with view.serve('--source', moved, trace(path)) as server:
        answer = text_of(server, file='/elsewhere/x.py')
        expect(answer['text'] == TEXT.decode(), '%s', answer)


@each([('no directory', '/does/not/exist', 'No such file')])
def test_a_root_must_exist(given):
    result = bobbin.run('view', '--no-open', '--source', given[1],
                        trace('/x.py'), ok=(1,))
    expect(given[2].encode() in result.err, '%s', result.err)


def secret():
    return case.write_file(b'the secret\n', 'secret.py')


@each(['up', 'absolute link', 'link up', 'folder link', 'fifo', 'folder',
       'proc'])
def test_nothing_outside_a_root_is_read(kind):
    root, _ = place()
    outside = secret()
    path = os.path.join(root, 'bad.py')
    up = os.path.relpath(outside, root)
    if kind == 'up':
        path = os.path.join(root, up)
    elif kind == 'absolute link':
        os.symlink(outside, path)
    elif kind == 'link up':
        os.symlink(up, path)
    elif kind == 'folder link':
        os.symlink(os.path.dirname(outside), os.path.join(root, 'lib'))
        path = os.path.join(root, 'lib', os.path.basename(outside))
    elif kind == 'fifo':
        os.mkfifo(path)
    elif kind == 'folder':
        os.mkdir(path)
    else:
        path = '/proc/self/environ'
    with view.serve('--source', root, trace(path)) as server:
        answer = text_of(server, file=path)
        expect('text' not in answer and answer['why'], '%s', answer)


def test_no_parameter_names_a_path():
    """Only files that the trace names can be asked for."""
    root, path = place()
    other = os.path.join(root, 'other.py')
    with open(other, 'wb') as f:
        f.write(b'not in the trace\n')
    with view.serve('--source', root, trace(path)) as server:
        for name in (other, path + '/../other.py', 'other.py'):
            text_of(server, ok=400, file=name)


def test_a_huge_file_is_cut():
    root, path = place(b'x = 1\n' * 10)
    with open(path, 'r+b') as f:
        f.truncate(1 << 30)
    with view.serve('--source', root, trace(path)) as server:
        answer = text_of(server, file=path)
        expect(answer['why'] == 'it is no text', 'NUL bytes: %s', answer)
        with open(path, 'wb') as f:
            f.write(b'y = 123\n' * ((9 << 20) // 8))
        answer = text_of(server, file=path)
        expect(answer['is_cut'] and len(answer['text']) == 8 << 20, '%d',
               len(answer['text']))


def test_text_is_escaped():
    _, path = place()
    root, path = place(b'a </script> \xff \x1b[31m \xe2\x80\xae\r\n')
    with view.serve('--source', root, trace(path)) as server:
        _, _, body = server.request('%ssource?%s' % (
            server.prefix, urllib.parse.urlencode({'file': path})))
        expect(b'</script>' not in body and b'\x1b' not in body and
               b'\xff' not in body and b'\xe2\x80\xae' not in body, '%s', body)
