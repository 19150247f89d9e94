/*
 * The text of keys: how a frame or a sample is called when it is grouped by
 * something. Bytes come as they are in the trace; who prints them escapes.
 */
#ifndef ANALYZE_KEYTEXT_H
#define ANALYZE_KEYTEXT_H

#include "analyze/keys.h"

/* Writes the text of a frame to k->text and k->len, and where its parts are
 * to *ret. BOB_OK or FATAL. */
int keytext_frame(struct keys *k, bob_fid id, struct key_parts *ret);

/* The same for a sample, for keys that belong to samples. */
int keytext_row(struct keys *k, const struct row *row, struct key_parts *ret);

#endif
