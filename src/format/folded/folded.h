/*
 * Folded stacks: one line per stack, root first, frames separated by ';', then
 * a space and a count. The format is described in docs/formats/folded.md.
 * This folder is the one to copy for a new format.
 */
#ifndef FORMAT_FOLDED_H
#define FORMAT_FOLDED_H

#include "format/format.h"
#include "format/frametext.h"
#include "model/weights.h"

extern const struct format folded_format;
extern const struct source_ops folded_source;
extern const struct sink_ops folded_sink;
extern const struct sink_ops folded_tachyon_sink; /* tachyon-names */

/* Takes a frame apart, whatever it looks like; always 1. */
int folded_split(const char *p, size_t n, struct frame_words *ret);

/* The option `unit`: whether samples are to be counted whatever their
 * periods. BOB_OK, or FAILED when it is no unit. */
int folded_unit(const struct sink *sink, int *ret_is_plain);

/* Says what counts are when they are not samples. */
void folded_tell_unit(struct bob_ctx *ctx, const struct weights *w);

#endif
