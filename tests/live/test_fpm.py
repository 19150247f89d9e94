"""A pool of php-fpm under load."""
import os
import re

from support import bobbin, case, fpm, listing, phps, targets
from support.case import Skip, expect


def script(name):
    return os.path.join(phps.SCRIPTS, name + '.php')


def requests(i):
    """Two scripts in turn, each with its own uris."""
    if i % 2:
        return script('shop'), '/shop/%d/cart?token=secret' % i
    return script('user'), '/user/0b3c9a77-1f2e-4d5c-8b9a-%012x' % i


def record(pool, *options):
    path = os.path.join(case.scratch, 'out.rbt')
    pids = [word for pid in pool.workers() for word in ('-p', pid)]
    result = bobbin.run('record', *pids, '-d', '1500ms', '-r', '200', '-o',
                        path, *options, ok=(bobbin.OK, bobbin.FAILED))
    if b'may not be read' in result.err:
        raise Skip('processes may not be read here (ptrace)')
    expect(result.code == 0, '%s', result.err)
    return listing.parse(bobbin.run('dump', path).out), case.read_file(path)


def test_samples_belong_to_their_request():
    """Functions of one script never appear in a request for the other,
    although they are at the same addresses."""
    with fpm.pool(4) as pool, pool.busy(requests):
        runs, data = record(pool, '--request')
    routes, untold = set(), 0
    expect(listing.total(runs) > 20, '%d samples', listing.total(runs))
    for count, fields in runs:
        facts = dict(pair.partition('%3D' if '%3D' in pair else '=')[::2]
                     for pair in fields[listing.ANNOTATIONS].split(','))
        # What cannot be read at that moment is left out, never guessed.
        if 'request.script' not in facts or 'request.route' not in facts:
            untold += count
            continue
        kind = re.search(r'(shop|user)\.php$', facts['request.script'])
        expect(kind, 'script %r', facts)
        kind = kind.group(1)
        routes.add(facts['request.route'])
        for name, _, _ in phps.frames(fields):
            other = {'shop': 'user', 'user': 'shop'}[kind]
            expect(not name.startswith(other), '%s in a request for %s',
                   name, kind)
    expect(untold <= 0.03 * listing.total(runs), '%d of %d samples without '
           'their request', untold, listing.total(runs))
    expect(routes == {'/shop/{n}/cart', '/user/{id}'}, 'routes %r', routes)
    pids = {fields[listing.PID] for _, fields in runs}
    expect(len(pids) > 1, 'pids %r', pids)
    expect(b'secret' not in data, 'secrets nobody asked for')


def test_secrets_are_told_when_asked_for():
    with fpm.pool(2) as pool, pool.busy(requests):
        _, data = record(pool, '--query-string', '--cookie')
    expect(b'token=secret' in data and b'session=secret' in data,
           'they are missing')


def test_secrets_are_hidden_by_a_pattern():
    with fpm.pool(2) as pool, pool.busy(requests):
        _, data = record(pool, '--query-string', '--cookie', '--redact',
                         '(?<==)secret')
    expect(b'token=***' in data and b'session=***' in data,
           'they are missing')
    expect(b'secret' not in data, 'secrets that match')


def test_variables_are_those_of_the_request():
    """Of each worker, and of the request that it serves."""
    with fpm.pool(2) as pool, pool.busy(requests):
        runs, _ = record(pool, '--request', '--trace-var',
                         'global::$_SERVER[REQUEST_URI]')
    told = 0
    for count, fields in runs:
        facts = dict(pair.partition('=')[::2]
                     for pair in fields[listing.ANNOTATIONS].split(','))
        uri = facts.get('request.uri')
        value = facts.get('global::$_SERVER[REQUEST_URI]')
        if uri is None or value is None or uri.endswith('.php'):
            continue
        told += count
        expect(targets.plain(value).startswith(
            '(string) "' + targets.plain(uri)), '%s for %s', value, uri)
    expect(2 * told > listing.total(runs), '%d of %d samples have both', told,
           listing.total(runs))


def test_an_idle_pool_has_no_samples():
    with fpm.pool(2) as pool:
        runs, _ = record(pool)
    expect(runs == [], '%d samples', listing.total(runs))
