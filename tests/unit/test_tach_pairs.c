/* Pairs of delta and status: the fast ways against the plain one. */
#include "support.h"

#include <stdlib.h>

#include "format/tach/pairs.h"

typedef size_t pairs_fn(const uint8_t **, const uint8_t *, size_t, int,
    uint32_t *);

static uint64_t
draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Exactly what the plain way does, from every place, with every stop. */
static void
assert_alike(pairs_fn *fast, const uint8_t *bytes, size_t n, int status)
{
	uint32_t *a = malloc((n + 1) * sizeof(*a));
	uint32_t *b = malloc((n + 1) * sizeof(*b));
	const uint8_t *p = bytes, *end = bytes + n, *x, *y;
	size_t most, k;

	assert_true(a != NULL && b != NULL);
	for (; p < end; p = x + 1) {
		for (most = (size_t)(end - p); most > 0; most /= 3) {
			x = y = p;
			k = pairs_plain(&x, end, most, status, a);
			b[k] = 0x5eed;
			assert_int_equal(fast(&y, end, most, status, b), k);
			assert_ptr_equal(y, x);
			assert_memory_equal(a, b, k * sizeof(*a));
			assert_int_equal(b[k], 0x5eed);
			x = y = p;
			k = pairs_plain(&x, end, most, status, NULL);
			assert_int_equal(fast(&y, end, most, status, NULL), k);
			assert_ptr_equal(y, x);
		}
		x = p;
		(void)pairs_plain(&x, end, n, status, NULL);
	}
	free(a);
	free(b);
}

static void
assert_all_alike(const struct buf *b)
{
	static pairs_fn *const fast[] = { pairs_take, pairs_words };
	unsigned i;

	for (i = 0; i < COUNT_OF(fast); i++) {
		assert_alike(fast[i], b->p, b->n, PAIRS_ANY_STATUS);
		assert_alike(fast[i], b->p, b->n, 7);
		assert_alike(fast[i], b->p, b->n, 0x87);
	}
}

static void
plain_takes_what_is_whole_and_fits(void **state)
{
	static const uint8_t pairs[] = { 5, 7, 0x80, 1, 7, 0xff, 0xff, 0xff,
		0xff, 0x0f, 7, 0x80, 0x80, 0x80, 0x80, 0x10, 7, 1, 8, 2 };
	const uint8_t *p = pairs, *end = pairs + sizeof(pairs);
	uint32_t dt[8];

	(void)state;
	assert_int_equal(pairs_plain(&p, end, 8, 7, dt), 3);
	assert_int_equal(dt[1], 128);
	assert_int_equal(dt[2], UINT32_MAX);
	assert_int_equal(p - pairs, 11);
	/* 2^32 does not fit; without room for it, it need not. */
	assert_int_equal(pairs_plain(&p, end, 8, 7, dt), 0);
	assert_int_equal(pairs_plain(&p, end, 8, 7, NULL), 1);
	/* Another status; then one that is not there. */
	assert_int_equal(pairs_plain(&p, end, 8, 7, NULL), 0);
	assert_int_equal(pairs_plain(&p, end, 8, PAIRS_ANY_STATUS, NULL), 1);
	assert_int_equal(end - p, 1);
}

static void
deltas_of_all_sizes_are_taken_alike(void **state)
{
	uint64_t seed = 88172645463325252u;
	unsigned size, i;

	(void)state;
	for (size = 1; size <= 10; size++) {
		struct buf b = { 0 };

		for (i = 0; i < 150; i++) {
			put_varint(&b, (uint64_t)1 << 7 * (size - 1));
			put_byte(&b, i == 99 ? 8 : 7);
		}
		assert_all_alike(&b);
		buf_free(&b);
	}
	for (i = 0; i < 40; i++) {
		struct buf b = { 0 };

		while (b.n < 400) {
			put_varint(&b, draw(&seed) >> draw(&seed) % 64 %
			    (i + 25));
			put_byte(&b, draw(&seed) % 16 == 0 ? 0x87 : 7);
		}
		assert_all_alike(&b);
		buf_free(&b);
	}
}

static void
hostile_bytes_are_taken_alike(void **state)
{
	static const uint8_t likely[] = { 0, 1, 7, 0x7f, 0x80, 0x87, 0xff };
	uint64_t seed = 7;
	unsigned i;

	(void)state;
	for (i = 0; i < 200; i++) {
		struct buf b = { 0 };

		while (b.n < 300)
			put_byte(&b, i % 2 ? likely[draw(&seed) % 7] :
			    draw(&seed) % 16 ? 7 : draw(&seed) & 0xff);
		assert_all_alike(&b);
		buf_free(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_takes_what_is_whole_and_fits),
		cmocka_unit_test(deltas_of_all_sizes_are_taken_alike),
		cmocka_unit_test(hostile_bytes_are_taken_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
