/* The text of perf script; described in docs/formats/perf.md. */
#ifndef FORMAT_PERF_H
#define FORMAT_PERF_H

#include "format/format.h"

extern const struct format perf_format;
extern const struct source_ops perf_source;

#endif
