/*
 * The language of frames. .rbt knows PHP and native ones only, so that of
 * others is METADATA, which counts for the frames that are defined behind it,
 * up to the next of its kind or the end of the segment:
 *
 *     bobbin.language    python
 *
 * A segment begins with php. Native frames say so by themselves.
 */
#ifndef FORMAT_RBT_LANG_H
#define FORMAT_RBT_LANG_H

#include <bobbin/model.h>

#define RBT_META_LANG "bobbin.language"

/* The word for a language; PHP's for what has none. */
const char *rbt_lang_name(enum bob_lang lang);

/* Returns 1 and sets the language when this is metadata about languages; 0 when
 * it is other metadata or not well-formed. */
int rbt_lang_parse(struct bob_bytes key, struct bob_bytes value,
    enum bob_lang *ret);

#endif
