"""Programs that are built beside bobbin."""
import os

from support import bobbin, case

BUILD = os.path.dirname(bobbin.PROGRAM)
MAKE_TRACE = os.path.join(BUILD, 'tools', 'make-trace')
EXAMPLES = os.path.join(BUILD, 'examples')
MAN = os.path.join(BUILD, 'man')


def make_trace(*options, name='trace.rbt'):
    """The path of a generated trace."""
    made = bobbin.execute([MAKE_TRACE] + [str(o) for o in options])
    return case.write_file(made.out, name)
