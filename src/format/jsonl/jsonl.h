/* JSON lines; described in docs/formats/jsonl.md. */
#ifndef FORMAT_JSONL_H
#define FORMAT_JSONL_H

#include "format/format.h"

extern const struct format jsonl_format;
extern const struct sink_ops jsonl_sink;

#endif
