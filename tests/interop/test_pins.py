"""What is installed from npm and PyPI has a version and a hash."""
import glob
import json
import os
import re

from support import bobbin
from support.case import each, expect, read_file

PINS = os.path.join(bobbin.ROOT, 'tests', 'clients')
SCRIPT = os.path.join(bobbin.ROOT, 'scripts', 'install-clients.sh')
LOCKS = sorted(glob.glob(PINS + '/*/package-lock.json'))
LISTS = sorted(set(glob.glob(PINS + '/*.txt')) - {PINS + '/minio.txt'})


def content(path):
    return read_file(path).decode('ascii')


def test_each_package_of_npm_has_a_hash():
    expect(LOCKS, 'no lock in %s', PINS)
    for path in LOCKS:
        packages = json.loads(content(path))['packages']
        wanted = packages.pop('')['dependencies']
        expect(packages, '%s: no package', path)
        for name, package in packages.items():
            expect(package['integrity'].startswith('sha512-'),
                   '%s: %s: no hash', path, name)
            expect('resolved' not in package, '%s: %s: names a registry',
                   path, name)
        for name, version in wanted.items():
            expect(re.match(r'\d+(\.\d+)+$', version), '%s: %s %s: no version',
                   path, name, version)
            expect(packages['node_modules/' + name]['version'] == version,
                   '%s: another %s is locked', path, name)


def test_each_package_of_pypi_has_a_hash():
    expect(LISTS, 'no list in %s', PINS)
    for path in LISTS:
        text = re.sub(r'^#.*\n', '', content(path), flags=re.M)
        for line in text.replace('\\\n', ' ').splitlines():
            expect(re.match(r'[\w.-]+==[\d.]+( +--hash=sha256:[0-9a-f]{64})+ *$',
                            line), '%s: %s', path, line)


def test_the_module_of_go_has_a_hash():
    text = content(os.path.join(PINS, 'minio.txt'))
    expect(re.search(r'^module [\w./-]+@v[\w.-]+$', text, re.M), 'no version')
    expect(re.search(r'^sum h1:[\w+/]{43}=$', text, re.M), 'no hash')


@each(['npm', 'pip'])
def test_nothing_is_installed_without_its_hash(tool):
    rule = {'npm': r'npm ci\b.*--ignore-scripts',
            'pip': r'pip install\b.*--require-hashes --no-deps'}[tool]
    script = content(SCRIPT).replace('\\\n', ' ')
    lines = re.findall(r'^.*\b%s (?:i|ci|install|add|exec)\b.*$' % tool,
                       re.sub(r'^\s*#.*\n', '', script, flags=re.M), re.M)
    expect(lines, 'no line with %s', tool)
    for line in lines:
        expect(re.search(rule, line), '%s', line.strip())
    expect(not re.search(r'\bnpx\b', script), 'npx installs what it likes')
