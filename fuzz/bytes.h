/* A growing buffer, and an input that arrives in pieces. */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *p;
	size_t n, cap;
};

/* Ends the program without memory. */
void bytes_append(struct bytes *b, const void *p, size_t n);

/* The same as a bob_write_fn; user is a struct bytes. */
int bytes_write(void *user, const void *p, size_t n);

/* Gives `step` bytes at a time, and "nothing yet" (-2) before each piece. */
struct pieces {
	const uint8_t *p;
	size_t n, step;
	int has_given;
};

/* A bob_read_fn; user is a struct pieces. */
long pieces_read(void *user, void *buf, size_t cap);

#endif
