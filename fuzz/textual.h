/*
 * Text formats through the library, in memory: what one conversion gives, to
 * be compared with what another gives. A broken promise ends the program.
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

/* Aborts unless both ended alike with the same text. */
void textual_must_be_alike(const struct textual *a, const struct textual *b);

#endif
