/*
 * Folded stacks: one line per stack, root first, frames separated by ';', then
 * a space and a count. The format is described in docs/formats/folded.md.
 * This folder is the one to copy for a new format.
 */
#ifndef FORMAT_FOLDED_H
#define FORMAT_FOLDED_H

#include "format/format.h"
#include "format/frametext.h"

extern const struct format folded_format;
extern const struct source_ops folded_source;
extern const struct sink_ops folded_sink;

/* Takes a frame apart, whatever it looks like; always 1. */
int folded_split(const char *p, size_t n, struct frame_words *ret);

#endif
