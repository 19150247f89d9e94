#!/usr/bin/env python3
"""Makes src/capture/python/code/opcode_table.c from the headers of CPython.

    scripts/gen-python-opcodes.py INCLUDE_DIR... >opcode_table.c

Each directory is that of one version's Python.h, from 3.11 on, in order. What
is taken from them are facts: which opcode has which number, how many cache
entries follow it, and of which one it is a special form.
"""
import pathlib
import re
import sys

# Instructions that can enter a Python function without C between. If the caller
# stands on another instruction, the frame above it has returned.
CALLS = {"CALL", "CALL_KW", "CALL_FUNCTION_EX", "BINARY_SUBSCR", "LOAD_ATTR",
         "FOR_ITER", "SEND"}
CALLS_SINCE = {14: {"BINARY_OP"},
               15: {"GET_ITER", "STORE_ATTR", "COMPARE_OP", "CONTAINS_OP"}}
# The original instruction is kept elsewhere.
UNKNOWN = {"INSTRUMENTED_LINE", "INSTRUMENTED_INSTRUCTION", "ENTER_EXECUTOR"}


def table_of(text, name):
    body = re.search(r"_PyOpcode_%s\[256\] = \{(.*?)\n\};" % name, text, re.S)
    return dict(re.findall(r"\[(\w+)\] = (\w+)", body.group(1)))


def read(folder):
    def text_of(*names):
        return "".join((folder / n).read_text() for n in names
                       if (folder / n).exists())

    text = text_of("internal/pycore_opcode.h",
                   "internal/pycore_opcode_metadata.h")
    ids = {name: int(n) for name, n in re.findall(
        r"#define (\w+)\s+(\d+)\s*$",
        text_of("opcode.h", "opcode_ids.h"), re.M) if int(n) < 256}
    caches, deopt = table_of(text, "Caches"), table_of(text, "Deopt")
    version = int(re.search(r'#define PY_VERSION\s+"3\.(\d+)',
                            text_of("patchlevel.h")).group(1))
    calls = CALLS.union(*(names for since, names in CALLS_SINCE.items()
                          if version >= since))
    row = [0] * 256
    for name, n in ids.items():
        if name not in deopt:
            continue
        base = deopt[name].removeprefix("INSTRUMENTED_")
        row[n] = int(caches.get(deopt[name], caches.get(base, 0)))
        if base in calls:
            row[n] |= 0x80
        if name in UNKNOWN:
            row[n] |= 0x40
    return version, row


def main():
    print("/* Made by scripts/gen-python-opcodes.py; see opcodes.h. */\n"
          '#include "capture/python/code/opcodes.h"\n\n'
          "const uint8_t py_ops_table[PY_OPS_LAST - PY_OPS_FIRST + 1][256] "
          "= {")
    for folder in map(pathlib.Path, sys.argv[1:]):
        minor, row = read(folder)
        print("\t[%d - PY_OPS_FIRST] = {" % minor)
        for i in range(0, 256, 12):
            print("\t\t" + " ".join("%d," % v for v in row[i:i + 12]))
        print("\t},")
    print("};")


main()
