/* What a PHP tells about its stack, against the buffers that it is used with.
 * Sanitizers see what is read or written behind them. */
#include "php_rig.h"

#include <errno.h>
#include <string.h>

#define END (BASE + 0x10000) /* of the memory */
#define FREE (BASE + 0xb000) /* nothing lies from here on */

/* A page of which as much is copied as its buffer has room for. */
#define LEN 4096
#define TOP (PAGE + LEN - 1024)

static void
lay_pattern(struct process_memory *p, uint64_t from, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		p->m[from - BASE + i] = (uint8_t)(i * 7 + i / 256 + 1);
}

static void
lay_current(struct process_memory *p, uint64_t current)
{
	const struct php_offsets *o = php_offsets_of(82);

	lay64(p, EG + o->eg_vm_stack_top, TOP);
	lay64(p, EG + o->eg_vm_stack_top + EG_VM_STACK, PAGE);
	lay64(p, EG + o->eg_current, current);
}

/* main alone, on such a page. */
static void
begin_full(struct rig *r)
{
	rig_begin(r);
	lay_pattern(&r->p, PAGE, LEN + EX_SIZE);
	lay_pattern(&r->p, FREE, END - FREE);
	lay_frame(&r->p, ROOT, MAIN, OPS, 0, 0);
	lay_current(&r->p, ROOT);
	assert_int_equal(copy_take(&r->copy), 0);
	assert_int_equal(r->copy.len, LEN);
	assert_int_equal(r->copy.cap_page, LEN);
}

static void
assert_frame(struct rig *r, uint64_t ex)
{
	const uint8_t *p = copy_frame(&r->copy, ex);

	assert_non_null(p);
	assert_memory_equal(p, r->p.m + (ex - BASE), EX_SIZE);
}

/* --- the copy ------------------------------------------------------------ */

static void
a_frame_that_begins_in_the_page_may_end_behind_it(void **state)
{
	struct rig r;
	size_t n;

	(void)state;
	begin_full(&r);
	for (n = 8; n <= EX_SIZE + 8; n += 8)
		assert_frame(&r, PAGE + LEN - n);
	rig_end(&r);
}

static void
a_frame_that_begins_in_a_span_may_end_behind_it(void **state)
{
	struct rig r;
	size_t n;

	(void)state;
	for (n = 0; n <= EX_SIZE; n += 8) {
		begin_full(&r);
		assert_frame(&r, FREE);
		assert_frame(&r, FREE + n);
		rig_end(&r);
	}
}

static void
spans_have_an_end(void **state)
{
	struct rig r;
	int round, i;

	(void)state;
	begin_full(&r);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 3 * COPY_SPANS; i++) {
			assert_frame(&r, FREE + (uint64_t)i * 256);
			assert_true(r.copy.n_span <= COPY_SPANS);
		}
		copy_learn(&r.copy);
		assert_int_equal(copy_take(&r.copy), 0);
		assert_int_equal(r.copy.n_span, COPY_SPANS);
	}
	rig_end(&r);
}

/* All memory can be read. */
static long
give_all(struct mem *m, const struct mem_span *v, size_t n)
{
	size_t i;

	(void)m;
	for (i = 0; i < n; i++)
		memset(v[i].to, 0, v[i].n);
	return (long)mem_total(v, n);
}

/* Each frame lies below the last one, so that much is read at once. */
static void
frames_elsewhere_have_a_limit(void **state)
{
	uint64_t ex = END + ((uint64_t)1 << 30);
	struct rig r;
	size_t n = 0;

	(void)state;
	begin_full(&r);
	r.p.fake.mem.gather = give_all;
	while (n < 10000 && copy_frame(&r.copy, ex) != NULL) {
		assert_true(r.copy.n_used <= COPY_MAX_ELSEWHERE);
		ex -= 60000;
		n++;
	}
	assert_in_range(n, 100, 9999);
	rig_end(&r);
}

static void
a_page_has_a_limit(void **state)
{
	static const uint64_t sizes[] = { COPY_MAX_PAGE, COPY_MAX_PAGE + 1,
		UINT32_MAX, (uint64_t)1 << 46, UINT64_MAX - PAGE };
	const struct php_offsets *o = php_offsets_of(82);
	struct rig r;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(sizes); i++) {
		rig_begin(&r);
		lay_current(&r.p, ROOT);
		lay64(&r.p, EG + o->eg_vm_stack_top, PAGE + sizes[i]);
		assert_int_equal(copy_take(&r.copy), -EFAULT);
		assert_int_equal(r.copy.cap_page, 0);
		rig_end(&r);
	}
}

/* --- the walk ------------------------------------------------------------ */

/* A generator that waits for itself. */
static void
generators_that_wait_have_an_end(void **state)
{
	const struct php_offsets *o = php_offsets_of(82);
	uint64_t gen = FREE, holder = FREE + 256, runs = FREE + 1024;
	uint64_t waits = FREE + 2048;
	struct rig r;

	(void)state;
	rig_begin(&r);
	lay_frame(&r.p, ROOT, MAIN, OPS, 0, 0);
	lay_frame(&r.p, waits, USER, USER_OPS, 0, 0);
	lay_frame(&r.p, runs, USER, USER_OPS, 0, holder);
	lay32(&r.p, runs + EX_TYPE_INFO, o->call_generator);
	lay_frame(&r.p, holder, 0, 0, 0, ROOT);
	lay64(&r.p, holder + EX_THIS, gen);
	lay64(&r.p, gen + o->gen_node, gen);
	lay64(&r.p, gen + o->gen_execute_data, waits);
	lay_current(&r.p, runs);
	assert_int_equal(copy_take(&r.copy), 0);
	assert_int_not_equal(walk_prove(&r.walk), WALK_FATAL);
	assert_in_range(r.walk.n_frame, 10, 100);
	rig_end(&r);
}

/* Two frames outside of the page, of which each is the caller of the other. */
static void
a_circle_of_frames_has_an_end(void **state)
{
	struct rig r;

	(void)state;
	begin_full(&r);
	lay_frame(&r.p, FREE, USER, USER_OPS, 0, FREE + 256);
	lay_frame(&r.p, FREE + 256, USER, USER_OPS, 0, FREE);
	lay_current(&r.p, FREE);
	assert_int_equal(copy_take(&r.copy), 0);
	assert_int_equal(walk_prove(&r.walk), BOB_LOST_DEPTH);
	assert_in_range(r.walk.n_frame, 100, BOB_MAX_CAPTURE_DEPTH);
	rig_end(&r);
}

/* The current frame is in the last 8 bytes of the copy, and what lies below
 * points at it. */
static void
a_caller_is_not_looked_for_behind_the_page(void **state)
{
	uint64_t ex = PAGE + LEN - 8;
	struct rig r;

	(void)state;
	begin_full(&r);
	memset(r.p.m + (ex - BASE), 0, EX_SIZE);
	lay64(&r.p, ex - 8, ex);
	lay_current(&r.p, ex);
	assert_int_equal(copy_take(&r.copy), 0);
	assert_int_equal(walk_prove(&r.walk), BOB_LOST_ROOT);
	rig_end(&r);
}

/* --- names --------------------------------------------------------------- */

static int
name_at(struct rig *r, uint64_t name, struct php_place *ret)
{
	names_forget(&r->names);
	lay_function(&r->p, USER, FN_USER, name, USER_OPS);
	return names_top(&r->names, USER, 0, ret);
}

/* What is there of it ends within its head, or right behind. */
static void
a_name_may_end_with_the_memory(void **state)
{
	struct php_place place;
	struct rig r;
	uint64_t n;

	(void)state;
	rig_begin(&r);
	for (n = 0; n <= STR_VAL; n += 8) {
		memset(r.p.m + sizeof(r.p.m) - n, 'n', n);
		assert_int_equal(name_at(&r, END - n, &place), NAMES_READ);
	}
	lay64(&r.p, END - n + STR_LEN, 8);
	assert_int_equal(n, STR_VAL + 8);
	memset(r.p.m + sizeof(r.p.m) - n, 0, STR_LEN);
	assert_int_equal(name_at(&r, END - n, &place), NAMES_OK);
	rig_end(&r);
}

/* Lengths around what is read at once, what is taken, and what stands behind
 * the name of a closure. */
static void
a_name_may_have_any_length(void **state)
{
	static const uint64_t lengths[] = { 1, 8, 9, 231, 232, 233,
		NAMES_MAX_BYTES - 1, NAMES_MAX_BYTES, NAMES_MAX_BYTES + 1,
		2 * NAMES_MAX_BYTES };
	struct php_place place;
	struct bob_bytes name;
	struct rig r;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(lengths); i++) {
		uint64_t n = lengths[i];

		rig_begin(&r);
		lay64(&r.p, FREE + STR_LEN, n);
		memset(r.p.m + (FREE + STR_VAL - BASE), 'n', n);
		assert_int_equal(name_at(&r, FREE, &place), NAMES_OK);
		name = bob_str_get(r.dict, bob_frame_get(r.dict,
		    place.frame)->name);
		assert_int_equal(name.n, n < NAMES_MAX_BYTES
		    ? n : NAMES_MAX_BYTES);
		rig_end(&r);
	}
}

/* --- repair -------------------------------------------------------------- */

/* main calls g. */
static void
call_g(struct process_memory *p)
{
	lay_frame(p, ROOT, MAIN, OPS, 0, 0);
	lay_frame(p, SLOT_A, G, 0, 1, ROOT);
	lay_roots(p, SLOT_A, 96);
}

static void
sample(struct rig *r)
{
	assert_int_equal(copy_take(&r->copy), 0);
	assert_int_equal(walk_prove(&r->walk), WALK_OK);
}

/* A stack of one frame, from which the process has gone on. */
static void
main_alone_has_no_caller(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	lay_frame(&r.p, ROOT, MAIN, OPS, 0, 0);
	lay_roots(&r.p, ROOT, 80);
	r.p.go_on = call_g;
	sample(&r);
	assert_int_equal(r.walk.depth, 1);
	rig_end(&r);
}

/* g has returned, and so has main: u is the script now, and calls nothing. */
static void
run_u_instead(struct process_memory *p)
{
	lay_frame(p, ROOT, USER, USER_OPS + 2 * OP_SIZE, 0, 0);
	lay_roots(p, ROOT, 80);
}

static void
a_stack_that_was_seen_may_have_another_root(void **state)
{
	struct rig r;

	(void)state;
	rig_begin(&r);
	call_g(&r.p);
	sample(&r);
	assert_int_equal(r.walk.depth, 2);
	r.p.go_on = run_u_instead;
	sample(&r);
	assert_int_equal(r.walk.depth, 1);
	assert_int_equal(r.walk.known, 0);
	rig_end(&r);
}

static void
nothing_is_learned_from_behind_the_page(void **state)
{
	struct rig r;
	size_t n;

	(void)state;
	for (n = 8; n < EX_SIZE; n += 8) {
		begin_full(&r);
		lay_current(&r.p, PAGE + LEN - n);
		assert_int_equal(copy_peek(&r.copy), 1);
		assert_int_equal(repair_learn(&r.walk), WALK_OK);
		rig_end(&r);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_frame_that_begins_in_the_page_may_end_behind_it),
		cmocka_unit_test(
		    a_frame_that_begins_in_a_span_may_end_behind_it),
		cmocka_unit_test(spans_have_an_end),
		cmocka_unit_test(frames_elsewhere_have_a_limit),
		cmocka_unit_test(a_page_has_a_limit),
		cmocka_unit_test(generators_that_wait_have_an_end),
		cmocka_unit_test(a_circle_of_frames_has_an_end),
		cmocka_unit_test(a_caller_is_not_looked_for_behind_the_page),
		cmocka_unit_test(a_name_may_end_with_the_memory),
		cmocka_unit_test(a_name_may_have_any_length),
		cmocka_unit_test(main_alone_has_no_caller),
		cmocka_unit_test(a_stack_that_was_seen_may_have_another_root),
		cmocka_unit_test(nothing_is_learned_from_behind_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
