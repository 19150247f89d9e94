/* Building the image: structures at invented addresses, with the layout of each
 * version. */
#include "pyimage.h"

#include <errno.h>
#include <string.h>

#include "capture/python/code/opcodes.h"
#include "capture/python/objects/object.h"
#include "capture/python/tasks/find_asyncio.h"

const char *const pyimage_names[PYIMAGE_DEPTH] = { "<module>", "Work.run",
	"Work.items" };
const char *const pyimage_tasks[PYIMAGE_TASKS] = { "runs", "waits",
	"awaits" };
const int pyimage_lines[PYIMAGE_DEPTH] = { 101, 202, 303 };

/* Where things are in the image. */
enum {
	RUNTIME = 0,
	INTERP = PYIMAGE_INTERP,
	GIL = 0x2f00,
	THREADS = 0x3000,
	THREAD_SIZE = 0x400,
	CHUNK = 0x4000,
	CHUNK_SIZE = 0x1000,
	C_STACK = 0x6000,
	CFRAME = 0x6200,
	GENERATOR = 0x6400,
	OLD_FRAMES = 0x6800,
	OLD_FRAME_SIZE = 0x200,
	CODES = 0x7000,
	CODE_SIZE = 0x200,
	STRINGS = 0x8000,
	STRING_SIZE = 0x80,
	TABLES = 0x9000,
	TABLE_SIZE = 0x80,
	COPIES = 0xa000,
	TASK_TABLE = 0xb000,
	TASKS = 0xb100,
	TASK_SIZE = 0x100,
	CORO = 0xb800,
	TYPES = 0xc000,
	TYPE_SIZE = 0x100,
	SET = 0xc800,
	OLD_TYPES = 0xd000,
	OLD_TYPE_SIZE = 0x180,
	DICTS = 0xe000,
	DICT_SIZE = 0x100,
	OBJECTS = 0xe800,
	OBJECT_SIZE = 0x80,
	VAR_FRAME = 0x6e00,
	VAR_TYPES = 0x9800,
	VAR_OBJECTS = 0xa800,
	N_UNITS = 8
};

static void
put(struct pyimage *m, size_t at, uint64_t v)
{
	memcpy(m->bytes + at, &v, sizeof(v));
}

static void
put32(struct pyimage *m, size_t at, uint32_t v)
{
	memcpy(m->bytes + at, &v, sizeof(v));
}

static uint64_t
address(size_t at)
{
	return PYIMAGE_AT + at;
}

static long
gather(struct mem *mem, const struct mem_span *v, size_t n)
{
	struct pyimage *m = mem->user;
	long sum = 0;
	size_t i;

	if (m->before_read != NULL)
		m->before_read(m);
	for (i = 0; i < n; i++) {
		if (v[i].at < PYIMAGE_AT ||
		    v[i].at - PYIMAGE_AT > PYIMAGE_SIZE ||
		    v[i].n > PYIMAGE_SIZE - (v[i].at - PYIMAGE_AT))
			return sum > 0 ? sum : -EFAULT;
		memcpy(v[i].to, m->bytes + (v[i].at - PYIMAGE_AT), v[i].n);
		sum += (long)v[i].n;
	}
	return sum;
}

/* --- offsets ------------------------------------------------------------- */

/* From 3.13 on: numbers that no version has, so that none is right by
 * chance. Objects are as they are. */
static void
invent_offsets(struct pyimage *m)
{
	uint32_t head = m->is_free_threaded ? 32 : 16;

	m->o = (struct py_offsets){ .minor = m->minor,
		.is_free_threaded = m->is_free_threaded,
		.rt_interpreters = 1200, .rt_current = PY_NONE,
		.rt_main_thread = PY_NONE, .is_next = 320, .is_id = 336,
		.is_threads = 344, .is_main_thread = 360, .is_gil = 24,
		.is_generation = 640, .is_gc_frame = 416 + 56,
		.is_modules = 704, .ht_keys = head + 912,
		.gen_frame = head + 72, .gen_state = head + 68,
		.gil_holder = 8, .gil_locked = 16, .ts_next = 16,
		.ts_interp = 24, .ts_tracing = PY_NONE, .ts_frame = 80,
		.ts_base_frame = 88,
		.ts_thread_id = 160, .ts_native_id = 168, .ts_chunk = 272,
		.ts_holds_gil = 44, .ts_wants_gil = 48, .ts_raised = 144,
		.ts_handled = 304, .cf_frame = PY_NONE, .fr_size = 96,
		.fr_code = 0, .fr_previous = 16,
		/* 3.13 does not tell where its stack is: it is at 64. */
		.fr_instr = m->minor == 13 ? 56 : 64,
		.fr_owner = 86, .fr_copy = 80, .fr_stack_top = 72,
		.fr_locals = 88, .co_arg_count = head + 36,
		.co_var_names = 104, .co_var_kinds = 112,
		.tuple_items = head + 24,
		.fr_is_entry = PY_NONE, .fr_state = PY_NONE,
		.co_flags = head + 32, .co_frame_size = head + 60,
		.co_stack_size = PY_NONE, .co_locals = PY_NONE,
		.co_file = 120, .co_name = 136,
		.co_lines = 144, .co_first_line = head + 52, .co_code = 216,
		.co_copies = 208, .ob_type = head - 8, .var_size = head,
		.bytes_data = head + 16, .str_length = head,
		.str_state = head + 16, .str_ascii = head + 24,
		.str_compact = head + 40 };
}

static void
word(struct pyimage *m, uint64_t v)
{
	put(m, m->table_at, v);
	m->table_at += 8;
}

/* n words that nobody reads. */
static void
skip(struct pyimage *m, size_t n)
{
	while (n-- > 0)
		word(m, 8);
}

/* The size of a structure. */
static uint64_t
size(const struct pyimage *m, uint64_t n, uint64_t most)
{
	return m->is_wide ? most : n;
}

static void
tell_states(struct pyimage *m)
{
	const struct py_offsets *o = &m->o;

	/* runtime: size, finalizing, interpreters_head */
	word(m, size(m, 0x1800, 64 << 20));
	skip(m, 1);
	word(m, o->rt_interpreters);
	word(m, size(m, 0x1000, 64 << 20)); /* interpreter */
	word(m, o->is_id);
	word(m, o->is_next);
	word(m, o->is_threads);
	if (m->minor >= 14)
		word(m, o->is_main_thread);
	word(m, 416); /* gc */
	word(m, o->is_modules);
	skip(m, 2);
	word(m, o->is_gil);
	word(m, GIL - INTERP);
	skip(m, 1);
	word(m, GIL - INTERP + o->gil_locked);
	word(m, GIL - INTERP + o->gil_holder);
	if (m->minor >= 14) {
		word(m, o->is_generation);
		skip(m, 1);
	}
	/* thread: size, prev, next, interp, ... */
	word(m, size(m, THREAD_SIZE, 65536));
	skip(m, 1);
	word(m, o->ts_next);
	word(m, o->ts_interp);
	word(m, o->ts_frame);
	if (m->minor >= 15) {
		word(m, o->ts_base_frame);
		skip(m, 2);
	}
	word(m, o->ts_thread_id);
	word(m, o->ts_native_id);
	word(m, o->ts_chunk);
	skip(m, 1);
	if (m->minor >= 15) {
		word(m, o->ts_holds_gil);
		word(m, o->ts_wants_gil);
		word(m, o->ts_raised);
		word(m, o->ts_handled);
		skip(m, 1); /* exc_value */
	}
}

static void
tell_code(struct pyimage *m)
{
	const struct py_offsets *o = &m->o;

	word(m, o->fr_size);
	word(m, o->fr_previous);
	word(m, o->fr_code);
	word(m, o->fr_instr);
	word(m, o->fr_locals);
	word(m, o->fr_owner);
	if (m->minor >= 14) {
		word(m, o->fr_stack_top);
		word(m, o->fr_copy);
	}
	word(m, CODE_SIZE);
	word(m, o->co_file);
	skip(m, 1);
	word(m, o->co_name);
	word(m, o->co_lines);
	word(m, o->co_first_line);
	word(m, o->co_arg_count);
	word(m, o->co_var_names);
	word(m, o->co_var_kinds);
	word(m, o->co_code);
	if (m->minor >= 14)
		word(m, o->co_copies);
}

static void
tell_objects(struct pyimage *m)
{
	const struct py_offsets *o = &m->o;
	int is_new = m->minor >= 15;

	word(m, o->ob_type + 8);
	word(m, o->ob_type);
	skip(m, is_new ? 6 : 4); /* types */
	if (is_new) {
		word(m, size(m, o->ht_keys + 8, 65536));
		word(m, o->ht_keys);
	}
	word(m, size(m, o->tuple_items + 8, 256));
	word(m, o->tuple_items);
	skip(m, 4);              /* tuples' size, lists */
	if (m->minor >= 14)
		skip(m, 4); /* sets */
	skip(m, 8); /* dictionaries, floats, numbers */
	word(m, size(m, 64, 256));
	word(m, o->var_size);
	word(m, o->bytes_data);
	word(m, size(m, 80, 256));
	word(m, o->str_state);
	word(m, o->str_length);
	word(m, o->str_ascii);
	if (is_new)
		word(m, o->str_compact);
	word(m, 160); /* gc */
	skip(m, 1);
	if (is_new) {
		word(m, 56);
		skip(m, 2);
	}
	if (m->minor >= 14) {
		/* generators */
		word(m, size(m, o->gen_frame + 96, 65536));
		skip(m, 1);
		word(m, o->gen_frame);
		word(m, o->gen_state);
		skip(m, 8); /* lists, the debugger's */
	}
}

static void
tell_offsets(struct pyimage *m)
{
	memcpy(m->bytes + RUNTIME, "xdebugpy", 8);
	m->table_at = RUNTIME + 8;
	word(m, 0x030000f0 | (uint64_t)m->minor << 16);
	word(m, (uint64_t)m->is_free_threaded);
	tell_states(m);
	tell_code(m);
	tell_objects(m);
}

/* --- objects ------------------------------------------------------------- */

static uint64_t
put_string(struct pyimage *m, size_t i, const char *s)
{
	size_t at = STRINGS + i * STRING_SIZE;
	uint32_t state = 1 << 2 | 1 << 5 | 1 << 6; /* bytes, compact, ascii */

	if (m->is_free_threaded)
		state <<= 6;
	put(m, at + m->o.str_length, strlen(s));
	put(m, at + m->o.str_length + 8, 0x1000 + i);
	put32(m, at + m->o.str_state, state);
	memcpy(m->bytes + at + m->o.str_ascii, s, strlen(s));
	return address(at);
}

static uint64_t
put_bytes(struct pyimage *m, size_t i, const uint8_t *p, size_t n)
{
	size_t at = TABLES + i * TABLE_SIZE;

	put(m, at + m->o.var_size, n);
	memcpy(m->bytes + at + m->o.bytes_data, p, n);
	return address(at);
}

/* An opcode that can enter a function. */
static uint8_t
call_opcode(unsigned minor)
{
	unsigned i;

	if (minor < PY_OPS_FIRST || minor > PY_OPS_LAST)
		return 1;
	for (i = 0; i < 256; i++)
		if ((py_ops_table[minor - PY_OPS_FIRST][i] & 0x80) != 0)
			break;
	return (uint8_t)i;
}

/* The i-th function; one line for all of its code, which is pyimage_lines. */
static void
put_code(struct pyimage *m, size_t i)
{
	static const uint8_t steps[] = { 0, 1 }, range[] = { 16, 1 },
	    location[] = { 0x80 | 13 << 3 | 7, 2 };
	size_t at = CODES + i * CODE_SIZE;
	const struct py_offsets *o = &m->o;
	uint8_t code[2 * N_UNITS] = { call_opcode(m->minor) };
	uint64_t lines;

	/* The first can await: what comes next says so, up to 3.12. */
	if (i == 0 && m->minor <= 10)
		code[2] = 72;
	else if (i == 0 && m->minor <= 12)
		code[3] = 3;

	put(m, at + o->co_name, put_string(m, i, pyimage_names[i]));
	put(m, at + o->co_file, put_string(m, 4, "/srv/work.py"));
	put32(m, at + o->co_first_line, (uint32_t)pyimage_lines[i] - 1);
	/* The innermost is a generator's. */
	put32(m, at + o->co_flags, i + 1 == PYIMAGE_DEPTH ? 0x20 : 0);
	if (m->minor <= 9)
		lines = put_bytes(m, i, steps, sizeof(steps));
	else if (m->minor == 10)
		lines = put_bytes(m, i, range, sizeof(range));
	else
		lines = put_bytes(m, i, location, sizeof(location));
	put(m, at + o->co_lines, lines);
	if (m->minor <= 10) {
		put(m, at + o->co_code, put_bytes(m, 8 + i, code,
		    sizeof(code)));
		return;
	}
	/* Each frame has 256 bytes. */
	if (o->co_frame_size != PY_NONE) {
		put32(m, at + o->co_frame_size, 256 / 8);
	} else {
		put32(m, at + o->co_stack_size, 20);
		put32(m, at + o->co_locals, 256 / 8 - 20 - 9);
	}
	put(m, at + o->var_size, N_UNITS);
	memcpy(m->bytes + at + o->co_code, code, sizeof(code));
	/* The second copy of the code is that of the first thread. */
	if (m->is_free_threaded && m->minor >= 14) {
		put(m, at + o->co_copies, address(COPIES + 64 * i));
		put(m, COPIES + 64 * i, 2);
		put(m, COPIES + 64 * i + 16, address(COPIES + 0x400 + 64 * i));
	}
}

/* --- frames -------------------------------------------------------------- */

static uint64_t
first_instruction(const struct pyimage *m, size_t i)
{
	if (m->is_free_threaded && m->minor >= 14)
		return address(COPIES + 0x400 + 64 * i);
	return address(CODES + i * CODE_SIZE + m->o.co_code);
}

static void
put_frame(struct pyimage *m, size_t at, size_t i, int owner,
    uint64_t previous)
{
	const struct py_offsets *o = &m->o;
	uint64_t code = address(CODES + i * CODE_SIZE);

	put(m, at + o->fr_previous, previous);
	m->bytes[at + o->fr_owner] = (uint8_t)owner;
	if (owner >= PY_OWNER_C)
		return;
	/* A reference may be marked as borrowed. */
	put(m, at + o->fr_code, code | (m->minor >= 14));
	put(m, at + o->fr_instr, first_instruction(m, i));
	if (m->is_free_threaded && m->minor >= 14)
		put32(m, at + o->fr_copy, 1);
	if (o->fr_is_entry != PY_NONE)
		m->bytes[at + o->fr_is_entry] = i == 0;
}

/* Objects, each with its caller. */
static void
put_old_frames(struct pyimage *m)
{
	const struct py_offsets *o = &m->o;
	size_t i, at;

	for (i = 0; i < PYIMAGE_DEPTH; i++) {
		at = OLD_FRAMES + i * OLD_FRAME_SIZE;
		put(m, at, 1);
		put(m, at + o->fr_code, address(CODES + i * CODE_SIZE));
		put(m, at + o->fr_previous, i == 0 ? 0
		    : address(at - OLD_FRAME_SIZE));
		put32(m, at + o->fr_instr, 0);
		m->bytes[at + o->fr_state] = o->fr_runs;
	}
	put(m, THREADS + o->ts_frame, address(at));
}

static void
put_frames(struct pyimage *m)
{
	const struct py_offsets *o = &m->o;
	size_t first = CHUNK + PY_CHUNK_DATA + 8, second = first + 256;
	uint64_t root = 0;

	put(m, CHUNK + PY_CHUNK_SIZE, CHUNK_SIZE);
	put(m, THREADS + o->ts_chunk, address(CHUNK));
	put(m, THREADS + o->ts_chunk + 8, address(second + 256));
	if (m->minor >= 12) {
		if (m->minor >= 15) {
			root = address(C_STACK + 0x100);
			put(m, THREADS + o->ts_base_frame, root);
		}
		put_frame(m, C_STACK, 0, PY_OWNER_C, root);
		root = address(C_STACK);
	}
	put_frame(m, first, 0, PY_OWNER_THREAD, root);
	put_frame(m, second, 1, PY_OWNER_THREAD, address(first));
	put_frame(m, GENERATOR, 2, PY_OWNER_GENERATOR, address(second));
	if (o->cf_frame != PY_NONE) {
		put(m, CFRAME + o->cf_frame, address(GENERATOR));
		put(m, THREADS + o->ts_frame, address(CFRAME));
	} else {
		put(m, THREADS + o->ts_frame, address(GENERATOR));
	}
}

static void
put_threads(struct pyimage *m)
{
	const struct py_offsets *o = &m->o;
	size_t i, at;

	put(m, RUNTIME + o->rt_interpreters, address(INTERP));
	put(m, INTERP + o->is_threads, address(THREADS));
	if (o->is_main_thread != PY_NONE)
		put(m, INTERP + o->is_main_thread, address(THREADS));
	if (o->is_gil != PY_NONE) {
		put(m, INTERP + o->is_gil, address(GIL));
		put32(m, GIL + o->gil_locked, 1);
		put(m, GIL + o->gil_holder, address(THREADS));
	}
	if (o->rt_current != PY_NONE)
		put(m, RUNTIME + o->rt_current, address(THREADS));
	for (i = 0; i < 2; i++) {
		at = THREADS + i * THREAD_SIZE;
		put(m, at + o->ts_interp, address(INTERP));
		put(m, at + o->ts_next, i == 0
		    ? address(at + THREAD_SIZE) : 0);
		put(m, at + o->ts_thread_id, 0x70 + i);
		if (o->ts_native_id != PY_NONE)
			put(m, at + o->ts_native_id, 4711 + i);
		if (o->ts_holds_gil != PY_NONE)
			put32(m, at + o->ts_holds_gil, i == 0);
	}
}

/* --- tasks --------------------------------------------------------------- */

/* What a task has, and where in the image the table tells it. */
enum { NAME = 72, AWAITED_BY = 40, IS_TASK = 50, IS_SET = 51, CORO_AT = 64,
	NODE = 96, TS_TASK = 600, TS_HEAD = 616 };

size_t
pyimage_task_at(size_t i)
{
	return TASKS + i * TASK_SIZE;
}

static void
put_type(struct pyimage *m, size_t i, size_t object, const char *name)
{
	size_t at = TYPES + i * TYPE_SIZE;

	put(m, at + m->o.var_size + 8, address(at + 0xc0));
	memcpy(m->bytes + at + 0xc0, name, strlen(name) + 1);
	put(m, object + m->o.ob_type, address(at));
}

static void
put_task(struct pyimage *m, size_t i, size_t n, uint64_t coro)
{
	size_t at = TASKS + i * TASK_SIZE;

	put(m, at + CORO_AT, coro);
	put(m, at + NAME, put_string(m, 8 + i, pyimage_tasks[i]));
	m->bytes[at + IS_TASK] = 1;
	put(m, at + NODE, i + 1 < n ? address(at + TASK_SIZE + NODE)
	                            : address(THREADS + TS_HEAD));
}

/* The generator on top of the stack is a task's; another waits in a coroutine
 * that awaits a generator; a third awaits both. */
static void
put_tasks(struct pyimage *m)
{
	static const uint64_t table[] = { 128, NAME, AWAITED_BY, IS_TASK,
		IS_SET, CORO_AT, NODE, 0x1000, 0, THREAD_SIZE, TS_TASK - 8,
		TS_TASK, TS_HEAD };
	const struct py_offsets *o = &m->o;
	size_t waits = CORO, inner = CORO + 0x200, last = CORO + 0x400, i;
	uint8_t state = m->minor >= 15 ? 2 : 0xff;
	size_t top = CORO + 0x1f0;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		put(m, TASK_TABLE + 8 * i, table[i]);
	put(m, THREADS + TS_TASK, address(TASKS));
	put(m, THREADS + TS_HEAD, address(TASKS + NODE));
	put(m, THREADS + THREAD_SIZE + TS_HEAD,
	    address(THREADS + THREAD_SIZE + TS_HEAD));
	put_task(m, 0, 3, address(GENERATOR) - o->gen_frame);
	put_task(m, 1, 3, address(waits));
	put_task(m, 2, 3, address(last));
	put_type(m, 0, GENERATOR - o->gen_frame, "coroutine");
	put_type(m, 0, waits, "coroutine");
	put_type(m, 1, inner, "generator");
	put_type(m, 0, last, "coroutine");
	put_frame(m, waits + o->gen_frame, 0, PY_OWNER_GENERATOR, 0);
	put_frame(m, inner + o->gen_frame, 1, PY_OWNER_GENERATOR, 0);
	put_frame(m, last + o->gen_frame, 1, PY_OWNER_GENERATOR, 0);
	m->bytes[waits + o->gen_state] = state;
	m->bytes[inner + o->gen_state] = (uint8_t)(state - 1);
	m->bytes[last + o->gen_state] = (uint8_t)(state - 1);
	put(m, waits + o->gen_frame + o->fr_stack_top, address(top));
	put(m, top - (m->minor >= 15 ? 16 : 8), address(inner) | 1);
	/* The third awaits the first alone, and the second among others. */
	put(m, TASKS + AWAITED_BY, address(TASKS + 2 * TASK_SIZE));
	put(m, TASKS + TASK_SIZE + AWAITED_BY, address(SET));
	m->bytes[TASKS + TASK_SIZE + IS_SET] = 1;
	put(m, SET + o->var_size + 8, 1);
	put(m, SET + o->var_size + 16, 7);
	put(m, SET + o->var_size + 24, address(SET + 0x80));
	put(m, SET + 0x80 + 3 * 16, address(TASKS + 2 * TASK_SIZE));
	put(m, SET + 0x80 + 3 * 16 + 8, 12345);
}

/* --- tasks up to 3.13 ---------------------------------------------------- */

/* A field of an object, as if its head had 16 bytes. */
static size_t
field(const struct pyimage *m, size_t at)
{
	return m->o.var_size - 16 + at;
}

enum { T_FUTURE, T_TASK, T_DERIVED, T_CORO, T_GENERATOR, T_FUNCTION, T_WAKEUP,
	T_BUILTIN, T_WEAK_SET };

static void
put_old_type(struct pyimage *m, size_t i, const char *name, uint64_t size,
    uint64_t base)
{
	size_t at = OLD_TYPES + i * OLD_TYPE_SIZE;

	put(m, at + field(m, 24), address(at + 0x150));
	memcpy(m->bytes + at + 0x150, name, strlen(name) + 1);
	put(m, at + field(m, 32), size);
	put(m, at + field(m, 256), base);
}

static uint64_t
old_type(size_t i)
{
	return address(OLD_TYPES + i * OLD_TYPE_SIZE);
}

/* The i-th object, of a type. Where in the image it is. */
static size_t
put_object(struct pyimage *m, size_t i, size_t type)
{
	size_t at = OBJECTS + i * OBJECT_SIZE;

	put(m, at + m->o.ob_type, old_type(type));
	return at;
}

/* A dictionary of up to five items, with hashes. */
static uint64_t
put_dict(struct pyimage *m, size_t i, const struct py_item *item, size_t n)
{
	size_t at = DICTS + i * DICT_SIZE, keys = at + 0x40, entries, k;

	put(m, at + field(m, 32), address(keys));
	if (m->minor <= 10) {
		put(m, keys + 8, 8);
		put(m, keys + 32, n);
		entries = keys + 40 + 8;
	} else {
		m->bytes[keys + 9] = 3;
		put(m, keys + 24, n);
		entries = keys + 32 + 8;
	}
	for (k = 0; k < n; k++) {
		put(m, entries + k * 24 + 8, item[k].key);
		put(m, entries + k * 24 + 16, item[k].value);
	}
	return address(at);
}

/* Where a task has what it has. */
struct old_layout {
	unsigned minor;
	uint16_t future, task, state, waiter, coro, name;
	uint16_t coro_size, coro_name, coro_frame, coro_state;
};

static const struct old_layout old_layouts[] = {
	{ 7, 104, 136, 72, 104, 112, 0, 104, 56, 16, 0 },
	{ 8, 104, 144, 72, 104, 112, 120, 104, 56, 16, 0 },
	{ 9, 144, 184, 80, 144, 152, 160, 104, 56, 16, 0 },
	{ 10, 152, 192, 88, 152, 160, 168, 96, 48, 16, 0 },
	{ 11, 128, 176, 88, 128, 136, 144, 152, 40, 80, 75 },
	{ 12, 128, 176, 88, 128, 136, 144, 144, 32, 72, 67 },
	{ 13, 104, 144, 96, 112, 120, 128, 144, 32, 72, 67 },
};

/* A coroutine in function i, whose frame may be on the stack already; what
 * it awaits is the only thing on its stack. */
static void
put_old_coro(struct pyimage *m, size_t at, size_t frame, size_t i, int state,
    uint64_t awaits)
{
	const struct old_layout *l = &old_layouts[m->minor - 7];
	size_t stack;

	put(m, at + m->o.ob_type, old_type(i == 0 ? T_CORO : T_GENERATOR));
	if (m->minor >= 11) {
		m->bytes[at + field(m, l->coro_state)] = (uint8_t)state;
		put_frame(m, frame, i, PY_OWNER_GENERATOR, 0);
		put32(m, frame + 64, 1);
		put(m, frame + 72, awaits);
		return;
	}
	put(m, at + l->coro_frame, address(frame));
	put(m, frame, 1);
	put(m, frame + m->o.fr_code, address(CODES + i * CODE_SIZE));
	put(m, frame + (m->minor == 10 ? 88 : 96), address(at));
	if (m->minor == 10)
		m->bytes[frame + m->o.fr_state] = (uint8_t)state;
	stack = frame + 0x90;
	put(m, frame + 64, address(stack));
	if (m->minor == 10)
		put32(m, frame + 80, 1);
	else
		put(m, frame + 72, address(stack + 8));
	put(m, stack, awaits);
}

static void
put_old_task(struct pyimage *m, size_t i, size_t coro)
{
	const struct old_layout *l = &old_layouts[m->minor - 7];
	size_t at = TASKS + i * TASK_SIZE, weak = put_object(m, i,
	    T_WEAK_SET);
	uint64_t name = put_string(m, 8 + i, pyimage_tasks[i]);

	put(m, at + m->o.ob_type, old_type(T_TASK));
	put(m, at + field(m, l->coro), address(coro));
	if (l->name != 0)
		put(m, at + field(m, l->name), name);
	put(m, coro + field(m, l->coro_name), name);
	put(m, weak + field(m, 16), address(at));
	put(m, SET + 0x80 + (2 * i + 1) * 16, address(weak));
}

/* Which of the functions of asyncio is called when they are done, and whom it
 * knows: a future that the third awaits. */
static void
put_callbacks(struct pyimage *m)
{
	const struct old_layout *l = &old_layouts[m->minor - 7];
	size_t runs = TASKS, waits = TASKS + TASK_SIZE;
	size_t last = TASKS + 2 * TASK_SIZE;
	size_t function = put_object(m, 4, T_FUNCTION);
	size_t future = put_object(m, 6, T_DERIVED); /* two objects long */
	size_t wakeup = put_object(m, 8, m->minor <= 9 ? T_WAKEUP : T_BUILTIN);
	size_t closure = put_object(m, 9, T_WEAK_SET);
	size_t cell = put_object(m, 10, T_WEAK_SET);
	size_t list = put_object(m, 11, T_WEAK_SET);
	size_t tuple = put_object(m, 12, T_WEAK_SET);

	put(m, function + field(m, m->minor <= 9 ? 88 : 104),
	    put_string(m, 12, "asyncio.tasks"));
	put(m, function + field(m, m->minor <= 9 ? 104 : 40),
	    put_string(m, 13, "gather.<locals>._done_callback"));
	put(m, function + field(m, m->minor <= 9 ? 48 : 72),
	    address(closure));
	put(m, closure + field(m, 16), 1);
	put(m, closure + field(m, 24), address(cell));
	put(m, cell + field(m, 16), address(future));
	put(m, future + field(m, 24), address(wakeup));
	put(m, wakeup + field(m, m->minor <= 9 ? 16 : 24), address(last));
	put(m, last + field(m, l->waiter), address(future));
	put(m, waits + field(m, 24), address(function));
	put(m, runs + field(m, 40), address(list));
	put(m, list + field(m, 16), 1);
	put(m, list + field(m, 24), address(list + 0x60));
	put(m, list + 0x60, address(tuple));
	put(m, tuple + field(m, 16), 1);
	put(m, tuple + field(m, 24), address(function));
}

static void
put_old_types(struct pyimage *m)
{
	const struct old_layout *l = &old_layouts[m->minor - 7];

	put_old_type(m, T_FUTURE, "_asyncio.Future", field(m, l->future), 0);
	put_old_type(m, T_TASK, "_asyncio.Task", field(m, l->task),
	    old_type(T_FUTURE));
	put_old_type(m, T_DERIVED, "_GatheringFuture", field(m, l->future),
	    old_type(T_FUTURE));
	put_old_type(m, T_CORO, "coroutine", field(m, l->coro_size), 0);
	put_old_type(m, T_GENERATOR, "generator", 0, 0);
	put_old_type(m, T_FUNCTION, "function", 0, 0);
	put_old_type(m, T_WAKEUP, "TaskWakeupMethWrapper", 0, 0);
	put_old_type(m, T_BUILTIN, "builtin_function_or_method", 0, 0);
	put_old_type(m, T_WEAK_SET, "WeakSet", 0, 0);
	/* Where an object of it has its attributes. */
	put(m, OLD_TYPES + T_WEAK_SET * OLD_TYPE_SIZE + field(m, 288),
	    field(m, 24));
}

/* sys.modules["_asyncio"] */
static void
put_module(struct pyimage *m)
{
	size_t set = put_object(m, 13, T_WEAK_SET);
	size_t module = put_object(m, 14, T_WEAK_SET);
	struct py_item data = { 0, put_string(m, 14, "data"), address(SET) };
	struct py_item current = { 0, address(OBJECTS), address(TASKS) };
	struct py_item vars[4] = {
		{ 0, put_string(m, 15, "_current_tasks"),
		    put_dict(m, 0, &current, 1) },
		{ 0, put_string(m, 16, m->minor >= 12 ? "_scheduled_tasks"
		                                      : "_all_tasks"),
		    address(set) },
		{ 0, put_string(m, 17, "Future"), old_type(T_FUTURE) },
		{ 0, put_string(m, 18, "Task"), old_type(T_TASK) },
	};
	struct py_item asyncio = { 0, put_string(m, 19, "_asyncio"),
		address(module) };

	put(m, set + field(m, 24), put_dict(m, 1, &data, 1));
	put(m, module + field(m, 16), put_dict(m, 2, vars, 4));
	put(m, INTERP + m->o.is_modules, put_dict(m, 3, &asyncio, 1));
}

/* The same tasks as those from 3.14 on, as objects of that time. */
static void
put_old_tasks(struct pyimage *m)
{
	const struct old_layout *l = &old_layouts[m->minor - 7];
	size_t head = m->minor >= 11 ? field(m, l->coro_frame) : 0;
	size_t coro[4] = { GENERATOR - head, CORO, CORO + 0x200,
		CORO + 0x400 };
	size_t frame[4], i;

	for (i = 0; i < 4; i++)
		frame[i] = coro[i] + head;
	if (m->minor <= 10) {
		coro[0] = CORO + 0x600;
		frame[0] = OLD_FRAMES + 2 * OLD_FRAME_SIZE;
		for (i = 1; i < 4; i++)
			frame[i] = coro[i] + 0x80;
	}
	put_old_types(m);
	put(m, coro[0] + m->o.ob_type, old_type(T_CORO));
	if (m->minor <= 10)
		put(m, coro[0] + l->coro_frame, address(frame[0]));
	put_old_coro(m, coro[1], frame[1], 0, -1, address(coro[2]));
	put_old_coro(m, coro[2], frame[2], 1, m->minor == 13 ? -2 : -1, 0);
	put_old_coro(m, coro[3], frame[3], 1, m->minor == 13 ? -2 : -1, 0);
	put_old_task(m, 0, coro[0]);
	put_old_task(m, 1, coro[1]);
	put_old_task(m, 2, coro[3]);
	put_callbacks(m);
	put(m, SET + field(m, 24), 3);
	put(m, SET + field(m, 32), 7);
	put(m, SET + field(m, 40), address(SET + 0x80));
	put_module(m);
}

/* --- variables ----------------------------------------------------------- */

static void
put_var_type(struct pyimage *m, size_t i, const char *name, uint32_t flags)
{
	size_t at = VAR_TYPES + i * OLD_TYPE_SIZE;

	put(m, at + field(m, 24), address(at + 0x150));
	memcpy(m->bytes + at + 0x150, name, strlen(name) + 1);
	put(m, at + field(m, 168), flags);
}

static uint64_t
typed(struct pyimage *m, uint64_t object, size_t type)
{
	put(m, (size_t)(object - PYIMAGE_AT) + m->o.ob_type,
	    address(VAR_TYPES + type * OLD_TYPE_SIZE));
	return object;
}

/* An argument n = 42, and xs = [n, 'xs', xs] in a cell. */
static void
put_vars(struct pyimage *m)
{
	const struct py_offsets *o = &m->o;
	size_t code = CODES + CODE_SIZE, names = VAR_OBJECTS;
	size_t number = names + 0x80, list = names + 0x100;
	size_t cell = names + 0x180, cells = names + 0x200;
	static const uint8_t kinds[] = { 0x20, 0x40 };
	uint64_t n = put_string(m, 20, "n"), xs = put_string(m, 21, "xs");
	int is_old = o->co_var_kinds == PY_NONE;

	put_var_type(m, 0, "int", 1u << 24);
	put_var_type(m, 1, "str", 1u << 28);
	put_var_type(m, 2, "list", 1u << 25);
	put_var_type(m, 3, "cell", 0);
	put32(m, code + o->co_arg_count, 1);
	put(m, code + o->co_var_names, address(names));
	put(m, names + o->var_size, is_old ? 1 : 2);
	put(m, names + o->tuple_items, n);
	if (is_old) {
		put(m, code + o->co_var_names + 8, address(cells + 0x40));
		put(m, code + o->co_var_names + 16, address(cells));
		put(m, cells + o->var_size, 1);
		put(m, cells + o->tuple_items, xs);
	} else {
		put(m, names + o->tuple_items + 8, xs);
		put(m, code + o->co_var_kinds, put_bytes(m, 12, kinds, 2));
	}
	(void)typed(m, address(number), 0);
	put(m, number + field(m, 16), m->minor >= 12 ? 1 << 3 : 1);
	put32(m, number + field(m, 24), 42);
	(void)typed(m, address(list), 2);
	put(m, list + field(m, 16), 3);
	put(m, list + field(m, 24), address(list + 0x40));
	put(m, list + 0x40, address(number));
	put(m, list + 0x48, typed(m, xs, 1));
	put(m, list + 0x50, address(list));
	(void)typed(m, address(cell), 3);
	put(m, cell + field(m, 16), address(list));
	put(m, VAR_FRAME + o->fr_locals, address(number) | (m->minor >= 14));
	put(m, VAR_FRAME + o->fr_locals + 8, address(cell));
}

void
pyimage_vars(uint64_t *ret_frame, uint64_t *ret_code, size_t *ret_at)
{
	*ret_frame = address(VAR_FRAME);
	*ret_code = address(CODES + CODE_SIZE);
	*ret_at = VAR_OBJECTS + 0x80;
}

static void
make(struct pyimage *m, unsigned minor, int is_free_threaded, int is_wide)
{
	size_t i;

	memset(m, 0, sizeof(*m));
	m->minor = minor;
	m->is_free_threaded = is_free_threaded;
	m->is_wide = is_wide;
	m->mem.gather = gather;
	m->mem.user = m;
	if (minor >= PY_FIRST_DEBUG) {
		invent_offsets(m);
		tell_offsets(m);
	} else {
		m->o = *py_offsets_of(minor);
	}
	/* What the table of 3.13 and 3.14 does not tell is not invented. */
	if (minor == 13 || minor == 14)
		m->o.ts_holds_gil = m->o.ts_wants_gil = PY_NONE;
	if (minor == 13)
		m->o.is_main_thread = PY_NONE;
	put_threads(m);
	for (i = 0; i < PYIMAGE_DEPTH; i++)
		put_code(m, i);
	if (minor <= 10)
		put_old_frames(m);
	else
		put_frames(m);
	if (minor >= 14)
		put_tasks(m);
	else
		put_old_tasks(m);
	put_vars(m);
}

void
pyimage_make(struct pyimage *m, unsigned minor, int is_free_threaded)
{
	make(m, minor, is_free_threaded, 0);
}

void
pyimage_make_wide(struct pyimage *m, unsigned minor, int is_free_threaded)
{
	make(m, minor, is_free_threaded, 1);
}

/* Behind the cookie and the version. */
#define FIRST_WORD 2

size_t
pyimage_table_word(const struct pyimage *m, size_t i)
{
	size_t n = py_debug_size(m->minor) / 8;

	n = n > FIRST_WORD ? n - FIRST_WORD : 0;
	i %= n + PY_TASK_TABLE / 8;
	return i < n ? RUNTIME + 8 * (i + FIRST_WORD)
	             : TASK_TABLE + 8 * (i - n);
}

const char *
pyimage_find(struct pyimage *m, struct py_site *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->runtime = address(RUNTIME);
	ret->task_table = address(TASK_TABLE);
	if (m->minor >= PY_FIRST_DEBUG)
		return py_debug_read(m->bytes + RUNTIME,
		    py_debug_size(m->minor), m->minor, &ret->o, &m->why) < 0
		    ? m->why.text : NULL;
	ret->o = *py_offsets_of(m->minor);
	return NULL;
}
