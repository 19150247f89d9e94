/* Callgrind's profile data; described in docs/formats/callgrind.md. */
#ifndef FORMAT_CALLGRIND_H
#define FORMAT_CALLGRIND_H

#include "format/format.h"

extern const struct format callgrind_format;
extern const struct sink_ops callgrind_sink;

#endif
