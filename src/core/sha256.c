/* SHA-256; see the header. */
#include "core/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64
 * primes. */
static const uint32_t K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t
turn(uint32_t v, unsigned by)
{
	return v >> by | v << (32 - by);
}

static uint32_t
get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

static void
put_be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

static void
schedule(uint32_t w[64], const uint8_t *block)
{
	int i;

	for (i = 0; i < 16; i++)
		w[i] = get_be32(block + 4 * i);
	for (; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		    (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
		    (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
}

/* s holds the working variables a to h. */
static void
rounds(uint32_t s[8], const uint32_t w[64])
{
	int i;

	for (i = 0; i < 64; i++) {
		uint32_t a = s[0], e = s[4];
		uint32_t t1 = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
		    ((e & s[5]) ^ (~e & s[6])) + K[i] + w[i];
		uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
		    ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
}

static void
take_block(struct sha256 *h, const uint8_t *block)
{
	uint32_t w[64], s[8];
	int i;

	schedule(w, block);
	memcpy(s, h->state, sizeof(s));
	rounds(s, w);
	for (i = 0; i < 8; i++)
		h->state[i] += s[i];
}

void
sha256_init(struct sha256 *h)
{
	static const uint32_t begin[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
		0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(h->state, begin, sizeof(begin));
	h->n = 0;
}

void
sha256_add(struct sha256 *h, const void *p, size_t n)
{
	const uint8_t *at = p;
	size_t held = h->n % SHA256_BLOCK, part = SHA256_BLOCK - held;

	if (n == 0)
		return;
	h->n += n;
	if (held > 0) {
		part = n < part ? n : part;
		memcpy(h->block + held, at, part);
		at += part;
		n -= part;
		if (held + part < SHA256_BLOCK)
			return;
		take_block(h, h->block);
	}
	for (; n >= SHA256_BLOCK; at += SHA256_BLOCK, n -= SHA256_BLOCK)
		take_block(h, at);
	memcpy(h->block, at, n);
}

void
sha256_end(struct sha256 *h, uint8_t ret[SHA256_BYTES])
{
	static const uint8_t pad[SHA256_BLOCK] = { 0x80 };
	uint64_t bits = h->n * 8;
	uint8_t length[8];
	size_t held = h->n % SHA256_BLOCK;
	int i;

	sha256_add(h, pad, held < 56 ? 56 - held : 120 - held);
	put_be32(length, (uint32_t)(bits >> 32));
	put_be32(length + 4, (uint32_t)bits);
	sha256_add(h, length, sizeof(length));
	for (i = 0; i < 8; i++)
		put_be32(ret + 4 * i, h->state[i]);
}
