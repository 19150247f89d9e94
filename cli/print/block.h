/*
 * Text that knows its width: lines, and blocks of lines that can stand side by
 * side. A call that runs out of memory sets `failed` and does nothing; ask with
 * block_is_whole before printing.
 */
#ifndef CLI_BLOCK_H
#define CLI_BLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <bobbin/api.h>

struct span {
	char *p; /* n bytes, no NUL */
	size_t n, cap;
	size_t width; /* columns */
	int failed;   /* memory ran out */
};

void span_done(struct span *l);

/* Text of our own: UTF-8 without control characters. */
void span_put(struct span *l, const char *s);
void span_printf(struct span *l, const char *fmt, ...) BOB_PRINTF(2, 3);

/* Foreign text, made safe by the rules of text/safe.h. span_safe_tabs keeps
 * tabs. */
void span_safe(struct span *l, const char *p, size_t n);
void span_safe_tabs(struct span *l, const char *p, size_t n);

/* Foreign text in at most `width` columns, cut in its middle: of a path the
 * file and the line stay. */
void span_safe_middle(struct span *l, const char *p, size_t n, size_t width);

/* Appends another line. */
void span_add(struct span *l, const struct span *other);

/* A colour for the text that follows, if standard output has colours (msg.h);
 * "0" ends it. It takes no columns. Do not crop the line afterwards. */
void span_color(struct span *l, const char *sgr);

/* Spaces up to a width. */
void span_pad(struct span *l, size_t width);

/* `s` n times. */
void span_fill(struct span *l, const char *s, size_t n);

/* Cuts a line to a width (0: any) and puts `mark` where text is missing: at the
 * end, or with keeps_end at the beginning. */
void span_crop(struct span *l, size_t width, int keeps_end, const char *mark);

/* The same, but cuts in the middle, so that a path keeps its beginning, its
 * name and its line. At least `head` columns of the beginning stay, if there is
 * room for twice as many. */
void span_crop_middle(struct span *l, size_t width, size_t head,
    const char *mark);

struct block {
	struct span *v;
	size_t n, cap;
	int failed;
	struct span nowhere; /* the line that there is no memory for */
};

void block_done(struct block *b);

/* Adds an empty line and returns it. Never NULL; valid until the next call. */
struct span *block_line(struct block *b);

/* The last line; a new one if there is none. Valid as long. */
struct span *block_last(struct block *b);

/* Appends foreign text to the last line; what is wider than `width` (0: any)
 * goes on in new lines. */
void block_flow(struct block *b, const char *p, size_t n, size_t width);

/* The most blocks side by side. */
#define BLOCK_JOINED 16

/* Blocks side by side, two columns apart, at the end of `b`; spaces at the
 * end of lines are left out. n is at most BLOCK_JOINED. */
void block_join(struct block *b, const struct block *v, size_t n);

/* Returns 0 if memory ran out while the block was made. */
int block_is_whole(const struct block *b);

/* Prints it, `end` behind each line. */
void block_print(const struct block *b, FILE *f, const char *end);

#endif
