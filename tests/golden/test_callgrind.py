"""callgrind output, line by line."""
from oracle import rbt_wire as wire
from support import bobbin, callgrind, outputs
from support.case import expect, write_file

FOLDED = b"""main /a.php:3;run /b.php:7 2
main /a.php:3;run /b.php:8;PDO::query <internal>:-1 5
main /a.php:4;run /b.php:7 1
"""
WANT = """
fl=(0) ???
fn=(0) (root)
cfi=(1) /a.php
cfn=(1) main
calls=8 0
0 80000 8

fl=(1)
fn=(1)
cfi=(2) /b.php
cfn=(2) run
calls=7 0
3 70000 7

fl=(2)
fn=(2)
7 30000 3
cfi=(3) <internal>
cfn=(3) PDO::query
calls=5 0
8 50000 5

fl=(3)
fn=(3)
0 50000 5

fl=(1)
fn=(1)
cfi=(2)
cfn=(2)
calls=1 0
4 10000 1
"""


def written(text):
    return bobbin.run('convert', '-q', '-f', 'folded', '-t', 'callgrind',
                      stdin=text).out.decode()


def test_body():
    text = written(FOLDED)
    expect(callgrind.Profile(text.encode()).totals() == (8, 80000), 'totals')
    expect(text.partition('summary: 80000 8\n')[2] == WANT, 'body %r', text)


def test_head():
    head = written(FOLDED).split('\n')
    expect(head[0] == '# callgrind format', '%s', head[0])
    expect(head[1] == 'version: 1', '%s', head[1])
    expect(head[2].startswith('creator: bobbin '), '%s', head[2])
    expect('events: Wall_us Samples' in head, 'events')
    expect(any(h.startswith('desc: Calls: samples') for h in head), 'desc')


def test_cpu_mode():
    source = write_file(wire.header(1000)
                        + wire.metadata(b'profiler.mode', b'cpu')
                        + wire.one_frame() + wire.compact(0) + wire.end())
    profile = callgrind.Profile(outputs.content('callgrind', source))
    expect(profile.head['events'] == ['Cpu_us Samples'], '%s',
           profile.head['events'])


def test_colon_in_a_path():
    text = written(b'f php:internal:3 1\n')
    expect('php%3Ainternal' in text, '%r', text)


def test_samples_without_frames_are_the_roots():
    profile = callgrind.Profile(written(b' 4\na 1\n').encode())
    expect(profile.own[('(root)', '???')] == {0: (40000, 4)}, '%s',
           profile.own)
    expect(profile.totals() == (5, 50000), '%s', profile.totals())


def test_recursion_comes_in_once():
    """Of a call that is within the recursion, calls are told, not costs."""
    profile = callgrind.Profile(written(b'a;b;a;b 3\na 1\n').encode())
    costs = {(c.caller[0], c.callee[0]): (c.count, c.samples)
             for c in profile.calls}
    expect(costs == {('(root)', 'a'): (4, 4), ('a', 'b'): (3, 3),
                     ('b', 'a'): (3, 0)}, '%s', costs)


def test_nothing():
    profile = callgrind.Profile(written(b'').encode())
    expect(profile.totals() == (0, 0) and not profile.own, 'something')
