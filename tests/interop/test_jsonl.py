"""JSON lines are what their schema says, by a validator of JSON schemas."""
import os

from oracle import rbt_gen
from support import bobbin, case, clients, fixtures, outputs, tach
from support.bobbin import ROOT
from support.case import Failure, each, expect

SCHEMA = os.path.join(ROOT, 'docs', 'formats', 'jsonl.schema.json')
INPUTS = (
    [('rbt-' + name, fixtures.rbt_path(name))
     for name in fixtures.intact_names()]
    + [('tach-' + name, tach.path(name)) for name in (
        'encodings', 'ids_status_time', 'locations', 'names', 'real_opcodes',
        'real_threads', 'threads64')]
    + [('phpspy', fixtures.PHPSPY + '/laravel-request-info.txt')])
AJV = """
const { createInterface } = require('readline');
const { createReadStream, readFileSync } = require('fs');
const [ajv, schema, file] = process.argv.slice(1);
const Ajv = require(ajv).default;
const check = new Ajv().compile(JSON.parse(readFileSync(schema)));
let n = 0;
createInterface({ input: createReadStream(file) }).on('line', line => {
  n++;
  if (!check(JSON.parse(line))) {
    console.error(`line ${n}: ${line.slice(0, 200)}: ` +
      check.errors.map(e => e.instancePath + ' ' + e.message).join('; '));
    process.exit(1);
  }
}).on('close', () => console.log(n));
"""


def expect_valid(path):
    """Checks each line; returns how many there are."""
    return int(clients.output([clients.node(), '-e', AJV, '--',
                               clients.module('ajv', 'ajv'), SCHEMA, path]))


@each(INPUTS)
def test_schema(which):
    path = outputs.converted('jsonl', which[1])
    with open(path, 'rb') as file:
        expect(expect_valid(path) == file.read().count(b'\n'), 'lines')


@each(sorted(fixtures.DAMAGE))
def test_schema_of_damage(name):
    path = os.path.join(case.scratch, 'out.jsonl')
    bobbin.run('convert', '-q', '--recover', '-t', 'jsonl', '-o', path,
               fixtures.rbt_path(name), ok=(bobbin.PARTIAL,))
    expect_valid(path)


def test_schema_of_generated():
    for seed in range(10):
        source = case.write_file(rbt_gen.generate(seed, rbt_gen.FLAT))
        expect_valid(outputs.converted('jsonl', source))


@each(['{"type":"samples","count":0,"stack":1}', '{"type":"other"}',
       '{"type":"samples","count":1,"stack":1,"x":1}',
       '{"type":"frame","id":1,"language":"c","function":"f"}',
       '{"type":"gap"}', '{"type":"end","count":1}'])
def test_schema_refuses(line):
    path = case.write_file(line.encode() + b'\n', 'bad.jsonl')
    try:
        expect_valid(path)
    except Failure:
        return
    raise Failure('accepted')
