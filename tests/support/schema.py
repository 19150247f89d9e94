"""docs/analyze.schema.json, and as much of JSON Schema as it uses."""
import json
import os

from support import bobbin
from support.case import expect

PATH = os.path.join(bobbin.ROOT, 'docs', 'analyze.schema.json')
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool,
         'null': type(None), 'number': (int, float), 'integer': int}
KNOWN = {'$schema', '$id', '$defs', '$ref', 'title', 'description', 'type',
         'properties', 'required', 'additionalProperties', 'items', 'enum',
         'const', 'minimum', 'maximum'}


def has_type(value, name):
    if isinstance(value, bool):
        return name == 'boolean'
    return isinstance(value, TYPES[name])


def validate(value, rule, root, where='$'):
    expect(set(rule) <= KNOWN, 'the schema uses %s', set(rule) - KNOWN)
    if '$ref' in rule:
        parts = rule['$ref'].split('/')
        expect(parts[:2] == ['#', '$defs'], 'reference %s', rule['$ref'])
        validate(value, root['$defs'][parts[2]], root, where)
    types = rule.get('type')
    if types is not None:
        types = [types] if isinstance(types, str) else types
        expect(any(has_type(value, t) for t in types), '%s: %r is no %s',
               where, value, types)
    if 'enum' in rule:
        expect(value in rule['enum'], '%s: %r', where, value)
    if 'const' in rule:
        expect(value == rule['const'], '%s: %r', where, value)
    if has_type(value, 'number'):
        expect(rule.get('minimum', value) <= value
               <= rule.get('maximum', value), '%s: %r', where, value)
    if isinstance(value, dict):
        known = rule.get('properties', {})
        for key in rule.get('required', ()):
            expect(key in value, '%s: no %s', where, key)
        for key, item in value.items():
            if key in known:
                validate(item, known[key], root, where + '.' + key)
            else:
                expect(rule.get('additionalProperties', True) is not False,
                       '%s: %s is not described', where, key)
    if isinstance(value, list) and 'items' in rule:
        for i, item in enumerate(value):
            validate(item, rule['items'], root, '%s[%d]' % (where, i))


def load():
    with open(PATH, encoding='utf-8') as file:
        return json.load(file)


def check(report):
    """Fails when a report of `bobbin analyze --json` has another shape."""
    root = load()
    validate(report, root, root)
