"""Traces to look at: small, readable, and the same every time.

A shop under phpspy: two processes serve three pages; in the middle third of
its ten seconds a slow query appears.
"""
from support import case

INDEX = '/srv/shop/index.php'
MAIN = ('<main>', INDEX, 12)
RUN = ('Shop\\Kernel::run', '/srv/shop/src/Kernel.php', 40)
CART = ('Shop\\Cart::show', '/srv/shop/src/Cart.php', 18)
SEARCH = ('Shop\\Search::find', '/srv/shop/src/Search.php', 25)
SEARCH2 = ('Shop\\Search::find', '/srv/shop/src/Search.php', 31)
LOGIN = ('Shop\\Login::check', '/srv/shop/src/Login.php', 9)
REPO = ('Shop\\Repository::load', '/srv/shop/src/Repository.php', 77)
VIEW = ('Shop\\View::render', '/srv/shop/src/View.php', 51)
QUERY = ('PDO::query', '<internal>', -1)
SORT = ('usort', '<internal>', -1)
HASH = ('password_verify', '<internal>', -1)
JSON = ('json_encode', '<internal>', -1)

# (stack from the root, uri, samples of 100 in each third of the trace)
STACKS = [
    ((MAIN, RUN, CART, REPO, QUERY), '/cart', (12, 6, 12)),
    ((MAIN, RUN, CART, REPO), '/cart', (4, 2, 4)),
    ((MAIN, RUN, CART, VIEW), '/cart', (10, 5, 10)),
    ((MAIN, RUN, CART, VIEW, JSON), '/cart', (6, 3, 6)),
    ((MAIN, RUN, SEARCH, REPO, QUERY), '/search', (18, 52, 18)),
    ((MAIN, RUN, SEARCH, REPO, VIEW, REPO, QUERY), '/search', (2, 2, 2)),
    ((MAIN, RUN, SEARCH2, SORT), '/search', (20, 12, 20)),
    ((MAIN, RUN, SEARCH), '/search', (3, 2, 3)),
    ((MAIN, RUN, LOGIN, HASH), '/login', (24, 15, 24)),
    ((MAIN, RUN), '/login', (1, 1, 1)),
]
SAMPLES = 300
PERIOD = 10.0 / SAMPLES


def block(stack, uri, number):
    """One sample as phpspy prints it."""
    lines = ['%d %s %s:%d' % (depth, name, path, line) for depth,
             (name, path, line) in enumerate(reversed(stack))]
    lines += ['# uri = %s' % uri, '# trace_ts = %.6f' %
              (1700000000 + number * PERIOD), '# pid = %d' %
              (101 + number % 3 // 2)]
    return '\n'.join(lines) + '\n\n'


def spread(third):
    """Its hundred samples, evenly mixed."""
    due = []
    for at, (stack, uri, counts) in enumerate(STACKS):
        n = counts[third]
        due += [((k + 0.5) / n, at) for k in range(n)]
    return [STACKS[at][:2] for _, at in sorted(due)]


def shop():
    samples = [sample for third in range(3) for sample in spread(third)]
    return ''.join(block(stack, uri, i)
                   for i, (stack, uri) in enumerate(samples)).encode()


def shop_after():
    """The same without logins, and with a query in the kernel."""
    samples = [sample for third in range(2) for sample in spread(third)]
    changed = [((MAIN, RUN, QUERY), uri) if HASH in stack else (stack, uri)
               for stack, uri in samples]
    return ''.join(block(stack, uri, i)
                   for i, (stack, uri) in enumerate(changed)).encode()


def wide():
    """Names that are wide, combined, hostile or not UTF-8."""
    names = ['渲染页面', 'e\u0301tat', 'evil\x1b[31mred',
             'bidi\u202edlrow', 'zero\u200dwidth', 'emoji🔥hot']
    out = b''
    for at, name in enumerate(names + ['plain']):
        out += b'0 %s /srv/x.php:%d\n1 <main> /srv/x.php:1\n\n' % (
            name.encode(), at + 2) * (10 - at)
    return out + b'0 bad\xff\xfebytes /srv/x.php:9\n1 <main> /srv/x.php:1\n\n'


SOURCE = b'''def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def work(items):
\ttotal = 0
\tfor i in items:
\t\ttotal += fib(i)
\treturn total


work(range(30))
'''


def python_app():
    """A folded trace of SOURCE."""
    def frame(name, line):
        return '%s /app/app.py:%d' % (name, line)
    top = frame('<module>', 14) + ';' + frame('work', 10)
    fib = frame('fib', 4)
    return '\n'.join([
        '%s;%s 5' % (top, frame('fib', 2)),
        '%s;%s;%s 20' % (top, fib, frame('fib', 3)),
        '%s;%s;%s;%s 40' % (top, fib, fib, frame('fib', 2)),
        '%s 3' % top,
    ]).encode() + b'\n'


def write(name, data):
    return case.write_file(data, name)
