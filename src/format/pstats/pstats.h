/* Profiles for Python's pstats; described in docs/formats/pstats.md. */
#ifndef FORMAT_PSTATS_H
#define FORMAT_PSTATS_H

#include "format/format.h"

extern const struct format pstats_format;
extern const struct sink_ops pstats_sink;

#endif
