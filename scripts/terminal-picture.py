#!/usr/bin/env python3
"""A picture of a terminal: text with colours in, SVG out.

    tmux capture-pane -e -p | scripts/terminal-picture.py > screen.svg

Understands what tmux writes: SGR sequences with 16, 256 and true colours,
bold, dim, underlined and reversed. Each character is put into its cell, so
that the columns hold whatever the font does. The pictures in docs/images are
made with it.
"""
import re
import sys
import unicodedata
from xml.sax.saxutils import escape

CELL, LINE = 8.4, 17      # pixels of a character at 14 pixels
FRONT, BACK = '#d0d0d0', '#16181d'
BASIC = ['#000000', '#d75f5f', '#87af5f', '#d7af5f', '#5f87d7', '#af87d7',
         '#5fafaf', '#d0d0d0', '#767676', '#ff8787', '#afd787', '#ffd787',
         '#87afff', '#d7afff', '#87d7d7', '#ffffff']


def indexed(n):
    if n < 16:
        return BASIC[n]
    if n >= 232:
        return '#' + '%02x' % (8 + 10 * (n - 232)) * 3
    levels = (0, 95, 135, 175, 215, 255)
    n -= 16
    return '#%02x%02x%02x' % (levels[n // 36], levels[n // 6 % 6],
                              levels[n % 6])


class Pen:
    def __init__(self):
        self.reset()

    def reset(self):
        self.front = self.back = None
        self.bold = self.dim = self.line = self.reverse = False

    def color(self, codes):
        """What follows 38 or 48."""
        kind = codes.pop(0) if codes else 5
        if kind == 5 and codes:
            return indexed(codes.pop(0))
        part = [codes.pop(0) for _ in range(min(3, len(codes)))]
        return '#%02x%02x%02x' % tuple(part)

    def apply(self, text):
        codes = [int(c or 0) for c in re.split('[;:]', text)]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 2, 4, 7):
                setattr(self, {1: 'bold', 2: 'dim', 4: 'line',
                               7: 'reverse'}[code], True)
            elif code == 38:
                self.front = self.color(codes)
            elif code == 48:
                self.back = self.color(codes)
            elif code == 39:
                self.front = None
            elif code == 49:
                self.back = None
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.front = indexed(code % 10 + 8 * (code >= 90))
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.back = indexed(code % 10 + 8 * (code >= 100))

    def look(self):
        front, back = self.front or FRONT, self.back
        if self.reverse:
            front, back = back or BACK, front
        return front, back, self.bold, self.dim, self.line


def cells(row, pen):
    """(column, character, look) of a row."""
    column = 0
    for part in re.split('(\033\\[[0-9;:]*m)', row):
        found = re.match('\033\\[([0-9;:]*)m', part)
        if found:
            pen.apply(found.group(1))
            continue
        for char in part:
            yield column, char, pen.look()
            column += 2 if unicodedata.east_asian_width(char) in 'WF' else 1


def draw(rows):
    pen, runs, texts, width = Pen(), [], [], 0    # runs: x, y, end, colour
    for y, row in enumerate(rows):
        for x, char, (front, back, bold, dim, line) in cells(row, pen):
            width = max(width, x + 1)
            if back and runs and runs[-1][1:] == [y, x, back]:
                runs[-1][2] += 1
            elif back:
                runs.append([x, y, x + 1, back])
            if char != ' ':
                texts.append('<text x="%.1f" y="%d" fill="%s"%s%s%s>%s</text>'
                             % (x * CELL, y * LINE + 13, front,
                                ' font-weight="bold"' * bold,
                                ' opacity="0.6"' * dim,
                                ' text-decoration="underline"' * line,
                                escape(char)))
    shapes = ['<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>'
              % (x * CELL, y * LINE, (end - x) * CELL, LINE, back)
              for x, y, end, back in runs]
    return width, shapes + texts


def main():
    rows = sys.stdin.read().rstrip('\n').split('\n')
    width, parts = draw(rows)
    print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
          'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
          'font-size="14"><rect width="100%%" height="100%%" rx="6" '
          'fill="%s"/><g transform="translate(10,8)">'
          % (width * CELL + 20, len(rows) * LINE + 18, BACK))
    print('\n'.join(parts))
    print('</g></svg>')


if __name__ == '__main__':
    main()
