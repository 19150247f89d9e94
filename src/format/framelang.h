/*
 * The language of frames in formats that do not tell it: by the suffix of the
 * file, and where there is none (`<internal>`, `<frozen os>`, nothing at all)
 * by what the other frames of the same trace are written in.
 */
#ifndef FORMAT_FRAMELANG_H
#define FORMAT_FRAMELANG_H

#include <bobbin/model.h>

/* What suffixes say; BOB_LANG_OTHER: nothing. */
enum bob_lang lang_of_suffix(struct bob_bytes file);

/* What a trace is written in, as far as suffixes tell: PHP or PYTHON when
 * only one of them occurs. Begins as { 0 }. */
struct lang_guess {
	int has_php, has_python;
};

void lang_guess_add(struct lang_guess *g, struct bob_bytes file);

/* The language of a frame in this file. */
enum bob_lang lang_of_file(const struct lang_guess *g, struct bob_bytes file);

/* Sets what a frame of this language is called. BOB_OK or FATAL. The cost is
 * that of the name: where many frames share one, it is done once for all. */
int lang_set_name(struct bob_dict *d, enum bob_lang lang,
    struct bob_bytes name, struct bob_frame *f);

/* A frame with the name of `named`, this file and line (0 or less: none), in
 * its language. BOB_NO_ID on failure. */
bob_fid lang_put_named(struct bob_dict *d, enum bob_lang lang,
    const struct bob_frame *named, bob_str file, int64_t line);

/* Both at once. BOB_NO_ID on failure. */
bob_fid lang_put_frame(struct bob_dict *d, enum bob_lang lang,
    struct bob_bytes name, bob_str file, int64_t line);

#endif
