"""Heat maps, compared with sums made from the listing."""
import collections
import html.parser
import os
import re

from oracle import rbt_wire as wire
from support import bobbin, case, chars, fixtures, outputs, tach, truth
from support.case import each, expect, write_file

INPUTS = [(n, fixtures.rbt_path(n)) for n in fixtures.intact_names()] + [
    (n, tach.path(n)) for n in tach.listed_names()]
HEADING = '             self              total    line'
SUMS = r' *(\d+) +(\d+\.\d)% +(\d+) +(\d+\.\d)%'
FILE = re.compile(SUMS + r' {10}(.*)')
LINE = re.compile(SUMS + r' +(\d+|\?)(?:  #*)?(?: *\|.*)?')
CELL = re.compile(r'(\d+) \((\d+\.\d) %\)')
ALLOWED = {'html', 'head', 'meta', 'title', 'style', 'body', 'h1', 'p',
           'details', 'summary', 'br', 'span', 'b', 'table', 'tr', 'td'}


def shown(text):
    """As both show it: what acts instead of being shown is replaced."""
    return chars.NOT_SHOWN.sub(
        lambda m: '\t' if m.group() == '\t' else '\ufffd', text)


def add(sums, key, own, total):
    """Different files may look the same."""
    before = sums.get(key, (0, 0))
    sums[key] = before[0] + own, before[1] + total


def rows_of(data):
    """What stands below the heading of the columns."""
    rows = data.decode('utf-8').split('\n')
    return rows[rows.index(HEADING) + 1:-1]


def parse_text(data):
    """{file: (self, total)}, {(file, line): (self, total)}; line 0:
    unknown."""
    files, lines = {}, {}
    for row in rows_of(data):
        found = FILE.fullmatch(row)
        if found:
            name = found[5]
            add(files, name, int(found[1]), int(found[3]))
            continue
        found = LINE.fullmatch(row)
        expect(found or not row, 'a row %r', row)
        if found:
            line = 0 if found[5] == '?' else int(found[5])
            add(lines, (name, line), int(found[1]), int(found[3]))
    return files, lines


class Page(html.parser.HTMLParser):
    """Rows of cells by file; nothing but what a heat map is made of."""

    def __init__(self, data):
        super().__init__()
        self.files, self.rows, self.cell, self.where = {}, [], None, None
        self.feed(data.decode('utf-8'))

    def handle_starttag(self, tag, attrs):
        expect(tag in ALLOWED, 'a tag %s', tag)
        expect(all(key in ('lang', 'charset', 'http-equiv', 'content', 'name',
                           'class', 'open') for key, _ in attrs),
               'attributes %s', attrs)
        self.where = tag
        if tag == 'b':
            self.name = ''
        elif tag == 'table':
            self.rows = self.files.setdefault(self.name, [])
        elif tag == 'tr':
            self.rows.append([])
        elif tag == 'td':
            self.rows[-1].append('')

    def handle_endtag(self, tag):
        self.where = None

    def handle_data(self, data):
        if self.where == 'b':
            self.name += data
        elif self.where == 'td':
            self.rows[-1][-1] += data


def parse_page(data):
    """{(file, line): (self, total)}"""
    lines = {}
    for name, rows in Page(data).files.items():
        for own, total, line, *_ in rows:
            found = CELL.fullmatch(total)
            if found:
                own = CELL.fullmatch(own)
                add(lines, (name, int(line or 0)), int(own[1]) if own else 0,
                    int(found[1]))
    return lines


def shown_file(file, tab):
    return shown(file.replace('\t', tab)) or '(no file)'


def wanted(known, tab):
    files, lines = {}, {}
    for file, c in known.by(lambda f: f.file).items():
        add(files, shown_file(file, tab), c.self, c.total)
    for (file, line), c in known.by(lambda f: (f.file, f.line)).items():
        add(lines, (shown_file(file, tab), line), c.self, c.total)
    return files, lines


@each(INPUTS)
def test_sums(which):
    known = truth.Truth(which[1])
    expect(parse_text(outputs.content('heatmap', which[1], '--idle')) ==
           wanted(known, '    '), 'other sums')
    expect(parse_page(outputs.content('heatmap-html', which[1], '--idle')) ==
           wanted(known, '\t')[1], 'other lines on the page')


def shares(data):
    """[(file or line, share of self, share of total)] as they stand."""
    rows = []
    for row in rows_of(data):
        found = FILE.fullmatch(row) or LINE.fullmatch(row)
        if found:
            rows.append((found[5], found[2], found[4]))
    return rows


def two_periods():
    """Nine samples of 1 ms in /often.php, one of 91 ms in /long.php."""
    often = wire.header(1000) + wire.one_frame(b'f', b'/often.php', 2)
    seldom = wire.header(91000) + wire.one_frame(b'g', b'/long.php', 3)
    return write_file(often + wire.compact(0) + wire.repeat(8) + wire.end() +
                      seldom + wire.compact(0) + wire.end())


def test_time_counts_and_not_samples():
    data = outputs.content('heatmap', two_periods())
    expect(shares(data) == [
        ('/long.php', '91.0', '91.0'), ('3', '91.0', '91.0'),
        ('/often.php', '9.0', '9.0'), ('2', '9.0', '9.0')], '%s',
        shares(data))
    expect(data.count(b'#') == 11, 'bars: %r', data)
    page = outputs.content('heatmap-html', two_periods()).decode()
    expect(re.findall(r'class=h(\d)', page) == ['8', '3'], 'shades')
    expect(re.findall(r'<td>(\d+ \(.*?%\))<td>', page) ==
           ['1 (91.0 %)', '9 (9.0 %)'], 'shares on the page')


@each(INPUTS)
def test_shares_are_of_time(which):
    known = truth.Truth(which[1])
    files = collections.defaultdict(list)
    for file, c in known.by(lambda f: f.file).items():
        files[shown_file(file, '    ')].append(c)
    seen = 0
    for name, own, total in shares(outputs.content('heatmap', which[1],
                                                   '--idle')):
        if len(files[name]) != 1:   # a line, or files that look the same
            continue
        cost, = files[name]
        seen += 1
        for got, us in ((own, cost.self_us), (total, cost.total_us)):
            expect(abs(float(got) - 100 * us / known.us) < 0.051,
                   '%s: %s %%', name, got)
    expect(seen > 0 or not known.samples, 'no file has a share')


# ---- source ----------------------------------------------------------------

def trace_of(path, line=2):
    data = wire.header() + wire.one_frame(b'f', path.encode(), line)
    return write_file(data + wire.compact(0) + wire.end())


def test_source_is_text_on_the_page():
    path = write_file(b'<?php\n</td><script>alert(1)</script>&amp;\n"\x1b\n',
                      'a<b>.php')
    page = Page(outputs.content('heatmap-html', trace_of(path),
                                '--source', case.scratch))
    rows, = page.files.values()
    expect([row[-1].rstrip('\n') for row in rows] ==
           ['<?php', '</td><script>alert(1)</script>&amp;'], '%s', rows)
    expect(list(page.files) == [path], 'file %s', list(page.files))


@each([0, 1, 3, 4, 99, (1 << 31) - 1, (1 << 63) - 2, (1 << 63) - 1])
def test_lines_outside_the_source(line):
    path = write_file(b'one\ntwo\nthree\n', 'a.php')
    for to in ('heatmap', 'heatmap-html'):
        data = outputs.content(to, trace_of(path, line), '--source',
                               case.scratch)
        expect(data.count(b'\n') < 60, '%s has %d rows', to,
               data.count(b'\n'))


def test_page_asks_for_nothing():
    data = outputs.content('heatmap-html', fixtures.rbt_path('native-mixed'))
    expect(b"default-src 'none'" in data, 'no policy')
    expect(not re.search(rb'https?:|<script|url\(', data), 'a request')
    expect(bobbin.run('convert', '-q', '-t', 'heatmap-html', case.write_file(
        wire.header() + wire.end())).out.endswith(b'</html>\n'), 'no end')
