#!/usr/bin/env python3
"""Makes the pictures of docs/view.md anew, with the clients of the tests
(scripts/install-clients.sh): docs/images/view-order.png.
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
PICTURES = {
    'view-order.png': ('#view=order&rows=route&span=41000000-42600000',
                       [['point', '.lanes canvas', 0.52, 140, 'move']]),
}


def main():
    with tempfile.TemporaryDirectory() as case.scratch:
        make_pictures()


def make_pictures():
    trace = beside.make_trace('--samples', 20000, '--stacks', 400, '--times',
                              '--pids', 1, '--annotations', '--run-mean', 6,
                              name='shop.rbt')
    os.chdir(os.path.dirname(trace))
    with view.serve('shop.rbt') as server:
        for name, (address, steps) in PICTURES.items():
            steps = [['goto', address], *steps, ['shot', name]]
            subprocess.run([clients.node(), SIDE, clients.playwright(),
                            clients.browser(), server.url, json.dumps(steps),
                            IMAGES],
                           stdout=subprocess.DEVNULL, check=True)


if __name__ == '__main__':
    main()
