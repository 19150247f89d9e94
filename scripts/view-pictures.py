#!/usr/bin/env python3
"""Makes the pictures of docs/view.md anew, with the clients of the tests
(scripts/install-clients.sh): docs/images/view-order.png and view-source.png.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IMAGES = os.path.join(ROOT, 'docs', 'images')
sys.path.insert(0, os.path.join(ROOT, 'tests'))

from cli import beside  # noqa: E402
from support import case, clients, view  # noqa: E402

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
PICTURES = {
    'view-order.png': ('#view=order&rows=route&span=41000000-42600000',
                       [['point', '.lanes canvas', 0.52, 140, 'move']]),
}


def main():
    with tempfile.TemporaryDirectory() as case.scratch:
        make_pictures()


def shoot(server, name, address, steps):
    steps = [['goto', address], *steps, ['shot', name]]
    subprocess.run([clients.node(), SIDE, clients.playwright(),
                    clients.browser(), server.url, json.dumps(steps), IMAGES],
                   stdout=subprocess.DEVNULL, check=True)


def make_source_picture():
    os.mkdir('shop')
    with open('shop/cart.py', 'w') as file:
        file.write(CART)
    with open('shop.folded', 'w') as file:
        file.write(STACKS.lstrip())
    with view.serve('--source', '.', 'shop.folded') as server:
        shoot(server, 'view-source.png', '#view=source',
              [['click', '.code tbody tr:nth-child(9)']])


def make_pictures():
    trace = beside.make_trace('--samples', 20000, '--stacks', 400, '--times',
                              '--pids', 1, '--annotations', '--run-mean', 6,
                              name='shop.rbt')
    os.chdir(os.path.dirname(trace))
    with view.serve('shop.rbt') as server:
        for name, (address, steps) in PICTURES.items():
            shoot(server, name, address, steps)
    make_source_picture()


if __name__ == '__main__':
    main()
