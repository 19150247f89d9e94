/*
 * Folded stacks as CPython's own profiler (profiling.sampling, "Tachyon")
 * writes them with --collapsed, line for line:
 *
 *     tid:4711;app.py:<module>:12;db.py:query:40;<GC> 917
 *
 * It is a sink of its own, which the option tachyon-names asks for. tachyon.c
 * gathers weights by thread and stack, lines.c orders and writes them.
 */
#ifndef FORMAT_FOLDED_CPYTHON_TACHYON_H
#define FORMAT_FOLDED_CPYTHON_TACHYON_H

#include "format/format.h"

#define FOLDED_TACHYON_KEY "tachyon-names"

/* For the format's table of options. */
#define FOLDED_TACHYON_OPTION                                                \
	{ FOLDED_TACHYON_KEY, NULL, "threads, names and order as CPython's " \
	    "own profiler writes them (--collapsed)" }

struct pairs;

/* The slot `variant`: the sink that these options ask for. */
const struct sink_ops *folded_variant(const struct bob_option *v, size_t n);

/* Writes a line for each of the pairs 1 .. pairs->n - 1 that has a weight, by
 * number of the pair. BOB_OK or FATAL. */
int tachyon_lines(struct sink *sink, const struct pairs *pairs,
    const uint64_t *weight);

#endif
