/*
 * Conversions of text formats in memory, and comparing their results. A broken
 * promise ends the program.
 */
#ifndef FUZZ_TEXTUAL_H
#define FUZZ_TEXTUAL_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/bobbin.h>

struct textual {
	int status; /* BOB_EOF, or how it failed */
	char *p;
	size_t n, cap;
};

/* How to convert; options are those of the target. */
struct textual_how {
	const char *from, *to;
	const struct bob_option *options;
	size_t n_options;
	int trickle; /* a byte at a time, with AGAIN between them */
};

void textual_convert(struct textual *t, const void *p, size_t n,
    const struct textual_how *how);
void textual_done(struct textual *t);

/* Aborts unless both have the same status and text. */
void textual_must_be_alike(const struct textual *a, const struct textual *b);

/* Reads a format at once and a byte at a time. Both must give the same
 * listing. */
void textual_must_trickle_alike(const char *from, const void *p, size_t n);

#endif
