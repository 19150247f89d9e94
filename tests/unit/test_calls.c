/* The memory of calls that the capture has seen: who calls whom. */
#include "support.h"

#include "capture/calls.h"

#include "core/error.h"

static void
what_is_seen_once_is_not_known(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct calls c = { 0 };

	(void)state;
	assert_int_equal(calls_find(&c, 1, 2), CALLS_NONE);
	assert_int_equal(calls_note(ctx, &c, 1, 7, 2), BOB_OK);
	assert_int_equal(calls_find(&c, 1, 2), CALLS_NONE);
	assert_false(calls_knows(&c, 1, 7, 2));
	assert_int_equal(calls_note(ctx, &c, 1, 7, 2), BOB_OK);
	assert_int_equal(calls_find(&c, 1, 2), 7);
	assert_true(calls_knows(&c, 1, 7, 2));
	assert_int_equal(calls_find(&c, 2, 1), CALLS_NONE);
	calls_free(&c);
	bob_ctx_free(ctx);
}

static void
a_call_can_be_known_without_its_place(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct calls c = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_int_equal(calls_note(ctx, &c, 1, CALLS_NOWHERE, 2),
		    BOB_OK);
	assert_int_equal(calls_find(&c, 1, 2), CALLS_NOWHERE);
	assert_false(calls_knows(&c, 1, CALLS_NOWHERE, 2));
	assert_int_equal(calls_note(ctx, &c, 1, 9, 2), BOB_OK);
	assert_int_equal(calls_find(&c, 1, 2), 9);
	calls_free(&c);
	bob_ctx_free(ctx);
}

static void
a_rare_place_is_a_mistake(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct calls c = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_int_equal(calls_note(ctx, &c, 1, 5, 2), BOB_OK);
	for (i = 0; i < 40; i++)
		assert_int_equal(calls_note(ctx, &c, 1, 6, 2), BOB_OK);
	assert_int_equal(calls_find(&c, 1, 2), 6);
	assert_false(calls_knows(&c, 1, 5, 2));
	for (i = 0; i < 2; i++)
		assert_int_equal(calls_note(ctx, &c, 1, 5, 2), BOB_OK);
	assert_true(calls_knows(&c, 1, 5, 2));
	assert_int_equal(calls_find(&c, 1, 2), 6);
	/* Not when it is seen hundreds of times. */
	for (i = 0; i < 600; i++)
		assert_int_equal(calls_note(ctx, &c, 1, 5, 2), BOB_OK);
	for (i = 0; i < 10000; i++)
		assert_int_equal(calls_note(ctx, &c, 1, 6, 2), BOB_OK);
	assert_true(calls_knows(&c, 1, 5, 2));
	calls_forget(&c);
	assert_int_equal(calls_find(&c, 1, 2), CALLS_NONE);
	calls_free(&c);
	bob_ctx_free(ctx);
}

static void
the_only_place_is_seen_often_others_seldom(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct calls c = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		assert_int_equal(calls_find_only(&c, 1, 2),
		    i < 4 ? CALLS_NOWHERE : 5);
		assert_int_equal(calls_note(ctx, &c, 1, 5, 2), BOB_OK);
	}
	for (i = 0; i < 3; i++) {
		assert_int_equal(calls_find_only(&c, 1, 2), 5);
		assert_int_equal(calls_note(ctx, &c, 1, 6 + i, 2), BOB_OK);
	}
	assert_int_equal(calls_find_only(&c, 1, 2), CALLS_NOWHERE);
	assert_int_equal(calls_find(&c, 1, 2), 5);
	calls_free(&c);
	bob_ctx_free(ctx);
}

static void
memory_is_bounded(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct calls c = { 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < 3 * CALLS_MAX; i++)
		assert_int_equal(calls_note(ctx, &c, i, 1, i), BOB_OK);
	assert_true(c.pairs.used + c.places.used <= CALLS_MAX + 2);
	for (i = 0; i < 3 * CALLS_MAX; i++)
		assert_int_equal(calls_note(ctx, &c, 1, i + 1, 2), BOB_OK);
	assert_true(c.pairs.used + c.places.used <= CALLS_MAX + 2);
	calls_free(&c);
	bob_ctx_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_seen_once_is_not_known),
		cmocka_unit_test(a_call_can_be_known_without_its_place),
		cmocka_unit_test(a_rare_place_is_a_mistake),
		cmocka_unit_test(the_only_place_is_seen_often_others_seldom),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
