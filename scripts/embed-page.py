#!/usr/bin/env python3
"""Makes the template of a page that is one file, as a C array (embed.py).

    embed-page.py OUTPUT.c SYMBOL INDEX.html STYLE.css MAIN.js WORKER.js MODULE.wasm

INDEX.html is the page that the server gives. Here its style and the modules
that MAIN.js imports are put into it, the worker, and the module of the engine,
packed. What is left open are the holes {{facts}} and {{traces}}.

A module becomes a function that returns what it exports. So what is exported
must never be assigned again, and modules may not import each other in a circle;
the build fails if they do.
"""
import base64
import gzip
import hashlib
import os
import re
import sys

from embed import c_file, fail, read, stripped

IMPORT = re.compile(r"^import (?:\{([^}]*)\}|\* as (\w+))\s*from '\./([\w./-]+)';",
                    re.M)
EXPORT = re.compile(r'^export (?:async )?(function|class|const) (\w+)', re.M)


HOLES = ['facts', 'traces']


def module_name(path):
    return 'in_' + re.sub(r'\W', '_', os.path.splitext(path)[0])


class Bundle:
    def __init__(self, folder):
        self.folder = folder
        self.begun, self.text, self.path = set(), [], []

    def imported(self, match):
        names, whole, path = match.groups()
        self.add(path)
        target = '{%s}' % re.sub(r'\s+as\s+', ': ', names) if names else whole
        return 'const %s = %s;' % (target, module_name(path))

    def add(self, path):
        if path in self.path:
            fail('%s: imports itself by %s', path, ', '.join(self.path))
        if path in self.begun:
            return
        self.begun.add(path)
        self.path.append(path)
        text = stripped(read(os.path.join(self.folder, path)))
        text = IMPORT.sub(self.imported, text)
        exports = [name for _, name in EXPORT.findall(text)]
        text = EXPORT.sub(lambda m: m.group(0)[len('export '):], text)
        text = text.replace('export {};\n', '')
        for line in text.split('\n'):
            if re.match(r'(import|export)\b', line):
                fail('%s: cannot be put into a page: %s', path, line)
        self.text.append('const %s = (() => {\n%sreturn {%s};\n})();\n' % (
            module_name(path), text, ', '.join(exports)))
        self.path.pop()


def inline(script):
    """A script that no parser of HTML takes for the end of its element."""
    return script.replace('</', '<\\/').replace('<!--', '<\\!--')


def hashed(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "'sha256-%s'" % base64.b64encode(digest).decode()


def packed(path):
    with open(path, 'rb') as file:
        return base64.b64encode(gzip.compress(file.read(), 9, mtime=0)).decode()


def put(page, mark, text):
    if page.count(mark) != 1:
        fail('the page must have %r once', mark)
    return page.replace(mark, text)


def main(output, symbol, index, style, script, worker, module):
    bundle = Bundle(os.path.dirname(script))
    bundle.add(os.path.basename(script))
    code, css = inline(''.join(bundle.text)), stripped(read(style))
    policy = ("default-src 'none'; script-src %s 'wasm-unsafe-eval'; "
              "style-src %s; img-src data: blob:; worker-src blob:; "
              "base-uri 'none'; form-action 'none'" % (hashed(code),
                                                       hashed(css)))
    page = read(index)
    page = put(page, '<meta charset="utf-8">\n',
               '<meta charset="utf-8">\n<meta http-equiv="Content-Security-'
               'Policy" content="%s">\n' % policy)
    page = put(page, '<link rel="stylesheet" href="style.css">',
               '<style>%s</style>' % css)
    page = put(page, '<script type="module" src="main.js"></script>\n', '')
    page = put(page, '</body>\n', (
        '<script type="application/json" id="page-facts">{{facts}}</script>\n'
        '<script type="text/plain" id="worker">%s</script>\n'
        '<script type="text/plain" id="engine">%s</script>\n'
        '{{traces}}<script type="module">%s</script>\n</body>\n') % (
            inline(stripped(read(worker))), packed(module), code))
    if re.findall(r'\{\{([a-z0-9:-]+)\}\}', page) != HOLES:
        fail('the holes of the page are not %s', HOLES)
    with open(output, 'w', encoding='ascii', newline='\n') as file:
        file.write(c_file(symbol, page))


if __name__ == '__main__':
    if len(sys.argv) != 8:
        fail('OUTPUT.c SYMBOL INDEX STYLE MAIN WORKER MODULE')
    main(*sys.argv[1:])
