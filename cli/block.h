/*
 * Text that knows its width: lines, and blocks of lines that can stand side by
 * side. What is out of memory is remembered; the last step asks.
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
	int failed;   /* memory was out */
};

void span_done(struct span *l);

/* Text of our own: UTF-8 without control characters. */
void span_put(struct span *l, const char *s);
void span_printf(struct span *l, const char *fmt, ...) BOB_PRINTF(2, 3);

/* Text from outside, made harmless as by plain_safe. With `tabs`, tabs stay
 * what they are. */
void span_safe(struct span *l, const char *p, size_t n);
void span_safe_tabs(struct span *l, const char *p, size_t n);

/* Another line behind this one. */
void span_add(struct span *l, const struct span *other);

/* A colour for what follows, for standard output (msg.h); "0" ends it. No
 * columns. Not to be cropped afterwards. */
void span_color(struct span *l, const char *sgr);

/* Spaces up to a width. */
void span_pad(struct span *l, size_t width);

/* `s` n times. */
void span_fill(struct span *l, const char *s, size_t n);

/*
 * Cuts to a width (0: any) and puts `mark` where something is missing: at the
 * end, or with keeps_end at the beginning.
 */
void span_crop(struct span *l, size_t width, int keeps_end, const char *mark);

struct block {
	struct span *v;
	size_t n, cap;
	int failed;
};

void block_done(struct block *b);

/* A new, empty line at the end; never NULL, valid until the next one. */
struct span *block_line(struct block *b);

size_t block_width(const struct block *b);

/* At most so many blocks side by side. */
#define BLOCK_JOINED 16

/* Blocks side by side, two columns apart, at the end of `b`; spaces at the
 * end of lines are left out. n is at most BLOCK_JOINED. */
void block_join(struct block *b, const struct block *v, size_t n);

/* 0 when memory was out. */
int block_is_whole(const struct block *b);

/* Prints it, `end` behind each line. */
void block_print(const struct block *b, FILE *f, const char *end);

#endif
