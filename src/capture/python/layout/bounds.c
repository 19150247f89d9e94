/*
 * One row for each offset: its name, the buffer it is used with, and how many
 * bytes are read there. Then come checks of offsets that depend on each other.
 */
#include "capture/python/layout/bounds.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/python/objects/text.h"
#include "capture/python/tasks/coroutines.h"

/* The buffer that an offset is used with. */
enum buffer {
	ADDRESS,   /* none: it is only added to an address */
	THREAD,    /* a copy of a thread's state */
	CFRAME,    /* py_copy.cframe_after */
	FRAME,     /* fr_size bytes of a frame */
	CODE,      /* co_size bytes of a code object */
	TEXT,      /* the head of a string, up to its characters */
	GENERATOR, /* py_coro_block.bytes */
	N_BUFFERS
};

static const char *const buffer_names[N_BUFFERS] = { "", "a thread's state",
	"a thread's link to its frame", "a frame", "a code object",
	"the head of a string", "a generator" };

/* Sizes of py_copy.cframe_after and of what batch_add_lock() reads. */
#define MAX_CFRAME 16u
#define MAX_LOCK 16u

/* End of the field stacktop, from 3.11 to 3.13: it counts the values of a
 * generator. */
#define VALUES_END 68u

struct row {
	const char *name;
	uint16_t field;
	uint8_t buffer;
	uint8_t n;        /* bytes that are read there */
	uint8_t must_be;  /* first version that must have it; 0: none */
};

#define ALL PY_OLDEST
#define FIELD(name) ((uint16_t)offsetof(struct py_offsets, name))

static const struct row rows[] = {
	{ "runtime_state.interpreters_head", FIELD(rt_interpreters), ADDRESS,
	    8, ALL },
	{ "runtime_state.current", FIELD(rt_current), ADDRESS, 8, 0 },
	{ "runtime_state.main_thread", FIELD(rt_main_thread), ADDRESS, 8, 0 },
	{ "interpreter_state.next", FIELD(is_next), ADDRESS, 8, ALL },
	{ "interpreter_state.id", FIELD(is_id), ADDRESS, 8, ALL },
	{ "interpreter_state.threads_head", FIELD(is_threads), ADDRESS, 8,
	    ALL },
	{ "interpreter_state.threads_main", FIELD(is_main_thread), ADDRESS, 8,
	    0 },
	{ "interpreter_state.ceval_gil", FIELD(is_gil), ADDRESS, 8, 0 },
	{ "interpreter_state.code_object_generation", FIELD(is_generation),
	    ADDRESS, 8, 0 },
	{ "gc.frame", FIELD(is_gc_frame), ADDRESS, 8, 0 },
	{ "interpreter_state.imports_modules", FIELD(is_modules), ADDRESS, 8,
	    ALL },
	{ "interpreter_state.gil_runtime_state_holder", FIELD(gil_holder),
	    ADDRESS, 8, 0 },
	{ "interpreter_state.gil_runtime_state_locked", FIELD(gil_locked),
	    ADDRESS, 4, 0 },
	{ "thread_state.next", FIELD(ts_next), THREAD, 8, ALL },
	{ "thread_state.interp", FIELD(ts_interp), THREAD, 8, ALL },
	{ "thread_state.thread_id", FIELD(ts_thread_id), THREAD, 8, ALL },
	{ "thread_state.native_thread_id", FIELD(ts_native_id), THREAD, 8,
	    11 },
	{ "thread_state.id", FIELD(ts_id), THREAD, 8, ALL },
	{ "thread_state.tracing", FIELD(ts_tracing), THREAD, 4, 0 },
	{ "thread_state.current_frame", FIELD(ts_frame), THREAD, 8, ALL },
	{ "thread_state.base_frame", FIELD(ts_base_frame), THREAD, 8, 0 },
	{ "thread_state.datastack_chunk", FIELD(ts_chunk), THREAD, 16, 11 },
	{ "thread_state.holds_gil", FIELD(ts_holds_gil), THREAD, 4, 0 },
	{ "thread_state.gil_requested", FIELD(ts_wants_gil), THREAD, 4, 0 },
	{ "thread_state.current_exception", FIELD(ts_raised), THREAD, 8,
	    ALL },
	{ "thread_state.exc_state", FIELD(ts_handled), THREAD, 16, ALL },
	{ "thread_state.exc_info", FIELD(ts_exc_info), THREAD, 8, 0 },
	{ "cframe.current_frame", FIELD(cf_frame), CFRAME, 8, 0 },
	{ "interpreter_frame.previous", FIELD(fr_previous), FRAME, 8, ALL },
	{ "interpreter_frame.executable", FIELD(fr_code), FRAME, 8, ALL },
	{ "interpreter_frame.instr_ptr", FIELD(fr_instr), FRAME, 8, ALL },
	{ "interpreter_frame.owner", FIELD(fr_owner), FRAME, 1, 11 },
	{ "interpreter_frame.is_entry", FIELD(fr_is_entry), FRAME, 1, 0 },
	{ "interpreter_frame.state", FIELD(fr_state), FRAME, 1, 0 },
	{ "interpreter_frame.tlbc_index", FIELD(fr_copy), FRAME, 4, 0 },
	{ "interpreter_frame.stackpointer", FIELD(fr_stack_top), FRAME, 8,
	    14 },
	{ "interpreter_frame.localsplus", FIELD(fr_locals), ADDRESS, 8, ALL },
	{ "code_object.co_flags", FIELD(co_flags), CODE, 4, ALL },
	{ "code_object.firstlineno", FIELD(co_first_line), CODE, 4, ALL },
	{ "code_object.filename", FIELD(co_file), CODE, 8, ALL },
	{ "code_object.qualname", FIELD(co_name), CODE, 8, ALL },
	{ "code_object.linetable", FIELD(co_lines), CODE, 8, ALL },
	{ "code_object.co_code_adaptive", FIELD(co_code), ADDRESS, 8, ALL },
	{ "code_object.co_tlbc", FIELD(co_copies), CODE, 8, 0 },
	{ "code_object.co_framesize", FIELD(co_frame_size), CODE, 4, 12 },
	{ "code_object.co_stacksize", FIELD(co_stack_size), CODE, 4, 0 },
	{ "code_object.co_nlocalsplus", FIELD(co_locals), CODE, 4, 0 },
	{ "code_object.argcount", FIELD(co_arg_count), CODE, 12, ALL },
	{ "code_object.localsplusnames", FIELD(co_var_names), CODE, 8, ALL },
	{ "code_object.localspluskinds", FIELD(co_var_kinds), CODE, 8, 11 },
	{ "pyobject.ob_type", FIELD(ob_type), CODE, 8, ALL },
	{ "bytes_object.ob_size", FIELD(var_size), CODE, 8, ALL },
	{ "bytes_object.ob_sval", FIELD(bytes_data), ADDRESS, 8, ALL },
	{ "unicode_object.length", FIELD(str_length), TEXT, 8, ALL },
	{ "unicode_object.state", FIELD(str_state), TEXT, 4, ALL },
	{ "unicode_object.asciiobject_size", FIELD(str_ascii), ADDRESS, 8,
	    ALL },
	{ "unicode_object.compactunicodeobject_size", FIELD(str_compact),
	    ADDRESS, 8, ALL },
	{ "tuple_object.ob_item", FIELD(tuple_items), ADDRESS, 8, ALL },
	{ "heap_type_object.ht_cached_keys", FIELD(ht_keys), ADDRESS, 8,
	    ALL },
	{ "gen_object.gi_iframe", FIELD(gen_frame), GENERATOR, 8, 14 },
	{ "gen_object.gi_frame_state", FIELD(gen_state), GENERATOR, 1, 14 },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

int
py_fault(struct py_fault *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return -EINVAL;
}

const char *
py_bounds_name(size_t field)
{
	size_t i;

	for (i = 0; i < N_ROWS; i++)
		if (rows[i].field == field)
			return rows[i].name;
	return "without a name";
}

static uint32_t
offset_get(const struct py_offsets *o, size_t field)
{
	uint32_t v;

	memcpy(&v, (const char *)o + field, sizeof(v));
	return v;
}

static uint32_t
buffer_size(const struct py_offsets *o, enum buffer buffer)
{
	switch (buffer) {
	case THREAD:
		return PY_MAX_THREAD;
	case CFRAME:
		return MAX_CFRAME;
	case FRAME:
		return o->fr_size;
	case CODE:
		return o->co_size;
	case TEXT:
		return o->str_ascii;
	case GENERATOR:
		return CORO_MAX_SIZE;
	default:
		return PY_MAX_OFFSET;
	}
}

static int
check_row(const struct py_offsets *o, const struct row *r,
    struct py_fault *why)
{
	uint32_t at = offset_get(o, r->field);
	uint32_t n = buffer_size(o, (enum buffer)r->buffer);

	assert(r->buffer < N_BUFFERS);
	if (at == PY_NONE)
		return r->must_be != 0 && o->minor >= r->must_be
		    ? py_fault(why, "offset %s is missing", r->name) : 0;
	if (at <= n && n - at >= r->n)
		return 0;
	if (r->buffer == ADDRESS)
		return py_fault(why, "offset %s is %u, larger than any",
		    r->name, at);
	return py_fault(why, "offset %s is %u, larger than the %u bytes that "
	    "are read of %s", r->name, at, n,
	    /* NOLINT(clang-analyzer-security.ArrayBound): each row has one. */
	    buffer_names[r->buffer]);
}

/* --- sizes --------------------------------------------------------------- */

/* Checks the offsets that say how large a buffer is. */
static int
check_sizes(const struct py_offsets *o, struct py_fault *why)
{
	if (o->fr_size < 8 || o->fr_size > PY_MAX_FRAME)
		return py_fault(why, "the size of interpreter_frame is %u, "
		    "not 8 to %u", o->fr_size, PY_MAX_FRAME);
	if (o->co_size > PY_MAX_CODE)
		return py_fault(why, "offset code_object.co_code_adaptive is "
		    "%u, larger than the %u bytes that are read of a code "
		    "object", o->co_size, PY_MAX_CODE);
	if (o->str_ascii > PY_TEXT_MAX_HEAD || o->str_ascii > o->str_compact ||
	    o->str_compact > PY_TEXT_FIRST)
		return py_fault(why, "the heads of strings have %u and %u "
		    "bytes, more than %u and %u", o->str_ascii, o->str_compact,
		    PY_TEXT_MAX_HEAD, PY_TEXT_FIRST);
	return 0;
}

/* --- offsets that belong together ---------------------------------------- */

static int
check_objects(const struct py_offsets *o, struct py_fault *why)
{
	/* py_at() subtracts 16 from var_size; co_names is at co_flags - 16. */
	if (o->var_size < 16 || o->var_size > 32 || o->co_flags < 16)
		return py_fault(why, "offset bytes_object.ob_size is %u, not "
		    "16 to 32", o->var_size);
	/* Only bytes from the length on are read. */
	if (o->str_state < o->str_length)
		return py_fault(why, "offset unicode_object.state is %u, in "
		    "front of the length at %u", o->str_state, o->str_length);
	/* Up to 3.10 two more tuples follow. */
	if (o->co_var_kinds == PY_NONE && o->co_size - o->co_var_names < 24)
		return py_fault(why, "offset code_object.localsplusnames is "
		    "%u, larger than the %u bytes that are read of a code "
		    "object", o->co_var_names, o->co_size);
	return o->minor > 10 || o->co_size - o->co_code >= 8 ? 0
	    : py_fault(why, "offset code_object.co_code is %u, larger than "
	          "the %u bytes that are read of a code object", o->co_code,
	          o->co_size);
}

static int
check_frames(const struct py_offsets *o, struct py_fault *why)
{
	/* The depth of the frame's stack follows the instruction. */
	if (o->ts_chunk != PY_NONE && o->minor <= 13 &&
	    (o->fr_size - o->fr_instr < 12 || o->fr_size < VALUES_END))
		return py_fault(why, "offset interpreter_frame.instr_ptr is "
		    "%u, too near to the end of a frame of %u bytes",
		    o->fr_instr, o->fr_size);
	/* A _PyCFrame is copied with the size of a frame. */
	if (o->cf_frame != PY_NONE && o->cf_frame + 8 > o->fr_size)
		return py_fault(why, "offset cframe.current_frame is %u, "
		    "larger than a frame of %u bytes", o->cf_frame,
		    o->fr_size);
	if (o->minor >= 14 && CORO_MAX_SIZE - o->gen_frame < o->fr_size)
		return py_fault(why, "offset gen_object.gi_iframe is %u: a "
		    "frame of %u bytes ends behind the %u bytes that are read "
		    "of a generator", o->gen_frame, o->fr_size, CORO_MAX_SIZE);
	return 0;
}

/* Both words of the GIL are read at once. */
static int
check_lock(const struct py_offsets *o, struct py_fault *why)
{
	uint32_t a = o->gil_holder, b = o->gil_locked;

	if ((a == PY_NONE) != (b == PY_NONE))
		return py_fault(why, "one of two words of the lock is "
		    "missing");
	if (a == PY_NONE || (a > b ? a - b : b - a) < MAX_LOCK)
		return 0;
	return py_fault(why, "offsets "
	    "interpreter_state.gil_runtime_state_holder and _locked are %u "
	    "and %u of a lock, %u apart or more", a, b, MAX_LOCK);
}

/* The fields that a sample needs are copied as one piece. */
static int
check_interp(const struct py_offsets *o, struct py_fault *why)
{
	const uint32_t f[] = { o->is_next, o->is_threads, o->is_main_thread,
		o->is_generation, o->is_gc_frame };
	uint32_t lo = UINT32_MAX, hi = 0;
	size_t i;

	for (i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
		if (f[i] == PY_NONE)
			continue;
		lo = f[i] < lo ? f[i] : lo;
		hi = f[i] > hi ? f[i] : hi;
	}
	if (hi - lo <= PY_MAX_INTERP - 8)
		return 0;
	return py_fault(why, "offsets of interpreter_state are from %u to %u, "
	    "more than the %u bytes that are read", lo, hi, PY_MAX_INTERP);
}

int
py_bounds_check(const struct py_offsets *o, struct py_fault *why)
{
	size_t i;
	int r = check_sizes(o, why);

	for (i = 0; r == 0 && i < N_ROWS; i++)
		r = check_row(o, &rows[i], why);
	if (r == 0)
		r = check_objects(o, why);
	if (r == 0)
		r = check_frames(o, why);
	if (r == 0)
		r = check_lock(o, why);
	if (r == 0)
		r = check_interp(o, why);
	return r;
}

/* --- tasks --------------------------------------------------------------- */

static int
check_task(struct py_fault *why, const char *name, uint32_t at, uint32_t n,
    uint32_t size)
{
	if (at <= size && size - at >= n)
		return 0;
	return py_fault(why, "offset asyncio_task_object.%s is %u, larger than "
	    "the %u bytes that are read of a task", name, at, size);
}

static int
check_new_tasks(const struct py_task_offsets *o, struct py_fault *why)
{
	int r = check_task(why, "task_awaited_by", o->awaited_by, 8, o->size);

	if (r == 0)
		r = check_task(why, "task_is_task", o->is_task, 1, o->size);
	if (r == 0)
		r = check_task(why, "task_awaited_by_is_set", o->is_set, 1,
		    o->size);
	if (r == 0)
		r = check_task(why, "task_node", o->node, 16, o->size);
	if (r == 0 && (o->ts_task > PY_MAX_THREAD - 8 ||
	        o->ts_head > PY_MAX_OFFSET))
		r = py_fault(why, "offset asyncio_thread_state."
		    "asyncio_running_task is %u, or that of tasks %u, larger "
		    "than the %u bytes that are read of a thread's state",
		    o->ts_task, o->ts_head, PY_MAX_THREAD);
	return r;
}

static int
check_old_tasks(const struct py_task_offsets *o, struct py_fault *why)
{
	int r = check_task(why, "future", o->future_size, 0, o->size);

	if (r == 0)
		r = check_task(why, "callback0", o->callback0, 8,
		    o->future_size);
	if (r == 0)
		r = check_task(why, "callbacks", o->callbacks, 8,
		    o->future_size);
	if (r == 0)
		r = check_task(why, "state", o->state, 4, o->future_size);
	return r == 0 ? check_task(why, "fut_waiter", o->waiter, 8, o->size)
	              : r;
}

int
py_bounds_check_tasks(const struct py_task_offsets *o, unsigned minor,
    struct py_fault *why)
{
	int r = 0;

	/* The type is in the head of an object, which has up to 32 bytes. */
	if (o->size < 32 || o->size > TASKS_MAX_SIZE)
		return py_fault(why, "the size of asyncio_task_object is %u, "
		    "not 32 to %u", o->size, TASKS_MAX_SIZE);
	if (o->name != PY_NONE)
		r = check_task(why, "task_name", o->name, 8, o->size);
	if (r == 0)
		r = check_task(why, "task_coro", o->coro, 8, o->size);
	if (r < 0)
		return r;
	return minor >= PY_FIRST_TASK_TABLE ? check_new_tasks(o, why)
	                                    : check_old_tasks(o, why);
}
