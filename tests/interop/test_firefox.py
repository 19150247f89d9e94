"""The page of `bobbin view`, and one that is a file, in Firefox."""
import json
import os
import pathlib
import subprocess

from cli import beside
from support import bobbin, case, clients, view
from support.case import Failure, expect

SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'firefox.mjs')
GRAPHS = {'Flame graph', 'Inverted', 'Time order'}
TABLES = {'Functions', 'Sandwich', 'Requests', 'Source', 'Tree'}


def programs():
    return (clients.node(), clients.module('firefox', 'puppeteer-core'),
            clients.command('firefox', 'firefox-esr', 'firefox'))


def made():
    return beside.make_trace('--samples', 20000, '--stacks', 300, '--times',
                             '--pids', 2, '--annotations', '--run-mean', 6,
                             name='in.rbt')


def use(url):
    node, puppeteer, firefox = programs()
    done = subprocess.run([node, SIDE, puppeteer, firefox, url],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=8 * bobbin.TIMEOUT,
                          env=dict(os.environ, HOME=case.scratch))
    if done.returncode != 0:
        raise Failure('firefox: ' + done.stderr.decode('utf-8',
                                                       'replace')[:900])
    return json.loads(done.stdout)


def check(out):
    expect(out['errors'] == [], '%s', out['errors'])
    expect(set(out['seen']) == GRAPHS | TABLES, '%s', set(out['seen']))
    for name, seen in out['seen'].items():
        expect(not seen['isBad'] and seen['status'], '%s: %s', name, seen)
        if name in GRAPHS:
            expect(seen['painted'] and all(seen['painted']), '%s: %s', name,
                   seen)
        elif name != 'Requests':
            expect(seen['rows'] > 0, '%s: %s', name, seen)
    for name in ('Flame graph', 'Functions', 'Time order'):
        expect('20,000 samples' in out['seen'][name]['status'], '%s: %s',
               name, out['seen'][name])
    expect('shape=recursion' in out['address'] and
           'shape' not in out['back'], '%s, %s', out['address'], out['back'])


def test_a_server():
    programs()
    with view.serve(made()) as server:
        check(use(server.url))


def test_a_file():
    programs()
    page = os.path.join(case.scratch, 'page.html')
    bobbin.run('convert', '-q', '-o', page, made())
    check(use(pathlib.Path(page).as_uri()))
