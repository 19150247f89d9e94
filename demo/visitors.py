#!/usr/bin/env python3
"""Customers of the shop: the same requests and reviews each second, however
fast they are answered.

    demo/visitors.py SHOP_PORT|- WORKER_PORT
"""
import http.client
import json
import socket
import sys
import time

TICK = 0.1    # seconds
PAGES = ['/', '/product/17', '/category/books', '/product/203', '/cart',
         '/category/toys', '/product/99', '/']
REVIEW = ('Order %d was a great thing, and it came in time. I would buy it '
          'again, and my aunt, who has a garden, would like one too! ')


def visit(port, path):
    shop = http.client.HTTPConnection('127.0.0.1', port, timeout=10)
    shop.request('GET', path)
    shop.getresponse().read()
    shop.close()


def review(port, number, text):
    with socket.create_connection(('127.0.0.1', port), timeout=10) as worker:
        line = json.dumps({'id': number, 'text': text}) + '\n'
        worker.sendall(line.encode())
        worker.shutdown(socket.SHUT_WR)
        while worker.recv(4096):
            pass


def attempt(deed, *args):
    """A customer who is not answered goes; the others still come."""
    try:
        deed(*args)
    except (OSError, http.client.HTTPException) as reason:
        print(reason, file=sys.stderr)


def main():
    shop, worker = sys.argv[1:]
    due = time.monotonic()
    number = 0
    while True:
        if shop != '-':
            for path in PAGES[number % 2::2]:
                attempt(visit, int(shop), path)
        # Without the shop, the worker has the machine for itself.
        for _ in range(3 if shop == '-' else 1 - number % 2):
            attempt(review, int(worker), number, REVIEW % number)
        number += 1
        due = max(due + TICK, time.monotonic() - TICK)
        time.sleep(max(0, due - time.monotonic()))


if __name__ == '__main__':
    main()
