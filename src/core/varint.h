/*
 * Base-128 varints, least significant group first, as protobuf writes them.
 * Inline: they are the inner loop of most formats.
 */
#ifndef CORE_VARINT_H
#define CORE_VARINT_H

#include <stddef.h>
#include <stdint.h>

/* The longest that varint_put writes: 64 bits in groups of 7. */
#define VARINT_MAX 10

/*
 * Reads a varint at *p. Returns 1, sets *ret and moves *p behind it; 0 if the
 * varint does not end before `end`: *p is then unchanged. As in reli's reader,
 * the length is not limited and bits above 64 are dropped.
 */
static inline int
varint_get(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	const uint8_t *q = *p;
	uint64_t v = 0;
	unsigned shift = 0;
	/* NOLINT(-Wanalyzer-use-of-uninitialized-value): see order_queue.c */
	if (q < end && *q < 0x80) {
		*ret = *q;
		*p = q + 1;
		return 1;
	}
	while (q < end) {
		uint8_t b = *q++;

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
		if (b < 0x80) {
			*ret = v;
			*p = q;
			return 1;
		}
	}
	return 0;
}

/* Writes v at p, which has room for VARINT_MAX bytes. Returns its end. */
static inline uint8_t *
varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Makes a difference near 0 a small number: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (0 - ((uint64_t)v >> 63));
}

static inline int64_t
unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* Returns how many bytes varint_put writes for v. */
static inline size_t
varint_size(uint64_t v)
{
	size_t n = 1;

	while (v >= 0x80) {
		v >>= 7;
		n++;
	}
	return n;
}

#endif
