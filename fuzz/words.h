/*
 * Changes of a memory image, for fuzz programs. A change has four bytes: before
 * which read it happens (7 bits), where (16 bits), and what. If the highest bit
 * of the first byte is 0, `what` is a byte to write. Otherwise `what` chooses a
 * whole word that a hostile process might use: 0, 1, -1, numbers near the sizes
 * of buffers, pointers to itself.
 */
#ifndef FUZZ_WORDS_H
#define FUZZ_WORDS_H

#include <stddef.h>
#include <stdint.h>

#define WORDS_IS_WORD 0x80u

struct words_image {
	uint8_t *bytes;
	size_t n;    /* a multiple of 8 */
	uint64_t at; /* address of the first */
};

/* True if a change is due before this read. */
int words_is_due(uint8_t when, size_t n_reads);

/* Makes a change. */
void words_change(const struct words_image *image, uint8_t when, size_t where,
    uint8_t what);

#endif
