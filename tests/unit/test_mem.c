/* Growing arrays, arenas and saturating sums. */
#include "support.h"

#include <stdlib.h>

#include "core/mem.h"
#include "fault.h"

struct vector {
	uint32_t *v;
	size_t cap_v;
};

static void
vector_grows_and_keeps_its_content(void **state)
{
	struct vector x = { 0 };
	uint32_t i;

	for (i = 0; i < 10000; i++) {
		assert_status(*state, BOB_OK,
		    MEM_GROW(*state, &x, v, (size_t)i + 1));
		assert_true(x.cap_v > i);
		x.v[i] = i;
	}
	for (i = 0; i < 10000; i++)
		assert_int_equal(x.v[i], i);
	free(x.v);
}

static void
vector_with_room_is_left_alone(void **state)
{
	struct vector x = { 0 };
	uint32_t *old;
	size_t cap;

	assert_status(*state, BOB_OK, MEM_GROW(*state, &x, v, 1));
	old = x.v;
	cap = x.cap_v;
	fault_arm(0);
	assert_status(*state, BOB_OK, MEM_GROW(*state, &x, v, cap));
	assert_ptr_equal(x.v, old);
	assert_int_equal(fault_count(), 0);
	free(x.v);
}

static void
vector_growth_is_geometric(void **state)
{
	struct vector x = { 0 };
	size_t i;

	fault_arm(0);
	for (i = 1; i <= 1 << 20; i++)
		assert_status(*state, BOB_OK, MEM_GROW(*state, &x, v, i));
	assert_true(fault_count() < 25);
	free(x.v);
}

static void
absurd_vector_is_out_of_memory_and_changes_nothing(void **state)
{
	struct vector x = { 0 };
	uint32_t *old;
	size_t cap;

	assert_status(*state, BOB_OK, MEM_GROW(*state, &x, v, 100));
	old = x.v;
	cap = x.cap_v;
	assert_int_equal(MEM_GROW(*state, &x, v, SIZE_MAX), BOB_FATAL);
	assert_int_equal(MEM_GROW(*state, &x, v, SIZE_MAX / 4), BOB_FATAL);
	assert_int_equal(bob_ctx_error(*state)->code, BOB_E_NOMEM);
	assert_ptr_equal(x.v, old);
	assert_int_equal(x.cap_v, cap);
	free(x.v);
}

static void
failed_growth_keeps_the_old_vector(void **state)
{
	struct vector x = { 0 };

	assert_status(*state, BOB_OK, MEM_GROW(*state, &x, v, 1));
	x.v[0] = 42;
	fault_arm(1);
	assert_int_equal(MEM_GROW(*state, &x, v, 1000), BOB_FATAL);
	fault_arm(0);
	assert_int_equal(x.v[0], 42);
	free(x.v);
}

static void
sums_stop_at_the_largest_count(void **state)
{
	(void)state;
	assert_true(count_add(2, 3) == 5);
	assert_true(count_add(BOB_MAX_COUNT, 0) == BOB_MAX_COUNT);
	assert_true(count_add(BOB_MAX_COUNT - 1, 1) == BOB_MAX_COUNT);
	assert_true(count_add(BOB_MAX_COUNT, 1) == BOB_MAX_COUNT);
	assert_true(count_add(UINT64_MAX, UINT64_MAX) == BOB_MAX_COUNT);
}

static void
products_stop_at_the_largest_count(void **state)
{
	(void)state;
	assert_true(count_mul(6, 7) == 42);
	assert_true(count_mul(UINT64_MAX, 0) == 0);
	assert_true(count_mul(BOB_MAX_COUNT, 1) == BOB_MAX_COUNT);
	assert_true(count_mul(BOB_MAX_COUNT, 2) == BOB_MAX_COUNT);
	assert_true(count_mul(UINT64_MAX, UINT64_MAX) == BOB_MAX_COUNT);
}

static void
arena_bytes_are_aligned_and_stay(void **state)
{
	struct arena a = { 0 };
	uint8_t *p[500];
	size_t i, k;

	for (i = 0; i < COUNT_OF(p); i++) {
		p[i] = arena_alloc(*state, &a, i);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % 8, 0);
		memset(p[i], (int)(i & 0xff), i);
	}
	for (i = 0; i < COUNT_OF(p); i++)
		for (k = 0; k < i; k++)
			assert_int_equal(p[i][k], i & 0xff);
	arena_free(&a);
}

static void
arena_gives_pieces_larger_than_its_blocks(void **state)
{
	struct arena a = { 0 };
	char *small = arena_alloc(*state, &a, 8);
	char *large = arena_alloc(*state, &a, (size_t)1 << 20);

	assert_non_null(small);
	assert_non_null(large);
	memset(small, 1, 8);
	memset(large, 2, (size_t)1 << 20);
	assert_int_equal(small[7], 1);
	arena_free(&a);
}

static void
arena_refuses_what_no_memory_holds(void **state)
{
	struct arena a = { 0 };

	assert_null(arena_alloc(*state, &a, SIZE_MAX));
	assert_int_equal(bob_ctx_error(*state)->code, BOB_E_NOMEM);
	assert_non_null(arena_alloc(*state, &a, 1));
	arena_free(&a);
}

static void
reset_arena_costs_nothing_for_the_next_round(void **state)
{
	struct arena a = { 0 };
	int round;

	assert_non_null(arena_alloc(*state, &a, 1000));
	fault_arm(0);
	for (round = 0; round < 100; round++) {
		arena_reset(&a);
		assert_non_null(arena_alloc(*state, &a, 1000));
	}
	assert_int_equal(fault_count(), 0);
	arena_free(&a);
}

static void
empty_arena_may_be_reset_and_freed(void **state)
{
	struct arena a = { 0 };

	(void)state;
	arena_reset(&a);
	arena_free(&a);
	arena_free(&a);
}

#define WITH_CTX(f) cmocka_unit_test_setup_teardown(f, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_CTX(vector_grows_and_keeps_its_content),
		WITH_CTX(vector_with_room_is_left_alone),
		WITH_CTX(vector_growth_is_geometric),
		WITH_CTX(absurd_vector_is_out_of_memory_and_changes_nothing),
		WITH_CTX(failed_growth_keeps_the_old_vector),
		cmocka_unit_test(sums_stop_at_the_largest_count),
		cmocka_unit_test(products_stop_at_the_largest_count),
		WITH_CTX(arena_bytes_are_aligned_and_stay),
		WITH_CTX(arena_gives_pieces_larger_than_its_blocks),
		WITH_CTX(arena_refuses_what_no_memory_holds),
		WITH_CTX(reset_arena_costs_nothing_for_the_next_round),
		cmocka_unit_test(empty_arena_may_be_reset_and_freed),
	};

	return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
