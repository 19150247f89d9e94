"""docs/first-five-minutes.md: its commands, typed by somebody who has just
installed bobbin, still lead to the slow function and to the slow route, in at
most three."""
import os
import re
import shutil

from support import bobbin, case, newcomer
from support.case import expect

PAGE = os.path.join(bobbin.ROOT, 'docs', 'first-five-minutes.md')
FUNCTION, ROUTE = 'PriceList::of', '/category/'


def test_three_commands_find_the_slow_function():
    if not shutil.which('php'):
        raise case.Skip('no php')
    machine, shown = newcomer.Machine(), []
    lines = newcomer.commands(PAGE)
    expect(1 <= len(lines) <= 3, 'commands %s', lines)
    with newcomer.shop(name='demo') as (_, pid):
        for line in lines:
            code, text = machine.type(line, pid)
            expect(code == bobbin.OK, '%s: exit status %d: %s', line, code,
                   text[-600:])
            shown.append(text)
    rows = [row for row in shown[1].splitlines() if FUNCTION in row]
    expect(rows, '%s is not found: %s', FUNCTION, shown[1])
    shares = [float(n) for row in rows
              for n in re.findall(r'([0-9.]+) ?%', row)]
    expect(max(shares, default=0) > 20, 'its share: %s', rows)
    rows = [row for row in shown[2].splitlines() if re.search(r'%.*/', row)]
    expect(rows and ROUTE in rows[0], 'the first route: %s', shown[2])


def test_the_page_has_the_answer():
    """Its outputs were not cut off, and name what its text names."""
    text = case.read_file(PAGE).decode()
    outputs = re.findall(r'^```console\n(.*?)^```$', text, re.M | re.S)
    expect(len(outputs) == 3 and FUNCTION in outputs[1] and
           ROUTE in outputs[2], '%s', outputs)
    for place in bobbin.ROOT, os.path.expanduser('~'):
        expect(place + '/' not in text, 'a path of this machine: %s', place)
