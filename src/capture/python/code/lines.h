/*
 * Decodes the line table of a code object: the line and columns of an
 * instruction.
 *
 * There are three encodings: pairs of steps up to 3.9, ranges in 3.10, and
 * locations with columns from 3.11 on. Tables are foreign data: whatever they
 * hold, decoding stops at their end and no number overflows.
 */
#ifndef CAPTURE_PYTHON_CODE_LINES_H
#define CAPTURE_PYTHON_CODE_LINES_H

#include <stddef.h>
#include <stdint.h>

struct py_location {
	int32_t line;     /* -1: the instruction has none */
	int32_t end_line; /* -1: only the line is known */
	int32_t col, end_col; /* in bytes, from 0; -1: not known */
};

/*
 * Finds the location of an instruction. `unit` counts units of two bytes, and
 * is below 0 before the first one; `first` is the first line of the function;
 * `minor` tells the encoding.
 */
void py_lines_find(unsigned minor, const uint8_t *table, size_t n,
    int32_t first, int64_t unit, struct py_location *ret);

#endif
