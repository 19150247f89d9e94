/*
 * SHA-256 (FIPS 180-4): names for contents that nobody can forge.
 *
 *     sha256_init(&h);
 *     sha256_add(&h, p, n);        as often as needed
 *     sha256_end(&h, digest);
 */
#ifndef CORE_SHA256_H
#define CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_BLOCK 64

struct sha256 {
	uint32_t state[8];
	uint64_t n; /* bytes added */
	uint8_t block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *p, size_t n);

/* Ends it: h is to be initialized again before the next use. */
void sha256_end(struct sha256 *h, uint8_t ret[SHA256_BYTES]);

#endif
