"""Recordings of programs that do not exist, as text of phpspy: samples in
their order, with clumps and phases."""
import random

from support import case


def trace(weights, samples, seed, clump=1, phases=1):
    """Functions of one sample after the other: weights is {name: weight}, a
    function stays for `clump` samples on average, and each phase prefers its
    own."""
    rng = random.Random(seed)
    names = sorted(weights)
    now = None
    for i in range(samples):
        phase = i * phases // samples
        if now is None or rng.random() * clump < 1:
            now = rng.choices(names, [
                weights[name] * (1 if k % phases == phase else 0.05)
                for k, name in enumerate(names)])[0]
        yield now


def write(functions, name):
    """Each sample is in main, in the module of the function, and in it."""
    blocks = []
    for function in functions:
        module = 'm%d' % (int(function.strip('f')) % 5)
        blocks.append('0 %s /app/%s.php:7\n1 %s /app/%s.php:3\n'
                      '2 <main> /app/index.php:1\n\n'
                      % (function, module, module, module))
    return case.write_file(''.join(blocks).encode(), name)


def zipf(count=40):
    """The i-th of count functions has a share of about 1 / (i + 2)."""
    weights = {'f%02d' % i: 1 / (i + 2) for i in range(count)}
    whole = sum(weights.values())
    return {name: weight / whole for name, weight in weights.items()}


def slower(weights, name, by):
    """The same when a function takes more time: `by` of the whole."""
    return dict(weights, **{name: weights.get(name, 0) + by})
