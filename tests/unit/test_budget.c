/* Limits of a context: what is counted, what is refused, what is given back. */
#include "support.h"

#include <stdlib.h>
#include <unistd.h>

#include <bobbin/limits.h>

#include "core/mem.h"
#include "core/output.h"
#include "core/tempfile.h"
#include "model/dict.h"

struct vector {
	uint32_t *v;
	size_t cap_v;
};

static void
limit(struct bob_ctx *ctx, uint64_t output, uint64_t memory, uint64_t temp)
{
	struct bob_limits l = { .size = sizeof(l), .max_output = output,
		.max_memory = memory, .max_temp = temp };

	bob_ctx_set_limits(ctx, &l);
}

static struct bob_limits
used(struct bob_ctx *ctx)
{
	struct bob_limits l = { .size = sizeof(l) };

	bob_ctx_used(ctx, &l);
	return l;
}

static void
new_context_has_the_limits_of_the_header(void **state)
{
	struct bob_ctx *ctx = *state;

	assert_true(ctx->budget->limits.max_output == BOB_MAX_OUTPUT);
	assert_true(ctx->budget->limits.max_temp == BOB_MAX_TEMP);
	assert_true(ctx->budget->limits.max_memory == BOB_UNLIMITED);
	limit(ctx, 1, 2, 3);
	limit(ctx, 0, 0, 0);
	assert_true(ctx->budget->limits.max_output == BOB_MAX_OUTPUT);
	assert_true(ctx->budget->limits.max_temp == BOB_MAX_TEMP);
	assert_true(ctx->budget->limits.max_memory == BOB_UNLIMITED);
}

/* A program that was built when the struct was shorter. */
static void
members_that_are_not_there_are_defaults(void **state)
{
	struct bob_ctx *ctx = *state;
	struct bob_limits l = { .max_output = 7, .max_memory = 8,
		.max_temp = 9 };

	l.size = offsetof(struct bob_limits, max_memory);
	bob_ctx_set_limits(ctx, &l);
	assert_true(ctx->budget->limits.max_output == 7);
	assert_true(ctx->budget->limits.max_memory == BOB_UNLIMITED);
	assert_true(ctx->budget->limits.max_temp == BOB_MAX_TEMP);
}

static void
vector_counts_what_it_holds(void **state)
{
	struct vector x = { 0 };

	assert_status(*state, BOB_OK, MEM_TAKE(*state, &x, v, 1));
	assert_true(used(*state).max_memory == x.cap_v * 4);
	assert_status(*state, BOB_OK, MEM_TAKE(*state, &x, v, 1000));
	assert_true(used(*state).max_memory == x.cap_v * 4);
	MEM_DROP(*state, &x, v);
	assert_true(used(*state).max_memory == 0);
}

static void
vector_above_the_limit_stays_as_it_is(void **state)
{
	struct bob_ctx *ctx = *state;
	struct vector x = { 0 };
	size_t cap;

	limit(ctx, 0, 4096, 0);
	assert_status(ctx, BOB_OK, MEM_TAKE(ctx, &x, v, 1024));
	cap = x.cap_v;
	assert_int_equal(MEM_TAKE(ctx, &x, v, 1025), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_BUDGET);
	assert_non_null(strstr(ctx->error.text, "4096 bytes of memory"));
	assert_non_null(strstr(ctx->error.text, "max_memory"));
	assert_int_equal(x.cap_v, cap);
	assert_true(used(ctx).max_memory == cap * 4);
	MEM_DROP(ctx, &x, v);
}

/* Who is told that memory is out, says so again on the way up. */
static void
limit_is_still_the_reason_when_it_is_said_again(void **state)
{
	struct bob_ctx *ctx = *state;
	struct vector x = { 0 };

	limit(ctx, 0, 1, 0);
	assert_int_equal(MEM_TAKE(ctx, &x, v, 1), BOB_FATAL);
	assert_int_equal(err_nomem(ctx), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_BUDGET);
	limit(ctx, 0, 0, 0);
	assert_int_equal(err_nomem(ctx), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_NOMEM);
}

static void
worker_shares_the_budget(void **state)
{
	struct bob_ctx *ctx = *state, *worker = ctx_new_worker(ctx);
	struct vector x = { 0 };

	limit(ctx, 0, 4096, 0);
	assert_status(worker, BOB_OK, MEM_TAKE(worker, &x, v, 1024));
	assert_true(used(ctx).max_memory == 4096);
	assert_int_equal(MEM_TAKE(worker, &x, v, 1025), BOB_FATAL);
	assert_int_equal(worker->error.code, BOB_E_BUDGET);
	MEM_DROP(ctx, &x, v);
	bob_ctx_free(worker);
}

static void
arena_gives_back_its_blocks(void **state)
{
	struct arena a = { 0 };
	uint64_t first;

	assert_non_null(arena_alloc(*state, &a, 100));
	first = used(*state).max_memory;
	assert_true(first >= 100);
	assert_non_null(arena_alloc(*state, &a, 1000000));
	assert_true(used(*state).max_memory >= 1000000);
	arena_free(&a);
	assert_true(used(*state).max_memory == 0);
	limit(*state, 0, first, 0);
	assert_null(arena_alloc(*state, &a, (size_t)first + 1));
	assert_non_null(arena_alloc(*state, &a, 100));
	arena_free(&a);
}

/* What is distinct is what memory is for: it is all counted. */
static void
dictionary_ends_at_the_limit(void **state)
{
	struct bob_ctx *ctx = *state;
	struct bob_dict *d;
	bob_stack s = 0;
	uint32_t i;

	limit(ctx, 0, 1 << 20, 0);
	d = bob_dict_new(ctx);
	for (i = 0; s != BOB_NO_ID && i < 10000000; i++) {
		struct bob_frame f = { .name = bob_str_put(d, &i, sizeof(i)) };
		bob_fid frame = f.name == BOB_NO_ID ? BOB_NO_ID :
		    bob_frame_put(d, &f);

		s = frame == BOB_NO_ID ? BOB_NO_ID :
		    bob_stack_push(d, s, frame);
	}
	assert_true(i > 1000 && i < 10000);
	assert_int_equal(ctx->error.code, BOB_E_BUDGET);
	assert_true(used(ctx).max_memory <= 1 << 20);
	bob_dict_free(d);
	assert_true(used(ctx).max_memory == 0);
}

static void
temporary_files_count_together(void **state)
{
	struct bob_ctx *ctx = *state;
	struct tempfile a, b;

	limit(ctx, 0, 0, 10);
	assert_status(ctx, BOB_OK, temp_open(&a, ctx));
	assert_status(ctx, BOB_OK, temp_open(&b, ctx));
	assert_status(ctx, BOB_OK, temp_write(&a, "a", "123456", 6));
	assert_int_equal(temp_write(&b, "b", "12345", 5), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_BUDGET);
	assert_string_equal(ctx->error.text, "more than 10 bytes are needed "
	    "in temporary files, the limit (max_temp)");
	assert_int_equal(ctx->error.limit, BOB_LIMIT_TEMP);
	assert_status(ctx, BOB_OK, temp_write(&b, "b", "1234", 4));
	assert_true(used(ctx).max_temp == 10);
	assert_status(ctx, BOB_OK, temp_empty(&a));
	assert_status(ctx, BOB_OK, temp_write(&b, "b", "56", 2));
	temp_close(&a);
	temp_close(&b);
	temp_close(&b);
	assert_true(used(ctx).max_temp == 0);
}

static void
temporary_output_counts_as_a_temporary_file(void **state)
{
	struct bob_ctx *ctx = *state;
	struct out *o;

	limit(ctx, 1, 0, 10);
	assert_status(ctx, BOB_OK, out_open_temp(ctx, &o));
	assert_status(ctx, BOB_OK, out_str(o, "1234567890"));
	assert_status(ctx, BOB_OK, out_barrier(o, 0));
	assert_true(used(ctx).max_temp == 10);
	assert_status(ctx, BOB_OK, out_str(o, "x"));
	assert_int_equal(out_barrier(o, 0), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_BUDGET);
	assert_non_null(strstr(ctx->error.text, "max_temp"));
	out_discard(o);
	assert_true(used(ctx).max_temp == 0);
}

/* Gathers what is written. */
static int
count_bytes(void *user, const void *p, size_t n)
{
	(void)p;
	*(uint64_t *)user += n;
	return 0;
}

static void
output_ends_before_the_limit(void **state)
{
	struct bob_ctx *ctx = *state;
	uint64_t n = 0;
	struct bob_target to = { .write = count_bytes, .user = &n, .fd = -1 };
	struct out *o;
	int r = BOB_OK, i;

	limit(ctx, 100000, 0, 0);
	assert_status(ctx, BOB_OK, out_open(ctx, &to, &o));
	for (i = 0; r == BOB_OK && i < 200000; i++)
		r = out_bytes(o, "x", 1);
	assert_int_equal(r, BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_BUDGET);
	assert_string_equal(ctx->error.text, "the output would have more than "
	    "100000 bytes, the limit (max_output)");
	/* It is dead: the same again, and nothing more is written. */
	assert_int_equal(out_str(o, "y"), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_BUDGET);
	assert_int_equal(out_finish(o), BOB_FATAL);
	assert_true(n > 0 && n <= 100000);
}

static void
output_above_the_limit_leaves_the_old_file(void **state)
{
	struct own_folder *at = *state;
	struct bob_target to = { .path = at->path, .fd = -1 };
	struct out *o;

	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	assert_status(at->ctx, BOB_OK, out_str(o, "old"));
	assert_status(at->ctx, BOB_OK, out_finish(o));
	limit(at->ctx, 3, 0, 0);
	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	assert_status(at->ctx, BOB_OK, out_str(o, "new!"));
	assert_int_equal(out_finish(o), BOB_FATAL);
	assert_non_null(strstr(at->ctx->error.text, at->path));
	assert_file(at->path, "old");
	assert_int_equal(own_folder_n_files(at, 1), 1);
}

static void
live_output_is_limited_only_when_asked(void **state)
{
	struct own_folder *at = *state;
	struct bob_target to = { .path = at->path, .fd = -1,
		.flags = BOB_TARGET_LIVE };
	struct out *o;

	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	assert_true(o->max == BOB_UNLIMITED);
	assert_status(at->ctx, BOB_OK, out_finish(o));
	limit(at->ctx, 3, 0, 0);
	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	assert_true(o->max == 3);
	assert_status(at->ctx, BOB_OK, out_finish(o));
	(void)own_folder_n_files(at, 1);
}

#define IN_CONTEXT(f) cmocka_unit_test_setup_teardown(f, ctx_setup,          \
	    ctx_teardown)
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, own_folder_setup,    \
	    own_folder_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		IN_CONTEXT(new_context_has_the_limits_of_the_header),
		IN_CONTEXT(members_that_are_not_there_are_defaults),
		IN_CONTEXT(vector_counts_what_it_holds),
		IN_CONTEXT(vector_above_the_limit_stays_as_it_is),
		IN_CONTEXT(limit_is_still_the_reason_when_it_is_said_again),
		IN_CONTEXT(worker_shares_the_budget),
		IN_CONTEXT(arena_gives_back_its_blocks),
		IN_CONTEXT(dictionary_ends_at_the_limit),
		IN_CONTEXT(temporary_files_count_together),
		IN_CONTEXT(temporary_output_counts_as_a_temporary_file),
		IN_CONTEXT(output_ends_before_the_limit),
		IN_FOLDER(output_above_the_limit_leaves_the_old_file),
		IN_FOLDER(live_output_is_limited_only_when_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
