"""PHP as a module of Apache: it is a library there, in workers that serve one
request after another."""
import json
import os
import signal

from live import sandbox
from support import apache, bobbin, case, listing, phps
from support.case import Skip, expect
from support.daemons import daemon, has


def script():
    """Where whoever serves it may read it."""
    path = case.write_file(case.read_file(
        os.path.join(phps.SCRIPTS, 'shop.php')), 'shop.php')
    os.chmod(path, 0o644)
    return path


def uri(i):
    return '/shop/%d/cart?token=secret' % i


def test_samples_of_a_module_have_their_request():
    with apache.server(4, script()) as server, server.busy(uri, 4):
        expect(b'200 OK' in server.ask(uri(1)), 'it does not answer')
        path = os.path.join(case.scratch, 'out.rbt')
        pids = [word for pid in server.workers() for word in ('-p', pid)]
        result = bobbin.run('record', *pids, '-d', '1s', '-r', '200', '-o',
                            path, '--request', ok=(bobbin.OK, bobbin.FAILED))
        if b'may not be read' in result.err:
            raise Skip('processes may not be read here (ptrace)')
        expect(result.code == 0, '%s', result.err)
    runs = listing.parse(bobbin.run('dump', path).out)
    expect(listing.total(runs) > 20, '%d samples', listing.total(runs))
    told = 0
    for count, fields in runs:
        names = [f[0] for f in phps.frames(fields)]
        expect(names[-1] == '<main>', 'a stack begins at %r', names)
        facts = fields[listing.ANNOTATIONS]
        told += count * ('/shop/{n}/cart' in facts and 'shop.php' in facts
                         and 'GET' in facts)
    expect(told >= 0.9 * listing.total(runs), '%d of %d have their request',
           told, listing.total(runs))
    expect(b'secret' not in case.read_file(path), 'secrets nobody asked for')


def test_a_module_that_was_replaced_is_read_from_memory():
    """An upgrade does not end workers at once; a daemon may not open files
    that are gone."""
    sandbox.need_setpriv()
    module = os.path.join(case.scratch, 'libphp-copy.so')
    with apache.server(2, script(), module) as server, server.busy(uri, 2):
        os.remove(module)
        path = os.path.join(case.scratch, 'out.rbt')
        pids = [word for pid in server.workers() for word in ('-p', pid)]
        bobbin.execute(['setpriv', '--bounding-set',
                        '-all,+sys_ptrace,+dac_read_search',
                        bobbin.PROGRAM, 'record', *pids, '-d', '500ms', '-r',
                        '200', '-o', path])
    runs = listing.parse(bobbin.run('dump', path).out)
    names = {f[0] for _, fields in runs for f in phps.frames(fields)}
    expect('shopWork' in names, 'functions %r', names)


def test_workers_of_apache_come_and_go():
    with apache.server(4, script()) as server, server.busy(uri, 4):
        pattern = os.path.join(case.scratch, 'httpd[.]conf')
        with daemon(pattern, '-r', '200') as d:
            def workers():
                return [int(pid) for pid in server.workers()]

            d.wait(lambda s: len(workers()) == 4 and has(*workers())(s),
                   'all workers')
            killed = workers()[0]
            os.kill(killed, signal.SIGKILL)
            d.wait(lambda s: killed not in workers() and
                   len(workers()) == 4 and has(*workers())(s),
                   'a worker in its place')
            d.end()
    report = json.loads(bobbin.run('analyze', '--json', '--requests',
                                   d.folder).out)
    routes = {row['route'] for row in report['sections']['routes']['rows']}
    expect('/shop/{n}/cart' in routes, '%r', routes)
