"""Programs of Python that look like gunicorn, uWSGI or uvicorn, and lie about
the request that they serve."""
import contextlib
import os
import re
import shutil

from support import bobbin, case, hostile, listing, pythons, targets
from support.case import each, expect
from support.daemons import has

SCRIPTS = os.path.join(bobbin.ROOT, 'tests', 'hostile', 'python')
# Where programs are: a server is known by that, or is not.
PLACES = {'sync.py': 'gunicorn/workers', 'uwsgi.py': '.',
          'h11_impl.py': 'uvicorn/protocols/http'}
# What is called for a request.
FUNCTIONS = {'sync.py': 'handle_request', 'uwsgi.py': 'app',
             'h11_impl.py': 'run_asgi'}
# Bytes of a value.
MOST = 1024
ALL = {'id', 'method', 'uri', 'route'}
# What is told of a request, for those that have one.
TOLD = {
    'sync.py true': ALL,
    'sync.py long': ALL,
    'sync.py many': {'id'},
    'sync.py no_strings': {'id', 'method'},
    'sync.py number': {'id'},
    'sync.py lying_dict': {'id'},
    'sync.py fake_time': set(),
    'sync.py lying_class': set(),
    'sync.py no_time': set(),
    'uwsgi.py true': ALL,
    'uwsgi.py long': ALL,
    'uwsgi.py wild_strings': {'id', 'method'},
    'uwsgi.py other_seconds': set(),
    'uwsgi.py no_time': set(),
    'uwsgi.py is_over': set(),
    'uwsgi.py other_class': set(),
    'uwsgi.py wild_core': set(),
    'uwsgi.py lying_dict': set(),
    'uwsgi.py many': set(),
    'uwsgi.py in_turns': set(),
    'h11_impl.py true': ALL,
    'h11_impl.py long': ALL,
    'h11_impl.py no_strings': {'id', 'method'},
    'h11_impl.py no_path': set(),
    'h11_impl.py number': set(),
    'h11_impl.py other_class': set(),
    'h11_impl.py other_self': set(),
    'h11_impl.py many': set(),
    'h11_impl.py lying_dict': set(),
}


def some():
    """The oldest Python, the newest, and one between: they differ in where
    attributes are."""
    names = pythons.find()
    return sorted({names[0], names[len(names) // 2], names[-1]})


@contextlib.contextmanager
def started(name, label, *args):
    script, kind = label.split()
    folder = os.path.join(case.scratch, PLACES[script])
    os.makedirs(folder, exist_ok=True)
    script = shutil.copy(os.path.join(SCRIPTS, script), folder)
    with targets.started([pythons.program(name), script, kind, *args],
                         to='out.rbt') as target:
        yield target


def facts(target, function):
    """Names and values of the annotations of all samples in a function."""
    def annotations(runs):
        return [fields[listing.ANNOTATIONS] for _, fields in runs if
                any(frame[0].endswith(function)
                    for frame in pythons.frames(fields))]

    runs = target.record('-d', '500ms', '-r', '100', '--request', '--async',
                         'all', enough=lambda runs: len(annotations(runs)) > 4)
    return [dict(re.findall(r'request\.(\w+)=([^,]*)', text))
            for text in annotations(runs)]


@each(list(TOLD))
def test_only_what_can_be_believed_is_told(label):
    function = FUNCTIONS[label.split()[0]]
    for name in some():
        if pythons.is_free_threaded(name) and ' lying' in label:
            continue # what is changed there is elsewhere
        if pythons.minor_of(name) < 8 and 'h11_impl.py' in label:
            continue # tasks have no names
        with started(name, label) as target:
            of = facts(target, function)
            n = len(of)
            expect(n, '%s: no samples', name)
            # One that changed while it was read is not told at all.
            of = [told for told in of if told] or of
            expect(2 * len(of) > n, '%s: %d of %d', name, len(of), n)
            for told in of:
                expect(set(told) == TOLD[label], '%s: %s', name, told)
                expect(max(map(len, told.values()), default=0) <= MOST,
                       '%s: a value of %d bytes', name,
                       max(map(len, told.values()), default=0))


def test_another_request_with_each_look():
    with hostile.scene('--request', '--async', 'all') as scene, \
            contextlib.ExitStack() as stack:
        pids = [stack.enter_context(started(name, script + ' restless',
                                            scene.mark)).pid
                for name in some() for script in PLACES]
        scene.daemon.wait(has(*pids), 'the restless processes')
        scene.check()
        scene.end()
