"""The oracle against the recorded samples, so that it can be trusted where
nothing was recorded.  Needs no bobbin."""
import os

from oracle import rbt_gen, rbt_oracle
from support import fixtures, listing
from support.case import each, expect, read_file


def strict(data):
    """(runs, damage or None)"""
    runs = []
    try:
        for run in rbt_oracle.runs(data):
            runs.append(run)
    except rbt_oracle.Damage as damage:
        return runs, damage
    return runs, None


def test_all_fixtures_are_here():
    expect(len(fixtures.all_names()) == 31, '%d rbt fixtures, not 31',
           len(fixtures.all_names()))


@each(fixtures.intact_names() + list(fixtures.TRUNCATED))
def test_reads_what_was_recorded(name):
    runs, damage = strict(read_file(fixtures.rbt_path(name)))
    expect(damage is None, 'damage: %s', damage)
    facts = listing.digest(fixtures.beside(name, '.digest'))
    # The recording reader holds the newest sample back until the next event,
    # so a cut may cost it one.
    missing = listing.total(runs) - int(facts['samples'])
    expect(missing in ((0, 1) if name in fixtures.TRUNCATED else (0,)),
           '%d samples, not %s', listing.total(runs), facts['samples'])
    if not missing:
        got = listing.order_hash(runs)
        expect(got == facts['order-hash'], 'order-hash %s, not %s', got,
               facts['order-hash'])
    if os.path.exists(fixtures.beside(name, '.txt')):
        listing.expect_prefix(
            listing.from_fixture(fixtures.beside(name, '.txt')), runs)


def test_reads_a_million_samples():
    facts = listing.digest(fixtures.beside(fixtures.LARGE, '.digest'))
    got = listing.order_hash(
        rbt_oracle.runs(read_file(fixtures.rbt_path(fixtures.LARGE))))
    expect(got == facts['order-hash'], 'order-hash %s, not %s', got,
           facts['order-hash'])


@each(sorted(fixtures.DAMAGE))
def test_stops_at_damage(name):
    runs, damage = strict(read_file(fixtures.rbt_path(name)))
    expect(damage is not None, 'no damage seen')
    recorded = listing.from_fixture(fixtures.beside(name, '.txt'))
    expect(listing.total(runs) - listing.total(recorded) in (0, 1),
           '%d samples, recorded %d', listing.total(runs),
           listing.total(recorded))
    listing.expect_prefix(recorded, runs)


@each(sorted(fixtures.DAMAGE))
def test_file_without_its_damage_is_whole(name):
    runs, damage = strict(fixtures.without_damage(name))
    expect(damage is None, 'damage: %s', damage)
    recovered = listing.from_fixture(fixtures.beside(name, '.recovered.txt'))
    listing.expect_subsequence(listing.columns(recovered, listing.PID),
                               listing.columns(runs, listing.PID), name)


def test_generated_streams_are_legal():
    for seed in range(300):
        for shape in (rbt_gen.WILD, rbt_gen.SMALL, rbt_gen.FLAT):
            _, damage = strict(rbt_gen.generate(seed, shape))
            expect(damage is None, 'seed %d: %s', seed, damage)


def test_generator_leaves_nothing_out():
    """Every event type and every odd thing occurs within a few seeds."""
    seen = set()
    for seed in range(200):
        data = rbt_gen.generate(seed)
        seen.add('gzip' if b'\x1f\x8b\x08\0\0' in data else 'raw')
        for event in rbt_oracle.events(data):
            seen.add(event.type)
            if event.type == rbt_oracle.REPEAT_SAMPLE and event.values <= 0:
                seen.add('repeat nothing')
            if event.type == rbt_oracle.STACK_DEF and not event.values[1]:
                seen.add('empty stack')
    want = {'gzip', 'raw', 'repeat nothing', 'empty stack', 0, 0xff,
            rbt_oracle.HEADER} | set(range(1, 12))
    expect(want <= seen, 'never generated: %s', want - seen)
