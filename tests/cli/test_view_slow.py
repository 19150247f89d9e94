"""Slow questions to `bobbin view`: others are answered meanwhile, and each
ends: at its limit, or with its client."""
import http.client
import os
import socket
import threading
import time
import urllib.parse

from support import bobbin, case, view
from support.case import expect

# A pattern that tries each way to cut a name into pieces.
EVIL = '^(([a-z])+.)+[A-Z]([a-z])+$'
LIMIT = 10  # seconds of a question


def names():
    rows = ''.join('main;%s%d 1\n' % ('a' * 60, i) for i in range(60000))
    return case.write_file(rows.encode(), 'in.folded')


def children(server):
    pid = server.process.pid
    with open('/proc/%d/task/%d/children' % (pid, pid)) as file:
        return file.read().split()


def until(what, holds, limit=bobbin.TIMEOUT):
    end = time.monotonic() + limit
    while not holds():
        expect(time.monotonic() < end, 'never: %s', what)
        time.sleep(0.05)


class Asking(threading.Thread):
    """A slow question, and its answer."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.answer, self.took = server, None, 0
        self.start()

    def run(self):
        begin = time.monotonic()
        query = urllib.parse.urlencode({'match': EVIL})
        link = http.client.HTTPConnection(self.server.host, self.server.port,
                                          timeout=3 * bobbin.TIMEOUT)
        link.request('GET', '%sapi/matched?%s' % (self.server.prefix, query))
        try:
            answer = link.getresponse()
            self.answer = answer.status, answer.read()
        except OSError as error:  # the server has ended
            self.answer = 0, str(error)
        self.took = time.monotonic() - begin


def fetch(server):
    begin = time.monotonic()
    expect(server.ask('info')['samples'] == 60000, 'info')
    return time.monotonic() - begin


def test_others_are_answered_meanwhile():
    with view.serve(names()) as server:
        slow = Asking(server)
        until('asked', lambda: children(server))
        took = max(fetch(server) for _ in range(5))
        expect(slow.is_alive() and took < 3, '%.1f s beside %s', took,
               slow.answer)
        slow.join(3 * bobbin.TIMEOUT)
        expect(slow.answer[0] == 503 and b'too long' in slow.answer[1], '%s',
               slow.answer)
        expect(LIMIT <= slow.took < LIMIT + 5, '%.1f s', slow.took)
        expect(children(server) == [], 'none is left')
        quick = server.ask('matched', match=r'a77\b')['samples']
        expect(quick == 1, 'a quick pattern: %d', quick)


def test_a_question_ends_with_its_client():
    with view.serve(names()) as server:
        link = socket.create_connection((server.host, server.port))
        link.sendall(('GET %sapi/matched?match=%s HTTP/1.1\r\nHost: %s:%d\r\n'
                      '\r\n' % (server.prefix, urllib.parse.quote(EVIL),
                                server.host, server.port)).encode())
        until('asked', lambda: children(server))
        link.close()
        until('ended', lambda: not children(server), LIMIT / 2)
        fetch(server)


def test_many_slow_questions_at_once():
    with view.serve(names()) as server:
        slow = [Asking(server) for _ in range(12)]
        until('asked', lambda: len(children(server)) >= 4)
        expect(fetch(server) < 5, 'others are answered')
        expect(len(children(server)) <= 8, '%s', children(server))
        for one in slow:
            one.join(3 * bobbin.TIMEOUT)
        expect({one.answer[0] for one in slow} == {503}, '%s',
               [one.answer for one in slow])
        expect(any(b'too many' in one.answer[1] for one in slow), '%s',
               [one.answer for one in slow])
        fetch(server)


def test_the_end_does_not_wait():
    begin = time.monotonic()
    with view.serve(names()) as server:
        slow = Asking(server)
        until('asked', lambda: children(server))
        left = children(server)
        begin = time.monotonic()
    expect(time.monotonic() - begin < LIMIT / 2, 'it waited')
    expect(not any(os.path.exists('/proc/' + pid) for pid in left), 'left')
    slow.join(1)
