"""callgrind_annotate shows of bobbin's files what is in them."""
import re

from oracle import rbt_wire as wire
from support import clients, fixtures, outputs, tach, truth
from support.case import each, expect, write_file

ROW = re.compile(r' *([\d,]+) \( *[\d.]+%\) +([\d,]+|\.) (?:\( *[\d.]+%\))? '
                 r' *(.*)')
TOTAL = re.compile(r' *([\d,]+) \((100\.0)%\) +([\d,]+) \((100\.0)%\)  '
                   r'PROGRAM TOTALS')

INPUTS = [
    ('php', fixtures.rbt_path('multi-segment')),
    ('python', tach.path('real_threads')),
    ('async', tach.path('real_async')),
    ('phpspy', fixtures.PHPSPY + '/laravel-request-info.txt'),
]


def number(text):
    return 0 if text == '.' else int(text.replace(',', ''))


def annotated(path, *args):
    """(totals, {file:function: (us, samples)})"""
    text = clients.output(
        [clients.command('callgrind', 'callgrind_annotate'), '--threshold=100',
         '--auto=no'] + list(args) + [path]).decode('utf-8')
    total = TOTAL.search(text)
    expect(total, 'no totals in %r', text[:500])
    rows = {}
    for line in text[text.index('file:function'):].split('\n'):
        found = ROW.fullmatch(line)
        if found:
            name = re.sub(r' \[\]$', '', found.group(3))
            expect(name not in rows, '%s twice', name)
            rows[name] = number(found.group(1)), number(found.group(2))
    return (number(total.group(1)), number(total.group(3))), rows


def keyed(costs):
    return {'%s:%s' % (file.replace(':', '%3A') or '???', name): cost
            for (name, file), cost in costs.items()}


def expect_rows(got, want):
    want = {key: value for key, value in want.items() if value != (0, 0)}
    expect(got == want, 'rows differ: %r',
           sorted(set(got.items()) ^ set(want.items()))[:6])


@each(INPUTS)
def test_own(which):
    known = truth.Truth(which[1])
    total, rows = annotated(outputs.converted('callgrind', which[1]))
    expect(total == (known.us, known.samples), 'total %s', total)
    expect_rows(rows, {key: (cost.self_us, cost.self) for key, cost in
                       keyed(known.functions()).items()})


@each(INPUTS)
def test_inclusive(which):
    known = truth.Truth(which[1])
    total, rows = annotated(outputs.converted('callgrind', which[1]),
                            '--inclusive=yes')
    expect(total == (known.us, known.samples), 'total %s', total)
    want = {key: (cost.total_us, cost.total) for key, cost in
            keyed(known.functions()).items()}
    want['???:(root)'] = known.us, known.samples
    expect_rows(rows, want)


def recursion():
    """f calls itself, g and f call each other, and either begins a stack."""
    out = [wire.header(1000), wire.string(0, b''), wire.string(1, b'f'),
           wire.string(2, b'g'), wire.string(3, b'/a.php'),
           wire.frame(0, 0, 0, 1, 3, 5), wire.frame(1, 0, 0, 2, 3, 9)]
    for ident, frames in enumerate(([0], [0, 0], [0, 0, 0], [1, 0],
                                    [0, 1, 0, 1], [1, 1, 0, 0, 1], [1])):
        out += [wire.stack(ident, frames), wire.compact(ident),
                wire.repeat(ident)]
    return b''.join(out + [wire.stack(7, []), wire.compact(7), wire.end()])


def test_recursion_inflates_nothing():
    path = write_file(recursion())
    known = truth.Truth(path)
    total, rows = annotated(outputs.converted('callgrind', path),
                            '--inclusive=yes')
    expect(total == (29000, 29), 'total %s', total)
    want = {key: (cost.total_us, cost.total) for key, cost in
            keyed(known.functions()).items()}
    want['???:(root)'] = 29000, 29
    expect_rows(rows, want)
