"""`bobbin view` among users and pages that are no friends."""
import contextlib
import os
import re
import shutil
import socket
import stat
import subprocess
import time

from support import bobbin, case, view
from support.case import Skip, each, expect, read_file

USER = 54321  # another one

# Stands in for the desktop's opener: says what it was given, and stays as long
# as some browsers do.
OPENER = '''#!/bin/sh
cp -p "$1" {out}/copy
printf '%s' "$1" > {out}/name
exec sleep 600
'''

# What another user can try without the address.
STRANGER = '''
import http.client, os, sys
port, pid, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
for target in ('/', '/api/info', '/' + '0' * 32 + '/', '/../', '/main.js'):
    link = http.client.HTTPConnection('127.0.0.1', port, timeout=20)
    link.request('GET', target)
    answer = link.getresponse()
    print(answer.status, answer.read().decode())
for name in ('/proc/%s/cmdline' % pid, '/proc/%s/environ' % pid, path):
    try:
        print(open(name, 'rb').read().decode())
    except OSError as error:
        print('refused', error.errno)
'''


def folded():
    return case.write_file(b'main;a 10\n', 'in.folded')


def opener():
    """(environment with a desktop, folder of what was opened)"""
    out = os.path.join(case.scratch, 'opened')
    run = os.path.join(case.scratch, 'run')
    os.mkdir(out)
    os.mkdir(run, 0o700)
    path = case.write_file(OPENER.format(out=out).encode(), 'xdg-open')
    os.chmod(path, 0o755)
    return dict(os.environ, DISPLAY=':99', XDG_RUNTIME_DIR=run,
                PATH=case.scratch + ':' + os.environ['PATH']), out


def until(what, holds):
    limit = time.monotonic() + bobbin.TIMEOUT
    while not holds():
        expect(time.monotonic() < limit, 'never: %s', what)
        time.sleep(0.05)


def command_lines():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        with contextlib.suppress(OSError):
            yield pid, read_file('/proc/%s/cmdline' % pid)


@contextlib.contextmanager
def opened():
    """A server whose browser was opened, and the file for the browser."""
    environment, out = opener()
    with view.serve(folded(), opens=True, env=environment) as server:
        try:
            name = os.path.join(out, 'name')
            until('opened', lambda: os.path.exists(name) and read_file(name))
            yield server, read_file(name).decode(), os.path.join(out, 'copy')
        finally:
            for pid, line in command_lines():
                if case.scratch.encode() in line and b'open.html' in line:
                    os.kill(int(pid), 15)


# ---- the secret ------------------------------------------------------------

def test_no_command_line_has_the_secret():
    with opened() as (server, name, copy):
        seen = [line for _, line in command_lines()
                if server.secret.encode() in line]
        expect(seen == [], '%s', seen)
        expect(name.startswith(case.scratch), 'opened %s', name)
        text = read_file(copy).decode()
        expect(server.url in text and 'no-referrer' in text, '%s', text)
        modes = [stat.S_IMODE(os.stat(path).st_mode)
                 for path in (name, os.path.dirname(name))]
        expect(modes == [0o600, 0o700], '%s', modes)
        expect(server.ask('info')['samples'] == 10, 'it does not wait for it')
        expect(not os.path.exists(os.path.dirname(name)), 'no longer needed')


def test_the_file_for_the_browser_is_removed():
    with opened() as (_, name, _):
        pass
    expect(not os.path.exists(os.path.dirname(name)), 'it is left: %s', name)


def test_no_other_page_learns_the_address():
    with view.serve(folded()) as server:
        for path in (server.prefix, server.prefix + 'main.js', '/'):
            _, headers, _ = server.request(path)
            expect(headers['Referrer-Policy'] == 'no-referrer', '%s', headers)
            expect(headers['Cache-Control'] == 'no-store', '%s', headers)
            expect(headers['Cross-Origin-Opener-Policy'] == 'same-origin',
                   '%s', headers)
            expect('Access-Control-Allow-Origin' not in headers, '%s', headers)


def test_another_user_gets_nothing():
    python = '/usr/bin/python3'
    if os.geteuid() != 0 or shutil.which('setpriv') is None or \
            not os.path.exists(python):
        raise Skip('needs root, setpriv and a Python for all')
    with opened() as (server, name, _):
        # Only what is in the folder is private; the way to it is not.
        for folder in (case.scratch, os.path.dirname(os.path.dirname(name))):
            os.chmod(folder, 0o755)
        said = subprocess.run(
            ['setpriv', '--reuid', str(USER), '--regid', str(USER),
             '--clear-groups', python, '-c', STRANGER, str(server.port),
             str(server.process.pid), name], stdout=subprocess.PIPE,
            timeout=bobbin.TIMEOUT, check=True).stdout.decode()
        expect(said.count('404 not found') == 5, '%s', said)
        expect(said.count('refused 13') == 2, 'environ and file: %s', said)
        expect('view' in said and server.secret not in said, '%s', said)


# ---- connections -----------------------------------------------------------

def connect(server, data=b''):
    link = socket.create_connection((server.host, server.port),
                                    timeout=bobbin.TIMEOUT)
    if data:
        link.sendall(data)
    return link


@each([('silent', b''), ('slow', b'GET / HTTP/1.1\r\nHost: x\r\nX-'),
       ('a body that never ends', b'POST / HTTP/1.1\r\nHost: x\r\n'
        b'Content-Length: 1000000000\r\n\r\nx')])
def test_strangers_cannot_keep_the_page_out(given):
    with view.serve(folded()) as server:
        links = [connect(server, given[1]) for _ in range(200)]
        begin = time.monotonic()
        expect(server.ask('info')['samples'] == 10, 'it answers')
        took = time.monotonic() - begin
        expect(took < 10, 'it took %.1f s', took)
        for link in links:
            link.close()


def test_a_stranger_who_trickles_is_dropped():
    with view.serve(folded()) as server:
        link = connect(server, b'GET / HTTP/1.1\r\nHost: x\r\n')
        begin, is_open = time.monotonic(), True
        while is_open and time.monotonic() - begin < bobbin.TIMEOUT:
            time.sleep(0.3)
            try:
                link.sendall(b'X')
            except OSError:
                is_open = False
        expect(not is_open and time.monotonic() - begin < 20, 'after %.1f s',
               time.monotonic() - begin)


def test_a_page_keeps_its_connection():
    with view.serve(folded()) as server:
        link = connect(server)
        ask = ('GET %sapi/info HTTP/1.1\r\nHost: %s:%d\r\n\r\n' % (
            server.prefix, server.host, server.port)).encode()
        for _ in range(2):
            link.sendall(ask)
            got = b''
            while b'"samples"' not in got:
                part = link.recv(65536)
                expect(part, 'closed: %s', got)
                got += part
            time.sleep(7)


def test_a_request_that_is_too_large():
    with view.serve(folded()) as server:
        status, _, _ = server.request(server.prefix + 'api/rows?match=' +
                                      'a' * 100000)
        expect(status in (413, 414, 431), '%d', status)
        expect(server.ask('info')['samples'] == 10, 'it goes on')


# ---- where it listens ------------------------------------------------------

def test_all_addresses_with_a_warning():
    with view.serve('--bind', '0.0.0.0', folded()) as server:
        port = server.port
        server.host = '127.0.0.1'
        for host, want in (('127.0.0.1:%d' % port, 200),
                           ('192.0.2.7:%d' % port, 200),
                           ('[2001:db8::1]:%d' % port, 200),
                           ('%s:%d' % (socket.gethostname(), port), 200),
                           ('localhost:%d' % port, 200),
                           ('192.0.2.7:1', 404), ('192.0.2.7', 404),
                           ('evil.example:%d' % port, 404),
                           ('1.2.3.4.evil.example:%d' % port, 404),
                           ('[::1:%d' % port, 404), (':%d' % port, 404)):
            status, _, _ = server.request(server.prefix + 'api/info',
                                          headers={'Host': host})
            expect(status == want, '%s: %d', host, status)
    expect(re.search(b'other machines can connect.*unencrypted', server.err),
           '%s', server.err)


def test_a_loopback_address_needs_no_warning():
    with view.serve('--bind', '127.0.0.1', folded()) as server:
        pass
    expect(b'warning' not in server.err, '%s', server.err)


def test_cannot_listen_says_what_to_do():
    with view.serve(folded()) as server:
        run = bobbin.run('view', '--no-open', '--port', str(server.port),
                         folded(), ok=(bobbin.FAILED,))
        expect(b'already in use' in run.err and b'without --port' in run.err,
               '%s', run.err)
    run = bobbin.run('view', '--no-open', '--bind', '192.0.2.1', folded(),
                     ok=(bobbin.FAILED,))
    expect(b"'ip addr' lists" in run.err, '%s', run.err)
    run = bobbin.run('view', '--no-open', '--bind', 'localhost', folded(),
                     ok=(bobbin.FAILED,))
    expect(b'127.0.0.1' in run.err, '%s', run.err)
