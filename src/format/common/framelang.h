/*
 * The language of frames, in formats that do not store it: by the suffix of the
 * file; where there is no suffix (`<internal>`, `<frozen os>`, no file at all),
 * by the language of the other frames of the trace.
 */
#ifndef FORMAT_COMMON_FRAMELANG_H
#define FORMAT_COMMON_FRAMELANG_H

#include <bobbin/model.h>

/* The languages of a trace, by suffixes. Begins as { 0 }. */
struct lang_guess {
	int has_php, has_python;
};

void lang_guess_add(struct lang_guess *g, struct bob_bytes file);

/* Returns the language of a frame in this file. */
enum bob_lang lang_of_file(const struct lang_guess *g, struct bob_bytes file);

/* Sets the name of a frame of this language. BOB_OK or FATAL. It parses the
 * name, so where many frames share one, call it once for all. */
int lang_set_name(struct bob_dict *d, enum bob_lang lang,
    struct bob_bytes name, struct bob_frame *f);

/* Returns the frame with the name of `named`, this file and this line (0 or
 * less: none), or BOB_NO_ID on failure. */
bob_fid lang_put_named(struct bob_dict *d, enum bob_lang lang,
    const struct bob_frame *named, bob_str file, int64_t line);

/* Both in one call. BOB_NO_ID on failure. */
bob_fid lang_put_frame(struct bob_dict *d, enum bob_lang lang,
    struct bob_bytes name, bob_str file, int64_t line);

#endif
