"""Pages that are files (`convert -o x.html`), and their engine."""
import base64
import contextlib
import gzip
import json
import os
import re
import subprocess

from support import bobbin, case, clients
from support.case import Failure, Skip, read_file

ENGINE = os.path.join(bobbin.ROOT, 'tests', 'interop', 'page_engine.mjs')


def make(*args):
    """Writes a page; the test is skipped in a build without the engine."""
    to = case.write_file(b'', 'page.html')
    run = bobbin.run('convert', '-t', 'html', '-o', to, *args,
                     ok=(bobbin.OK, bobbin.FAILED, bobbin.PARTIAL))
    if b'has no engine' in run.err:
        raise Skip('built without clang for WebAssembly')
    if run.code == bobbin.FAILED:
        raise Failure('no page: %s' % run.err.decode('utf-8', 'replace'))
    return to


@contextlib.contextmanager
def opened(*args):
    """A page, where a test has a server otherwise."""
    yield make(*args)


def facts(page):
    """What is said about the page."""
    return json.loads(re.search(br'id="page-facts">([^<]*)<',
                                read_file(page)).group(1))


def carried(data):
    """The .rbt that a page carries, one or two."""
    return [gzip.decompress(base64.b64decode(packed)) for packed in
            re.findall(br'class="trace">([^<]*)<', data)]


def traces(page):
    """The same of a path."""
    return carried(read_file(page))


def ask(page, *questions):
    """The answers, each {'text': JSON} or {'error': why}."""
    done = subprocess.run([clients.node(), ENGINE, page,
                           json.dumps(questions)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=4 * bobbin.TIMEOUT)
    if done.returncode != 0:
        raise Failure('engine: ' + done.stderr.decode('utf-8', 'replace')[:900])
    return json.loads(done.stdout)
