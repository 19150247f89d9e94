#!/usr/bin/env python3
"""Takes a picture of a terminal: runs a command in tmux, types keys, and
writes what the screen shows, with its colours, as SVG.

    scripts/terminal-picture.py -o docs/images/explore.svg --size 120x32 \\
        --keys 'j j Enter S' -- build/bobbin explore trace.rbt

Keys are as tmux send-keys takes them. Needs tmux.
"""
import argparse
import re
import shlex
import subprocess
import sys
import time
import unicodedata
from xml.sax.saxutils import escape

CELL_W, CELL_H, MARGIN = 8.4, 18, 12
BACKGROUND, FOREGROUND = "#16181d", "#d8dce4"
BASIC = ["#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd",
         "#56b6c2", "#d8dce4", "#6b717d", "#ff7b86", "#b5e08f", "#ffd68a",
         "#7cc4ff", "#de8ef5", "#6fd3df", "#ffffff"]


def colour(n):
    """The n-th of a terminal's 256 colours."""
    if n < 16:
        return BASIC[n]
    if n >= 232:
        grey = 8 + (n - 232) * 10
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    n -= 16
    steps = [0, 95, 135, 175, 215, 255]
    return "#{:02x}{:02x}{:02x}".format(
        steps[n // 36], steps[n // 6 % 6], steps[n % 6])


class Style:
    def __init__(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.reverse = self.underline = False

    def key(self):
        fg, bg = self.fg or FOREGROUND, self.bg
        if self.reverse:
            fg, bg = bg or BACKGROUND, fg
        return fg, bg, self.bold, self.dim, self.underline

    def apply(self, params):
        codes = [int(p or 0) for p in params.split(";")]
        i = 0
        while i < len(codes):
            c = codes[i]
            if c == 0:
                self.__init__()
            elif c == 1:
                self.bold = True
            elif c == 2:
                self.dim = True
            elif c == 4:
                self.underline = True
            elif c == 7:
                self.reverse = True
            elif c == 22:
                self.bold = self.dim = False
            elif c == 24:
                self.underline = False
            elif c == 27:
                self.reverse = False
            elif 30 <= c <= 37:
                self.fg = colour(c - 30)
            elif 90 <= c <= 97:
                self.fg = colour(c - 90 + 8)
            elif 40 <= c <= 47:
                self.bg = colour(c - 40)
            elif 100 <= c <= 107:
                self.bg = colour(c - 100 + 8)
            elif c == 39:
                self.fg = None
            elif c == 49:
                self.bg = None
            elif c in (38, 48):
                if codes[i + 1] == 5:
                    value, used = colour(codes[i + 2]), 2
                else:
                    value, used = "#{:02x}{:02x}{:02x}".format(
                        *codes[i + 2:i + 5]), 4
                if c == 38:
                    self.fg = value
                else:
                    self.bg = value
                i += used
            i += 1


def width(char):
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def spans(line, style):
    """(column, text, cells, style) for each stretch of one style."""
    column, start, text, result = 0, 0, "", []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            if text:
                result.append((start, text, column - start, style.key()))
            style.apply(part[2:-1])
            start, text = column, ""
        else:
            text += part
            column += sum(width(c) for c in part)
    if text:
        result.append((start, text, column - start, style.key()))
    return result


def svg(lines, columns):
    w = columns * CELL_W + 2 * MARGIN
    h = len(lines) * CELL_H + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{w:.0f}" '
           f'height="{h:.0f}" viewBox="0 0 {w:.0f} {h:.0f}" '
           'font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" '
           f'font-size="14"><rect width="100%" height="100%" rx="8" '
           f'fill="{BACKGROUND}"/>']
    style = Style()
    for row, line in enumerate(lines):
        y = MARGIN + row * CELL_H
        for start, text, cells, (fg, bg, bold, dim, under) in spans(
                line, style):
            x = MARGIN + start * CELL_W
            if bg:
                out.append(f'<rect x="{x:.1f}" y="{y}" '
                           f'width="{cells * CELL_W:.1f}" '
                           f'height="{CELL_H}" fill="{bg}"/>')
            if not text.strip():
                continue
            more = ' font-weight="bold"' if bold else ""
            more += ' opacity="0.6"' if dim else ""
            more += ' text-decoration="underline"' if under else ""
            out.append(f'<text x="{x:.1f}" y="{y + 14}" fill="{fg}"{more} '
                       f'textLength="{cells * CELL_W:.1f}" '
                       'lengthAdjust="spacingAndGlyphs" '
                       f'xml:space="preserve">{escape(text)}</text>')
    return "\n".join(out + ["</svg>", ""])


def tmux(*args):
    return subprocess.run(["tmux", "-L", "bobbin-picture", *args],
                          check=True, capture_output=True, text=True).stdout


def settle():
    """The screen once it does not change any more."""
    before = None
    for _ in range(100):
        time.sleep(0.2)
        now = tmux("capture-pane", "-p", "-e", "-N")
        if now == before and now.strip():
            return now
        before = now
    return before


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("-o", "--output", required=True)
    p.add_argument("--size", default="110x30", metavar="WxH")
    p.add_argument("--keys", default="")
    p.add_argument("command", nargs="+")
    a = p.parse_args()
    columns, rows = (int(n) for n in a.size.split("x"))
    # What a command prints stays on the screen when it has ended.
    line = shlex.join(a.command) + "; sleep 60"
    tmux("-u", "new-session", "-d", "-x", str(columns), "-y", str(rows),
         "-e", "COLORTERM=truecolor", "-e", "TERM=tmux-256color",
         f"clear; {line}")
    try:
        screen = settle()
        for key in a.keys.split():
            tmux("send-keys", key)
            screen = settle()
    finally:
        tmux("kill-server")
    lines = screen.rstrip("\n").split("\n")
    while lines and not re.sub(r"\x1b\[[0-9;]*m", "", lines[-1]).strip():
        lines.pop()
    with open(a.output, "w", encoding="utf-8") as f:
        f.write(svg(lines, columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
