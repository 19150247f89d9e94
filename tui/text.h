/*
 * Foreign text on a screen: how wide it is, what of it may be shown, and where
 * it may be cut.
 *
 * Text is taken apart into glyphs, the units that are never cut: a character
 * with the marks that combine with it, or one escaped byte. What could steer
 * a terminal, turn the direction of writing or is not UTF-8 is shown as \xHH;
 * in a plain-ASCII terminal, so is everything above ASCII.
 */
#ifndef TUI_TEXT_H
#define TUI_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Combining marks that are kept with their character. */
#define TEXT_MARKS 2

struct glyph {
	uint32_t ch[1 + TEXT_MARKS]; /* 0 ends it early */
	uint8_t width;               /* columns: 1 or 2 */
};

/* Walks over text glyph by glyph. */
struct text {
	const char *p, *end;
	int is_ascii; /* the terminal has nothing above ASCII */
	uint8_t escape[16];
	unsigned n_escape, at_escape;
};

void text_init(struct text *t, const char *p, size_t n, int is_ascii);

/* The next glyph: 1, or 0 at the end. */
int text_next(struct text *t, struct glyph *ret);

/* Columns that the text takes. */
size_t text_width(const char *p, size_t n, int is_ascii);

/* The same for text of any length: more than `limit` means only that. */
size_t text_width_upto(const char *p, size_t n, int is_ascii, size_t limit);

#define TEXT_NUMBER 40

/* 1234567 as "1,234,567"; returns buf. */
const char *text_count(char buf[TEXT_NUMBER], uint64_t n);

/* Microseconds: "12 us", "3.14 s", "2 h 03 m". */
const char *text_time(char buf[TEXT_NUMBER], uint64_t us);

/* A share as "12.3%", always five digits wide and never "-0.0". */
const char *text_percent(char buf[TEXT_NUMBER], double share);

#endif
