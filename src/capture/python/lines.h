/*
 * Which line, and which part of it, an instruction belongs to.
 *
 * Three encodings: pairs of steps up to 3.9, ranges in 3.10, and locations
 * with columns from 3.11 on. The tables are foreign: whatever they hold,
 * decoding ends with them, and no number overflows.
 */
#ifndef CAPTURE_PYTHON_LINES_H
#define CAPTURE_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

struct py_location {
	int32_t line;     /* -1: the instruction has none */
	int32_t end_line; /* the rest: -1 when only the line is known */
	int32_t col, end_col; /* bytes of the line, from 0 */
};

/*
 * The place of the instruction `unit` (counted in units of two bytes; below 0:
 * not begun yet) of a function that begins in line `first`. `minor` tells the
 * encoding.
 */
void py_lines_find(unsigned minor, const uint8_t *table, size_t n,
    int32_t first, int64_t unit, struct py_location *ret);

#endif
