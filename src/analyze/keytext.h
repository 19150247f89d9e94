/*
 * The text of a key for a frame or a sample. Bytes are those of the trace; the
 * caller escapes them when it prints.
 */
#ifndef ANALYZE_KEYTEXT_H
#define ANALYZE_KEYTEXT_H

#include "analyze/keys.h"

/* Sets k->text and k->len to the text of a frame in a grouping (enum bob_group,
 * MODULE at most), *ret to its parts. Returns BOB_OK or FATAL. */
int keytext_frame(struct keys *k, bob_fid id, int group,
    struct key_parts *ret);

/* The same for a sample, for keys that belong to samples. */
int keytext_row(struct keys *k, const struct row *row, struct key_parts *ret);

#endif
