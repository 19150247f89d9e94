"""pytest over the tests that toolz has with it, again and again."""
import os
import sys

import forever
import pytest
import toolz

TESTS = os.path.join(os.path.dirname(toolz.__file__), 'tests')


def work():
    out = os.dup(1)
    with open(os.devnull, 'w') as null:
        os.dup2(null.fileno(), 1)
        try:
            pytest.main(['-q', '-p', 'no:cacheprovider', '--rootdir', TESTS,
                         TESTS])
        finally:
            sys.stdout.flush()
            os.dup2(out, 1)
            os.close(out)


forever.run(work)
