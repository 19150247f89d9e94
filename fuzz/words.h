/*
 * Changes of an image of memory, four bytes each, as fuzz programs have them:
 * before which read (7 bits), where (16 bits), and what. Without the highest
 * bit of the first byte, `what` is a byte to put there. With it, `what` names a
 * whole word, as hostile processes have them in tables: 0, 1, -1, near the
 * sizes of buffers, pointers to itself.
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

/* True when a change is made before this read. */
int words_is_due(uint8_t when, size_t n_reads);

/* Makes a change. */
void words_change(const struct words_image *image, uint8_t when, size_t where,
    uint8_t what);

#endif
