/* Reading Python without one: memory images of every version, tables of lines
 * and offsets, strings. */
#include "support.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/code/lines.h"
#include "capture/python/code/opcodes.h"
#include "capture/python/frames/copy.h"
#include "capture/python/objects/text.h"
#include "capture/python/tasks/find_asyncio.h"
#include "capture/python/values/locals.h"
#include "core/pattern.h"
#include "model/dict.h"
#include "py_rig.h"

/* --- images -------------------------------------------------------------- */

static void
read_image(unsigned minor, int is_free_threaded)
{
	static struct pyimage m;
	struct process p;
	struct py_site site;
	uint8_t status;
	void *state;
	int i;

	pyimage_make(&m, minor, is_free_threaded);
	assert_null(pyimage_find(&m, &site));
	py_rig_begin(&p, &m.mem);
	assert_int_equal(py_open(&p, &site, &state), BOB_OK);
	for (i = 0; i < 3; i++) {
		p.n_run = 0;
		assert_int_equal(python_runtime.sample(state, &p), BOB_OK);
		assert_int_equal(p.n_run, 1); /* the other runs nothing */
		py_rig_assert_stack(&p, p.run[0].stack);
		status = BOB_STATUS_UNKNOWN | BOB_STATUS_HAS_GIL;
		/* Without numbers of the kernel nothing says which is the
		 * main thread. */
		if (minor >= 11)
			status |= BOB_STATUS_MAIN_THREAD;
		assert_int_equal(p.run[0].status & ~BOB_STATUS_MAIN_THREAD,
		    status & ~BOB_STATUS_MAIN_THREAD);
		if (minor >= 11)
			assert_int_equal(p.run[0].status, status);
	}
	assert_int_equal(p.counts.lost, 0);
	python_runtime.detach(state);
	py_rig_end(&p);
}

static void
every_version_can_be_read(void **state)
{
	unsigned minor;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++)
		read_image(minor, 0);
}

static void
free_threaded_builds_can_be_read(void **state)
{
	unsigned minor;

	(void)state;
	for (minor = PY_FIRST_DEBUG; minor <= PY_NEWEST; minor++)
		read_image(minor, 1);
}

/* --- a process that never answers ----------------------------------------- */

static jmp_buf out;
static unsigned n_answers;

static void
fall_silent(struct pyimage *m)
{
	(void)m;
	if (n_answers-- == 0)
		longjmp(out, 1);
}

/* Samples until the n-th read, and goes from there to the end, as who is left
 * behind does (hand.h). False when there are fewer reads. */
static int
leave_at(struct pyimage *m, unsigned n)
{
	static struct process p;
	static struct py_site site;
	static void *state;
	static int i;
	int is_left;

	m->before_read = NULL;
	assert_null(pyimage_find(m, &site));
	py_rig_begin(&p, &m->mem);
	p.flags = BOB_ATTACH_TASKS | BOB_ATTACH_ALL_TASKS;
	assert_int_equal(py_open(&p, &site, &state), BOB_OK);
	n_answers = n;
	m->before_read = fall_silent;
	is_left = setjmp(out) != 0;
	for (i = 0; !is_left && i < 2; i++)
		assert_int_equal(python_runtime.sample(state, &p), BOB_OK);
	python_runtime.detach(state);
	py_rig_end(&p);
	return is_left;
}

/* The sanitizer tells what is not freed. */
static void
all_is_freed_wherever_it_falls_silent(void **state)
{
	static struct pyimage m;
	unsigned minor, n;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++) {
		pyimage_make(&m, minor, 0);
		for (n = 0; leave_at(&m, n); n++)
			;
		assert_true(n > 50);
	}
}

/* The thread that runs is behind one whose state is damaged between two
 * samples. */
static void
a_thread_that_cannot_be_read_hides_no_other(void **state)
{
	static struct pyimage m;
	struct process p;
	struct py_site site;
	const uint64_t nowhere = 0x1000;
	uint64_t first;
	void *python;
	size_t at;

	(void)state;
	pyimage_make(&m, 14, 0);
	assert_null(pyimage_find(&m, &site));
	py_rig_begin(&p, &m.mem);
	assert_int_equal(py_open(&p, &site, &python), BOB_OK);
	assert_int_equal(python_runtime.sample(python, &p), BOB_OK);
	assert_int_equal(p.n_run, 1);
	/* The list now begins with a thread that is not there. */
	memcpy(&first, m.bytes + site.o.rt_interpreters, sizeof(first));
	at = (size_t)(first - PYIMAGE_AT) + site.o.is_threads;
	memcpy(m.bytes + at, &nowhere, sizeof(nowhere));
	p.n_run = 0;
	assert_int_equal(python_runtime.sample(python, &p), BOB_OK);
	assert_int_equal(p.n_run, 1);
	p.n_run = 0;
	assert_int_equal(python_runtime.sample(python, &p), BOB_OK);
	assert_int_equal(p.n_run, 1);
	py_rig_assert_stack(&p, p.run[0].stack);
	python_runtime.detach(python);
	py_rig_end(&p);
}

/* --- an interpreter that begins ------------------------------------------ */

static void
swap_u64(struct pyimage *m, size_t at, uint64_t *v)
{
	uint64_t old;

	memcpy(&old, m->bytes + at, sizeof(old));
	memcpy(m->bytes + at, v, sizeof(*v));
	*v = old;
}

/* The status of the first thread, at that time. */
static uint8_t
status_at(struct process *p, void *python, uint64_t t_us)
{
	p->n_run = 0;
	p->time_us = t_us;
	assert_int_equal(python_runtime.sample(python, p), BOB_OK);
	assert_true(p->n_run > 0);
	return p->run[0].status;
}

static void
the_lock_and_the_main_thread_may_come_later(void **state)
{
	static struct pyimage m;
	uint64_t gil = 0, main_id = 0;
	struct process p;
	struct py_site site;
	void *python;
	uint8_t status;

	(void)state;
	for (unsigned minor = 12; minor <= PY_NEWEST; minor++) {
		pyimage_make(&m, minor, 0);
		assert_null(pyimage_find(&m, &site));
		swap_u64(&m, PYIMAGE_INTERP + m.o.is_gil, &gil);
		if (m.o.is_main_thread != PY_NONE)
			swap_u64(&m, PYIMAGE_INTERP + m.o.is_main_thread,
			    &main_id);
		py_rig_begin(&p, &m.mem);
		assert_int_equal(py_open(&p, &site, &python), BOB_OK);
		(void)status_at(&p, python, 0);
		swap_u64(&m, PYIMAGE_INTERP + m.o.is_gil, &gil);
		if (m.o.is_main_thread != PY_NONE)
			swap_u64(&m, PYIMAGE_INTERP + m.o.is_main_thread,
			    &main_id);
		(void)status_at(&p, python, 1000000);
		status = status_at(&p, python, 2000000);
		assert_int_not_equal(status & BOB_STATUS_HAS_GIL, 0);
		assert_true(m.o.is_main_thread == PY_NONE ||
		    (status & BOB_STATUS_MAIN_THREAD) != 0);
		assert_int_equal(gil, 0);
		python_runtime.detach(python);
		py_rig_end(&p);
	}
}

/* --- functions that are over --------------------------------------------- */

static size_t
follow(const struct pyimage *m, size_t at)
{
	uint64_t to;

	memcpy(&to, m->bytes + at, sizeof(to));
	return (size_t)(to - PYIMAGE_AT);
}

/* Gives the function on top a second line, from its third unit on. */
static void
add_line(struct pyimage *m, size_t code)
{
	static const uint8_t steps[] = { 0, 1, 4, 1 },
	    ranges[] = { 4, 1, 12, 1 };
	size_t table = follow(m, code + m->o.co_lines);
	const uint64_t n = 4;

	memcpy(m->bytes + table + m->o.var_size, &n, sizeof(n));
	memcpy(m->bytes + table + m->o.bytes_data,
	    m->minor == 10 ? ranges : steps, (size_t)n);
}

/* The line of the function on top, when its frame is at that unit and has so
 * many references. */
static int
line_at(struct pyimage *m, struct process *p, void *python, size_t frame,
    uint32_t unit, uint64_t refs)
{
	uint32_t lasti = m->minor == 10 ? unit : 2 * unit;
	struct bob_node node;

	memcpy(m->bytes + frame, &refs, sizeof(refs));
	memcpy(m->bytes + frame + m->o.fr_instr, &lasti, sizeof(lasti));
	p->n_run = 0;
	assert_int_equal(python_runtime.sample(python, p), BOB_OK);
	assert_int_equal(p->n_run, 1);
	node = bob_stack_get(p->dict, p->run[0].stack);
	assert_int_equal(node.depth, PYIMAGE_DEPTH);
	return (int)bob_frame_get(p->dict, node.frame)->where;
}

static void
a_function_that_is_over_is_told_where_it_ran(void **state)
{
	static struct pyimage m;
	const int line = pyimage_lines[PYIMAGE_DEPTH - 1];
	struct process p;
	struct py_site site;
	size_t thread, frame;
	void *python;

	(void)state;
	for (unsigned minor = PY_OLDEST; minor <= 10; minor++) {
		pyimage_make(&m, minor, 0);
		assert_null(pyimage_find(&m, &site));
		thread = follow(&m, PYIMAGE_INTERP + m.o.is_threads);
		frame = follow(&m, thread + m.o.ts_frame);
		add_line(&m, follow(&m, frame + m.o.fr_code));
		py_rig_begin(&p, &m.mem);
		assert_int_equal(py_open(&p, &site, &python), BOB_OK);
		assert_int_equal(line_at(&m, &p, python, frame, 3, 1),
		    line + 1);
		assert_int_equal(line_at(&m, &p, python, frame, 0, 1), line);
		assert_int_equal(line_at(&m, &p, python, frame, 3, 0), line);
		assert_int_equal(line_at(&m, &p, python, frame, 3, 0), line);
		assert_int_equal(line_at(&m, &p, python, frame, 3, 1),
		    line + 1);
		assert_int_equal(line_at(&m, &p, python, frame, 0, 0),
		    line + 1);
		assert_int_equal(p.counts.lost, 0);
		python_runtime.detach(python);
		py_rig_end(&p);
	}
}

/* The function on top is over whenever a stack is copied, but runs when it is
 * looked at together with its caller alone. */
static size_t short_call;
static long (*gather)(struct mem *mem, const struct mem_span *v, size_t n);

static long
gather_short_call(struct mem *mem, const struct mem_span *v, size_t n)
{
	struct pyimage *m = mem->user;

	m->bytes[short_call] = n == 3 && v[0].at == v[2].at;
	return gather(mem, v, n);
}

static unsigned
depth_of_sample(struct process *p, void *python)
{
	p->n_run = 0;
	assert_int_equal(python_runtime.sample(python, p), BOB_OK);
	assert_int_equal(p->n_run, 1);
	return bob_stack_get(p->dict, p->run[0].stack).depth;
}

static void
a_call_that_is_too_short_for_a_sample_is_looked_for(void **state)
{
	static struct pyimage m;
	struct process p;
	struct py_site site;
	size_t thread, caller;
	uint64_t at;
	void *python;

	(void)state;
	for (unsigned minor = PY_OLDEST; minor <= 10; minor++) {
		pyimage_make(&m, minor, 0);
		assert_null(pyimage_find(&m, &site));
		thread = follow(&m, PYIMAGE_INTERP + m.o.is_threads);
		short_call = follow(&m, thread + m.o.ts_frame);
		caller = follow(&m, short_call + m.o.fr_previous);
		py_rig_begin(&p, &m.mem);
		gather = p.mem.gather;
		p.mem.gather = gather_short_call;
		assert_int_equal(py_open(&p, &site, &python), BOB_OK);
		at = PYIMAGE_AT + caller;
		memcpy(m.bytes + thread + m.o.ts_frame, &at, sizeof(at));
		assert_int_equal(depth_of_sample(&p, python), 2);
		p.counts.inferred = 0; /* where to copy was not known yet */
		at = PYIMAGE_AT + short_call;
		memcpy(m.bytes + thread + m.o.ts_frame, &at, sizeof(at));
		/* Not known; not seen behind the sample that missed it; seen
		 * behind the next. */
		assert_int_equal(depth_of_sample(&p, python), 2);
		assert_int_equal(depth_of_sample(&p, python), 2);
		assert_int_equal(p.counts.inferred, 2);
		assert_int_equal(depth_of_sample(&p, python), 3);
		assert_int_equal(p.counts.lost, 0);
		python_runtime.detach(python);
		py_rig_end(&p);
	}
}

/* --- generators that call ------------------------------------------------ */

/* The second function is called by the generator, and that by the first. Where
 * the generator is. */
static size_t
let_generator_call(struct pyimage *m)
{
	size_t thread = follow(m, PYIMAGE_INTERP + m->o.is_threads);
	size_t generator = follow(m, thread + m->o.ts_frame);
	size_t callee = follow(m, generator + m->o.fr_previous);
	uint64_t at;

	memcpy(m->bytes + generator + m->o.fr_previous,
	    m->bytes + callee + m->o.fr_previous, sizeof(at));
	at = PYIMAGE_AT + generator;
	memcpy(m->bytes + callee + m->o.fr_previous, &at, sizeof(at));
	at = PYIMAGE_AT + callee;
	memcpy(m->bytes + thread + m->o.ts_frame, &at, sizeof(at));
	return generator;
}

/* What a frame runs is what the other does. */
static void
run_same(struct pyimage *m, size_t frame, size_t other)
{
	const size_t same[] = { m->o.fr_code, m->o.fr_instr };

	for (size_t i = 0; i < 2; i++)
		memcpy(m->bytes + frame + same[i],
		    m->bytes + other + same[i], 8);
}

/* What was in the memory of a generator before must not be taken for the one
 * that made the call and is over by now. */
static void
another_generator_may_have_been_there(void **state)
{
	static struct pyimage m;
	struct process p;
	struct py_site site;
	size_t generator, thread;
	void *python;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		pyimage_make(&m, 14 + i / 2, i % 2);
		assert_null(pyimage_find(&m, &site));
		generator = let_generator_call(&m);
		thread = follow(&m, PYIMAGE_INTERP + m.o.is_threads);
		py_rig_begin(&p, &m.mem);
		assert_int_equal(py_open(&p, &site, &python), BOB_OK);
		assert_int_equal(depth_of_sample(&p, python), 3);
		run_same(&m, follow(&m, thread + m.o.ts_frame),
		    follow(&m, generator + m.o.fr_previous));
		assert_int_equal(p.counts.inferred, 0);
		memset(m.bytes + generator, 0, m.o.fr_size);
		assert_true(depth_of_sample(&p, python) < 3);
		assert_int_equal(p.counts.inferred, 1);
		python_runtime.detach(python);
		py_rig_end(&p);
	}
}

/* The function on top is over as soon as the chunk has been copied once. */
static struct { size_t chunk, frame; } callee;

static long
gather_brief_call(struct mem *mem, const struct mem_span *v, size_t n)
{
	struct pyimage *m = mem->user;
	uint8_t frame[PY_MAX_FRAME];
	long k = 0, sum = 0;
	size_t i;

	memcpy(frame, m->bytes + callee.frame, sizeof(frame));
	for (i = 0; i < n && k >= 0; i++) {
		k = gather(mem, &v[i], 1);
		sum += k > 0 ? k : 0;
		if (v[i].at == PYIMAGE_AT + callee.chunk)
			memset(m->bytes + callee.frame, 0, sizeof(frame));
	}
	memcpy(m->bytes + callee.frame, frame, sizeof(frame));
	return sum > 0 ? sum : k;
}

/* The code of the generator refers to one name, and the function has one. */
static void
mention(struct pyimage *m, size_t generator, uint64_t name, uint64_t own)
{
	const size_t tuple = PYIMAGE_SIZE - 0x100;
	const uint64_t at = PYIMAGE_AT + tuple, n = 1;
	size_t caller = follow(m, generator + m->o.fr_code) & ~(size_t)7;
	size_t code = follow(m, callee.frame + m->o.fr_code) & ~(size_t)7;

	memcpy(m->bytes + tuple + m->o.var_size, &n, 8);
	memcpy(m->bytes + tuple + m->o.tuple_items, &name, 8);
	memcpy(m->bytes + caller + m->o.co_flags - 16, &at, 8);
	memcpy(m->bytes + code + m->o.co_name - 8, &own, 8);
}

/* A generator of other code, which is the same but for its names. */
static void
run_another(struct pyimage *m, size_t generator)
{
	const size_t size = 0x200, borrowed = 1;
	uint64_t code, instr;
	size_t from, to;

	memcpy(&code, m->bytes + generator + m->o.fr_code, 8);
	memcpy(&instr, m->bytes + generator + m->o.fr_instr, 8);
	from = (size_t)(code - PYIMAGE_AT) & ~borrowed;
	to = from + size; /* where no code is yet */
	memcpy(m->bytes + to, m->bytes + from, size);
	memset(m->bytes + to + m->o.co_flags - 16, 0, 8);
	code += size;
	if (!m->is_free_threaded) /* which have copies of their own */
		instr += size;
	memcpy(m->bytes + generator + m->o.fr_code, &code, 8);
	memcpy(m->bytes + generator + m->o.fr_instr, &instr, 8);
}

/* Another generator is in its memory: as it does not mention the function, and
 * the one before did, it is not the one that called it. */
static void
a_generator_calls_what_it_mentions(void **state)
{
	static struct pyimage m;
	const uint64_t name = 0x7000, own[] = { name, 0x8000 };
	size_t thread, generator;
	struct process p;
	struct py_site site;
	void *python;

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		pyimage_make(&m, 14 + i / 4, i / 2 % 2);
		assert_null(pyimage_find(&m, &site));
		generator = let_generator_call(&m);
		thread = follow(&m, PYIMAGE_INTERP + m.o.is_threads);
		callee.chunk = follow(&m, thread + m.o.ts_chunk);
		callee.frame = follow(&m, thread + m.o.ts_frame);
		mention(&m, generator, name, own[i % 2]);
		py_rig_begin(&p, &m.mem);
		gather = p.mem.gather;
		p.mem.gather = gather_brief_call;
		assert_int_equal(py_open(&p, &site, &python), BOB_OK);
		assert_int_equal(depth_of_sample(&p, python), 3);
		run_another(&m, generator);
		assert_true((depth_of_sample(&p, python) == 3) ==
		    (own[i % 2] != name));
		assert_int_equal(p.counts.lost, 0);
		python_runtime.detach(python);
		py_rig_end(&p);
	}
}

/* --- tasks --------------------------------------------------------------- */

/* The names of a stack from the outermost on, with blanks between. */
static void
names_of(const struct process *p, bob_stack s, char *buf, size_t cap)
{
	struct bob_node node = bob_stack_get(p->dict, s);
	struct bob_bytes name;
	size_t n;

	if (s == 0) {
		buf[0] = '\0';
		return;
	}
	names_of(p, node.parent, buf, cap);
	name = bob_str_get(p->dict, bob_frame_get(p->dict, node.frame)->name);
	n = strlen(buf);
	(void)snprintf(buf + n, cap - n, "%s%.*s", n > 0 ? " " : "",
	    (int)name.n, name.p);
}

/* Samples an image once; the stacks are these, with '\n' behind each. */
static void
assert_tasks(struct pyimage *m, const char *want)
{
	struct process p;
	struct py_site site;
	char got[1024] = "", *at = got;
	void *state;
	size_t i;

	assert_null(pyimage_find(m, &site));
	py_rig_begin(&p, &m->mem);
	p.flags = BOB_ATTACH_TASKS | BOB_ATTACH_ALL_TASKS;
	assert_int_equal(py_open(&p, &site, &state), BOB_OK);
	assert_int_equal(python_runtime.sample(state, &p), BOB_OK);
	for (i = 0; i < p.n_run; i++) {
		names_of(&p, p.run[i].stack, at,
		    sizeof(got) - (size_t)(at - got) - 1);
		at += strlen(at);
		*at++ = '\n';
		*at = '\0';
		assert_true(i == 0 || p.run[i].status == 0);
	}
	assert_string_equal(got, want);
	assert_int_equal(p.counts.lost, 0);
	python_runtime.detach(state);
	py_rig_end(&p);
}

#define TOGETHER                                                             \
	"awaits Work.run runs Work.items\n"                                  \
	"awaits Work.run waits <module> Work.run\n"

static void
read_tasks(unsigned minor, int is_free_threaded)
{
	static struct pyimage m;

	pyimage_make(&m, minor, is_free_threaded);
	assert_tasks(&m, TOGETHER);
}

static void
tasks_are_followed_to_those_that_await_them(void **state)
{
	unsigned minor;

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++) {
		read_tasks(minor, 0);
		if (minor >= PY_FIRST_DEBUG)
			read_tasks(minor, 1);
	}
}

/* Up to 3.13: an object's field, as if its head had 16 bytes. */
static uint8_t *
field(struct pyimage *m, size_t object, size_t at)
{
	return m->bytes + object + (m->is_free_threaded ? 16 : 0) + at;
}

#define CALLBACK0 24

static void
tasks_that_await_themselves_do_so_once(void **state)
{
	static struct pyimage m;
	unsigned minor;

	(void)state;
	for (minor = PY_OLDEST; minor < PY_FIRST_TASK_TABLE; minor++) {
		pyimage_make(&m, minor, minor >= PY_FIRST_DEBUG);
		memcpy(field(&m, pyimage_task_at(2), CALLBACK0),
		    field(&m, pyimage_task_at(1), CALLBACK0), 8);
		assert_tasks(&m, TOGETHER);
	}
}

/* A callback may be left from a future that was waited for before. */
static void
a_task_that_waits_for_something_else_is_no_awaiter(void **state)
{
	static struct pyimage m;
	const uint64_t first = PYIMAGE_AT + 0xe800, last = PYIMAGE_AT + 0xf000;
	unsigned minor;
	size_t i, n;

	(void)state;
	for (minor = PY_OLDEST; minor < PY_FIRST_TASK_TABLE; minor++) {
		pyimage_make(&m, minor, 0);
		/* The only object that is referred to from there. */
		for (n = i = 0; i < 256; i += 8) {
			uint8_t *p = m.bytes + pyimage_task_at(2) + i;

			if (mem_u64(p, 0) >= first && mem_u64(p, 0) < last) {
				memset(p, 0, 8);
				n++;
			}
		}
		assert_int_equal(n, 1);
		assert_tasks(&m, "runs Work.items\nwaits <module> Work.run\n"
		    "awaits Work.run\n");
	}
}

/* Where an object of another size has what it has is not known. */
static void
other_layouts_of_tasks_are_refused(void **state)
{
	static struct pyimage m;
	struct py_asyncio found;
	struct py_task_offsets to;
	struct py_fault why;
	struct py_site site;
	unsigned minor;
	uint64_t type;

	(void)state;
	for (minor = PY_OLDEST; minor < PY_FIRST_TASK_TABLE; minor++) {
		pyimage_make(&m, minor, 0);
		assert_null(pyimage_find(&m, &site));
		assert_int_equal(py_asyncio_find(&m.mem, &site.o,
		    PYIMAGE_AT + PYIMAGE_INTERP, &found, &to, &why), 0);
		type = found.task_type - PYIMAGE_AT;
		m.bytes[type + 32] += 8;
		assert_int_equal(py_asyncio_find(&m.mem, &site.o,
		    PYIMAGE_AT + PYIMAGE_INTERP, &found, &to, &why),
		    -ENOTSUP);
		assert_tasks(&m, "<module> Work.run Work.items\n");
	}
}

/* --- variables ----------------------------------------------------------- */

/* The variables of the frame that has some, as "arg n = 42;var xs = ...;". */
static void
tell_vars(struct pyimage *m, const char *redact, char *to, size_t cap)
{
	struct py_site site;
	struct py_locals *l;
	struct process p;
	uint64_t frame, code;
	size_t at, i, n = 0;

	assert_null(pyimage_find(m, &site));
	py_rig_begin(&p, &m->mem);
	if (redact != NULL)
		assert_int_equal(pattern_new(p.ctx, "redact", redact,
		    &p.redact), BOB_OK);
	l = py_locals_new(&p, &site.o);
	assert_non_null(l);
	pyimage_vars(&frame, &code, &at);
	assert_int_equal(py_locals_of_frame(l, frame, code, 0), BOB_OK);
	*to = '\0';
	for (i = 0; i < p.n_local; i++) {
		struct bob_bytes a = bob_str_get(p.dict, p.local[i].name);
		struct bob_bytes b = bob_str_get(p.dict, p.local[i].value);

		n += (size_t)snprintf(to + n, cap - n, "%s %.*s = %.*s;",
		    p.local[i].flags & BOB_LOCAL_ARGUMENT ? "arg" : "var",
		    (int)a.n, a.p, (int)b.n, b.p);
	}
	py_locals_free(l);
	pattern_free(p.redact);
	py_rig_end(&p);
}

static void
variables_of_every_version_are_told(void **state)
{
	static struct pyimage m;
	unsigned minor, free_threaded;
	char text[512];

	(void)state;
	for (minor = PY_OLDEST; minor <= PY_NEWEST; minor++) {
		for (free_threaded = 0; free_threaded < 2; free_threaded++) {
			if (free_threaded && minor < PY_FIRST_DEBUG)
				continue;
			pyimage_make(&m, minor, (int)free_threaded);
			tell_vars(&m, NULL, text, sizeof(text));
			assert_string_equal(text, "arg n = 42;var xs = "
			    "[42, 'xs', [42, 'xs', [42, 'xs', ...]]];");
			tell_vars(&m, "x(?=s)|4", text, sizeof(text));
			assert_string_equal(text, "arg n = ***2;var xs = "
			    "[***2, '***s', [***2, '***s', "
			    "[***2, '***s', ...]]];");
		}
	}
}

/* The number counts on with each read. */
static void
count_on(struct pyimage *m)
{
	uint64_t frame, code;
	size_t at;

	pyimage_vars(&frame, &code, &at);
	m->bytes[at + m->o.var_size + 8]++;
}

static void
a_variable_that_changes_is_not_told(void **state)
{
	static struct pyimage m;
	char text[512];

	(void)state;
	pyimage_make(&m, 12, 0);
	m.before_read = count_on;
	tell_vars(&m, NULL, text, sizeof(text));
	assert_string_equal(text, "arg n = ;var xs = ;");
}

static const char *
quoted(struct repr_text *t, const char *s, size_t n, int is_bytes, int is_cut)
{
	t->n = 0;
	repr_quoted(t, s, n, is_bytes, is_cut);
	repr_put(t, "", 1);
	return t->p;
}

static void
text_of_variables_is_one_line_of_utf8(void **state)
{
	struct repr_text t = { .n = 0 };
	uint32_t digit[REPR_MAX_DIGITS];
	size_t i;

	(void)state;
	assert_string_equal(quoted(&t, "it's\n", 5, 0, 0), "\"it's\\n\"");
	assert_string_equal(quoted(&t, "'\"\\", 3, 0, 1),
	    "'\\'\"\\\\...'");
	assert_string_equal(quoted(&t, "\0\x1b\xff", 3, 1, 0),
	    "b'\\x00\\x1b\\xff'");
	assert_string_equal(quoted(&t, "\xe2\x80\xae\xed\xa0\x80\xc3", 7, 0,
	    0), "'\\u202e\\ud800\\xc3'");
	t.n = 0;
	for (i = 0; i < REPR_MAX_DIGITS; i++)
		digit[i] = UINT32_MAX;
	repr_long(&t, digit, REPR_MAX_DIGITS, 1); /* 2^600 - 1 */
	assert_int_equal(t.n, 1 + 181);
	assert_memory_equal(t.p, "-4149515568880992958512407863691161151012",
	    41);
	t.n = 0;
	repr_long(&t, digit, 0, 1);
	repr_float(&t, -2);
	repr_float(&t, 0.1);
	repr_put(&t, "", 1);
	assert_string_equal(t.p, "0-2.00.1");
}

/* --- offsets ------------------------------------------------------------- */

/* Whatever one word of the table is, it is refused or harmless. */
static void
offsets_outside_of_their_structures_are_refused(void **state)
{
	static struct pyimage m;
	struct py_site site;
	unsigned minor;
	size_t at;

	(void)state;
	for (minor = PY_FIRST_DEBUG; minor <= PY_NEWEST; minor++) {
		for (at = 16; at < py_debug_size(minor); at += 8) {
			pyimage_make(&m, minor, 0);
			memset(m.bytes + at, 0xff, 8);
			if (pyimage_find(&m, &site) != NULL)
				continue;
			assert_true(site.o.ts_chunk <= PY_MAX_THREAD);
			assert_true(site.o.fr_size <= PY_MAX_FRAME);
			assert_true(site.o.co_code <= PY_MAX_CODE);
			assert_true(site.o.fr_owner < site.o.fr_size);
		}
		pyimage_make(&m, minor, 0);
		memset(m.bytes + 8 * 5, 0xff, 8); /* interpreters_head */
		assert_non_null(pyimage_find(&m, &site));
	}
}

/* After a copy the prediction for the next one may be longer than what was
 * copied. */
static void
bytes_behind_the_copy_of_a_chunk_are_no_frame(void **state)
{
	static struct pyimage m;
	static struct py_copy c;
	struct py_site site;
	struct process p;
	uint64_t thread, chunk, top;
	size_t n;

	(void)state;
	pyimage_make(&m, 13, 0);
	assert_null(pyimage_find(&m, &site));
	py_rig_begin(&p, &m.mem);
	assert_int_equal(mem_read_u64(&m.mem, PYIMAGE_AT + PYIMAGE_INTERP +
	    site.o.is_threads, &thread), 0);
	assert_int_equal(mem_read_u64(&m.mem, thread + site.o.ts_chunk,
	    &chunk), 0);
	py_copy_init(&c, p.ctx, &m.mem, &site.o, thread,
	    PYIMAGE_AT + PYIMAGE_INTERP, 0);
	assert_int_equal(py_copy_take(&c), 0);
	n = c.chunk[0].n;
	top = chunk + n - 64;
	memcpy(m.bytes + (thread - PYIMAGE_AT) + site.o.ts_chunk + 8, &top,
	    sizeof(top));
	assert_int_equal(py_copy_take(&c), 0);
	assert_true(c.chunk[0].n >= n + 512);
	assert_non_null(py_copy_frame(&c, chunk + n - 256));
	assert_null(py_copy_frame(&c, chunk + n));
	assert_null(py_copy_again(&c, chunk + n));
	assert_false(py_copy_is_one_call(&c, chunk + n));
	py_copy_done(&c);
	py_rig_end(&p);
}

static void
a_table_of_another_version_is_refused(void **state)
{
	static struct pyimage m;
	struct py_fault why;
	struct py_offsets o;

	(void)state;
	pyimage_make(&m, 13, 0);
	assert_true(py_debug_read(m.bytes, PY_MAX_DEBUG, 14, &o, &why) < 0);
	assert_true(py_debug_read(m.bytes, PY_MAX_DEBUG, 15, &o, &why) < 0);
	assert_true(py_debug_read(m.bytes, 100, 13, &o, &why) < 0);
	assert_true(py_debug_read(m.bytes, PY_MAX_DEBUG, 17, &o, &why) < 0);
	assert_int_equal(py_debug_version(m.bytes), 0x030d00f0);
	m.bytes[0] = 'y';
	assert_int_equal(py_debug_version(m.bytes), 0);
}

/* --- lines --------------------------------------------------------------- */

static void
assert_line(unsigned minor, const void *table, size_t n, int64_t unit,
    int line)
{
	struct py_location l;

	py_lines_find(minor, table, n, 10, unit, &l);
	assert_int_equal(l.line, line);
}

static void
lines_up_to_3_9_are_steps(void **state)
{
	/* 6 bytes on, 1 line on; 4 on, 2 back; 255 lines on in two steps */
	static const uint8_t t[] = { 6, 1, 4, 0xfe, 2, 127, 0, 127 };

	(void)state;
	assert_line(9, t, sizeof(t), -1, 10);
	assert_line(9, t, sizeof(t), 2, 10);
	assert_line(9, t, sizeof(t), 3, 11);
	assert_line(9, t, sizeof(t), 5, 9);
	assert_line(9, t, sizeof(t), 6, 263);
	assert_line(9, t, 0, 6, 10);
	assert_line(9, t, 3, 100, 11);
}

static void
lines_of_3_10_are_ranges(void **state)
{
	static const uint8_t t[] = { 4, 0, 2, 0x80, 6, 3 };

	(void)state;
	assert_line(10, t, sizeof(t), -1, 10);
	assert_line(10, t, sizeof(t), 1, 10);
	assert_line(10, t, sizeof(t), 2, -1);
	assert_line(10, t, sizeof(t), 3, 13);
	assert_line(10, t, sizeof(t), 5, 13);
}

static void
assert_place(const void *table, size_t n, int64_t unit, int line, int end_line,
    int col, int end_col)
{
	struct py_location l;

	py_lines_find(12, table, n, 10, unit, &l);
	assert_int_equal(l.line, line);
	assert_int_equal(l.end_line, end_line);
	assert_int_equal(l.col, col);
	assert_int_equal(l.end_col, end_col);
}

static void
lines_from_3_11_on_have_columns(void **state)
{
	static const uint8_t t[] = {
		0x80 | 2 << 3 | 1, 0x35,     /* short: col 19, 5 wide */
		0x80 | 11 << 3 | 0, 4, 200,  /* one line on */
		0x80 | 13 << 3 | 0, 3,       /* a line back, no columns */
		0x80 | 15 << 3 | 2,          /* none */
		0x80 | 14 << 3 | 0, 0x80 | 0x40 | 2, 2, 3, 9, 0,
	};

	(void)state;
	assert_place(t, sizeof(t), -1, 10, 10, 19, 24);
	assert_place(t, sizeof(t), 1, 10, 10, 19, 24);
	assert_place(t, sizeof(t), 2, 11, 11, 4, 200);
	assert_place(t, sizeof(t), 3, 10, 10, -1, -1);
	assert_place(t, sizeof(t), 5, -1, -1, -1, -1);
	assert_place(t, sizeof(t), 7, 75, 78, 8, -1);
	assert_place(t, sizeof(t), 8, -1, -1, -1, -1);
}

static void
lines_survive_any_table(void **state)
{
	uint8_t t[64];
	struct py_location l;
	unsigned seed = 1, minor;
	size_t i, k;

	(void)state;
	for (k = 0; k < 20000; k++) {
		for (i = 0; i < sizeof(t); i++) {
			seed = seed * 1103515245 + 12345;
			t[i] = (uint8_t)(seed >> 16);
		}
		for (minor = 9; minor <= 11; minor++)
			py_lines_find(minor, t, k % sizeof(t), INT32_MAX,
			    (int64_t)(k % 100), &l);
	}
}

/* --- strings and instructions -------------------------------------------- */

static void
characters_become_utf8(void **state)
{
	static const uint8_t latin[] = { 'a', 0xe9, 0 };
	static const uint16_t two[] = { 0x20ac, 'b', 0xd800 };
	static const uint32_t four[] = { 0x1f600, 0x110000 };
	char buf[32];
	size_t n = 2;

	(void)state;
	assert_int_equal(py_text_utf8(latin, &n, 1, buf, 32), 3);
	assert_memory_equal(buf, "a\xc3\xa9", 3);
	n = 3;
	assert_int_equal(py_text_utf8((const uint8_t *)two, &n, 2, buf, 32),
	    7);
	assert_memory_equal(buf, "\xe2\x82\xac" "b\xed\xa0\x80", 7);
	n = 2;
	assert_int_equal(py_text_utf8((const uint8_t *)four, &n, 4, buf, 32),
	    7);
	assert_memory_equal(buf, "\xf0\x9f\x98\x80\xef\xbf\xbd", 7);
	/* Only whole characters. */
	n = 2;
	assert_int_equal(py_text_utf8((const uint8_t *)two, &n, 2, buf, 3),
	    3);
	assert_int_equal(n, 1);
}

static void
caches_belong_to_their_instruction(void **state)
{
	/* 3.12: CALL (171) with three caches between two NOPs (9). */
	static const uint8_t code[] = { 9, 0, 171, 1, 0, 0, 0, 0, 0, 0, 9, 0 };
	uint8_t unit[6];

	(void)state;
	py_ops_scan(12, code, 6, unit);
	assert_int_equal(unit[0], PY_UNIT_STARTS);
	assert_int_equal(unit[1], PY_UNIT_STARTS | PY_UNIT_CALLS);
	assert_int_equal(unit[4], PY_UNIT_CALLS);
	assert_int_equal(unit[5], PY_UNIT_STARTS);
	assert_int_equal(py_ops_back(unit, 4), 3);
	assert_int_equal(py_ops_back(unit, 5), 0);
	/* A version that is not known may do anything anywhere. */
	py_ops_scan(16, code, 6, unit);
	assert_int_equal(unit[0], PY_UNIT_STARTS | PY_UNIT_CALLS |
	    PY_UNIT_UNKNOWN);
	assert_int_equal(py_ops_back(unit, 4), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_can_be_read),
		cmocka_unit_test(free_threaded_builds_can_be_read),
		cmocka_unit_test(all_is_freed_wherever_it_falls_silent),
		cmocka_unit_test(a_thread_that_cannot_be_read_hides_no_other),
		cmocka_unit_test(
		    the_lock_and_the_main_thread_may_come_later),
		cmocka_unit_test(a_function_that_is_over_is_told_where_it_ran),
		cmocka_unit_test(
		    a_call_that_is_too_short_for_a_sample_is_looked_for),
		cmocka_unit_test(another_generator_may_have_been_there),
		cmocka_unit_test(a_generator_calls_what_it_mentions),
		cmocka_unit_test(tasks_are_followed_to_those_that_await_them),
		cmocka_unit_test(tasks_that_await_themselves_do_so_once),
		cmocka_unit_test(
		    a_task_that_waits_for_something_else_is_no_awaiter),
		cmocka_unit_test(other_layouts_of_tasks_are_refused),
		cmocka_unit_test(variables_of_every_version_are_told),
		cmocka_unit_test(a_variable_that_changes_is_not_told),
		cmocka_unit_test(text_of_variables_is_one_line_of_utf8),
		cmocka_unit_test(
		    offsets_outside_of_their_structures_are_refused),
		cmocka_unit_test(
		    bytes_behind_the_copy_of_a_chunk_are_no_frame),
		cmocka_unit_test(a_table_of_another_version_is_refused),
		cmocka_unit_test(lines_up_to_3_9_are_steps),
		cmocka_unit_test(lines_of_3_10_are_ranges),
		cmocka_unit_test(lines_from_3_11_on_have_columns),
		cmocka_unit_test(lines_survive_any_table),
		cmocka_unit_test(characters_become_utf8),
		cmocka_unit_test(caches_belong_to_their_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
