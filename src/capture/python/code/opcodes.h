/*
 * Instructions from 3.11 on: how long they are, and which can enter another
 * Python function directly, without C between them.
 */
#ifndef CAPTURE_PYTHON_CODE_OPCODES_H
#define CAPTURE_PYTHON_CODE_OPCODES_H

#include <stddef.h>
#include <stdint.h>

enum py_unit {
	PY_UNIT_STARTS = 1, /* an instruction; else part of its inline cache */
	PY_UNIT_CALLS = 2,  /* of an instruction that can enter a function */
	PY_UNIT_UNKNOWN = 4 /* not known; the other two bits are set too */
};

#define PY_OPS_FIRST 11
#define PY_OPS_LAST 15

/* By version and opcode: the units of inline cache that follow; 0x80 if it can
 * enter a function; 0x40 if it replaces an instruction that is kept
 * elsewhere. */
extern const uint8_t py_ops_table[PY_OPS_LAST - PY_OPS_FIRST + 1][256];

/*
 * Sets unit[i] (enum py_unit) for each of n units of code. Not known are units
 * of a newer version, and those from the first replaced instruction on (code
 * that is traced): they have all bits.
 */
void py_ops_scan(unsigned minor, const uint8_t *code, size_t n,
    uint8_t *unit);

/* How many units before unit `at` its instruction begins. */
size_t py_ops_back(const uint8_t *unit, size_t at);

#endif
