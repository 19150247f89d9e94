"""Odd and hostile traces in Chromium, from the server and as one file: every
view opens, nothing is complained about, names stay text, and the page answers
a key while the engine is busy."""
from interop import test_page_browser as in_file
from interop import test_view_browser as in_server
from oracle import rbt_wire as wire
from support import case, clients, pages, shapes, view
from support.case import each, expect

HOSTILE = ['</script><script>alert(1)</script>', '<img src=x onerror=alert(1)>',
           '\x1b[31mred\x1b[0m', '\u202egnp.exe', '\u2066left\u2069',
           '${alert(1)}', '"\'`&amp;', '\u200bthin', 'a\u2028b', '__proto__',
           'constructor', '\U0001f4a9' * 3, '\xff' * 40, '../../etc/passwd']
BACKWARDS = [0, 5000, -20000, 10000, -1, 7, 2 ** 40, -2 ** 41]


def folded(names):
    rows = ['main;%s;leaf %d' % (name, 3 + i) for i, name in enumerate(names)]
    return case.write_file('\n'.join(rows + ['']).encode(), 'in.folded')


def hostile_names():
    return folded(HOSTILE)


def name_of_a_megabyte():
    return folded(['x' * 2 ** 20, '\u202e<b>' * 2 ** 16, 'short'])


def name_with_nul():
    return case.write_file(wire.header() + wire.one_frame(
        b'a\0b<i>', b'/a\0.php') + wire.compact(0) + wire.end())


def many_tracks():
    return case.write_file(wire.header() + wire.one_frame() + b''.join(
        wire.pid_sample(0, pid) for pid in range(1, 100001)) + wire.end())


def no_sample():
    return case.write_file(wire.header() + wire.one_frame() + wire.end())


def one_sample():
    return case.write_file(wire.header() + wire.one_frame() + wire.compact(0) +
                           wire.end())


def times_backwards():
    data = wire.header(flags=1) + wire.one_frame()
    data += b''.join(wire.sample(0, delta) for delta in 100 * BACKWARDS)
    return case.write_file(data + wire.end())


def no_times():
    return folded(['a', 'b', 'c'])


def deep():
    return case.write_file(shapes.deep(80000), 'in.tach')


def many_stacks():
    rows = ''.join('main;a%d;b%d;c%d %d\n' % (i % 7, i % 600, i, 1 + i % 3)
                   for i in range(300000))
    return case.write_file(rows.encode(), 'in.folded')


ODD = [hostile_names, name_of_a_megabyte, name_with_nul, many_tracks,
       one_sample, times_backwards, no_times, deep, many_stacks]
ENGINES = {
    'server': lambda path: view.serve(path),
    'file': lambda path: pages.opened(path),
}
CASES = ['%s in a %s' % (make.__name__, engine)
         for make in ODD for engine in sorted(ENGINES)]


def use(source, *steps):
    module = in_server if isinstance(source, view.Server) else in_file
    return module.use(source, *steps)


def check(seen):
    """What holds of any trace, in any view."""
    expect(seen['foreign'] == [], '%s: elements %s', seen['tab'],
           seen['foreign'])
    expect(seen['raw'] == [], '%s: characters of names as they are: %s',
           seen['tab'], seen['raw'][:3])
    expect(not seen['isBad'], '%s: %s', seen['tab'], seen['status'])
    expect(not seen['overflows'], '%s: wider than the window', seen['tab'])


def programs():
    return clients.node(), clients.playwright(), clients.browser()


@each(CASES)
def test_every_view_opens(named):
    programs()
    name, engine = named.split(' in a ')
    with ENGINES[engine](globals()[name]()) as source:
        seen = use(source, ['views'])
    tabs = [look['tab'] for look in seen[1:-1]]
    expect(len(tabs) >= 5 and len(set(tabs)) == len(tabs), '%s', tabs)
    for look in seen:
        check(look)
    expect(seen[0]['painted'] == [True], 'the first view is empty')
    rows = [look for look in seen if look['tab'] == 'Functions']
    expect(rows and rows[0]['rows'], 'no function')


def test_a_trace_without_samples_can_be_followed():
    programs()
    with view.serve('--follow', no_sample()) as server:
        for look in use(server, ['views']):
            check(look)
            expect('0 samples' in look['facts'], '%s', look['facts'])


@each(sorted(ENGINES))
def test_the_page_answers_while_the_engine_works(engine):
    programs()
    with ENGINES[engine](many_stacks()) as source:
        seen = use(source, ['meanwhile', 'callers'])
    expect(seen[-1]['order'] == ['key', 'view'],
           'the list of keys came after the view: %s', seen[-1]['order'])
