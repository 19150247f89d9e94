"""A slow, plain TACH writer that keeps CPython's rules to the letter, in every
dialect: what bobbin's files must be, byte by byte, when nothing is compressed.

    Writer(dialect, ...).add(thread, interpreter, time, status, stack) ...
    .finish()  the file

A stack is a list of Frame(file, function, location, opcode), innermost first;
names are bytes.
"""
from oracle import tach_wire as wire
from oracle.tach_oracle import LAYOUTS, U64

# A run of equal stacks is collected as encoded pairs in this many bytes, and
# written when another pair of the largest size might not fit.
RUN_BYTES, PAIR_BYTES = 16384, 11


class Thread:
    def __init__(self, key, order, clock):
        self.where = key + (order,)
        self.clock = clock
        self.stack = []
        self.run, self.run_bytes = [], 0


class Table:
    """Values numbered in the order of their first use."""

    def __init__(self):
        self.index = {}

    def intern(self, value):
        return self.index.setdefault(value, len(self.index))

    def __iter__(self):
        return iter(self.index)         # dicts keep their order

    def __len__(self):
        return len(self.index)


class Writer:
    def __init__(self, dialect, order='<', start=0, **head):
        self.dialect, self.order, self.start = dialect, order, start
        self.head = head
        self.strings, self.frames = Table(), Table()
        self.threads = {}
        self.records = []
        self.samples = 0
        self.last_stack, self.last_indices = None, []

    def indices(self, stack):
        """Numbers of its frames; the same list again needs no look."""
        if stack is not self.last_stack:
            self.last_indices = [self.frame(frame) for frame in stack]
            self.last_stack = stack
        return self.last_indices

    def frame(self, frame):
        file = self.strings.intern(frame.file)
        function = self.strings.intern(frame.function)
        # Frames are equal when all that is stored of them is.
        return self.frames.intern(wire.frame(
            self.dialect, file, function, frame.location, frame.opcode))

    def add(self, thread, interpreter, time, status, stack):
        key = thread, interpreter
        if key not in self.threads:
            self.threads[key] = Thread(key, self.order, self.start)
        state = self.threads[key]
        stack = self.indices(stack)
        moment = (time - state.clock) & U64, status
        state.clock = time
        self.samples += 1
        if stack == state.stack:
            self.add_to_run(state, moment)
        else:
            self.end_run(state)
            self.change(state, moment, stack)

    def add_to_run(self, state, moment):
        if state.run_bytes + PAIR_BYTES > RUN_BYTES:
            self.end_run(state)
        state.run.append(moment)
        state.run_bytes += len(wire.varint(moment[0])) + 1

    def end_run(self, state):
        if state.run:
            self.records.append(wire.repeat(state.where, state.run))
        state.run, state.run_bytes = [], 0

    def change(self, state, moment, stack):
        old, shared = state.stack, 0
        while shared < min(len(old), len(stack)) \
                and old[-1 - shared] == stack[-1 - shared]:
            shared += 1
        pop, new = len(old) - shared, stack[:len(stack) - shared]
        if shared == 0 or (pop and shared < len(stack) // 2):
            record = wire.full(state.where, moment, stack)
        elif pop == 0:
            record = wire.suffix(state.where, moment, shared, new)
        else:
            record = wire.pop_push(state.where, moment, pop, new)
        self.records.append(record)
        state.stack = stack

    def finish(self, statistics=b''):
        for state in self.threads.values():
            self.end_run(state)
        return wire.build(
            self.dialect, self.records,
            [wire.string(text) for text in self.strings], list(self.frames),
            self.order, statistics, start=self.start, samples=self.samples,
            threads=len(self.threads), **self.head)


def frame_of(profile, index):
    """A frame as a reader hands it out: without a line there is nothing else
    about the place, and a frame of three fields has no end and no columns."""
    frame = profile.frames[index]
    location = tuple(-1 if value is None else value for value in frame[2:6])
    if frame.line == -1:
        location = (-1, -1, -1, -1)
    return wire.Frame(profile.string(frame.file),
                      profile.string(frame.function), location, frame.opcode)


def statistics_of(profile, order):
    """The block in its newer form, without what was not known."""
    block = profile.statistics
    if block is None:
        return b''
    failed = block.failed if block.flags & 1 else 0.0
    missed = block.missed if block.flags & 2 else 0.0
    return wire.statistics(order, 56, block.duration, block.rate, failed,
                           missed, block.flags & 3)


def rewrite(profile, records, dialect=None, order=None, **changes):
    """The file that a writer makes of another file's samples, in the order
    of its records."""
    name = dialect or profile.dialect
    head = {'start': profile.head.start, 'interval': profile.head.interval}
    if LAYOUTS[name].python:
        head['python'] = profile.head.python or (0, 0, 0)
    if LAYOUTS[name].mode:
        head['mode'] = profile.head.mode or 0
    head.update(changes)
    writer = Writer(name, order or profile.order, **head)
    known = {}
    for record in records:
        for index in record.stack:
            if index not in known:
                known[index] = frame_of(profile, index)
        stack = [known[index] for index in record.stack]
        for time, status in record.times:
            writer.add(record.thread, record.interpreter, time, status, stack)
    return writer.finish(statistics_of(profile, writer.order)
                         if LAYOUTS[name].mode else b'')
