"""Damage to files, one spot at a time: each changes a bytearray at a place."""


def overwrite(rng, data, at):
    for offset in range(at, min(at + rng.randint(1, 12), len(data))):
        data[offset] = rng.randrange(256)


def flip(rng, data, at):
    data[at] ^= 1 << rng.randrange(8)


def delete(rng, data, at):
    del data[at:at + rng.randint(1, 40)]


def insert(*lures):
    """Inserts bytes of any kind, or some that look like the format's own."""
    def change(rng, data, at):
        data[at:at] = rng.choice((
            bytes(rng.randrange(256) for _ in range(rng.randint(1, 40))),
            *lures, b'\0' * 30, b'\xff' * 30))
    return change


def cut(rng, data, at):
    del data[at:]


def repeat_part(rng, data, at):
    data[at:at] = data[at:at + rng.randint(1, 200)]
