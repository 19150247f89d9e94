/*
 * Instructions from 3.11 on: how long they are, and which can enter another
 * function without C between them.
 */
#ifndef CAPTURE_PYTHON_OPS_H
#define CAPTURE_PYTHON_OPS_H

#include <stddef.h>
#include <stdint.h>

enum py_unit {
	PY_UNIT_STARTS = 1, /* an instruction; else one of its caches */
	PY_UNIT_CALLS = 2,  /* belongs to one that can enter a function */
	PY_UNIT_UNKNOWN = 4 /* it may be anything, also the two above */
};

#define PY_OPS_FIRST 11
#define PY_OPS_LAST 15

/* By version and opcode: how many caches follow, 0x80 when it can enter, 0x40
 * when another instruction was put in its place. */
extern const uint8_t py_ops_table[PY_OPS_LAST - PY_OPS_FIRST + 1][256];

/*
 * Marks n units of code (two bytes each). Where it is not known what they are
 * (a newer version, or code that is traced) all of them may be anything: each
 * is all of enum py_unit.
 */
void py_ops_scan(unsigned minor, const uint8_t *code, size_t n,
    uint8_t *unit);

/* How many units in front of this one its instruction begins. */
size_t py_ops_back(const uint8_t *unit, size_t at);

#endif
