#!/usr/bin/env python3
"""Add up the results of several test suites.

usage: sum-tests.py NAME=FILE...

FILE is either meson's testlog.json or the saved output of a suite whose last
line reads "N passed, N failed[, N skipped]"; FILE's sibling with the suffix
.rc, when there is one, holds the suite's exit status. One line per suite, then
the sum in the same form. A suite that left no result, or that ended badly
without naming a failure, counts as one failure: silence never passes.
"""

import json
import os
import re
import sys

LAST_LINE = re.compile(
    r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$")

# One C program holds many tests; cmocka and TAP both say how many.
CMOCKA = {
    "passed": re.compile(r"^\[\s+PASSED\s+\] (\d+) test", re.M),
    "failed": re.compile(r"^\[\s+FAILED\s+\] (\d+) test", re.M),
    "skipped": re.compile(r"^\[\s+SKIPPED\s+\] (\d+) test", re.M),
}
TAP_OK = re.compile(r"^ok\b", re.M)
TAP_SKIP = re.compile(r"^ok\b.*# *skip", re.M | re.I)
TAP_NOT_OK = re.compile(r"^not ok\b(?!.*# *todo)", re.M | re.I)


def count_program(test):
    """(passed, failed, skipped) of one entry of testlog.json."""
    text = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
    result = test.get("result", "ERROR")
    if result == "SKIP":
        return 0, 0, 1
    counts = [sum(map(int, CMOCKA[k].findall(text)))
              for k in ("passed", "failed", "skipped")]
    if not any(counts):
        skipped = len(TAP_SKIP.findall(text))
        counts = [len(TAP_OK.findall(text)) - skipped,
                  len(TAP_NOT_OK.findall(text)), skipped]
    good = result in ("OK", "EXPECTEDFAIL")
    if not any(counts):
        return (1, 0, 0) if good else (0, 1, 0)
    if not good and counts[1] == 0:
        counts[1] = 1
    return tuple(counts)


def count_meson(path):
    total = [0, 0, 0]
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.strip():
                for i, n in enumerate(count_program(json.loads(line))):
                    total[i] += n
    return total


def count_text(path):
    last = None
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.strip():
                last = line
    found = LAST_LINE.match(last or "")
    return [int(n or 0) for n in found.groups()] if found else None


def count_suite(path):
    rc = 0
    if os.path.exists(path + ".rc"):
        with open(path + ".rc", encoding="ascii") as f:
            rc = int(f.read() or 1)
    try:
        counts = (count_meson if path.endswith(".json") else count_text)(path)
    except (OSError, ValueError) as e:
        return [0, 1, 0], f"no result: {e}"
    if counts is None:
        return [0, 1, 0], f"ended without a count (exit status {rc})"
    if rc != 0 and counts[1] == 0:
        counts[1] = 1
        return counts, f"exit status {rc} without a named failure"
    return counts, ""


def line(counts):
    text = f"{counts[0]} passed, {counts[1]} failed"
    return text + (f", {counts[2]} skipped" if counts[2] else "")


def main(argv):
    total = [0, 0, 0]
    for arg in argv:
        name, path = arg.split("=", 1)
        counts, remark = count_suite(path)
        print(f"{name}: {line(counts)}" + (f" ({remark})" if remark else ""))
        total = [a + b for a, b in zip(total, counts)]
    print(line(total))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
