/* Perfetto's own traces: a packet per sample. Described in
 * docs/formats/perfetto.md. */
#ifndef FORMAT_PERFETTO_H
#define FORMAT_PERFETTO_H

#include "format/format.h"

extern const struct format perfetto_format;
extern const struct sink_ops perfetto_sink;

#endif
