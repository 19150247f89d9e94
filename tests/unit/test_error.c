/* The context: errors, warnings and notes. */
#include "support.h"

#include <errno.h>

#include "core/error.h"

static void
version_is_that_of_the_headers(void **state)
{
	char want[32];

	(void)state;
	(void)snprintf(want, sizeof(want), "%d.%d.%d", BOB_VERSION_MAJOR,
	    BOB_VERSION_MINOR, BOB_VERSION_PATCH);
	assert_string_equal(bob_version(), want);
}

static void
new_context_has_no_error(void **state)
{
	const struct bob_error *e = bob_ctx_error(*state);

	assert_int_equal(e->status, BOB_OK);
	assert_int_equal(e->code, BOB_E_NONE);
	assert_string_equal(e->text, "");
	assert_true(e->offset == BOB_NO_OFFSET);
	assert_true(e->segment == BOB_NO_OFFSET);
	assert_int_equal(e->side, BOB_SIDE_NONE);
	assert_string_equal(e->input, "");
}

static void
freeing_no_context_is_allowed(void **state)
{
	(void)state;
	bob_ctx_free(NULL);
}

static void
set_records_everything_and_returns_the_status(void **state)
{
	const struct bob_error *e = bob_ctx_error(*state);

	assert_int_equal(err_set(*state, BOB_FATAL, BOB_E_CORRUPT, 77,
	    "rbt: byte %d: %s", 77, "no such frame"), BOB_FATAL);
	assert_int_equal(e->status, BOB_FATAL);
	assert_int_equal(e->code, BOB_E_CORRUPT);
	assert_int_equal(e->offset, 77);
	assert_int_equal(e->sys, 0);
	assert_string_equal(e->text, "rbt: byte 77: no such frame");
}

static void
system_error_ends_with_the_reason(void **state)
{
	const struct bob_error *e = bob_ctx_error(*state);
	char want[256];

	assert_int_equal(err_sys(*state, BOB_FAILED, ENOENT, "%s: open",
	    "x.rbt"), BOB_FAILED);
	(void)snprintf(want, sizeof(want), "x.rbt: open: %s",
	    strerror(ENOENT));
	assert_string_equal(e->text, want);
	assert_int_equal(e->code, BOB_E_IO);
	assert_int_equal(e->sys, ENOENT);
}

static void
later_error_replaces_an_earlier_one(void **state)
{
	const struct bob_error *e = bob_ctx_error(*state);

	(void)err_sys(*state, BOB_FATAL, EIO, "one");
	(void)err_of_output(*state);
	(void)err_set(*state, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET, "two");
	assert_string_equal(e->text, "two");
	assert_int_equal(e->sys, 0);
	assert_int_equal(e->side, BOB_SIDE_NONE);
}

/* The bytes are an input's; a full disk is not. */
static void
what_is_wrong_with_bytes_has_the_name_of_their_input(void **state)
{
	const struct bob_error *e = bob_ctx_error(*state);
	struct ctx_input none = ctx_read(*state,
	    (struct ctx_input){ "a.rbt", 1 });

	assert_null(none.name);
	(void)err_set(*state, BOB_FATAL, BOB_E_CORRUPT, 1, "byte 1: bad");
	assert_int_equal(e->side, BOB_SIDE_INPUT);
	assert_string_equal(e->input, "a.rbt");
	assert_true(e->input_is_path);
	(void)err_sys(*state, BOB_FATAL, EIO, "a.rbt: read");
	assert_int_equal(e->side, BOB_SIDE_INPUT);
	assert_string_equal(e->input, "");
	(void)err_budget(*state, BOB_LIMIT_OUTPUT, BOB_NO_OFFSET, "too much");
	assert_int_equal(e->limit, BOB_LIMIT_OUTPUT);
	assert_int_equal(err_of_output(*state), BOB_FATAL);
	assert_int_equal(e->side, BOB_SIDE_OUTPUT);
	assert_string_equal(e->input, "");
	assert_false(e->input_is_path);
	(void)ctx_read(*state, none);
	(void)err_set(*state, BOB_FATAL, BOB_E_CORRUPT, 1, "byte 1: bad");
	assert_string_equal(e->input, "");
}

static void
name_that_was_cut_is_no_path(void **state)
{
	const struct bob_error *e = bob_ctx_error(*state);
	char longer[BOB_MAX_TEXT + 1];

	memset(longer, 'x', sizeof(longer));
	longer[BOB_MAX_TEXT] = '\0';
	(void)ctx_read(*state, (struct ctx_input){ longer, 1 });
	(void)err_set(*state, BOB_FATAL, BOB_E_CORRUPT, 1, "bad");
	assert_int_equal(strlen(e->input), BOB_MAX_TEXT - 1);
	assert_false(e->input_is_path);
	(void)ctx_read(*state, (struct ctx_input){ longer + 1, 1 });
	(void)err_set(*state, BOB_FATAL, BOB_E_CORRUPT, 1, "bad");
	assert_string_equal(e->input, longer + 1);
	assert_true(e->input_is_path);
}

static void
long_text_is_cut(void **state)
{
	const struct bob_error *e = bob_ctx_error(*state);
	char longer[BOB_MAX_TEXT * 2];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	(void)err_set(*state, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET, "%s",
	    longer);
	assert_int_equal(strlen(e->text), BOB_MAX_TEXT - 1);
	(void)err_sys(*state, BOB_FAILED, EIO, "%s", longer);
	assert_int_equal(strlen(e->text), BOB_MAX_TEXT - 1);
}

static void
out_of_memory_is_fatal_and_said_so(void **state)
{
	assert_int_equal(err_nomem(*state), BOB_FATAL);
	assert_int_equal(bob_ctx_error(*state)->code, BOB_E_NOMEM);
}

static void
diag_reaches_the_callback_and_is_no_error(void **state)
{
	struct diags d;
	struct bob_ctx *ctx = ctx_with(&d);

	(void)state;
	err_diag(ctx, BOB_WARN, BOB_E_TRUNCATED, 5, "lost %d", 3);
	err_diag(ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET, "by the way");
	assert_int_equal(d.n_warnings, 1);
	assert_int_equal(d.n_notes, 1);
	assert_string_equal(d.last.text, "by the way");
	assert_int_equal(bob_ctx_error(ctx)->status, BOB_OK);
	bob_ctx_on_diag(ctx, NULL, NULL);
	err_diag(ctx, BOB_WARN, BOB_E_TRUNCATED, 5, "nobody hears this");
	assert_int_equal(d.n_warnings, 1);
	bob_ctx_free(ctx);
}

static void
copy_takes_over_the_whole_error(void **state)
{
	struct bob_ctx *worker = bob_ctx_new();
	const struct bob_error *e = bob_ctx_error(*state);

	assert_non_null(worker);
	(void)err_set(worker, BOB_FATAL, BOB_E_LIMIT, 9, "too large");
	(void)ctx_read(*state, (struct ctx_input){ "a.rbt", 0 });
	err_copy(*state, worker);
	bob_ctx_free(worker);
	assert_string_equal(e->text, "too large");
	assert_string_equal(e->input, "a.rbt");
	assert_int_equal(e->offset, 9);
}

#define WITH_CTX(f) cmocka_unit_test_setup_teardown(f, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_is_that_of_the_headers),
		WITH_CTX(new_context_has_no_error),
		cmocka_unit_test(freeing_no_context_is_allowed),
		WITH_CTX(set_records_everything_and_returns_the_status),
		WITH_CTX(system_error_ends_with_the_reason),
		WITH_CTX(later_error_replaces_an_earlier_one),
		WITH_CTX(what_is_wrong_with_bytes_has_the_name_of_their_input),
		WITH_CTX(name_that_was_cut_is_no_path),
		WITH_CTX(long_text_is_cut),
		WITH_CTX(out_of_memory_is_fatal_and_said_so),
		cmocka_unit_test(diag_reaches_the_callback_and_is_no_error),
		WITH_CTX(copy_takes_over_the_whole_error),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
