"""ClickHouse's HTTP interface in front of chDB, the engine as a library.

    chdb_server.py PACKAGES DATA

Current servers are not packaged, but their engine is: what a statement means,
codecs, tokens of inserts and TTL are theirs.  This program only carries
requests to it.  Prints the port when it listens.
"""
import http.server
import os
import re
import sys
import tempfile
import urllib.parse

sys.path.insert(0, sys.argv[1])
from chdb import session  # noqa: E402

SUFFIX = {'zstd': '.zst', 'gzip': '.gz', None: ''}
# What is meant for the HTTP server alone.
OWN = ('query', 'query_id', 'wait_end_of_query', 'database')


def structure(engine, table, columns):
    """The columns of an INSERT with their types, as file() wants them.  In
    RowBinary a LowCardinality is what it is made of."""
    rows = engine.query('DESCRIBE TABLE %s' % table, 'TSV').bytes().decode()
    types = dict(row.split('\t')[:2] for row in rows.splitlines())
    return ', '.join('%s %s' % (name, re.sub(r'LowCardinality\((\w+)\)',
                                             r'\1', types[name]))
                     for name in columns.split(','))


def insert(engine, query, settings, body, encoding):
    head, _, tail = query.partition(' (')
    columns, _, form = tail.partition(') FORMAT ')
    table = head[len('INSERT INTO '):]
    with tempfile.NamedTemporaryFile(suffix='.bin' + SUFFIX[encoding]) as file:
        file.write(body)
        file.flush()
        engine.query(
            "INSERT INTO %s (%s) SELECT * FROM file('%s', '%s', '%s') "
            'SETTINGS max_block_size = 1048576, max_insert_block_size = '
            '1048576, min_insert_block_size_rows = 1048576, max_threads = 1%s'
            % (table, columns, file.name, form,
               structure(engine, table, columns).replace("'", "\\'"),
               settings), 'TSV')
    return b''


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        url = urllib.parse.urlsplit(self.path)
        params = dict(urllib.parse.parse_qsl(url.query))
        body = self.rfile.read(int(self.headers['Content-Length']))
        settings = ''.join(
            ', %s = %s' % (key, value if value.isdigit() else repr(value))
            for key, value in params.items() if key not in OWN)
        try:
            if 'query' in params:
                out = insert(self.server.engine, params['query'], settings,
                             body, self.headers.get('Content-Encoding'))
            else:
                sql = body.decode()
                if settings and sql.startswith('CREATE TABLE'):
                    word = ', ' if ' SETTINGS ' in sql else ' SETTINGS '
                    sql += word + settings[2:]
                out = self.server.engine.query(sql, 'TSV').bytes()
            self.answer(200, out)
        except Exception as error:  # the engine's own exceptions
            text = str(error)
            at = text.find('Code: ')
            self.answer(404 if 'UNKNOWN_' in text else 500,
                        text[max(at, 0):].encode())

    def answer(self, status, out):
        self.send_response(status)
        self.send_header('X-ClickHouse-Server-Display-Name', 'chdb')
        self.send_header('Content-Length', str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    def log_message(self, *args):
        pass


def main():
    server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
    os.makedirs(sys.argv[2], exist_ok=True)
    server.engine = session.Session(sys.argv[2])
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == '__main__':
    main()
