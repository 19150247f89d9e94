#!/usr/bin/env python3
"""The other side: what CPython's own TACH code makes of a file.

    cpython.py check                            is this Python new enough?
    cpython.py info FILE                        header and statistics, JSON
    cpython.py list FILE                        its samples, like bobbin dump
    cpython.py write SEED KIND COMPRESSION FILE a random profile

Runs in a CPython of 3.15 or newer and uses nothing of bobbin.  `write` lists
the samples in the order in which they were written, as a reader must see them;
KIND is plain (one thread), threads, tame (threads, names without separators
and control characters), or odd (frames that a rewritten file cannot keep
apart).
"""
import json
import random
import sys

import _remote_debugging as cpython

# The writer keeps this many frames of a stack, the innermost.
MAX_DEPTH = 256
BITS64 = (1 << 64) - 1


# ---- listing ---------------------------------------------------------------

def escaped(text):
    return ''.join(chr(byte) if 0x21 <= byte <= 0x7e and byte not in b'%,;='
                   else '%%%02X' % byte for byte in text.encode())


def frame_text(frame):
    file, location, function, opcode = frame
    return 'Y;%s;%s;%s;%s' % (
        escaped(function), escaped(file),
        '-;-;-;-' if location is None else '%d;%d;%d;%d' % tuple(location),
        '-' if opcode is None else opcode)


def as_kept(frame):
    """The frame as a reader gets it back: the format has no room for an
    unknown end, nor for columns without a line."""
    file, location, function, opcode = frame
    if location is not None:
        line, end_line, col, end_col = (
            -1 if number is None else number for number in location)
        if end_line == -1:
            end_line = line
        if col == -1 or end_col == -1:
            end_col = col
        location = None if line == -1 else (line, end_line, col, end_col)
    if opcode is not None and not 0 <= opcode <= 254:
        opcode = None
    return file, location, function, opcode


class Listing:
    """Lines of equal samples, each with their number."""

    def __init__(self):
        self.line, self.count = None, 0
        self.known = {}

    def sample(self, thread, interpreter, status, time, frames):
        known = self.known
        texts = [known.get(frame) or known.setdefault(
            frame, frame_text(frame)) for frame in frames]
        line = '\t'.join(['0', '-', str(thread), str(interpreter),
                          str(status), str(time), '-'] + texts)
        if line != self.line:
            self.flush()
            self.line = line
        self.count += 1

    def flush(self):
        if self.count:
            print('%d\t%s' % (self.count, self.line))
        self.count = 0

    # What BinaryReader.replay calls.
    def collect(self, interpreters, times):
        for interpreter in interpreters:
            for thread in interpreter.threads:
                frames = [tuple(frame) for frame in thread.frame_info]
                for time in times:
                    self.sample(thread.thread_id, interpreter.interpreter_id,
                                thread.status, time, frames)


# ---- random profiles -------------------------------------------------------

NAMES = ['main', 'f', '<module>', '<GC>', '', ' ', 'a;b', 'a b', 'x\ty\n',
         'nul\0', '100%', 'Größe', '名前', '\U0001f40d', 'q' * 300]
FILES = ['/app/main.py', '/app/lib/main.py', 'rel.py', '~', '', '<string>',
         '/tmp/', '/a b/c;d.py', '/düne/π.py', '/x/_sync_coordinator.py']
OPCODES = [None, None, None, 0, 1, 100, 254, 255, 300, -1]


def random_location(rng, is_odd):
    line = rng.choice([0, 1, 7, 1000, 70000, 2 ** 31 - 1, -2, -2 ** 31])
    kind = rng.randrange(7)
    if kind == 0:
        return None
    if kind == 1:
        return line, line, -1, -1
    if kind == 2:
        return line, None, None, None
    if kind == 3 and is_odd:
        return rng.choice([(-1, 9, 3, 5), (None, 1, 2, 3), (line, -1, 3, -1),
                           (line, line + 1 if line < 9 else line, -1, 5)])
    end_line = max(-2 ** 31, min(2 ** 31 - 1, line + rng.choice([0, 1, -3])))
    return line, end_line, rng.randrange(90), rng.randrange(90)


def tame(texts):
    return [text for text in texts if ';' not in text and
            (text == '' or text.isprintable())]


def random_frames(rng, kind):
    """Frames of which no two look alike to a reader, unless odd."""
    is_odd, frames = kind == 'odd', {}
    names, files = (tame(NAMES), tame(FILES)) if kind == 'tame' \
        else (NAMES, FILES)
    for _ in range(rng.choice([5, 60, 400])):
        frame = (rng.choice(files), random_location(rng, is_odd),
                 rng.choice(names) + str(rng.randrange(50)),
                 rng.choice(OPCODES))
        frames[frame if is_odd else as_kept(frame)] = frame
    return [cpython.FrameInfo((
        file, location and cpython.LocationInfo(location), function, opcode))
        for file, location, function, opcode in frames.values()]


class Thread:
    def __init__(self, rng, ident, interpreter, frames):
        self.rng, self.frames = rng, frames
        self.ident, self.interpreter = ident, interpreter
        self.stack, self.status = [], rng.randrange(64)
        self.repeats = 0
        self.move()

    def move(self):
        """The next stack, innermost frame first, and how long it stays."""
        rng = self.rng
        kind = rng.randrange(20)
        if kind == 0:
            self.stack = rng.choices(self.frames, k=rng.randrange(40))
        elif kind == 1 and rng.randrange(4) == 0:
            self.stack = rng.choices(self.frames, k=rng.choice([255, 256,
                                                                257, 300]))
        else:
            kept = self.stack[min(len(self.stack), rng.randrange(6)):]
            self.stack = rng.choices(self.frames, k=rng.randrange(5)) + kept
        self.repeats = rng.choice([0, 0, 0, 1, 3, 30])

    def sample(self):
        if self.repeats == 0:
            self.move()
        else:
            self.repeats -= 1
        if self.rng.randrange(4) == 0:
            self.status = self.rng.randrange(256)
        return cpython.ThreadInfo((self.ident, self.status,
                                   list(self.stack)))


def random_threads(rng, kind, frames):
    if kind == 'plain':
        return [Thread(rng, rng.choice([1, 4711, BITS64]),
                       rng.choice([0, 0, 7]), frames)]
    return [Thread(rng, ident, interpreter, frames)
            for ident in [0, 1, 4711, 2 ** 63, BITS64][:rng.randrange(1, 6)]
            for interpreter in [0, 1, 2 ** 32 - 1][:rng.randrange(1, 4)]]


def random_step(rng):
    if rng.randrange(50) == 0:
        return rng.choice([0, -1500, 2 ** 32, 2 ** 33 + 5, -2 ** 40, 2 ** 63])
    return rng.choice([990, 1000, 1003, 127, 128, 20000])


def is_empty_first(seen, thread):
    """A thread that begins with an empty stack gets its place in the file
    only when its first run ends."""
    key = thread.ident, thread.interpreter
    if key in seen or thread.stack:
        seen.add(key)
        return False
    return True


def written(rng, kind, writer, listing, time):
    """Writes a profile and lists it."""
    threads = random_threads(rng, kind, random_frames(rng, kind))
    if kind == 'plain' and rng.randrange(3) == 0:
        threads[0].repeats = 20000      # more than one record holds
    seen = set()
    for _ in range(threads[0].repeats + rng.choice([0, 1, 50, 500])):
        time = (time + random_step(rng)) & BITS64
        snapshot = []
        for thread in rng.sample(threads, rng.randint(1, len(threads))):
            sample = thread.sample()
            if kind == 'threads' and is_empty_first(seen, thread):
                continue
            listing.sample(thread.ident, thread.interpreter, thread.status,
                           time, map(as_kept, thread.stack[:MAX_DEPTH]))
            snapshot.append(cpython.InterpreterInfo((thread.interpreter,
                                                     [sample])))
        writer.write_sample(snapshot, time)


def open_writer(path, period, start, compression, extra):
    """A writer, and which of the extra arguments it has taken: some versions
    know none of them."""
    try:
        return cpython.BinaryWriter(path, period, start,
                                    compression=compression, **extra), extra
    except TypeError:
        return cpython.BinaryWriter(path, period, start,
                                    compression=compression), {}


def write(seed, kind, compression, path):
    rng = random.Random('%s-%s' % (kind, seed))
    start = rng.choice([1, 1000, 11498162336, BITS64 - 5000])
    extra = {}
    if rng.randrange(2):
        extra = {'mode': rng.randrange(-1, 5),
                 'capture_features': rng.randrange(-1, 32)}
    writer, extra = open_writer(path, rng.choice([1, 100, 1000]), start,
                                compression == 'zstd', extra)
    listing = Listing()
    written(rng, kind, writer, listing, start)
    listing.flush()
    if extra and rng.randrange(2):
        writer.set_stats(rng.random() * 100, rng.random() * 1e4,
                         rng.choice([None, 0.0, 12.5]),
                         rng.choice([None, 0.0, -3.25]))
    writer.finalize()


# ---- the command -----------------------------------------------------------

def main(command, *args):
    if command == 'check':
        cpython.BinaryReader, cpython.BinaryWriter
        print(sys.version.split()[0],
              'zstd' if cpython.zstd_available() else 'none')
    elif command == 'info':
        print(json.dumps(cpython.BinaryReader(*args).get_info()))
    elif command == 'list':
        listing = Listing()
        cpython.BinaryReader(*args).replay(listing)
        listing.flush()
    elif command == 'write':
        write(*args)


if __name__ == '__main__':
    main(*sys.argv[1:])
