"""Flame graphs are XML for a parser that is known to be strict."""
from oracle import rbt_wire as wire
from support import clients, fixtures, outputs, tach
from support.case import each, expect, write_file

NAMES = [bytes([byte]) for byte in range(256)] + [
    b']]>', b'<![CDATA[', b'<!--', b'-->', b'&', b'&#0;', b'</svg>', b'"',
    b"'", b'\xef\xbf\xbe', b'\xef\xbf\xbf', b'\xed\xa0\x80', b'\xc2\x85',
    b'x' * 10000]


def names():
    out = [wire.header(1000), wire.string(0, b'')]
    for i, name in enumerate(NAMES):
        out += [wire.string(1 + i, name), wire.frame(i, 0, 0, 1 + i, 1 + i, i),
                wire.stack(i, [i]), wire.compact(i)]
    return b''.join(out + [wire.end()])


@each([('names', None), ('php', fixtures.rbt_path('multi-segment')),
       ('bytes', fixtures.rbt_path('utf8-and-binary')),
       ('empty', fixtures.rbt_path('header-only')),
       ('python', tach.path('real_threads'))])
def test_flamegraph(which):
    source = which[1] or write_file(names())
    for args in ((), ('--icicle', '--title', '</svg>&]]>')):
        path = outputs.converted('flamegraph', source, *args)
        said = clients.output([clients.command('xmllint', 'xmllint'),
                               '--noout', '--nonet', path])
        expect(said == b'', 'xmllint: %s', said[:200])
