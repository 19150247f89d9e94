/*
 * Folded stacks as CPython's own profiler writes them, line for line:
 *
 *     tid:4711;app.py:<module>:12;db.py:query:40;<GC> 917
 *
 * tachyon.c gathers weights by thread and stack, tachyon_lines.c orders and
 * writes them.
 */
#ifndef FORMAT_FOLDED_TACHYON_H
#define FORMAT_FOLDED_TACHYON_H

#include "format/folded/pairs.h"
#include "format/format.h"

/*
 * Writes a line for each of the pairs 1 .. pairs->n - 1 with a weight, by
 * number. BOB_OK or FATAL.
 */
int tachyon_lines(struct sink *sink, const struct pairs *pairs,
    const uint64_t *weight);

#endif
