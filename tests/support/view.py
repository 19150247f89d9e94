"""A server of `bobbin view`, and requests to it."""
import contextlib
import http.client
import json
import signal
import subprocess
import urllib.parse

from support import bobbin
from support.case import Skip, expect


class Server:
    def __init__(self, process, url):
        self.process = process
        self.url = url
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        self.prefix = parts.path
        self.secret = parts.path.strip('/')

    def request(self, path, method='GET', headers=(), body=None):
        """(status, headers, body) of a request; path begins with a slash."""
        link = http.client.HTTPConnection(self.host, self.port,
                                          timeout=bobbin.TIMEOUT)
        try:
            link.request(method, path, body, dict(headers))
            answer = link.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            link.close()

    def ask(self, question, ok=200, **params):
        query = urllib.parse.urlencode(params)
        status, _, body = self.request('%sapi/%s?%s' % (
            self.prefix, question, query))
        expect(status == ok, '%s: status %d: %s', question, status, body[:200])
        return json.loads(body)


def address(stream):
    """The first line that is an address; what came before it is said too."""
    before = b''
    for line in stream:
        if line.startswith(b'http://'):
            return line.decode().strip(), before
        before += line
    return '', before


@contextlib.contextmanager
def serve(*args, ends=signal.SIGTERM, status=0, opens=False, **more):
    """Yields a Server; afterwards it has to end with this status. The address
    of a command that is recorded is on standard error. opens: also in a
    browser."""
    argv = [bobbin.PROGRAM, 'view'] + ([] if opens else ['--no-open'])
    argv += list(args)
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               bufsize=0, **more)
    bobbin.last = bobbin.Result(None, b'', b'', argv, None)
    try:
        url, said = address(process.stderr if '--' in args
                            else process.stdout)
        if not url:
            _, err = process.communicate(timeout=bobbin.TIMEOUT)
            err = said + err
            if b'built without' in err:
                raise Skip('built with -Dview=disabled')
            expect(False, 'no address: %s', err.decode('utf-8', 'replace'))
        server = Server(process, url)
        yield server
        if process.poll() is None:
            process.send_signal(ends)
        server.out, err = process.communicate(timeout=bobbin.TIMEOUT)
        server.err = said + err
        expect(not any(mark in err for mark in bobbin.SANITIZER_MARKS),
               'sanitizer: %s', err.decode('utf-8', 'replace')[:2000])
        expect(process.returncode == status, 'exit status %d: %s',
               process.returncode, err.decode('utf-8', 'replace')[:600])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
