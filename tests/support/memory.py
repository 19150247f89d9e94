"""Starting bobbin under a limit on its memory."""
import functools
import os
import subprocess
import sys

from support import bobbin, case

MIB = 1 << 20
# Threads reserve address space that they never touch, so the hard limit is
# wide; what is really used is compared with a far smaller number.
ADDRESS_SPACE = 1024 * MIB
RESIDENT = 192 * MIB
# Shadow memory and quarantine of a sanitizer build; that for threads takes five to
# ten times as much.
SANITIZED_FACTOR = 6

BOUNDED = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       'bounded.py')


@functools.lru_cache(maxsize=None)
def sanitized():
    """Sanitizers map terabytes at the start, so they die under the limit."""
    if os.environ.get('BOBBIN_SANITIZED') == '1':
        return True
    probe = subprocess.run(
        [sys.executable, BOUNDED, str(ADDRESS_SPACE), os.devnull,
         bobbin.PROGRAM, '--version'],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return probe.returncode != 0


def run(*args, ok=(bobbin.OK,), resident=RESIDENT, **more):
    """bobbin.run() that also fails when more than `resident` bytes were
    used."""
    report = os.path.join(case.scratch, 'max-resident')
    limit = ADDRESS_SPACE
    if sanitized():
        limit, resident = 0, resident * SANITIZED_FACTOR
    result = bobbin.execute(
        [sys.executable, BOUNDED, str(limit), report, bobbin.PROGRAM]
        + list(args), ok=ok, **more)
    used = int(case.read_file(report).split()[0])
    case.expect(used <= resident, '%d MiB resident, the limit is %d',
                used // MIB, resident // MIB)
    return result
