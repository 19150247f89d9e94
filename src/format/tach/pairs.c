/* Pairs of delta and status, in blocks; see the header. */
#include "format/tach/pairs.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "format/tach/number.h"

/* Pairs taken one by one before blocks are tried again. */
#define PLAIN 8

/* Takes the rest of a pair. Returns 1 when the pair is to be taken. */
static inline int
take_one(const uint8_t **p, const uint8_t *end, int status, uint32_t *dt)
{
	const uint8_t *q = *p;
	uint64_t delta;

	if (tach_number(&q, end, &delta) != TACH_NUMBER_OK || q == end)
		return 0;
	if (status != PAIRS_ANY_STATUS && *q != status)
		return 0;
	if (dt != NULL) {
		if (delta > UINT32_MAX)
			return 0;
		*dt = (uint32_t)delta;
	}
	*p = q + 1;
	return 1;
}

size_t
pairs_plain(const uint8_t **p, const uint8_t *end, size_t n, int status,
    uint32_t *dt)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!take_one(p, end, status, dt == NULL ? NULL : dt + i))
			break;
	return i;
}

/* --- deltas -------------------------------------------------------------- */

static inline void
store2(const uint8_t *p, size_t n, uint32_t *dt)
{
	size_t i;

	for (i = 0; i < n; i++)
		dt[i] = p[2 * i];
}

static inline void
store3(const uint8_t *p, size_t n, uint32_t *dt)
{
	size_t i;

	for (i = 0; i < n; i++)
		dt[i] = (p[3 * i] & 0x7fu) | (uint32_t)p[3 * i + 1] << 7;
}

/* --- by words ------------------------------------------------------------ */

/* 24 bytes: 12 pairs of two or 8 of three. */
#define WORDS 3

struct pattern {
	uint8_t care[8 * WORDS]; /* bits that matter */
	uint8_t must[8 * WORDS]; /* and what they must be */
};

/* The pattern of pairs of `size` bytes with this status. */
static void
make_pattern(struct pattern *m, size_t size, int status)
{
	size_t i;

	for (i = 0; i < sizeof(m->care); i++) {
		size_t at = i % size;

		if (at < size - 1) {
			m->care[i] = 0x80;
			m->must[i] = at < size - 2 ? 0x80 : 0;
		} else {
			m->care[i] = status == PAIRS_ANY_STATUS ? 0 : 0xff;
			m->must[i] = (uint8_t)status & m->care[i];
		}
	}
}

static int
matches(const struct pattern *m, const uint8_t *p)
{
	uint64_t care, must, v, bad = 0;
	size_t i;

	for (i = 0; i < sizeof(m->care); i += sizeof(v)) {
		memcpy(&care, m->care + i, sizeof(care));
		memcpy(&must, m->must + i, sizeof(must));
		memcpy(&v, p + i, sizeof(v));
		bad |= (v & care) ^ must;
	}
	return bad == 0;
}

size_t
pairs_words(const uint8_t **p, const uint8_t *end, size_t n, int status,
    uint32_t *dt)
{
	struct pattern two, three;
	size_t done = 0, k;

	make_pattern(&two, 2, status);
	make_pattern(&three, 3, status);
	while (n - done >= 4 * WORDS && (size_t)(end - *p) >= 8 * WORDS) {
		uint32_t *to = dt == NULL ? NULL : dt + done;

		if (matches(&two, *p)) {
			k = 4 * WORDS;
			if (to != NULL)
				store2(*p, k, to);
			*p += 8 * WORDS;
		} else if (matches(&three, *p)) {
			k = 8 * WORDS / 3;
			if (to != NULL)
				store3(*p, k, to);
			*p += 8 * WORDS;
		} else {
			k = pairs_plain(p, end, PLAIN, status, to);
			if (k < PLAIN)
				return done + k;
		}
		done += k;
	}
	return done + pairs_plain(p, end, n - done, status,
	    dt == NULL ? NULL : dt + done);
}

/* --- by vectors ---------------------------------------------------------- */

#ifdef __SSE2__

/* Bit i: byte i of the 64 at p has its top bit set. */
static inline uint64_t
top_bits(const __m128i *v)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(v[0]) |
	    (uint64_t)(unsigned)_mm_movemask_epi8(v[1]) << 16 |
	    (uint64_t)(unsigned)_mm_movemask_epi8(v[2]) << 32 |
	    (uint64_t)(unsigned)_mm_movemask_epi8(v[3]) << 48;
}

/* Every second or third bit of 64. */
#define EVERY_2 UINT64_C(0x5555555555555555)
#define EVERY_3 UINT64_C(0x1249249249249249) /* 21 of them, up to bit 60 */

/* Returns the number of pairs of two bytes at the start of 64, before the first
 * that is none. Bit i of `other`: byte i is not the status. */
static inline size_t
count2(uint64_t top, uint64_t other)
{
	uint64_t bad = (top & EVERY_2) | (other & EVERY_2 << 1);

	return bad == 0 ? 32 : (size_t)__builtin_ctzll(bad) / 2;
}

static inline size_t
count3(uint64_t top, uint64_t other)
{
	uint64_t bad = (~top & EVERY_3) | (top & EVERY_3 << 1) |
	    (other & EVERY_3 << 2);

	return bad == 0 ? 21 : (size_t)__builtin_ctzll(bad) / 3;
}

/* The first bytes of 8 pairs as numbers. */
static inline void
store2_vector(__m128i v, uint32_t *dt)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i low = _mm_and_si128(v, _mm_set1_epi16(0x00ff));

	_mm_storeu_si128((__m128i *)(void *)dt, _mm_unpacklo_epi16(low, zero));
	_mm_storeu_si128((__m128i *)(void *)(dt + 4),
	    _mm_unpackhi_epi16(low, zero));
}

static inline void
load64(const uint8_t *p, __m128i *v)
{
	int i;

	for (i = 0; i < 4; i++)
		v[i] = _mm_loadu_si128((const __m128i *)(const void *)
		    (p + 16 * i));
}

static inline __attribute__((always_inline)) size_t
take_vectors(const uint8_t **ret_p, const uint8_t *end, size_t n, int status,
    uint32_t *dt, int is_any)
{
	const __m128i wanted = _mm_set1_epi8((char)status);
	const uint8_t *p = *ret_p;
	size_t done = 0;

	while (done < n && end - p >= 64) {
		uint64_t top, other = 0;
		size_t k, k3;
		__m128i v[4], same[4];
		int i;

		load64(p, v);
		top = top_bits(v);
		if (!is_any) {
			for (i = 0; i < 4; i++)
				same[i] = _mm_cmpeq_epi8(v[i], wanted);
			other = ~top_bits(same);
		}
		k = count2(top, other);
		if (k == 32 && n - done >= 32) {
			for (i = 0; dt != NULL && i < 4; i++)
				store2_vector(v[i], dt + done + 8 * i);
			p += 64;
			done += 32;
			continue;
		}
		k3 = count3(top, other);
		if (k3 > k) {
			k3 = k3 < n - done ? k3 : n - done;
			if (dt != NULL)
				store3(p, k3, dt + done);
			p += 3 * k3;
			done += k3;
		} else if (k > 0) {
			k = k < n - done ? k : n - done;
			if (dt != NULL)
				store2(p, k, dt + done);
			p += 2 * k;
			done += k;
		} else if (take_one(&p, end, status, dt == NULL ? NULL :
		    dt + done)) {
			done++;
		} else {
			break;
		}
	}
	*ret_p = p;
	return done;
}

size_t
pairs_take(const uint8_t **p, const uint8_t *end, size_t n, int status,
    uint32_t *dt)
{
	size_t done;

	if (status == PAIRS_ANY_STATUS && dt == NULL)
		done = take_vectors(p, end, n, status, NULL, 1);
	else if (status == PAIRS_ANY_STATUS)
		done = take_vectors(p, end, n, status, dt, 1);
	else if (dt == NULL)
		done = take_vectors(p, end, n, status, NULL, 0);
	else
		done = take_vectors(p, end, n, status, dt, 0);
	return done + pairs_plain(p, end, n - done, status,
	    dt == NULL ? NULL : dt + done);
}

#else

size_t
pairs_take(const uint8_t **p, const uint8_t *end, size_t n, int status,
    uint32_t *dt)
{
	return pairs_words(p, end, n, status, dt);
}

#endif
