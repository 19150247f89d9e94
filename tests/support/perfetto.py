"""A decoder for Perfetto's traces, as strict as a viewer may be: whatever a
sample refers to must be defined before it, once, on its own sequence."""
import collections

from support.case import expect
from support.pprof import fields, message, one

# Field numbers of perfetto/trace/*.proto.
PACKET = 1
(PROCESS_TREE, CLOCK_SNAPSHOT, TIMESTAMP, SEQUENCE, INTERNED, FLAGS, DEFAULTS,
 IS_FIRST, STACK_SAMPLE) = 2, 6, 8, 10, 12, 13, 59, 87, 135
FUNCTION_NAMES, FRAMES, CALLSTACKS, SOURCE_PATHS, TASKS = 5, 6, 7, 18, 48
# StackSample
TASK_IID, CALLSTACK_IID, WEIGHT = 2, 6, 11

Frame = collections.namedtuple('Frame', 'name file line kind')
# Frames root first; times and weights in nanoseconds.
Sample = collections.namedtuple('Sample', 'time pid tid frames weight')


def known(msg, numbers, what):
    unknown = set(msg) - set(numbers)
    expect(not unknown, '%s has fields %s', what, unknown)


class Trace:
    def __init__(self, data):
        self.samples, self.clocks = [], []
        self.processes, self.threads, self.parents = {}, {}, {}
        self.tables = {field: {} for field in (
            FUNCTION_NAMES, FRAMES, CALLSTACKS, SOURCE_PATHS, TASKS)}
        self.source = self.counter = None
        for i, (number, value) in enumerate(fields(data)):
            expect(number == PACKET, 'field %d outside packets', number)
            self.take(message(value), i == 0)

    def take(self, packet, is_first):
        known(packet, (PROCESS_TREE, CLOCK_SNAPSHOT, TIMESTAMP, SEQUENCE,
                       INTERNED, FLAGS, DEFAULTS, IS_FIRST, STACK_SAMPLE),
              'a packet')
        expect(one(packet, SEQUENCE) == 1, 'another sequence')
        expect(one(packet, FLAGS) == (1 if is_first else 2), 'flags %d',
               one(packet, FLAGS))
        expect(one(packet, IS_FIRST) == is_first, 'first of its sequence')
        expect(bool(packet[DEFAULTS]) == is_first, 'defaults')
        for value in packet[DEFAULTS]:
            self.take_defaults(message(value))
        for value in packet[CLOCK_SNAPSHOT]:
            self.take_clocks(message(value))
        for value in packet[PROCESS_TREE]:
            self.take_tree(message(value))
        for value in packet[INTERNED]:
            self.take_interned(value)
        for value in packet[STACK_SAMPLE]:
            self.take_sample(one(packet, TIMESTAMP, None), message(value))

    def take_defaults(self, defaults):
        known(defaults, (100,), 'the defaults')
        sample = message(one(defaults, 100))
        known(sample, (1, 2), 'the defaults of samples')
        self.source = one(sample, 1).decode()
        counter = message(one(sample, 2))
        self.counter = one(counter, 2).decode(), one(counter, 3)

    def take_clocks(self, snapshot):
        expect(one(snapshot, 2) == 6, 'primary clock')
        clocks = [message(c) for c in snapshot[1]]
        self.clocks.append({one(c, 1): one(c, 2) for c in clocks})

    def take_tree(self, tree):
        for process in map(message, tree[1]):
            pid = one(process, 1)
            expect(pid not in self.processes, 'process %d twice', pid)
            self.processes[pid] = one(process, 3).decode('utf-8')
            if process[2]:
                self.parents[pid] = one(process, 2)
        for thread in map(message, tree[2]):
            key = one(thread, 3), one(thread, 1)
            expect(key not in self.threads, 'thread %s twice', key)
            expect(key[0] in self.processes, 'thread %s of nothing', key)
            self.threads[key] = one(thread, 2, b'').decode('utf-8')

    def take_interned(self, data):
        for field, value in fields(data):
            expect(field in self.tables, 'interned field %d', field)
            entry = message(value)
            iid = one(entry, 1)
            expect(iid > 0, 'iid 0')
            expect(iid not in self.tables[field], 'field %d: iid %d twice',
                   field, iid)
            self.tables[field][iid] = self.entry(field, entry)

    def entry(self, field, entry):
        if field in (FUNCTION_NAMES, SOURCE_PATHS):
            return one(entry, 2).decode('utf-8')
        if field == TASKS:
            return one(entry, 2), one(entry, 3)
        return entry

    def frame(self, iid):
        entry = self.tables[FRAMES][iid]
        known(entry, (1, 2, 5, 6, 7), 'a frame')
        return Frame(
            self.tables[FUNCTION_NAMES][one(entry, 2)] if entry[2] else '',
            self.tables[SOURCE_PATHS][one(entry, 5)] if entry[5] else '',
            one(entry, 6), one(entry, 7))

    def take_sample(self, time, sample):
        known(sample, (TASK_IID, CALLSTACK_IID, WEIGHT), 'a sample')
        expect(time is not None and time >= 0, 'time %s', time)
        task = self.tables[TASKS][one(sample, TASK_IID)]
        expect(task in self.threads, 'a sample of thread %s', task)
        frames = ()
        if sample[CALLSTACK_IID]:
            stack = self.tables[CALLSTACKS][one(sample, CALLSTACK_IID)]
            if not isinstance(stack, tuple):
                stack = tuple(self.frame(i) for i in stack[2])
                self.tables[CALLSTACKS][one(sample, CALLSTACK_IID)] = stack
            frames = stack
            expect(frames, 'an empty stack')
        self.samples.append(Sample(time, *task, frames, one(sample, WEIGHT)))
