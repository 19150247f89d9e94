"""Flame graphs as data: what stands in the SVG.

Boxes are numbered as in the file; box 0 is everything.
"""
import collections
import json
import re
import xml.etree.ElementTree

from support import chars, listing, text
from support.case import expect

SVG = '{http://www.w3.org/2000/svg}'
NO_CHARACTER = re.compile('[\ufffe\uffff]')
CONTROL = re.compile('[\x00-\x1f\x7f]')

Box = collections.namedtuple('Box', 'x y width height fill tip label')


def clean(raw):
    """A name as the files show it."""
    shown = raw.decode('utf-8', 'replace')
    shown = CONTROL.sub(lambda m: '\u2421' if m.group() == '\x7f' else
                        chr(0x2400 + ord(m.group())), shown)
    shown = chars.NOT_SHOWN.sub(lambda m: '[%04X]' % ord(m.group()), shown)
    return NO_CHARACTER.sub('\ufffd', shown)


class Picture:
    """The SVG: boxes as they are written, and the data behind them."""

    def __init__(self, raw):
        root = xml.etree.ElementTree.fromstring(raw)
        found = {e.get('id'): e for e in root.iter() if e.get('id')}
        self.root = root
        self.width = float(root.get('width'))
        self.height = float(root.get('height'))
        self.title = found['heading'].text
        self.about = found['about'].text
        self.lines = [e.find(SVG + 'title').text
                      for e in root.iter(SVG + 'text')
                      if e.get('class') == 'times']
        self.notes = found['notes'].text or ''
        self.data = json.loads(found['data'].text)
        self.boxes = [self.box(g) for g in found['boxes']]

    @staticmethod
    def box(g):
        rect, label = g.find(SVG + 'rect'), g.find(SVG + 'text')
        return Box(*(float(rect.get(k))
                     for k in ('x', 'y', 'width', 'height')),
                   rect.get('fill'), g.find(SVG + 'title').text,
                   None if label is None else label.text)


def functions(data):
    """(name, file) of each function, with the line behind if lines count."""
    rows = [(name, data['files'][file])
            for name, file in zip(data['name'], data['file'])]
    if 'line' in data:
        rows = [row + (line,) for row, line in zip(rows, data['line'])]
    return rows


def paths(data):
    """What each box stands for: functions, root first."""
    known, result = functions(data), [()]
    for i, (up, fn) in enumerate(zip(data['up'], data['fn']), 1):
        expect(0 < up <= i, 'box %d is %d above its caller', i, up)
        result.append(result[i - up] + (known[fn],))
    return result


def weights(data, flat):
    """{box: (samples, weight)} of one list: the weight is what is drawn."""
    step, box, result = 3 if data['mixed'] else 2, 0, {}
    expect(len(flat) % step == 0, 'list of %d numbers', len(flat))
    for at in range(0, len(flat), step):
        box += flat[at]
        expect(box not in result, 'box %d twice', box)
        result[box] = (flat[at + 1], flat[at + (2 if data['byTime'] and
                                                data['mixed'] else 1)])
    return result


def time_us(data):
    """The time of all samples; None if no time is shown."""
    step = 3 if data['mixed'] else 2
    if data['period'] == 0:
        return None
    return sum(data['self'][step - 1::step]) * data['period']


def stacks(data):
    """Counter of samples by path."""
    result, path = collections.Counter(), paths(data)
    for box, (samples, _) in weights(data, data['self']).items():
        result[path[box]] += samples
    return result


def totals(data):
    """Weight of each box with all that it calls."""
    total = [0] * (len(data['up']) + 1)
    for box, (_, weight) in weights(data, data['self']).items():
        total[box] += weight
    for i in range(len(total) - 1, 0, -1):
        total[i - data['up'][i - 1]] += total[i]
    return total


def expected_stacks(dump, with_lines=False):
    """The same Counter, from a dump."""
    result = collections.Counter()
    for count, fields in listing.parse(dump):
        frames = [expected_frame(token, with_lines)
                  for token in fields[listing.FRAMES:]]
        result[tuple(reversed(frames))] += count
    return result


def expected_frame(token, with_lines):
    kind, name, file, place = token.split(';')[:4]
    shown = tuple(clean(text.unescape(part.encode('ascii')))
                  for part in (name, file))
    if not with_lines:
        return shown
    line = 0 if kind == 'N' or place == '-' else max(0, int(place))
    return shown + (line,)
