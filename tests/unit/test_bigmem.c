/* Large arrays: their content after growing, and after a failure. */
#include "support.h"

#include <stdlib.h>

#include "core/mem.h"
#include "fault.h"
#include "model/intern.h"

#define MIB ((size_t)1 << 20)

/* Fills [from, to) with what belongs there. */
static void
fill(uint32_t *p, size_t from, size_t to)
{
	size_t i;

	for (i = from / 4; i < to / 4; i++)
		p[i] = (uint32_t)(i * 2654435761u);
}

static void
check(const uint32_t *p, size_t to)
{
	size_t i;

	for (i = 0; i < to / 4; i++)
		if (p[i] != (uint32_t)(i * 2654435761u))
			fail_msg("byte %zu of %zu is another", 4 * i, to);
}

/* Below, at and above the sizes where things change. */
static const size_t sizes[] = { 16, 4096, BIG_MIN / 2, BIG_MIN - 4, BIG_MIN,
	BIG_MIN + 4, 2 * BIG_MIN, 2 * BIG_MIN + 4096, 12 * MIB, 32 * MIB };

static void
content_stays_however_an_array_grows(void **state)
{
	size_t i, k, old;
	uint32_t *p;

	(void)state;
	for (i = 0; i < COUNT_OF(sizes); i++) {
		p = NULL;
		old = 0;
		for (k = i; k < COUNT_OF(sizes); k++) {
			p = big_grow(p, old, sizes[k]);
			assert_non_null(p);
			check(p, old);
			fill(p, old, sizes[k]);
			old = sizes[k];
		}
		check(p, old);
		big_free(p, old);
	}
}

static void
large_arrays_begin_at_a_large_page(void **state)
{
	char *p = big_grow(NULL, 0, BIG_MIN);

	(void)state;
	assert_int_equal((uintptr_t)p % BIG_MIN, 0);
	p = big_grow(p, BIG_MIN, 5 * BIG_MIN + 1);
	assert_int_equal((uintptr_t)p % BIG_MIN, 0);
	big_free(p, 5 * BIG_MIN + 1);
}

static void
zeroed_arrays_are_zero(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT_OF(sizes); i++) {
		uint8_t *p = big_zeroed(sizes[i] / 4, 4);

		assert_non_null(p);
		for (k = 0; k < sizes[i]; k += 509)
			assert_int_equal(p[k], 0);
		assert_int_equal(p[sizes[i] - 1], 0);
		big_free(p, sizes[i]);
	}
}

static void
absurd_sizes_fail_and_change_nothing(void **state)
{
	uint32_t *p = big_grow(NULL, 0, BIG_MIN);

	(void)state;
	assert_non_null(p);
	fill(p, 0, BIG_MIN);
	assert_null(big_grow(p, BIG_MIN, SIZE_MAX));
	assert_null(big_grow(p, BIG_MIN, SIZE_MAX / 4));
	assert_null(big_grow(NULL, 0, SIZE_MAX - 1));
	assert_null(big_zeroed(SIZE_MAX / 2, 8));
	assert_null(big_zeroed(SIZE_MAX / 16, 8));
	check(p, BIG_MIN);
	big_free(p, BIG_MIN);
	big_free(NULL, 0);
}

struct vector {
	uint32_t *v;
	size_t cap_v;
};

/* Grows to 8 MiB; whatever fails, the vector holds what it held. */
static int
grow_step(void *user)
{
	struct vector x = { 0 };
	int r = BOB_OK;

	while (r == BOB_OK && x.cap_v < 2 * MIB) {
		size_t old = x.cap_v * 4;

		r = MEM_GROW_BIG(user, &x, v, x.cap_v + 1);
		check(x.v, old);
		assert_true(r < 0 ? x.cap_v * 4 == old : x.cap_v * 4 > old);
		if (r == BOB_OK)
			fill(x.v, old, x.cap_v * 4);
	}
	MEM_DROP_BIG(user, &x, v);
	return r;
}

static void
each_failure_of_growing_keeps_the_vector(void **state)
{
	fault_each(grow_step, *state);
	/* Malloc and realloc to 256 KiB, a mapping that will do to 2 MiB, and
	 * two for each growth behind that. */
	fault_arm(0);
	assert_true(grow_step(*state) == BOB_OK);
	assert_int_equal(fault_count(), 13 + 1 + 2 * 2);
}

/* 200,000 ids need a table of 4 MiB. */
static int
intern_step(void *user)
{
	struct intern t = { 0 };
	uint64_t h;
	uint32_t i, at, id;
	int r = BOB_OK;

	for (i = 1; i <= 200000 && r == BOB_OK; i++) {
		r = intern_reserve(user, &t);
		if (r < 0)
			break;
		h = i * 0x9e3779b97f4a7c15u;
		at = (uint32_t)(h >> 32);
		assert_int_equal(intern_probe(&t, h, &at), 0);
		intern_add(&t, h, at, i);
	}
	while (--i > 0) {
		h = i * 0x9e3779b97f4a7c15u;
		at = (uint32_t)(h >> 32);
		while ((id = intern_probe(&t, h, &at)) != i)
			assert_int_not_equal(id, 0);
	}
	intern_free(&t);
	return r;
}

static void
each_failure_of_a_large_table_keeps_its_ids(void **state)
{
	fault_each(intern_step, *state);
}

#define WITH_CTX(f) cmocka_unit_test_setup_teardown(f, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_stays_however_an_array_grows),
		cmocka_unit_test(large_arrays_begin_at_a_large_page),
		cmocka_unit_test(zeroed_arrays_are_zero),
		cmocka_unit_test(absurd_sizes_fail_and_change_nothing),
		WITH_CTX(each_failure_of_growing_keeps_the_vector),
		WITH_CTX(each_failure_of_a_large_table_keeps_its_ids),
	};

	return cmocka_run_group_tests_name("bigmem", tests, NULL, NULL);
}
