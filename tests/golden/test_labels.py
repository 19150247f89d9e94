"""Names of processes and threads: from metadata into every output."""
import json

from oracle import rbt_wire as wire
from support import bobbin, gecko, listing, outputs, pages, perfetto, pprof
from support.case import expect, write_file

POOL, WORKER, PLAIN = 4712, 4800, 4900
LABELS = {
    POOL: 'php-fpm: pool <www> (php 8.2.30, child of 4711)',
    WORKER: 'python3 worker.py --queue \u00e9 (python 3.13.0, child of 1)',
}
THREAD = 'helper one'
FACTS = [
    (b'process.4712.runtime', b'php'), (b'process.4712.version', b'8.2.30'),
    (b'process.4712.parent', b'4711'),
    (b'process.4712.command', b'php-fpm: pool <www>'),
    (b'process.4800.runtime', b'python'),
    (b'process.4800.version', b'3.13.0'), (b'process.4800.parent', b'1'),
    (b'process.4800.command', 'python3 worker.py --queue \u00e9'.encode()),
    (b'bobbin.track.4801', b'pid=4800 tid=4801 name=helper%20one'),
]


def timed(stack, pid, delta):
    return wire.event(wire.PID_SAMPLE, wire.varints(stack, pid, delta))


def trace():
    """One segment of a bundle: two processes that are known, one not."""
    data = wire.header(flags=1)
    data += b''.join(wire.metadata(*fact) for fact in FACTS)
    data += wire.one_frame(b'handle', b'/srv/index.php', 3)
    data += timed(0, POOL, 0) + timed(0, PLAIN, 10)
    data += wire.metadata(b'bobbin.language', b'python')
    data += (wire.string(3, b'consume') + wire.string(4, b'/srv/worker.py')
             + wire.frame(1, 0, 0, 3, 4, 9) + wire.stack(1, [1]))
    data += timed(1, 4801, 10) + timed(0, POOL, 10)
    return write_file(data + wire.end())


def content(form, *args):
    return outputs.content(form, trace(), *args)


def test_chrome_names_processes_and_threads():
    found = {(e['pid'], e['name']): e['args']['name']
             for e in json.loads(content('chrome'))['traceEvents']
             if e['ph'] == 'M'}
    for pid, label in LABELS.items():
        expect(found[pid, 'process_name'] == label, '%r', found)
    expect(found[WORKER, 'thread_name'] == THREAD, '%r', found)
    expect(found[PLAIN, 'process_name'] == 'php', '%r', found)


def test_perfetto_names_processes_their_parents_and_threads():
    found = perfetto.Trace(content('perfetto'))
    for pid, label in LABELS.items():
        expect(found.processes[pid] == label, '%r', found.processes)
    expect(found.parents == {POOL: 4711, WORKER: 1}, '%r', found.parents)
    expect(THREAD in repr(found.threads), '%r', found.threads)


def test_gecko_names_processes_and_threads():
    found = gecko.Profile(content('gecko')).raw['threads']
    names = {int(t['pid']): (t['processName'], t['name']) for t in found}
    expect(names[POOL] == (LABELS[POOL], 'Process 4712'), '%r', names)
    expect(names[WORKER] == (LABELS[WORKER], THREAD), '%r', names)
    expect(names[PLAIN][0] == 'php', '%r', names)


def test_speedscope_names_processes_and_reads_them_again():
    data = content('speedscope')
    names = [p['name'] for p in json.loads(data)['profiles']]
    expect('pid 4712 \u2014 ' + LABELS[POOL] in names, '%r', names)
    expect('pid 4800 thread 4801 (helper one) \u2014 ' + LABELS[WORKER]
           in names, '%r', names)
    expect('pid 4900' in names, '%r', names)
    back = listing.parse(bobbin.run('dump', write_file(data)).out)
    tracks = {(fields[listing.PID], fields[listing.TID])
              for _, fields in back}
    expect(tracks == {('4712', '-'), ('4900', '-'), ('4800', '4801')}, '%r',
           tracks)


def test_page_carries_the_names_of_processes():
    carried, = pages.carried(content('html'))
    text = bobbin.run('info', write_file(carried)).out.decode()
    expect('php-fpm: pool <www>' in text and 'python3 worker.py' in text, '%r',
           text)


def test_pprof_labels_samples_with_their_process():
    p = pprof.Profile(content('pprof'))
    names = {dict(s.labels).get('pid'): dict(s.labels).get('process')
             for s in p.samples}
    expect(names == {POOL: LABELS[POOL], WORKER: LABELS[WORKER],
                     PLAIN: None}, '%r', names)
    expect(not [c for c in p.comments if 'process.' in c], '%r', p.comments)


def test_reports_by_pid_name_processes():
    found = json.loads(bobbin.run(
        'analyze', '--group-by', 'pid', '--json', trace()).out)
    text = json.dumps(found, ensure_ascii=False)
    for pid, label in LABELS.items():
        expect('%d %s' % (pid, label) in text, '%s', text)


def test_samples_without_a_pid_are_those_of_their_file():
    data = wire.header() + wire.metadata(b'pid', b'7')
    data += wire.metadata(b'process.7.command', b'php a.php')
    data += wire.one_frame() + wire.compact(0) + wire.end()
    names = [t['processName'] for t in gecko.Profile(outputs.content(
        'gecko', write_file(data))).raw['threads']]
    expect(names == ['php a.php'], '%r', names)
    out = bobbin.run('analyze', '--group-by', 'pid', write_file(data)).out
    expect(b'7 php a.php' in out, '%r', out)


def test_facts_survive_a_copy():
    first = trace()
    second = write_file(bobbin.run('convert', '-t', 'rbt', '-o', '-',
                                   first).out)
    expect(bobbin.run('dump', first).out == bobbin.run('dump', second).out,
           'another trace')
    info = json.loads(bobbin.run('info', '--json', second).out)
    found = {m['key']: m['value'] for m in info['segments'][0]['metadata']}
    expect(found == {k.decode(): v.decode() for k, v in FACTS[:-1]}, '%r',
           found)
