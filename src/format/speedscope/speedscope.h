/* speedscope's JSON; described in docs/formats/speedscope.md. */
#ifndef FORMAT_SPEEDSCOPE_H
#define FORMAT_SPEEDSCOPE_H

#include "format/format.h"

#define SPEEDSCOPE_SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* What stands in the name of a profile between the numbers of a thread and
 * what is known of its process. */
#define SPEEDSCOPE_PROCESS " \xe2\x80\x94 "

extern const struct format speedscope_format;
extern const struct source_ops speedscope_source;
extern const struct sink_ops speedscope_sink;
extern const struct bob_option_info speedscope_write_options[];

int speedscope_bid(const uint8_t *p, size_t n);

#endif
