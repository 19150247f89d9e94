#!/usr/bin/env python3
"""A picture of a terminal, or a film: text with colours in, SVG out.

    tmux capture-pane -e -p | scripts/terminal-picture.py > screen.svg
    scripts/terminal-picture.py --shot 80x24 COMMAND... > screen.svg
    scripts/terminal-picture.py --film 100x30 COMMAND... > demo.svg

Understands what tmux writes: SGR sequences with 16, 256 and true colours,
bold, dim, underlined and reversed. Each run of characters is as long as its
cells, so that the columns hold whatever the font does. The pictures in
docs/images are made with it (scripts/pictures.sh).

A shot is the last screen of a command that runs in tmux. A film shows all that
changed on its screen, again and again, by CSS alone. Nobody waits long: pictures stay 3 s at most, the last one 8 s. Rows that
several pictures have are stored once.
"""
import argparse
import re
import shlex
import subprocess
import sys
import time
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


def runs(row, pen):
    """The row as (column, text, look); a wide character is alone."""
    found, end = [], None
    for x, char, look in cells(row, pen):
        wide = unicodedata.east_asian_width(char) in 'WF'
        if found and end == x and found[-1][2] == look and not wide:
            found[-1][1] += char
        else:
            found.append([x, char, look])
        end = None if wide else x + 1
    return tuple((x, text, look) for x, text, look in found
                 if text.strip() or look[1])


def draw_row(row):
    """The shapes of a row of runs, whose upper edge is at 0."""
    for x, text, (_, back, *_) in row:
        if back:
            yield ('<rect x="%.1f" width="%.1f" height="%d" fill="%s"/>' %
                   (x * CELL, len(text) * CELL, LINE, back))
    for x, text, (front, _, bold, dim, line) in row:
        # Not all viewers keep two blanks.
        for part in re.finditer(r'\S+(?: \S+)*', text):
            size = ' textLength="%.1f"' % (len(part.group()) * CELL)
            yield ('<text x="%.1f" y="13"%s%s%s%s%s>%s</text>' %
                   ((x + part.start()) * CELL,
                    size if len(part.group()) > 1 else '',
                    '' if front == FRONT else ' fill="%s"' % front,
                    ' font-weight="bold"' * bold, ' opacity="0.6"' * dim,
                    ' text-decoration="underline"' * line,
                    escape(part.group())))


def put_head(width, height):
    print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
          'viewBox="0 0 %d %d" font-family="DejaVu Sans Mono, Menlo, Consolas, '
          'monospace" font-size="14" fill="%s">'
          '<rect width="100%%" height="100%%" rx="6" fill="%s"/>'
          % (width, height, width, height, FRONT, BACK))


def put_picture(rows):
    pen = Pen()
    drawn = [runs(row, pen) for row in rows]
    width = max((x + len(text) for row in drawn for x, text, _ in row),
                default=1)
    put_head(width * CELL + 20, len(rows) * LINE + 18)
    for y, row in enumerate(drawn):
        if row:
            print('<g transform="translate(10,%d)">%s</g>' %
                  (8 + y * LINE, ''.join(draw_row(row))))
    print('</svg>')


# --- films -----------------------------------------------------------------

LOOK, LONGEST, LAST = 0.2, 3, 8    # seconds


def tmux(*args):
    done = subprocess.run(['tmux', '-L', 'picture', '-f', '/dev/null', *args],
                          capture_output=True, check=True)
    return done.stdout.decode()


def shoot(columns, rows, command):
    """(seconds, screen) of all that was seen while the command ran."""
    shots, begin = [], time.monotonic()
    # What tmux says about a pane that has ended would be in the picture.
    script = '%s; tmux -L picture set -g @is_over 1; sleep 60' % ' '.join(
        map(shlex.quote, command))
    tmux('new-session', '-d', '-x', str(columns), '-y', str(rows), 'cat', ';',
         'set', '-g', 'status', 'off', ';', 'set', '-g', 'default-terminal',
         'tmux-256color', ';', 'set', '-g', '@is_over', '0', ';',
         'respawn-pane', '-k', script)
    try:
        while True:
            is_over = tmux('show', '-gv', '@is_over').strip() == '1'
            screen = tmux('capture-pane', '-e', '-p')
            if not shots or screen != shots[-1][1]:
                shots.append((time.monotonic() - begin, screen))
            if is_over:
                return shots
            time.sleep(LOOK)
    finally:
        tmux('kill-server')


def put_film(columns, rows, shots):
    width, height = columns * CELL + 20, rows * LINE + 18
    stored, frames = {}, []
    for _, screen in shots:
        pen = Pen()
        drawn = [runs(row, pen) for row in screen.split('\n')[:rows]]
        frames.append([(y, stored.setdefault(row, len(stored)))
                       for y, row in enumerate(drawn) if row])
    times = [min(after - at, LONGEST) for (at, _), (after, _) in
             zip(shots, shots[1:])] + [LAST]
    put_head(width, height)
    print('<style>@keyframes film{')
    for i in range(len(times)):
        print('%.3f%%{transform:translateY(-%dpx)}' %
              (100 * sum(times[:i]) / sum(times), i * height))
    print('100%%{transform:translateY(-%dpx)}}\n'
          '#film{animation:film %.1fs steps(1,end) infinite}\n'
          '@media (prefers-reduced-motion){#film{animation:none;transform:'
          'translateY(-%dpx)}}</style>' % ((len(times) - 1) * height,
                                           sum(times),
                                           (len(times) - 1) * height))
    print('<defs>')
    for row, number in stored.items():
        print('<g id="r%d">%s</g>' % (number, ''.join(draw_row(row))))
    print('</defs><g id="film">')
    for i, frame in enumerate(frames):
        print(''.join('<use href="#r%d" x="10" y="%d"/>' %
                      (number, i * height + 8 + y * LINE)
                      for y, number in frame))
    print('</g></svg>')


def main():
    parser = argparse.ArgumentParser(description='pictures of terminals')
    parser.add_argument('--shot', metavar='COLUMNSxROWS')
    parser.add_argument('--film', metavar='COLUMNSxROWS')
    parser.add_argument('command', nargs=argparse.REMAINDER)
    options = parser.parse_args()
    size = options.film or options.shot
    if size is None:
        put_picture(sys.stdin.read().rstrip('\n').split('\n'))
        return
    columns, rows = map(int, size.split('x'))
    shots = shoot(columns, rows, options.command)
    if options.film:
        put_film(columns, rows, shots)
    else:
        put_picture(shots[-1][1].rstrip('\n').split('\n'))


if __name__ == '__main__':
    main()
