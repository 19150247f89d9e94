/* austin's text; described in docs/formats/austin.md. */
#ifndef FORMAT_AUSTIN_H
#define FORMAT_AUSTIN_H

#include "format/format.h"

extern const struct format austin_format;
extern const struct source_ops austin_source;

#endif
