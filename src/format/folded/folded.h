/*
 * Folded stacks: one line per stack, root first, frames separated by ';', then
 * a space and a count. The format is described in docs/formats/folded.md.
 *
 * folded.h, folded.c, read.c and write.c are the template for a new format
 * (docs/adding-a-format.md). The folder cpython/ is no part of it: a second
 * sink, for lines as CPython's own profiler writes them.
 */
#ifndef FORMAT_FOLDED_H
#define FORMAT_FOLDED_H

#include "format/folded/cpython/tachyon.h"
#include "format/format.h"

extern const struct format folded_format;
extern const struct source_ops folded_source;
extern const struct sink_ops folded_sink;

#endif
