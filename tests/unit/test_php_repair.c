/* Stacks of PHP that moved while they were read, in a memory of our own. */
#include "php_rig.h"

#include <string.h>

#include "core/error.h"

/* main calls g in line 10, in a frame of 96 bytes. */
static void
call_g(struct process_memory *p)
{
	lay_frame(p, ROOT, MAIN, OPS, 0, 0);
	lay_frame(p, SLOT_A, G, 0, 1, ROOT);
	lay_roots(p, SLOT_A, 96);
}

/* And h in line 20, in a frame of 128. */
static void
call_h(struct process_memory *p)
{
	lay_frame(p, ROOT, MAIN, OPS + OP_SIZE, 0, 0);
	lay_frame(p, SLOT_A, H, 0, 3, ROOT);
	lay_roots(p, SLOT_A, 128);
}

/* g has returned, its frame is still there. */
static void
return_to_main(struct process_memory *p)
{
	lay_frame(p, ROOT, MAIN, OPS + 2 * OP_SIZE, 0, 0);
	lay_roots(p, ROOT, 80);
}

/* One sample, and what is learned after it. */
static void
sample(struct rig *r)
{
	assert_int_equal(copy_take(&r->copy), 0);
	assert_int_equal(walk_prove(&r->walk), WALK_OK);
	if (copy_peek(&r->copy))
		assert_int_equal(repair_learn(&r->walk), WALK_OK);
}

/* The stack of the last sample, outermost first: "<main>:10;g:-1". */
static void
expect_stack(struct rig *r, const char *want)
{
	char all[256] = "", one[256];
	bob_stack s = r->walk.stack;

	while (s != 0) {
		struct bob_node n = bob_stack_get(r->dict, s);
		const struct bob_frame *f = bob_frame_get(r->dict, n.frame);
		struct bob_bytes name = bob_str_get(r->dict, f->name);

		snprintf(one, sizeof(one), "%.*s:%d%s%s", (int)name.n, name.p,
		    (int)f->where, all[0] != '\0' ? ";" : "", all);
		memcpy(all, one, sizeof(all));
		s = n.parent;
	}
	assert_string_equal(all, want);
}

static void
know_both(struct rig *r)
{
	int i;

	for (i = 0; i < 3; i++) {
		call_g(&r->p);
		sample(r);
		expect_stack(r, "<main>:10;g:-1");
		assert_false(r->walk.is_inferred);
		call_h(&r->p);
		sample(r);
		expect_stack(r, "<main>:20;h:-1");
	}
}

static void
another_in_its_place_is_told_by_its_size(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	know_both(&r);
	call_g(&r.p);
	r.p.go_on = call_h;
	sample(&r);
	expect_stack(&r, "<main>:10;g:-1");
	assert_true(r.walk.is_repaired);
	assert_true(r.walk.is_inferred);
	rig_end(&r);
}

static void
without_knowledge_what_was_copied_is_taken(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	call_h(&r.p);
	sample(&r);
	call_g(&r.p);
	r.p.go_on = call_h;
	sample(&r);
	expect_stack(&r, "<main>:20;h:-1");
	assert_false(r.walk.is_repaired);
	assert_true(r.walk.is_inferred);
	rig_end(&r);
}

static void
what_stands_is_not_put_right(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	know_both(&r);
	/* A frame of another size than its function needs. */
	call_h(&r.p);
	lay_roots(&r.p, SLOT_A, 96);
	r.walk.is_stopped = 1;
	sample(&r);
	expect_stack(&r, "<main>:20;h:-1");
	assert_false(r.walk.is_repaired);
	assert_false(r.walk.is_inferred);
	rig_end(&r);
}

static void
a_caller_that_has_gone_on_stood_at_its_call(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	know_both(&r);
	call_g(&r.p);
	r.p.go_on = return_to_main;
	sample(&r);
	expect_stack(&r, "<main>:10;g:-1");
	rig_end(&r);
}

/* g has returned, and main is about to call something else. */
static void
reach_next_call(struct process_memory *p)
{
	lay_frame(p, ROOT, MAIN, OPS + OP_SIZE, 0, 0);
	lay_roots(p, ROOT, 80);
}

static void
a_caller_at_its_next_call_stood_at_the_only_one(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	call_g(&r.p);
	sample(&r);
	r.p.go_on = reach_next_call;
	sample(&r);
	/* Once may be chance. */
	expect_stack(&r, "<main>:20;g:-1");
	r.p.go_on = NULL;
	know_both(&r);
	know_both(&r);
	call_g(&r.p);
	sample(&r);
	r.p.go_on = reach_next_call;
	sample(&r);
	expect_stack(&r, "<main>:10;g:-1");
	rig_end(&r);
}

/* main calls u in line 10, and u calls g in its line 20. */
static void
call_through_user(struct process_memory *p)
{
	lay_frame(p, ROOT, MAIN, OPS, 0, 0);
	lay_frame(p, SLOT_A, USER, USER_OPS + OP_SIZE, 0, ROOT);
	lay_frame(p, SLOT_A + 80, G, 0, 1, SLOT_A);
	lay_roots(p, SLOT_A + 80, 96);
}

static void
a_stack_that_is_gone_below_is_one_that_was_seen(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	know_both(&r);
	call_through_user(&r.p);
	sample(&r);
	expect_stack(&r, "<main>:10;u:20;g:-1");
	call_h(&r.p);
	sample(&r);
	call_through_user(&r.p);
	r.p.go_on = call_h;
	sample(&r);
	expect_stack(&r, "<main>:10;u:20;g:-1");
	assert_true(r.walk.is_repaired);
	/* Not when it was somewhere else. */
	repair_forget(&r.walk);
	r.p.go_on = NULL;
	know_both(&r);
	call_through_user(&r.p);
	r.p.go_on = call_h;
	sample(&r);
	expect_stack(&r, "<main>:20;h:-1");
	rig_end(&r);
}

/* main calls h in line 10, and h calls u back. */
static void
call_back(struct process_memory *p)
{
	uint64_t ex = SLOT_A + 128;

	lay_frame(p, ROOT, MAIN, OPS, 0, 0);
	lay_frame(p, SLOT_A, H, 0, 3, ROOT);
	lay_frame(p, ex, USER, USER_OPS + 2 * OP_SIZE, 0, SLOT_A);
	lay32(p, ex + EX_TYPE_INFO, php_offsets_of(82)->call_top);
	lay_roots(p, ex, 80);
}

/* Both have returned and main calls g: a smaller frame in the place of h. */
static void
call_g_after(struct process_memory *p)
{
	lay_frame(p, ROOT, MAIN, OPS + OP_SIZE, 0, 0);
	lay_frame(p, SLOT_A, G, 0, 1, ROOT);
	lay_roots(p, SLOT_A, 96);
}

static void
c_calls_back_right_behind_its_own_frame(void **state)
{
	struct rig r;
	int i;

	(void)state;
	rig_begin(&r);
	for (i = 0; i < 4; i++) {
		call_back(&r.p);
		r.p.go_on = call_g_after;
		sample(&r);
		expect_stack(&r, "<main>:20;g:-1");
	}
	call_back(&r.p);
	r.p.go_on = NULL;
	sample(&r);
	expect_stack(&r, "<main>:10;h:-1;u:30");
	r.p.go_on = call_g_after;
	sample(&r);
	expect_stack(&r, "<main>:10;h:-1;u:30");
	rig_end(&r);
}

#define N_DEEP 6

/* main calls u, which calls itself and at last g. */
static void
call_deep(struct process_memory *p, uint64_t main_opline)
{
	uint64_t ex = ROOT;
	int i;

	lay_frame(p, ROOT, MAIN, main_opline, 0, 0);
	for (i = 0; i < N_DEEP; i++, ex += 80)
		lay_frame(p, ex + 80, USER, USER_OPS, 0, ex);
	lay_frame(p, ex + 80, G, 0, 1, ex);
	lay_roots(p, ex + 80, 96);
}

/* The innermost u has returned, and the one before calls h in its place. */
static void
go_on_below(struct process_memory *p)
{
	uint64_t ex = ROOT + (N_DEEP - 1) * 80;

	lay_frame(p, ex + 80, H, 0, 3, ex);
	lay_roots(p, ex + 80, 128);
}

static void
a_stack_that_was_seen_elsewhere_is_not_taken(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	call_deep(&r.p, OPS);
	sample(&r);
	r.p.go_on = go_on_below;
	sample(&r);
	expect_stack(&r, "<main>:10;u:10;u:10;u:10;u:10;u:10;u:10;g:-1");
	call_deep(&r.p, OPS + OP_SIZE);
	sample(&r);
	expect_stack(&r, "<main>:20;u:10;u:10;u:10;u:10;u:10;h:-1");
	rig_end(&r);
}

static void
callees_of_one_size_are_told_as_often_as_they_were_seen(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct slots s = { 0 };
	struct slot_key key = { 1, 80, 96 }, far = { 1, UINT64_MAX, 96 };
	struct php_place f = { .function = 5 }, g = { .function = 6 };
	int i, n_f = 0;

	(void)state;
	assert_null(slots_find(&s, &key));
	for (i = 0; i < 4000; i++)
		assert_int_equal(slots_note(ctx, &s, &key, 7,
		    i % 4 != 0 ? &f : &g), BOB_OK);
	for (i = 0; i < 1000; i++)
		n_f += slots_find(&s, &key)->place.function == 5;
	assert_in_range(n_f, 700, 800);
	assert_int_equal(slots_find_of(&s, &key, 6)->caller, 7);
	assert_null(slots_find_of(&s, &key, 8));
	key.size = 112;
	assert_null(slots_find(&s, &key));
	assert_int_equal(slots_note(ctx, &s, &far, 7, &f), BOB_OK);
	assert_null(slots_find(&s, &far));
	slots_forget(&s);
	key.size = 96;
	assert_null(slots_find(&s, &key));
	slots_free(&s);
	bob_ctx_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_in_its_place_is_told_by_its_size),
		cmocka_unit_test(without_knowledge_what_was_copied_is_taken),
		cmocka_unit_test(what_stands_is_not_put_right),
		cmocka_unit_test(a_caller_that_has_gone_on_stood_at_its_call),
		cmocka_unit_test(
		    a_caller_at_its_next_call_stood_at_the_only_one),
		cmocka_unit_test(
		    a_stack_that_is_gone_below_is_one_that_was_seen),
		cmocka_unit_test(a_stack_that_was_seen_elsewhere_is_not_taken),
		cmocka_unit_test(c_calls_back_right_behind_its_own_frame),
		cmocka_unit_test(
		    callees_of_one_size_are_told_as_often_as_they_were_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
