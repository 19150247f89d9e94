#!/usr/bin/env python3
"""Lines and branches that were reached, by folder, from gcovr's summary.

    scripts/coverage-table.py SUMMARY.json
"""
import collections
import json
import os
import sys


def main(path):
    with open(path, encoding='utf-8') as file:
        files = json.load(file)['files']
    sums = collections.defaultdict(collections.Counter)
    for one in files:
        for folder in (os.path.dirname(one['filename']), 'all'):
            for key in ('line_covered', 'line_total', 'branch_covered',
                        'branch_total'):
                sums[folder][key] += one[key]
    print('%-28s %8s %8s %8s' % ('folder', 'lines', 'reached', 'branches'))
    for folder in sorted(sums, key=lambda f: (f == 'all', f)):
        n = sums[folder]
        print('%-28s %8d %6.1f %% %6.1f %%' % (
            folder, n['line_total'], share(n, 'line'), share(n, 'branch')))


def share(n, what):
    return 100 * n[what + '_covered'] / max(1, n[what + '_total'])


if __name__ == '__main__':
    main(*sys.argv[1:])
