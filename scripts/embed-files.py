#!/usr/bin/env python3
"""Turns files into a C table of their names, types and bytes.

    embed-files.py OUTPUT.c SYMBOL HEADER FILE...

HEADER declares `struct asset` and the table (cli/view/assets.h). Files go in as
they are: what a browser shows is what the source tree has.
"""
import os
import sys

COLUMNS = 16

TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.svg': 'image/svg+xml',
}


def main(output, symbol, header, *paths):
    lines = ['/* Made by scripts/embed-files.py. */',
             '#include "%s"' % header]
    table = ['const struct asset %s[] = {' % symbol]
    for i, path in enumerate(paths):
        with open(path, 'rb') as file:
            data = file.read()
        name = os.path.basename(path)
        lines.append('static const char file_%d[] = {' % i)
        lines += [' '.join('%d,' % (byte - 256 if byte > 127 else byte)
                           for byte in data[start:start + COLUMNS])
                  for start in range(0, len(data), COLUMNS)]
        lines.append('0 };')
        table.append('{ "%s", "%s", file_%d, sizeof(file_%d) - 1 },' % (
            name, TYPES[os.path.splitext(name)[1]], i, i))
    table.append('{ 0, 0, 0, 0 } };')
    with open(output, 'w', encoding='ascii') as file:
        file.write('\n'.join(lines + table) + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
