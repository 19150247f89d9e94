#!/usr/bin/env python3
"""Writes the price list of the shop: sku;price;text.

    demo/make_prices.py > prices.csv
"""
import random

KINDS = ['books', 'garden', 'kitchen', 'music', 'toys']
SIZE = 3000    # the shop sells some of them

rows = ['%s-%04d;%.2f;"as of today, with tax"' %
        (KINDS[number % len(KINDS)], number, 5 + number * 7 % 90)
        for number in range(SIZE)]
random.Random(1).shuffle(rows)
print('\n'.join(rows))
