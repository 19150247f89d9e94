"""The example programs and the generator of traces."""
import json
import os
import sys
import time

from cli import beside
from support import bobbin, case, hostile, listing, pythons, targets
from support.case import each, expect, read_file


def example(name, *args, **more):
    return bobbin.execute([os.path.join(beside.EXAMPLES, name)] + list(args),
                          **more)


def test_examples_fit_on_a_page():
    folder = os.path.join(bobbin.ROOT, 'examples')
    for name, most in (('read.c', 60), ('write.c', 60), ('watch.c', 60),
                       ('record.c', 35)):
        lines = read_file(os.path.join(folder, name)).count(b'\n')
        expect(lines < most, '%s has %d lines', name, lines)


def test_examples_understand_each_other():
    path = os.path.join(case.scratch, 'out.rbt')
    example('write', path)
    rows = example('read', path).out.decode().split('\n')
    expect(rows[0].split() == ['997', 'PDO::query']
           and rows[1].split() == ['3', 'Shop\\Cart::add'], '%s', rows)
    bobbin.run('verify', path)


def test_example_records_those_that_match():
    """It writes what record writes, with pids."""
    path = os.path.join(case.scratch, 'out.rbt')
    name = pythons.find()[-1]
    mark = 'example-%d' % os.getpid()
    script = ('import time\ndef rests():\n    print("ready", flush=True)\n'
              '    while True: time.sleep(0.01)\nrests()')
    with targets.crowd([[pythons.program(name), '-c', script, mark]] * 2) \
            as crowd:
        targets.need_permission(crowd[0].pid)
        example('record', mark, '1', path)
        pids = {child.pid for child in crowd}
    facts = json.loads(bobbin.run('info', '--json', path).out.decode())
    expect({p['pid'] for p in facts['pids']} == pids, '%s', facts['pids'])
    expect(facts['samples'] > 0 and facts['samples_unkept'] == 0, '%s', facts)
    expect(b'rests' in bobbin.run('convert', '-q', '-t', 'folded', path).out,
           'no function of theirs')


def test_examples_tell_what_is_wrong():
    result = example('read', '/nonexistent', ok=(1,))
    expect(b'/nonexistent' in result.err, 'says %r', result.err)
    example('write', '/nonexistent/out', ok=(1,))


def test_an_example_samples_those_that_match():
    mark = 'beside-%d' % time.monotonic_ns()
    with targets.crowd([[sys.executable, '-c', hostile.PYTHON, mark]]) as v:
        targets.need_permission(v[0].pid)
        rows = example('watch', mark).out.decode().splitlines()
    expect(rows and all(row.startswith('<module> ') and
                        int(row.rpartition(' ')[2]) > 0 for row in rows),
           '%s', rows)


FULL = ['--samples', 20000, '--segments', 3, '--pids', 3, '--annotations',
        '--times', '--periods', '10000,1000']


def test_same_options_same_bytes():
    first = read_file(beside.make_trace(*FULL))
    expect(first == read_file(beside.make_trace(*FULL)), 'another trace')
    expect(first != read_file(beside.make_trace(*FULL, '--seed', 2)),
           'the seed does nothing')


@each([('plain', ['--samples', 5000]), ('full', FULL),
       ('many stacks', ['--samples', 30000, '--stacks', 5000])])
def test_generated_traces_are_what_was_asked_for(item):
    path = beside.make_trace(*item[1])
    bobbin.run('verify', path)
    asked = dict(zip(item[1], item[1][1:]))
    facts = json.loads(bobbin.run('info', '--json', path).out.decode())
    expect(facts['samples'] == asked['--samples'], 'samples')
    expect(facts['n_segments'] == asked.get('--segments', 1), 'segments')
    expect(len(facts['pids']) == asked.get('--pids', 0), 'pids')
    runs = listing.parse(bobbin.run('dump', path).out)
    timed = all(fields[listing.TIME] != '-' for _, fields in runs)
    expect(timed == ('--times' in item[1]), 'times')


def test_mean_length_of_runs():
    path = beside.make_trace('--samples', 100000, '--run-mean', 20)
    facts = json.loads(bobbin.run('info', '--json', path).out.decode())
    mean = facts['samples'] / facts['runs']
    expect(18 < mean < 22, 'mean %g', mean)
