/* Tapes of captures: when one has learned enough. */
#include "support.h"

#include <stdlib.h>
#include <unistd.h>

#include "live/tape.h"

static void
a_tape_that_has_learned_a_million_things_is_full(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct tape_opts o = { .period_ns = 10000000 };
	char path[] = "/tmp/bobbin-tape-XXXXXX";
	struct bob_frame f = { .lang = BOB_LANG_PHP };
	struct ledger l = { 0 };
	struct tape t;
	char name[32];
	bob_fid frame;
	unsigned i;
	int fd = mkstemp(path), n;

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	(void)unlink(path);
	o.format = bob_format_named("rbt");
	assert_non_null(o.format);
	assert_int_equal(tape_open(&t, ctx, path, &o), BOB_OK);
	assert_false(tape_is_full(&t));
	/* A name, a frame and a stack each. */
	for (i = 0; i < TAPE_MAX_THINGS / 3 - 100; i++) {
		n = snprintf(name, sizeof(name), "made_%u", i);
		f.name = bob_str_put(t.dict, name, (size_t)n);
		frame = bob_frame_put(t.dict, &f);
		assert_true(bob_stack_push(t.dict, 0, frame) != BOB_NO_ID);
	}
	assert_false(tape_is_full(&t));
	for (i = 0; i < 400; i++) {
		n = snprintf(name, sizeof(name), "more_%u", i);
		assert_true(bob_str_put(t.dict, name, (size_t)n) != BOB_NO_ID);
	}
	assert_true(tape_is_full(&t));
	assert_int_equal(tape_close(&t, &l, LEDGER_DISK), BOB_OK);
	assert_false(tape_is_full(&t));
	(void)unlink(path);
	bob_ctx_free(ctx);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_tape_that_has_learned_a_million_things_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
