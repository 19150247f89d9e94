/*
 * Frames as text formats write them, in both directions:
 *
 *     NAME FILE:LINE
 *     NAME FILE:LINE:OPCODE
 *     MODULE::SYMBOL+0xOFFSET [native]:0
 *
 * Names and paths may hold spaces, so where the name ends is a guess (the
 * first space before something that begins like a path and is not inside
 * brackets, else the first space). The writer asks the reader's function: only
 * a frame that would be guessed wrong has its spaces escaped.
 */
#ifndef FORMAT_COMMON_FRAMETEXT_H
#define FORMAT_COMMON_FRAMETEXT_H

#include <bobbin/model.h>

#include "core/text.h"
#include "model/dict.h"

/* The parts of a frame, still escaped unless is_raw. */
struct frame_words {
	struct bob_bytes name, file, opname;
	int64_t where;
	uint8_t lang;  /* enum bob_lang */
	uint8_t flags; /* OPNAME, NO_LINE */
	uint8_t is_raw; /* the format knows no escapes */
};

/* Takes one of the three forms apart. Returns 1, or 0 when it is none of
 * them. */
int frame_words_split(const char *p, size_t n, struct frame_words *ret);

/* The same for a text of any shape, see frametext_any.c. Always 1. */
int frame_words_split_any(const char *p, size_t n, struct frame_words *ret);

/* Returns the offset of the space between name and file in `NAME FILE`, or
 * n. */
size_t frame_words_gap(const char *p, size_t n);

/* True when p begins like an absolute path, `<internal>` or `[native]`. */
int frame_words_is_path(const char *p, size_t n);

/* True when this can be the name of an opcode. */
int frame_words_is_opcode(const char *p, size_t n);

/* PYTHON for a file that ends in .py, else PHP. */
uint8_t frame_words_lang(struct bob_bytes file);

/* A buffer for names that are put together from their parts. */
struct frame_name {
	char *p;
	size_t cap_p;
};

/* The full name of a frame, valid until the next call. BOB_OK or FATAL. */
int frame_name_get(struct frame_name *b, const struct bob_dict *d, bob_fid id,
    struct bob_bytes *ret);
void frame_name_done(struct frame_name *b);

/* Writes `NAME FILE:LINE` so that frame_words_split gives the same parts.
 * name_kinds and file_kinds: the kinds of bytes (core/text.h) to escape. */
void frame_words_put(struct text *t, struct bob_bytes name,
    struct bob_bytes file, int64_t line, unsigned name_kinds,
    unsigned file_kinds);

/* The same for frame_words_split_any: name, file and line of f, as far as they
 * are known. In native code, where there is an offset instead of a line, the
 * line is 0. Kinds of bytes to escape in both, besides spaces. */
void frame_words_put_any(struct text *t, const struct bob_frame *f,
    struct bob_bytes name, struct bob_bytes file, unsigned kinds);

#endif
