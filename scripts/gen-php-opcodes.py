#!/usr/bin/env python3
"""Writes src/capture/php/layout/opcodes.c from the sources of PHP.

    scripts/gen-php-opcodes.py PHP-SRC-GIT-DIR > src/capture/php/layout/opcodes.c

Reads Zend/zend_vm_opcodes.h of the branch of each version.  Run it when there
is a new version of PHP.
"""
import re
import subprocess
import sys

VERSIONS = ['7.0', '7.1', '7.2', '7.3', '7.4', '8.0', '8.1', '8.2', '8.3',
            '8.4', '8.5']
HEAD = '''/*
 * Names of opcodes: made by scripts/gen-php-opcodes.py, do not edit.
 *
 * Numbers have been given to other opcodes from time to time, so each name
 * comes with the versions that have it.
 */
#include "capture/php/layout/opcodes.h"

#include <stddef.h>

static const struct {
\tuint8_t opcode, first, last;
\tconst char *name;
} table[] = {
'''
TAIL = '''};

const char *
php_opcode_name(unsigned version, unsigned opcode)
{
\tsize_t i;

\tfor (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
\t\tif (table[i].opcode == opcode && table[i].first <= version &&
\t\t    version <= table[i].last)
\t\t\treturn table[i].name;
\treturn "";
}
'''


def opcodes(git_dir, version):
    text = subprocess.run(
        ['git', '--git-dir', git_dir, 'show',
         'PHP-%s:Zend/zend_vm_opcodes.h' % version],
        check=True, stdout=subprocess.PIPE).stdout.decode()
    found = re.findall(r'^#define (ZEND_\w+)\s+(\d+)$', text, re.M)
    return {int(number): name for name, number in found
            if not name.startswith('ZEND_VM_')}


def main():
    rows = []
    for version in VERSIONS:
        number = int(version.replace('.', ''))
        for opcode, name in opcodes(sys.argv[1], version).items():
            for row in rows:
                if row[0] == opcode and row[3] == name:
                    row[2] = number
                    break
            else:
                rows.append([opcode, number, number, name])
    print(HEAD, end='')
    for row in sorted(rows):
        print('\t{ %d, %d, %d, "%s" },' % tuple(row))
    print(TAIL, end='')


if __name__ == '__main__':
    main()
