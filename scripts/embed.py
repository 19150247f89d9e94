#!/usr/bin/env python3
"""Turns a template and the files that go into it into a C array.

    embed.py OUTPUT.c SYMBOL TEMPLATE [NAME=FILE[,FILE...]]...

In the template, {{NAME}} is replaced by the files and {{sha256:NAME}} by their
hash as Content-Security-Policy wants it. Any other {{HOLE}} cuts the array: the
program fills it (see src/core/asset.h). Indentation and lines that are nothing
but a comment stay here: readers of the source want them, browsers do not.
"""
import base64
import hashlib
import re
import sys

COLUMNS = 16


def fail(text, *args):
    sys.exit('embed.py: ' + text % args)


def read(path):
    with open(path, encoding='utf-8', newline='\n') as file:
        return file.read()


def stripped(text):
    text = re.sub(r'(?ms)^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n', '', text)
    lines = (line.strip() for line in text.split('\n'))
    return '\n'.join(line for line in lines
                     if line and not line.startswith('//')) + '\n'


def content(name, paths):
    text = ''.join(stripped(read(path)) for path in paths.split(','))
    # It is put inside an element of the template; nothing in it may end that.
    for end in ('</', ']]>', '{{', '<!--'):
        if end in text:
            fail('%s: %s must not occur', paths, end)
    return text


def assemble(template, files):
    def put(match):
        kind, name = match.group(1), match.group(2)
        if name not in files:
            return match.group(0)
        if kind is None:
            return files[name]
        digest = hashlib.sha256(files[name].encode()).digest()
        return base64.b64encode(digest).decode()
    return re.sub(r'\{\{(sha256:)?([a-z-]+)\}\}', put, template)


def c_array(name, text):
    data = text.encode()
    lines = ['static const uint8_t %s[] = {' % name]
    for start in range(0, len(data), COLUMNS):
        lines.append(' '.join('%d,' % byte
                              for byte in data[start:start + COLUMNS]))
    return lines + ['0 };']


def c_file(symbol, text):
    pieces = re.split(r'\{\{([a-z0-9:-]+)\}\}', text)
    lines = ['/* Made by scripts/embed.py. */', '#include "core/asset.h"',
             'extern const struct asset_part %s[];' % symbol]
    table = ['const struct asset_part %s[] = {' % symbol]
    for i in range(0, len(pieces), 2):
        hole = '"%s"' % pieces[i + 1] if i + 1 < len(pieces) else 'NULL'
        lines += c_array('part_%d' % i, pieces[i])
        table.append('{ part_%d, sizeof(part_%d) - 1, %s },' % (i, i, hole))
    return '\n'.join(lines + table + ['};']) + '\n'


def main(output, symbol, template, *given):
    files = {}
    for argument in given:
        name, _, paths = argument.partition('=')
        files[name] = content(name, paths)
    with open(output, 'w', encoding='ascii', newline='\n') as file:
        file.write(c_file(symbol, assemble(read(template), files)))


if __name__ == '__main__':
    if len(sys.argv) < 4:
        fail('OUTPUT.c SYMBOL TEMPLATE [NAME=FILE[,FILE...]]...')
    main(*sys.argv[1:])
