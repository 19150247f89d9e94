/* Trace Event JSON, as chrome://tracing introduced it: calls as slices of
 * time. Described in docs/formats/chrome.md. */
#ifndef FORMAT_CHROME_H
#define FORMAT_CHROME_H

#include "format/format.h"

extern const struct format chrome_format;
extern const struct sink_ops chrome_sink;

#endif
