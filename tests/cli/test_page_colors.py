"""Colours of what threads do, in web/style.css: they differ for everybody.

How a colour looks to somebody is that of Machado, Oliveira and Fernandes, "A
Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), at
full severity; how far two are apart is CIE 1976.
"""
import itertools
import os
import re

from support import bobbin
from support.case import each, expect

SEEN = {
    'normal': ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    'protanopia': ((0.152286, 1.052583, -0.204868),
                   (0.114503, 0.786281, 0.099216),
                   (-0.003882, -0.048116, 1.051998)),
    'deuteranopia': ((0.367322, 0.860646, -0.227968),
                     (0.280085, 0.672501, 0.047413),
                     (-0.011820, 0.042940, 0.968881)),
    'tritanopia': ((1.255528, -0.076749, -0.178779),
                   (-0.078411, 0.930809, 0.147602),
                   (0.004733, 0.691367, 0.303900)),
}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722),
          (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1, 1.089)
STATES = ['idle', 'gc', 'waits', 'on-cpu', 'off-cpu']
# A difference that is seen at once, side by side.
LEAST = 20


def times(matrix, v):
    return [sum(a * b for a, b in zip(row, v)) for row in matrix]


def linear(text):
    parts = [int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in parts]


def lab(text, seen):
    light = [min(1, max(0, c)) for c in times(SEEN[seen], linear(text))]
    x, y, z = (c / w for c, w in zip(times(TO_XYZ, light), WHITE))
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
               for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def themes():
    with open(os.path.join(bobbin.ROOT, 'web', 'style.css')) as file:
        text = file.read()
    blocks = re.findall(r'^:root([.\w]*) \{(.*?)\}', text, re.S | re.M)
    return {name or 'light': dict(re.findall(r'--([\w-]+): (#\w{6});', block))
            for name, block in blocks}


@each([(theme, seen) for theme in ('light', '.dark') for seen in SEEN])
def test_states_differ(given):
    theme, seen = given
    colors = themes()[theme]
    for a, b in itertools.combinations(STATES, 2):
        apart = sum((x - y) ** 2 for x, y in zip(
            lab(colors[a], seen), lab(colors[b], seen))) ** 0.5
        expect(apart >= LEAST, '%s %s and %s %s: %.0f', a, colors[a], b,
               colors[b], apart)
