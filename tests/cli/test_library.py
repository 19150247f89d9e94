"""The libraries show the names in include/bobbin and no others."""
import os
import re
import shutil
import subprocess

from support import bobbin
from support.case import Skip, each, expect

HEADERS = os.path.join(bobbin.ROOT, 'include', 'bobbin')


def declared():
    """Every function that a public header declares with BOB_API."""
    names = set()
    for header in os.listdir(HEADERS):
        with open(os.path.join(HEADERS, header), encoding='ascii') as file:
            names.update(re.findall(r'BOB_API [^(;]*?\b(bob_\w+)\(',
                                    file.read()))
    return names


def shown(path, *options):
    if shutil.which('nm') is None:
        raise Skip('no nm')
    listing = subprocess.run(
        ['nm', '--defined-only', '--extern-only', *options, path],
        check=True, stdout=subprocess.PIPE).stdout.decode()
    return set(re.findall(r' [TDBRVW] (\w+)$', listing, re.M))


@each([('libbobbin.a',), ('libbobbin.so', '--dynamic')])
def test_only_public_names_are_shown(library):
    name, *options = library
    path = os.path.join(os.path.dirname(bobbin.PROGRAM), name)
    if not os.path.exists(path):
        raise Skip('only the command was built')
    names = {n for n in shown(path, *options)
             if not n.startswith(('__asan', '__ubsan', '__odr_asan'))}
    expect(names == declared(), 'extra: %s; missing: %s',
           sorted(names - declared()), sorted(declared() - names))
