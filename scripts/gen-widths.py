#!/usr/bin/env python3
"""Write text/width_table.h from the Unicode data of this Python.

    python3 scripts/gen-widths.py > text/width_table.h

--check compares instead: exit status 0 if the file is the same, 1 if not, 77
if this Python has another version of Unicode than the file.

Characters of the categories Mn, Me and Cf take no column, those of East Asian
Width W and F take two, all others one. The exceptions below are those of glibc's
wcwidth(3). Up to GAP code points in a row that are not assigned may lie inside a
range, so that there are fewer ranges.
"""
import os
import re
import sys
import unicodedata

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'text',
                    'width_table.h')
# Of category Cf, but visible: the soft hyphen, and the property
# Prepended_Concatenation_Mark.
VISIBLE = {0xad, *range(0x600, 0x606), 0x6dd, 0x70f, 0x890, 0x891, 0x8e2,
           0x110bd, 0x110cd}
# Vowels and final consonants of Hangul, which join the consonant before.
JOINING = {*range(0x1160, 0x1200), *range(0xd7b0, 0xd7c7),
           *range(0xd7cb, 0xd7fc)}
# Circled numbers on black squares, and hexagrams (W since Unicode 16).
WIDE = {*range(0x3248, 0x3250), *range(0x4dc0, 0x4e00)}
GAP = 64
PER_LINE = 3


def width(cp):
    """0, 1 or 2; None where nothing is assigned."""
    c = chr(cp)
    category = unicodedata.category(c)
    if cp in JOINING:
        return 0
    if category in ('Mn', 'Me', 'Cf') and cp not in VISIBLE:
        return 0
    if category == 'Cn' and not 0x20000 <= cp <= 0x3fffd:
        return None
    # Both planes are for ideographs, whatever of them is assigned.
    if (unicodedata.east_asian_width(c) in 'WF' or cp in WIDE or
            0x20000 <= cp <= 0x3fffd):
        return 2
    return 1


def ranges(wanted):
    """First and last of each range of characters with this width."""
    found = []
    unassigned = GAP + 1
    for cp in range(0x110000):
        w = width(cp)
        if w == wanted and unassigned <= GAP:
            found[-1][1] = cp
        elif w == wanted:
            found.append([cp, cp])
        if w == wanted:
            unassigned = 0
        elif w is None:
            unassigned += 1
        else:
            unassigned = GAP + 1
    return found


def table(name, wanted):
    """A table of C."""
    cells = ['{ 0x%x, 0x%x },' % tuple(r) for r in ranges(wanted)]
    lines = ['\t' + ' '.join(cells[i:i + PER_LINE])
             for i in range(0, len(cells), PER_LINE)]
    return 'static const struct width_range %s[] = {\n%s\n};\n' % (
        name, '\n'.join(lines))


def header():
    """The whole file."""
    return '\n'.join([
        '/* Made by scripts/gen-widths.py from Unicode %s; do not edit. */' %
        unicodedata.unidata_version,
        '#ifndef TEXT_WIDTH_TABLE_H', '#define TEXT_WIDTH_TABLE_H', '',
        '#include <stdint.h>', '',
        'struct width_range {', '\tuint32_t first, last;', '};', '',
        table('width_zero', 0), table('width_two', 2), '#endif', ''])


def check():
    """Compare with the file."""
    with open(PATH, encoding='ascii') as file:
        old = file.read()
    version = re.search(r'from Unicode ([0-9.]+);', old).group(1)
    if version != unicodedata.unidata_version:
        print('skipped: the table is of Unicode %s, this Python has %s' %
              (version, unicodedata.unidata_version))
        return 77
    if old != header():
        print('text/width_table.h is not what scripts/gen-widths.py makes')
        return 1
    return 0


if __name__ == '__main__':
    if sys.argv[1:] == ['--check']:
        sys.exit(check())
    sys.stdout.write(header())
