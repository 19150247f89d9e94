"""pylint over modules of the standard library, again and again."""
import os

import forever
from pylint import lint
from pylint.reporters import BaseReporter


class Silent(BaseReporter):
    def _display(self, layout):
        pass


MODULES = [os.path.join(os.path.dirname(os.__file__), name)
           for name in ('bisect.py', 'reprlib.py')]


def work():
    lint.Run(['--clear-cache-post-run=y', '--rcfile=', '--persistent=n'] +
             MODULES, reporter=Silent(), exit=False)


forever.run(work)
