/* Offsets that a process tells about itself, against the buffers that they are
 * used with. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "capture/python/layout/bounds.h"
#include "capture/python/objects/text.h"
#include "capture/python/python.h"
#include "capture/python/tasks/coroutines.h"
#include "model/dict.h"
#include "../../fuzz/pyimage.h"

static struct pyimage m;

/* Offsets of a version, as they are right. */
static struct py_offsets
offsets_of(unsigned minor, int is_free_threaded)
{
	struct py_site site;

	pyimage_make(&m, minor, is_free_threaded);
	assert_null(pyimage_find(&m, &site));
	return site.o;
}

static void
what_is_right_passes(void **state)
{
	struct py_fault why;
	struct py_offsets o;
	struct py_site site;
	unsigned minor;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++) {
		o = offsets_of(minor, 0);
		assert_int_equal(py_bounds_check(&o, &why), 0);
		if (minor < PY_FIRST_DEBUG)
			continue;
		o = offsets_of(minor, 1);
		assert_int_equal(py_bounds_check(&o, &why), 0);
		pyimage_make_wide(&m, minor, 0);
		assert_null(pyimage_find(&m, &site));
	}
}

/* Not an offset: what is 8 bytes or 1 byte wide, and what fills up to that. */
static int
is_offset(size_t at)
{
	return at != offsetof(struct py_offsets, fr_runs) &&
	    at != offsetof(struct py_offsets, fr_locals) + 4 &&
	    at != offsetof(struct py_offsets, code_mask) &&
	    at != offsetof(struct py_offsets, code_mask) + 4;
}

/* A field that nobody checks, as one that is new, would pass. */
static void
every_field_has_a_bound(void **state)
{
	static const uint32_t values[] = { PY_MAX_OFFSET + 1, 1u << 31,
		PY_NONE - 1, PY_NONE - 7 };
	struct py_fault why;
	unsigned minor;
	size_t at, i;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++)
		for (at = offsetof(struct py_offsets, rt_interpreters);
		    at <= offsetof(struct py_offsets, gen_state); at += 4)
			for (i = 0; is_offset(at) && i < 4; i++) {
				struct py_offsets o = offsets_of(minor, 0);

				memcpy((char *)&o + at, &values[i], 4);
				assert_true(py_bounds_check(&o, &why) < 0);
			}
}

/* The last offset that fits, and the first that does not. */
static void
assert_last(unsigned minor, size_t field, uint32_t last)
{
	struct py_offsets o = offsets_of(minor, 0);
	struct py_fault why;

	memcpy((char *)&o + field, &last, 4);
	assert_int_equal(py_bounds_check(&o, &why), 0);
	last++;
	memcpy((char *)&o + field, &last, 4);
	assert_true(py_bounds_check(&o, &why) < 0);
	assert_non_null(strstr(why.text, py_bounds_name(field)));
}

#define LAST(minor, field, last)                                             \
	assert_last(minor, offsetof(struct py_offsets, field), last)

static void
offsets_end_with_their_buffers(void **state)
{
	struct py_offsets o = offsets_of(15, 0);
	unsigned minor;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++) {
		LAST(minor, ts_next, PY_MAX_THREAD - 8);
		LAST(minor, ts_thread_id, PY_MAX_THREAD - 8);
		LAST(minor, ts_handled, PY_MAX_THREAD - 16);
		LAST(minor, ts_frame, PY_MAX_THREAD - 8);
	}
	LAST(15, ts_holds_gil, PY_MAX_THREAD - 4);
	LAST(15, ts_chunk, PY_MAX_THREAD - 16);
	LAST(15, fr_owner, o.fr_size - 1);
	LAST(15, fr_previous, o.fr_size - 8);
	LAST(13, fr_instr, offsets_of(13, 0).fr_size - 12);
	LAST(15, co_arg_count, o.co_size - 12);
	LAST(15, str_state, o.str_ascii - 4);
	LAST(15, gen_frame, CORO_MAX_SIZE - o.fr_size);
	LAST(15, gen_state, CORO_MAX_SIZE - 1);
	LAST(10, co_var_names, offsets_of(10, 0).co_size - 24);
}

static void
put(size_t at, uint64_t v)
{
	memcpy(m.bytes + at, &v, 8);
}

/* Where words of a table of 3.15 are. */
enum { THREAD_SIZE = 176, CURRENT_FRAME = 208, CODE_ADAPTIVE = 448,
	STRING_STATE = 720, GIL_LOCKED = 144, FREE_THREADED = 16 };

static void
assert_refused(size_t at, uint64_t v, const char *text)
{
	struct py_site site;
	const char *why;

	pyimage_make_wide(&m, 15, 0);
	put(at, v);
	why = pyimage_find(&m, &site);
	assert_non_null(why);
	assert_string_equal(why, text);
}

static void
a_refusal_names_the_field(void **state)
{
	(void)state;
	assert_refused(CURRENT_FRAME, 65000, "offset thread_state."
	    "current_frame is 65000, larger than the 1280 bytes that are read "
	    "of a thread's state");
	assert_refused(CURRENT_FRAME, UINT64_MAX, "offset thread_state."
	    "current_frame is 18446744073709551615, larger than its structure "
	    "of 65536 bytes");
	assert_refused(THREAD_SIZE, 0, "the size of thread_state is 0, not 1 "
	    "to 65536");
	assert_refused(CODE_ADAPTIVE, 0, "offset code_object.co_flags is 48, "
	    "larger than the 0 bytes that are read of a code object");
	assert_refused(STRING_STATE, 252, "offset unicode_object.state is "
	    "252, larger than the 40 bytes that are read of the head of a "
	    "string");
	assert_refused(GIL_LOCKED, 8000, "offsets interpreter_state."
	    "gil_runtime_state_holder and _locked are 8 and 4160 of a lock, "
	    "16 apart or more");
	assert_refused(FREE_THREADED, 2, "free_threaded is 2, neither 0 nor "
	    "1");
}

/* --- tasks --------------------------------------------------------------- */

/* Fields of a task, each with what is read there, and of what: all of it, or
 * its part that is a future. */
static const struct {
	const char *name;
	size_t field;
	uint32_t n;
	unsigned minor;
	int is_future;
} task_fields[] = {
#define TASK(name, field, n, minor, is_future)                               \
	{ name, offsetof(struct py_task_offsets, field), n, minor, is_future }
	TASK("task_name", name, 8, 13, 0),
	TASK("task_coro", coro, 8, 13, 0),
	TASK("future", future_size, 0, 13, 0),
	TASK("callback0", callback0, 8, 13, 1),
	TASK("callbacks", callbacks, 8, 13, 1),
	TASK("state", state, 4, 13, 1),
	TASK("fut_waiter", waiter, 8, 13, 0),
	TASK("task_awaited_by", awaited_by, 8, 14, 0),
	TASK("task_is_task", is_task, 1, 14, 0),
	TASK("task_awaited_by_is_set", is_set, 1, 14, 0),
	TASK("task_node", node, 16, 14, 0),
#undef TASK
};

static const struct py_task_offsets right_task = { .size = 400,
	.future_size = 200 };

static void
offsets_of_tasks_end_with_their_buffers(void **state)
{
	struct py_task_offsets o;
	struct py_fault why;
	uint32_t last;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(task_fields); i++) {
		unsigned minor = task_fields[i].minor;

		o = right_task;
		last = (task_fields[i].is_future ? o.future_size : o.size) -
		    task_fields[i].n;
		memcpy((char *)&o + task_fields[i].field, &last, 4);
		assert_int_equal(py_bounds_check_tasks(&o, minor, &why), 0);
		last++;
		memcpy((char *)&o + task_fields[i].field, &last, 4);
		assert_true(py_bounds_check_tasks(&o, minor, &why) < 0);
		assert_non_null(strstr(why.text, task_fields[i].name));
	}
}

static void
sizes_of_tasks_have_bounds(void **state)
{
	struct py_task_offsets o = right_task;
	struct py_fault why;
	unsigned minor;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++) {
		o = right_task;
		o.size = TASKS_MAX_SIZE;
		assert_int_equal(py_bounds_check_tasks(&o, minor, &why), 0);
		o.size++;
		assert_true(py_bounds_check_tasks(&o, minor, &why) < 0);
		o.size = o.future_size = 32;
		assert_int_equal(py_bounds_check_tasks(&o, minor, &why), 0);
		o.size = o.future_size = 31;
		assert_true(py_bounds_check_tasks(&o, minor, &why) < 0);
	}
	/* What is read of a thread's state. */
	o = right_task;
	o.ts_task = PY_MAX_THREAD - 8;
	o.ts_head = PY_MAX_OFFSET;
	assert_int_equal(py_bounds_check_tasks(&o, 14, &why), 0);
	o.ts_head++;
	assert_true(py_bounds_check_tasks(&o, 14, &why) < 0);
	o.ts_head = 0;
	o.ts_task++;
	assert_true(py_bounds_check_tasks(&o, 14, &why) < 0);
}

/* --- samples ------------------------------------------------------------- */

/* Some samples of the image, which may give nothing. */
static void
sample_image(const struct py_site *site)
{
	struct process p;
	void *state;
	int i;

	memset(&p, 0, sizeof(p));
	p.ctx = bob_ctx_new();
	p.dict = bob_dict_new(p.ctx);
	assert_non_null(p.dict);
	p.pid = 4711;
	p.max_depth = BOB_MAX_CAPTURE_DEPTH;
	p.mode = BOB_MODE_EXCEPTION;
	p.flags = BOB_ATTACH_TASKS | BOB_ATTACH_ALL_TASKS |
	    BOB_ATTACH_OPCODES;
	p.mem = m.mem;
	assert_int_equal(py_open(&p, site, &state), BOB_OK);
	for (i = 0; i < 2; i++) {
		p.n_run = 0;
		p.time_us = (uint64_t)i * 30000;
		if (python_runtime.sample(state, &p) != BOB_OK)
			break;
	}
	python_runtime.detach(state);
	free(p.run);
	bob_dict_free(p.dict);
	bob_ctx_free(p.ctx);
}

/* Every word of both tables, with values near the sizes of buffers: refused,
 * or harmless, which sanitizers see. */
static void
every_word_may_be_hostile(void **state)
{
	static const uint64_t values[] = { 0, 1, 127, 191, 252, 505, 1273,
		2041, 65000, 65536, UINT64_MAX };
	unsigned minor;
	size_t i, k, first, n_refused = 0;
	struct py_site site;

	(void)state;
	for (minor = PY_FIRST_DEBUG; minor <= PY_NEWEST - 1; minor++) {
		pyimage_make_wide(&m, minor, 0);
		first = pyimage_table_word(&m, 0);
		for (i = 0; i == 0 || pyimage_table_word(&m, i) != first; i++)
			for (k = 0; k < sizeof(values) / sizeof(values[0]);
			    k++) {
				pyimage_make_wide(&m, minor, 0);
				put(pyimage_table_word(&m, i), values[k]);
				if (pyimage_find(&m, &site) == NULL)
					sample_image(&site);
				else
					n_refused++;
			}
	}
	assert_true(n_refused > 500);
}

/* --- lists --------------------------------------------------------------- */

static void
begin_process(struct process *p)
{
	memset(p, 0, sizeof(*p));
	p->ctx = bob_ctx_new();
	p->dict = bob_dict_new(p->ctx);
	assert_non_null(p->dict);
	p->pid = INT32_MAX; /* the kernel has none */
	p->max_depth = BOB_MAX_CAPTURE_DEPTH;
	p->mem = m.mem;
}

static void
end_process(struct process *p)
{
	free(p->run);
	bob_dict_free(p->dict);
	bob_ctx_free(p->ctx);
}

/* Of a version whose list of threads begins at a word of the image: it leads
 * back to the first. */
static void
a_circle_of_threads_is_told(void **state)
{
	struct py_site site;
	struct process p;
	unsigned minor;
	void *open;
	uint64_t first;
	int i;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++) {
		pyimage_make(&m, minor, 0);
		assert_null(pyimage_find(&m, &site));
		memcpy(&first, m.bytes + PYIMAGE_INTERP + site.o.is_threads,
		    8);
		put((size_t)(first - PYIMAGE_AT) + site.o.ts_next, first);
		begin_process(&p);
		assert_int_equal(py_open(&p, &site, &open), BOB_OK);
		for (i = 1; i <= 3; i++) {
			p.n_run = 0;
			p.time_us = (uint64_t)i * 200000;
			assert_int_equal(python_runtime.sample(open, &p),
			    BOB_OK);
			assert_int_equal(p.n_run, 1);
			assert_int_equal(p.counts.lost_by[BOB_LOST_THREADS],
			    i);
		}
		python_runtime.detach(open);
		end_process(&p);
	}
}

static uint64_t
word_at(uint64_t at)
{
	uint64_t v;

	memcpy(&v, m.bytes + (at - PYIMAGE_AT), 8);
	return v;
}

/* Up to 3.10, where frames are objects anywhere: the second calls the first. It
 * is not followed until a stack may not be any deeper. */
static void
a_circle_of_frames_takes_few_steps(void **state)
{
	struct py_site site;
	struct process p;
	uint64_t thread, top;
	unsigned minor;
	void *open;

	(void)state;
	for (minor = PY_OLDEST; minor <= 10; minor++) {
		pyimage_make(&m, minor, 0);
		assert_null(pyimage_find(&m, &site));
		thread = word_at(PYIMAGE_AT + PYIMAGE_INTERP +
		    site.o.is_threads);
		top = word_at(thread + site.o.ts_frame);
		put((size_t)(word_at(top + site.o.fr_previous) - PYIMAGE_AT) +
		    site.o.fr_previous, top);
		begin_process(&p);
		assert_int_equal(py_open(&p, &site, &open), BOB_OK);
		mem_allow(&p.mem, BOB_MAX_CAPTURE_READS, BOB_MAX_CAPTURE_BYTES);
		assert_int_equal(python_runtime.sample(open, &p), BOB_OK);
		assert_int_equal(p.n_run, 0);
		assert_int_equal(p.counts.lost, 1);
		assert_true(mem_steps(&p.mem, BOB_MAX_CAPTURE_READS,
		    BOB_MAX_CAPTURE_BYTES) < 300);
		python_runtime.detach(open);
		end_process(&p);
	}
}

/* A sample ends when nothing more may be read, and the next one goes on. */
static void
reads_of_a_sample_have_an_end(void **state)
{
	struct py_site site;
	struct process p;
	void *open;
	uint64_t n = 0, was;
	size_t most;

	(void)state;
	pyimage_make(&m, 15, 0);
	assert_null(pyimage_find(&m, &site));
	begin_process(&p);
	assert_int_equal(py_open(&p, &site, &open), BOB_OK);
	for (most = 1; most < 200 && n == 0; most++) {
		was = p.mem.n_calls;
		p.n_run = 0;
		mem_allow(&p.mem, most, 1 << 20);
		assert_int_equal(python_runtime.sample(open, &p), BOB_OK);
		assert_true(p.mem.n_calls - was <= most);
		n = p.n_run;
	}
	/* What was learned is kept. */
	assert_true(n == 1 && most > 3);
	/* The read that exceeds the bytes is the last. */
	was = p.mem.n_calls;
	mem_allow(&p.mem, 100, 64);
	assert_int_equal(python_runtime.sample(open, &p), BOB_OK);
	assert_int_equal(p.mem.n_calls - was, 1);
	assert_int_equal(mem_is_used_up(&p.mem), 1);
	python_runtime.detach(open);
	end_process(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_right_passes),
		cmocka_unit_test(every_field_has_a_bound),
		cmocka_unit_test(offsets_end_with_their_buffers),
		cmocka_unit_test(a_refusal_names_the_field),
		cmocka_unit_test(offsets_of_tasks_end_with_their_buffers),
		cmocka_unit_test(sizes_of_tasks_have_bounds),
		cmocka_unit_test(every_word_may_be_hostile),
		cmocka_unit_test(a_circle_of_threads_is_told),
		cmocka_unit_test(a_circle_of_frames_takes_few_steps),
		cmocka_unit_test(reads_of_a_sample_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
