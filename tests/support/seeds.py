"""How many generated streams each property is tried on.

$BOBBIN_SEEDS is the number (default 200), $BOBBIN_FIRST_SEED where to begin.
Seeds are handed out in blocks, so that the runner can spread them.
"""
import os

from support.case import Failure, Skip

COUNT = int(os.environ.get('BOBBIN_SEEDS', 200))
FIRST = int(os.environ.get('BOBBIN_FIRST_SEED', 0))
BLOCK = 25


def blocks(part=1):
    """First seeds of blocks; `part` of a costly property's usual number."""
    return range(FIRST, FIRST + max(1, int(COUNT * part)), BLOCK)


def for_block(first, check):
    """Calls check(seed) for the seeds of a block and names the one that
    fails."""
    for seed in range(first, first + BLOCK):
        try:
            check(seed)
        except (Failure, Skip) as verdict:
            raise type(verdict)('seed %d: %s' % (seed, verdict))
