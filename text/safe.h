/*
 * Foreign text made safe to print, and how wide it is.
 *
 * Text is taken apart into units that are never cut: a character with the
 * marks that combine with it, or one character of an escape. Each byte of a
 * character that is not BOB_CHAR_PLAIN (bobbin/chars.h), of a mark with
 * nothing to combine with, or that is not UTF-8 is shown as \xHH; on a terminal
 * that has only ASCII, so is everything above ASCII.
 *
 *     struct safe_text t;
 *     struct safe_char c;
 *
 *     safe_init(&t, p, n, 0);
 *     while (safe_next(&t, &c))
 *             fwrite(c.p, 1, c.n, stdout);
 */
#ifndef TEXT_SAFE_H
#define TEXT_SAFE_H

#include <stddef.h>
#include <stdint.h>

/* Combining marks of a unit that are in `ch`; the bytes have all of them. */
#define SAFE_MARKS 2

/* Bytes of an escaped character: \xHH for each of at most 4. */
#define SAFE_ESCAPE 16

struct safe_char {
	uint32_t ch[1 + SAFE_MARKS]; /* code points; 0 ends it early */
	uint8_t width;               /* columns: 1 or 2 */
	const char *p;               /* as UTF-8, valid until the next one */
	size_t n;
};

struct safe_text {
	const char *p, *end;
	int is_ascii; /* the terminal has nothing above ASCII */
	char escape[SAFE_ESCAPE];
	unsigned n_escape, at_escape;
};

void safe_init(struct safe_text *t, const char *p, size_t n, int is_ascii);

/* Returns 1 and sets *ret to the next unit; 0 at the end. */
int safe_next(struct safe_text *t, struct safe_char *ret);

/* The columns that the text takes. */
size_t safe_width(const char *p, size_t n, int is_ascii);

/* The same, but stops as soon as the width is above `limit`. */
size_t safe_width_upto(const char *p, size_t n, int is_ascii, size_t limit);

#endif
