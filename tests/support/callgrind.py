"""Callgrind's profile data, read as its description says; what bobbin does
not write is a failure."""
import collections
import re

from support.case import Failure, expect

HEAD = re.compile(r'([a-z]+): (.*)')
NAME = re.compile(r'(fl|fn|cfi|cfn)=\((\d+)\)(?: (.*))?')
CALLS = re.compile(r'calls=(\d+) 0')
COST = re.compile(r'(\d+) (\d+) (\d+)')

Call = collections.namedtuple('Call', 'caller callee line count us samples')


class Profile:
    """own: {(name, file): {line: (us, samples)}}; calls: a list of Call."""

    def __init__(self, data):
        lines = data.decode('utf-8').split('\n')
        expect(lines[0] == '# callgrind format', 'first line %r', lines[0])
        expect(lines[-1] == '', 'no newline at the end')
        self.head = collections.defaultdict(list)
        self.own = {}
        self.calls = []
        self.names = {'fl': {}, 'fn': {}}
        self.at = {}
        at = 1
        while at < len(lines) and HEAD.fullmatch(lines[at]):
            key, value = HEAD.fullmatch(lines[at]).groups()
            self.head[key].append(value)
            at += 1
        self.call = None
        for line in lines[at:]:
            if line:
                self.body(line)
        expect(self.call is None, 'calls= without its cost')

    def body(self, line):
        found = NAME.fullmatch(line)
        if found:
            self.name(*found.groups())
            return
        found = CALLS.fullmatch(line)
        if found:
            expect(self.call is None, 'calls= without its cost')
            self.call = int(found.group(1))
            return
        found = COST.fullmatch(line)
        if not found:
            raise Failure('line %r' % line[:200])
        self.cost(*map(int, found.groups()))

    def name(self, key, ident, text):
        table = self.names['fl' if key in ('fl', 'cfi') else 'fn']
        if text is None:
            expect(ident in table, '%s=(%s) before its name', key, ident)
        else:
            expect(ident not in table, '%s=(%s) named twice', key, ident)
            table[ident] = text
        self.at[key] = table[ident]

    def cost(self, line, us, samples):
        caller = self.at['fn'], self.at['fl']
        if self.call is None:
            lines = self.own.setdefault(caller, {})
            expect(line not in lines, 'line %d of %r twice', line, caller)
            lines[line] = us, samples
            return
        callee = self.at['cfn'], self.at['cfi']
        self.calls.append(Call(caller, callee, line, self.call, us, samples))
        self.call = None

    def totals(self):
        costs = [c for lines in self.own.values() for c in lines.values()]
        return sum(c[1] for c in costs), sum(c[0] for c in costs)

    def summary(self):
        """(samples, us) as the head says."""
        us, samples = map(int, self.head['summary'][0].split())
        return samples, us

    def inclusive(self):
        """{(name, file): (samples, us)}, as viewers compute it: what came in
        by calls.  The root is not called and not in it."""
        sums = collections.defaultdict(lambda: [0, 0])
        for call in self.calls:
            sums[call.callee][0] += call.samples
            sums[call.callee][1] += call.us
        return {key: tuple(value) for key, value in sums.items()}
