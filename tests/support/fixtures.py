"""The files under tests/data, and what is known about them."""
import glob
import os

from oracle import rbt_oracle
from support.bobbin import ROOT
from support.case import read_file

DATA = os.path.join(ROOT, 'tests', 'data')
RBT = os.path.join(DATA, 'rbt')
EDGE = os.path.join(RBT, 'edge')
PHPSPY = os.path.join(DATA, 'phpspy')

# Bytes to take out of a damaged file so that a healthy one with every sample
# that is still there remains.  This is the whole truth a recovery can find.
DAMAGE = {
    # A string whose length, 600, reaches over the next header.
    'corrupt-length-swallow': [(283, 287)],
    # A magic without a header right before the real one.
    'false-magic': [(0, 7)],
    # Junk with a version-2 header in it; junk again after the end.
    'garbage-prefix': [(0, 34), (-13, None)],
    # Event type 0x52 that is no header; the segment goes on behind it.
    'corrupt-reserved-type': [(133, 146)],
    # A length one above the limit, then the next header.
    'corrupt-length-16mb': [(283, 289)],
    # Twelve overwritten bytes between two samples.
    'corrupt-middle': [(50402, 50414)],
}
# Its dump has 1.6 GB, so it has tests of its own, which read it as a stream.
LARGE = 'large-1m'
# Cut inside an event: nothing is wrong with what is there.
TRUNCATED = ('truncated', 'truncated-in-header')


def rbt_path(name):
    raw = os.path.join(RBT, name + '.rbt')
    return raw if os.path.exists(raw) else raw + '.gz'


def edge_path(name):
    return os.path.join(EDGE, name + '.rbt')


def beside(name, suffix):
    """NAME.txt, NAME.digest, ...: what was recorded about a fixture."""
    return os.path.join(RBT, name + suffix)


def all_names():
    paths = glob.glob(os.path.join(RBT, '*.rbt*'))
    names = {os.path.basename(path).split('.rbt')[0] for path in paths}
    return sorted(n for n in names if not n.endswith('.recovered'))


def rbt_names():
    return [n for n in all_names() if n != LARGE]


def intact_names():
    """Fixtures that are whole, down to the last event."""
    return [n for n in rbt_names() if n not in DAMAGE and n not in TRUNCATED]


def without_damage(name):
    """The fixture's bytes without those that are wrong."""
    data = bytearray(read_file(rbt_path(name)))
    for start, end in reversed(DAMAGE.get(name, [])):
        del data[start:end]
    return bytes(data)


def damage_offsets(name):
    """Where damage may be reported: at the first wrong byte, or at the event
    that a reader in file order stumbles over because of it."""
    offsets = {DAMAGE[name][0][0]}
    try:
        for _ in rbt_oracle.runs(read_file(rbt_path(name))):
            pass
    except rbt_oracle.Damage as damage:
        offsets.add(damage.offset)
    return sorted(offsets)
