/* Stacks of PHP that moved while they were read, in a memory of our own. */
#include "support.h"

#include <string.h>

#include "capture/php/repair.h"

#include "core/error.h"
#include "../../fuzz/fakemem.h"

#define BASE ((uint64_t)0x7f0000000000)
#define EG (BASE + 0x1000)
#define PAGE (BASE + 0x2000)
#define ROOT (PAGE + VM_STACK_HEADER)
#define SLOT_A (ROOT + 80) /* behind a frame of main */
#define MAIN (BASE + 0x8000)
#define USER (BASE + 0x8400)
#define G (BASE + 0x8800)
#define H (BASE + 0x8c00)
#define OPS (BASE + 0x9000)
#define USER_OPS (BASE + 0x9800)
#define STRINGS (BASE + 0xa000)

struct process_memory {
	struct fakemem fake;
	uint8_t m[1 << 16];
	/* What happens once the roots were read, or nothing. */
	void (*go_on)(struct process_memory *p);
};

struct rig {
	struct process_memory p;
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct names names;
	struct copy copy;
	struct walk walk;
};

static void
lay64(struct process_memory *p, uint64_t at, uint64_t v)
{
	fakemem_put(&p->fake, at - BASE, v, 8);
}

static void
lay32(struct process_memory *p, uint64_t at, uint32_t v)
{
	fakemem_put(&p->fake, at - BASE, v, 4);
}

static void
change(struct fakemem *m, size_t i, size_t n)
{
	struct process_memory *p = m->user;

	if (i == 1 && n > 2 && p->go_on != NULL)
		p->go_on(p);
}

static uint64_t
lay_string(struct process_memory *p, uint64_t at, const char *s)
{
	lay64(p, at + STR_LEN, strlen(s));
	memcpy(p->m + (at + STR_VAL - BASE), s, strlen(s));
	return at;
}

static void
lay_function(struct process_memory *p, uint64_t at, uint8_t type,
    uint64_t name, uint64_t ops)
{
	const struct php_offsets *o = php_offsets_of(82);

	p->m[at - BASE + FN_TYPE] = type;
	lay64(p, at + FN_NAME, name);
	if (type == FN_INTERNAL)
		return;
	lay64(p, at + o->op_filename,
	    lay_string(p, STRINGS + 0x800, "a.php"));
	lay64(p, at + o->op_opcodes, ops);
	lay32(p, at + o->op_last, 3);
	lay32(p, ops + OP_LINE, 10);
	p->m[ops - BASE + OP_CODE] = OP_DO_ICALL;
	lay32(p, ops + OP_SIZE + OP_LINE, 20);
	p->m[ops - BASE + OP_SIZE + OP_CODE] = OP_DO_ICALL;
	lay32(p, ops + 2 * OP_SIZE + OP_LINE, 30);
	p->m[ops - BASE + 2 * OP_SIZE + OP_CODE] = 1;
}

static void
lay_frame(struct process_memory *p, uint64_t at, uint64_t func,
    uint64_t opline, uint32_t n_args, uint64_t prev)
{
	const struct php_offsets *o = php_offsets_of(82);

	lay64(p, at + EX_FUNC, func);
	lay64(p, at + EX_OPLINE, opline);
	lay32(p, at + EX_TYPE_INFO, prev == 0 ? o->call_top : 0);
	lay32(p, at + EX_N_ARGS, n_args);
	lay64(p, at + o->ex_prev, prev);
}

/* That frame is current, and so large. */
static void
lay_roots(struct process_memory *p, uint64_t current, uint64_t size)
{
	const struct php_offsets *o = php_offsets_of(82);

	lay64(p, EG + o->eg_vm_stack_top, current + size);
	lay64(p, EG + o->eg_vm_stack_top + EG_VM_STACK, PAGE);
	lay64(p, EG + o->eg_current, current);
}

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

static void
rig_begin(struct rig *r)
{
	struct mem *mem = &r->p.fake.mem;

	memset(r, 0, sizeof(*r));
	fakemem_init(&r->p.fake, BASE, r->p.m, sizeof(r->p.m));
	r->p.fake.before = change;
	r->p.fake.user = &r->p;
	r->ctx = bob_ctx_new();
	r->dict = bob_dict_new(r->ctx);
	assert_non_null(r->dict);
	lay_function(&r->p, MAIN, FN_USER, 0, OPS);
	lay_function(&r->p, USER, FN_USER, lay_string(&r->p, STRINGS, "u"),
	    USER_OPS);
	lay_function(&r->p, G, FN_INTERNAL,
	    lay_string(&r->p, STRINGS + 0x100, "g"), 0);
	lay_function(&r->p, H, FN_INTERNAL,
	    lay_string(&r->p, STRINGS + 0x200, "h"), 0);
	names_init(&r->names, r->ctx, r->dict, mem, php_offsets_of(82), 0);
	copy_init(&r->copy, r->ctx, mem, php_offsets_of(82), EG);
	walk_init(&r->walk, r->ctx, r->dict, &r->copy, &r->names, 100);
}

static void
rig_end(struct rig *r)
{
	walk_done(&r->walk);
	copy_done(&r->copy);
	names_done(&r->names);
	bob_dict_free(r->dict);
	bob_ctx_free(r->ctx);
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
