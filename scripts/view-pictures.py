#!/usr/bin/env python3
"""Makes the pictures of docs/view.md anew, with the clients of the tests
(scripts/install-clients.sh): docs/images/view-*.png, one of each view, and
html.png, a page that is a file.
"""
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IMAGES = os.path.join(ROOT, 'docs', 'images')
sys.path.insert(0, os.path.join(ROOT, 'tests'))

from cli import beside  # noqa: E402
from support import bobbin, case, clients, view  # noqa: E402

SIDE = os.path.join(ROOT, 'tests', 'interop', 'view_browser.mjs')
CART = '''"""Prices of a cart."""
import json

RATES = {'de': 0.19, 'fr': 0.2, 'it': 0.22}


def tax(item, country):
    rate = RATES[country]
    return round(item['price'] * rate, 2)


def total(cart, country):
    net = sum(item['price'] * item['count'] for item in cart)
    return net + sum(tax(item, country) for item in cart)


def render(cart):
    return json.dumps({'cart': cart, 'net': total(cart, 'de')})
'''
STACKS = """
main shop/main.py:12;render shop/cart.py:18;total shop/cart.py:13 310
main shop/main.py:12;render shop/cart.py:18;total shop/cart.py:14 95
main shop/main.py:12;render shop/cart.py:18;total shop/cart.py:14;\
tax shop/cart.py:8 120
main shop/main.py:12;render shop/cart.py:18;total shop/cart.py:14;\
tax shop/cart.py:9 402
main shop/main.py:12;render shop/cart.py:18;dumps json/__init__.py:231 188
main shop/main.py:15;total shop/cart.py:14;tax shop/cart.py:9 77
main shop/main.py:15 21
"""
HALF = '#main > .table:not([hidden]) '
PICTURES = {
    'view-inverted.png': ('#view=callers&colors=self', []),
    'view-functions.png': ('#view=table&sort=total', []),
    'view-requests.png': ('#view=requests', [
        ['click', HALF + 'table:first-child tr[aria-selected]:nth-child(2)']]),
    'view-tree.png': ('#view=tree', [['click', '.tree .tools button']]),
    'view-difference.png': ('', [
        ['drag', '.track.all canvas', 0.1, 0.4], ['key', 'b'],
        ['drag', '.track.all canvas', 0.6, 0.9]]),
    'view-order.png': ('#view=order&rows=route&span=41000000-42600000',
                       [['point', '.lanes canvas', 0.52, 140, 'move']]),
}


def main():
    with tempfile.TemporaryDirectory() as case.scratch:
        make_pictures()


def shoot(url, name, address, steps):
    steps = [['goto', address], *steps, ['shot', name]]
    subprocess.run([clients.node(), SIDE, clients.playwright(),
                    clients.browser(), url, json.dumps(steps), IMAGES],
                   stdout=subprocess.DEVNULL, check=True)


def make_source_picture():
    os.mkdir('shop')
    with open('shop/cart.py', 'w') as file:
        file.write(CART)
    with open('shop.folded', 'w') as file:
        file.write(STACKS.lstrip())
    with view.serve('--source', '.', 'shop.folded') as server:
        shoot(server.url, 'view-source.png', '#view=source',
              [['click', '.code tbody tr:nth-child(9)']])


def make_sandwich_picture(server):
    rows = server.ask('rows', order='total')['rows']
    own = next(row for row in rows if row['text'].startswith('App\\Service'))
    shoot(server.url, 'view-sandwich.png', '#' + urllib.parse.urlencode(
        {'view': 'sandwich', 'fn': own['id']}), [])


def make_pictures():
    trace = beside.make_trace('--samples', 20000, '--stacks', 400, '--times',
                              '--pids', 1, '--annotations', '--run-mean', 6,
                              name='shop.rbt')
    os.chdir(os.path.dirname(trace))
    with view.serve('shop.rbt') as server:
        for name, (address, steps) in PICTURES.items():
            shoot(server.url, name, address, steps)
        make_sandwich_picture(server)
    bobbin.run('convert', '-q', '-o', 'shop.html', 'shop.rbt')
    shoot('file://' + os.path.abspath('shop.html'), 'html.png', '', [])
    make_source_picture()


if __name__ == '__main__':
    main()
