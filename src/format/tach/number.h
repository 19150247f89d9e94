/*
 * Varints as CPython reads them: at most ten bytes, bits above 64 dropped,
 * longer forms than needed allowed. Inline: they are the inner loop.
 */
#ifndef FORMAT_TACH_NUMBER_H
#define FORMAT_TACH_NUMBER_H

#include <stdint.h>

#include "core/varint.h"

/* How a number is wrong, or how much more it needs. */
enum { TACH_NUMBER_CUT = 0, TACH_NUMBER_OK = 1, TACH_NUMBER_BAD = -1 };

/* The rest of tach_number, when it has more than two bytes. */
static inline int
tach_number_long(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	const uint8_t *q = *p;
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; shift < 7 * VARINT_MAX; shift += 7) {
		if (q == end)
			return TACH_NUMBER_CUT;
		v |= (uint64_t)(*q & 0x7f) << shift;
		if (*q++ < 0x80) {
			*ret = v;
			*p = q;
			return TACH_NUMBER_OK;
		}
	}
	return TACH_NUMBER_BAD;
}

/* Decodes at *p and moves it behind; *p is left alone unless OK. */
static inline int
tach_number(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	const uint8_t *q = *p;

	if (end - q >= 2) {
		if (q[0] < 0x80) {
			*ret = q[0];
			*p = q + 1;
			return TACH_NUMBER_OK;
		}
		if (q[1] < 0x80) {
			*ret = (q[0] & 0x7fu) | (uint64_t)q[1] << 7;
			*p = q + 2;
			return TACH_NUMBER_OK;
		}
	}
	return tach_number_long(p, end, ret);
}

/* The same for what must fit into 32 bits. */
static inline int
tach_number32(const uint8_t **p, const uint8_t *end, uint32_t *ret)
{
	const uint8_t *q = *p;
	uint64_t v = 0;
	int r = tach_number(&q, end, &v);

	if (r != TACH_NUMBER_OK)
		return r;
	if (v > UINT32_MAX)
		return TACH_NUMBER_BAD;
	*ret = (uint32_t)v;
	*p = q;
	return TACH_NUMBER_OK;
}

#endif
