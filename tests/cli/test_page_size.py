"""Pages with a limit of size (`--max-size`): what does not fit is thinned by
time, and no sum changes."""
import json
import os

from cli import beside
from support import bobbin, case, pages
from support.case import each, expect

BIN = 100000  # the first width that is tried, in microseconds
TRACE = ['--samples', 200000, '--stacks', 500, '--times', '--run-mean', 4,
         '--pids']


def thinned(source, share):
    """A page of so much of the room that its trace takes beyond the smallest,
    and the trace that it carries."""
    whole = os.path.getsize(pages.make(source))
    empty = os.path.getsize(pages.make(case.write_file(b'main 1\n',
                                                       'empty.folded')))
    limit = int(empty + share * (whole - empty))
    page = pages.make('--max-size', str(limit), source)
    expect(os.path.getsize(page) <= limit, '%d bytes, not %d',
           os.path.getsize(page), limit)
    carried, = pages.traces(page)
    return page, case.write_file(carried, 'carried.rbt')


def folded(path, *options):
    return bobbin.run('convert', '-q', '-t', 'folded', *options, path).out


def report(path):
    return json.loads(bobbin.run('analyze', '--json', '--idle', path).out)


@each([(1, 0.8), (1, 0.6), (4, 0.9)])
def test_sums_stay_and_the_page_says_so(given):
    pids, share = given
    source = beside.make_trace(*TRACE, pids)
    page, carried = thinned(source, share)
    facts = pages.facts(page)
    expect(facts['bin_us'] >= BIN and facts['has_times'], '%s', facts)
    expect(sorted(folded(carried).splitlines()) ==
           sorted(folded(source).splitlines()), 'stacks')
    want, got = report(source), report(carried)
    expect(want['samples'] == got['samples'] and want['time']['wall_us'] ==
           got['time']['wall_us'], '%s', got['samples'])
    # What a gap counts depends on the stacks beside it, which may be others.
    most = 0 if pids == 1 else 0.001
    a, b = (r['time']['us'] for r in (want, got))
    expect(abs(a - b) <= most * a, '%d us, not %d', b, a)


def test_samples_stay_in_their_bin():
    source = beside.make_trace(*TRACE, 1)
    page, carried = thinned(source, 0.6)
    width = pages.facts(page)['bin_us']
    info = json.loads(bobbin.run('info', '--json', source).out)
    end = info['t_last_us']
    for start in range(0, end // width * width, max(1, end // width // 7) * width):
        span = ['--time', '%dus..%dus' % (start, start + width)]
        a, b = (sorted(folded(path, *span).splitlines())
                for path in (source, carried))
        expect(a == b, 'at %d: %s, not %s', start, b[:3], a[:3])


def test_times_are_dropped_last():
    source = beside.make_trace(*TRACE, 4)
    page, carried = thinned(source, 0.3)
    expect(pages.facts(page)['has_times'] is False, '%s', pages.facts(page))
    expect(sorted(folded(carried).splitlines()) ==
           sorted(folded(source).splitlines()), 'stacks')
    expect(report(carried)['samples'] == report(source)['samples'], 'samples')


def test_a_limit_that_nothing_fits_in():
    source = beside.make_trace('--samples', 1000)
    pages.make(source)
    result = bobbin.run('convert', '-t', 'html', '--max-size', '100k', '-o',
                        os.path.join(case.scratch, 'x.html'), source,
                        ok=(bobbin.FAILED,))
    expect(b'--max-size' in result.err and
           not os.path.exists(os.path.join(case.scratch, 'x.html')), '%s',
           result.err)
