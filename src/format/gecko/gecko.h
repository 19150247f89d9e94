/* Firefox Profiler's JSON; described in docs/formats/gecko.md. */
#ifndef FORMAT_GECKO_H
#define FORMAT_GECKO_H

#include "format/format.h"

/* Newer versions of the viewer read older files, never the other way round.
 * This one has its tables once for all threads. */
#define GECKO_VERSION "61"

extern const struct format gecko_format;
extern const struct sink_ops gecko_sink;

#endif
