/*
 * Reads _Py_DebugOffsets, the table in which an interpreter describes itself.
 *
 * The table is foreign data. Each offset must lie within the structure that the
 * table says it belongs to; py_bounds_check() compares it with our buffers.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "capture/proc/mem.h"
#include "capture/python/layout/bounds.h"

#define COOKIE "xdebugpy"

/* Structures that offsets belong to; their names and largest sizes. */
enum group { RUNTIME, INTERP, THREAD, FRAME, CODE, OBJECT, STRING, BYTES, GC,
	HEAP_TYPE, GENERATOR, TUPLE, N_GROUPS };

static const char *const group_names[N_GROUPS] = { "runtime_state",
	"interpreter_state", "thread_state", "interpreter_frame",
	"code_object", "pyobject", "unicode_object", "bytes_object", "gc",
	"heap_type_object", "gen_object", "tuple_object" };

static const uint64_t max_size[N_GROUPS] = { 64 << 20, 64 << 20, 65536,
	PY_MAX_FRAME, PY_MAX_CODE, 256, 256, 256, 65536, 65536, 65536, 256 };

/* Layouts of the table: 3.13, 3.14, and one for 3.15 and 3.16. */
#define N_LAYOUTS 3

/* Before their betas, 3.15 and 3.16 had no last_profiled_frame_seq: what is
 * behind it was one word nearer. */
#define EARLY N_LAYOUTS
#define EARLY_FROM 240

static const uint16_t layout_size[N_LAYOUTS] = { 584, 760, 888 };

/* Where in the table the size of a structure is. */
static const uint16_t group_slot[N_GROUPS][N_LAYOUTS] = {
	[RUNTIME] = { 24, 24, 24 },
	[INTERP] = { 48, 48, 48 },
	[THREAD] = { 152, 176, 176 },
	[FRAME] = { 224, 248, 312 },
	[CODE] = { 272, 312, 376 },
	[OBJECT] = { 352, 400, 464 },
	[STRING] = { 536, 616, 712 },
	[BYTES] = { 512, 592, 688 },
	[GC] = { 568, 648, 752 },
	[HEAP_TYPE] = { 0, 0, 528 },
	[GENERATOR] = { 0, 664, 792 },
	[TUPLE] = { 400, 448, 544 },
};

struct slot {
	uint16_t field; /* of struct py_offsets */
	uint8_t group;
	uint8_t n;      /* bytes of the field */
	uint16_t at[N_LAYOUTS]; /* in the table; 0: the version has none */
};

#define FIELD(name) ((uint16_t)offsetof(struct py_offsets, name))

static const struct slot slots[] = {
	{ FIELD(rt_interpreters), RUNTIME, 8, { 40, 40, 40 } },
	{ FIELD(is_id), INTERP, 8, { 56, 56, 56 } },
	{ FIELD(is_next), INTERP, 8, { 64, 64, 64 } },
	{ FIELD(is_threads), INTERP, 8, { 72, 72, 72 } },
	{ FIELD(is_main_thread), INTERP, 8, { 0, 80, 80 } },
	{ FIELD(is_modules), INTERP, 8, { 88, 96, 96 } },
	{ FIELD(is_gil), INTERP, 8, { 112, 120, 120 } },
	{ FIELD(is_generation), INTERP, 8, { 0, 160, 160 } },
	{ FIELD(gil_locked), INTERP, 4, { 136, 144, 144 } },
	{ FIELD(gil_holder), INTERP, 8, { 144, 152, 152 } },
	{ FIELD(ts_next), THREAD, 8, { 168, 192, 192 } },
	{ FIELD(ts_interp), THREAD, 8, { 176, 200, 200 } },
	{ FIELD(ts_frame), THREAD, 8, { 184, 208, 208 } },
	{ FIELD(ts_base_frame), THREAD, 8, { 0, 0, 216 } },
	{ FIELD(ts_thread_id), THREAD, 8, { 192, 216, 240 } },
	{ FIELD(ts_native_id), THREAD, 8, { 200, 224, 248 } },
	{ FIELD(ts_chunk), THREAD, 16, { 208, 232, 256 } },
	{ FIELD(ts_holds_gil), THREAD, 4, { 0, 0, 272 } },
	{ FIELD(ts_wants_gil), THREAD, 4, { 0, 0, 280 } },
	{ FIELD(ts_raised), THREAD, 8, { 0, 0, 288 } },
	{ FIELD(ts_handled), THREAD, 8, { 0, 0, 296 } },
	{ FIELD(fr_previous), FRAME, 8, { 232, 256, 320 } },
	{ FIELD(fr_code), FRAME, 8, { 240, 264, 328 } },
	{ FIELD(fr_instr), FRAME, 8, { 248, 272, 336 } },
	{ FIELD(fr_locals), FRAME, 0, { 256, 280, 344 } },
	{ FIELD(fr_owner), FRAME, 1, { 264, 288, 352 } },
	{ FIELD(fr_stack_top), FRAME, 8, { 0, 296, 360 } },
	{ FIELD(fr_copy), FRAME, 4, { 0, 304, 368 } },
	{ FIELD(co_file), CODE, 8, { 280, 320, 384 } },
	{ FIELD(co_name), CODE, 8, { 296, 336, 400 } },
	{ FIELD(co_lines), CODE, 8, { 304, 344, 408 } },
	{ FIELD(co_first_line), CODE, 4, { 312, 352, 416 } },
	{ FIELD(co_arg_count), CODE, 12, { 320, 360, 424 } },
	{ FIELD(co_var_names), CODE, 8, { 328, 368, 432 } },
	{ FIELD(co_var_kinds), CODE, 8, { 336, 376, 440 } },
	{ FIELD(co_code), CODE, 0, { 344, 384, 448 } },
	{ FIELD(co_copies), CODE, 8, { 0, 392, 456 } },
	{ FIELD(ob_type), OBJECT, 8, { 360, 408, 472 } },
	{ FIELD(var_size), BYTES, 8, { 520, 600, 696 } },
	{ FIELD(bytes_data), BYTES, 0, { 528, 608, 704 } },
	{ FIELD(str_state), STRING, 4, { 544, 624, 720 } },
	{ FIELD(str_length), STRING, 8, { 552, 632, 728 } },
	{ FIELD(str_ascii), STRING, 0, { 560, 640, 736 } },
	{ FIELD(str_compact), STRING, 0, { 0, 0, 744 } },
	{ FIELD(tuple_items), TUPLE, 0, { 408, 456, 552 } },
	{ FIELD(ht_keys), HEAP_TYPE, 8, { 0, 0, 536 } },
	{ FIELD(gen_frame), GENERATOR, 8, { 0, 680, 808 } },
	{ FIELD(gen_state), GENERATOR, 1, { 0, 688, 816 } },
};

/* Where in a table of this layout a value is. 0 if it has none. */
static size_t
table_place(const uint16_t *at, int layout)
{
	int i = layout == EARLY ? N_LAYOUTS - 1 : layout;

	assert(i >= 0 && i < N_LAYOUTS && at[i] + 8u <= layout_size[i]);
	return layout == EARLY && at[i] >= EARLY_FROM ? at[i] - 8u : at[i];
}

/* Offsets that the table does not have. They are the same in all builds of a
 * version. */
struct rest {
	uint16_t ts_id, ts_raised, ts_handled;
};

static const struct rest rests[N_LAYOUTS] = {
	{ 224, 112, 256 },
	{ 224, 112, 256 },
	{ 248, 0, 0 },
};

static int
layout_of(unsigned minor)
{
	if (minor < PY_FIRST_DEBUG || minor > PY_NEWEST)
		return -1;
	return minor < 15 ? (int)minor - PY_FIRST_DEBUG : N_LAYOUTS - 1;
}

size_t
py_debug_size(unsigned minor)
{
	int i = layout_of(minor);

	return i < 0 ? 0 : layout_size[i];
}

uint32_t
py_debug_version(const uint8_t *table)
{
	uint64_t v;

	if (memcmp(table, COOKIE, sizeof(COOKIE) - 1) != 0)
		return 0;
	v = mem_u64(table, 8);
	return v < UINT32_MAX ? (uint32_t)v : 0;
}

static void
offset_set(struct py_offsets *o, uint16_t field, uint32_t v)
{
	memcpy((char *)o + field, &v, sizeof(v));
}

static int
read_sizes(const uint8_t *table, int layout, uint64_t *size,
    struct py_fault *why)
{
	size_t i;

	for (i = 0; i < N_GROUPS; i++) {
		size_t at = table_place(group_slot[i], layout);

		size[i] = at != 0 ? mem_u64(table, at) : 1;
		if (size[i] == 0 || size[i] > max_size[i])
			return py_fault(why, "the size of %s is %" PRIu64
			    ", not 1 to %" PRIu64, group_names[i], size[i],
			    max_size[i]);
	}
	return 0;
}

/* Reads each offset. It must lie within its structure. */
static int
read_slots(const uint8_t *table, int layout, const uint64_t *size,
    struct py_offsets *o, struct py_fault *why)
{
	size_t i;

	for (i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		const struct slot *s = &slots[i];
		size_t at = table_place(s->at, layout);
		uint64_t v;

		if (at == 0) {
			offset_set(o, s->field, PY_NONE);
			continue;
		}
		v = mem_u64(table, at);
		if (v > size[s->group] || size[s->group] - v < s->n)
			return py_fault(why, "offset %s is %" PRIu64
			    ", larger than its structure of %" PRIu64
			    " bytes", py_bounds_name(s->field), v,
			    size[s->group]);
		offset_set(o, s->field, (uint32_t)v);
	}
	return 0;
}

static void
add_rest(const struct rest *r, struct py_offsets *o)
{
	o->rt_current = o->rt_main_thread = PY_NONE;
	o->cf_frame = o->fr_is_entry = o->fr_state = PY_NONE;
	o->ts_id = r->ts_id;
	o->ts_tracing = o->minor == 13 && o->ts_frame >= 12
	    ? o->ts_frame - 12 : PY_NONE;
	if (r->ts_raised != 0) {
		o->ts_raised = r->ts_raised;
		o->ts_handled = r->ts_handled;
	}
	o->ts_exc_info = o->ts_raised != PY_NONE ? o->ts_raised + 8 : PY_NONE;
	if (o->ht_keys == PY_NONE)
		o->ht_keys = o->var_size + 864;
	if (o->str_compact == PY_NONE)
		o->str_compact = o->str_ascii + 16;
	o->co_flags = o->var_size + 32;
	o->co_frame_size = o->var_size + 60;
	o->co_stack_size = o->co_locals = PY_NONE;
	o->code_mask = o->minor < 14 ? UINT64_MAX : ~(uint64_t)3;
}

/* The table has the fields of the GIL that is part of the interpreter. Their
 * distance from its beginning holds for all GILs. */
static int
place_gil(const uint8_t *table, int layout, struct py_offsets *o,
    struct py_fault *why)
{
	static const uint16_t at[N_LAYOUTS] = { 120, 128, 128 };
	uint64_t gil = mem_u64(table, table_place(at, layout));

	if (gil > o->gil_holder || gil > o->gil_locked)
		return py_fault(why, "offset interpreter_state."
		    "gil_runtime_state is %" PRIu64 ", behind its own fields "
		    "at %u and %u", gil, o->gil_holder, o->gil_locked);
	o->gil_holder -= (uint32_t)gil;
	o->gil_locked -= (uint32_t)gil;
	return 0;
}

static int
place_gc_frame(const uint8_t *table, int layout, const uint64_t *size,
    struct py_offsets *o, struct py_fault *why)
{
	static const uint16_t gc_at[N_LAYOUTS] = { 0, 0, 88 };
	static const uint16_t frame_at[N_LAYOUTS] = { 0, 0, 768 };
	uint64_t gc, frame;

	o->is_gc_frame = PY_NONE;
	if (table_place(gc_at, layout) == 0)
		return 0;
	gc = mem_u64(table, table_place(gc_at, layout));
	frame = mem_u64(table, table_place(frame_at, layout));
	if (gc > size[INTERP] || size[INTERP] - gc < size[GC])
		return py_fault(why, "offset interpreter_state.gc is %" PRIu64
		    ", larger than its structure of %" PRIu64 " bytes", gc,
		    size[INTERP]);
	if (frame > size[GC] || size[GC] - frame < 8)
		return py_fault(why, "offset gc.frame is %" PRIu64 ", larger "
		    "than its structure of %" PRIu64 " bytes", frame,
		    size[GC]);
	o->is_gc_frame = (uint32_t)(gc + frame);
	return 0;
}

/* Values that are equal in all versions. */
static int
check_heads(const struct py_offsets *o, const uint64_t *size,
    struct py_fault *why)
{
	const uint32_t head = o->is_free_threaded ? 32 : 16;
	const struct {
		const char *name;
		uint64_t is, was;
	} known[] = {
		{ "pyobject.size", size[OBJECT], head },
		{ "pyobject.ob_type", o->ob_type, head - 8 },
		{ "bytes_object.ob_size", o->var_size, head },
		{ "bytes_object.ob_sval", o->bytes_data, head + 16 },
		{ "unicode_object.length", o->str_length, head },
		{ "unicode_object.asciiobject_size", o->str_ascii, head + 24 },
		{ "unicode_object.compactunicodeobject_size", o->str_compact,
		    head + 40 },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].is != known[i].was)
			return py_fault(why, "%s is %" PRIu64 ", which is %"
			    PRIu64 " in all versions", known[i].name,
			    known[i].is, known[i].was);
	return 0;
}

static int
read_debug_table(const uint8_t *table, int layout, unsigned minor,
    struct py_offsets *ret, struct py_fault *why)
{
	struct py_offsets o;
	uint64_t size[N_GROUPS] = { 0 }, ft;
	int r;

	memset(&o, 0, sizeof(o));
	o.minor = minor;
	ft = mem_u64(table, 16);
	if (ft > 1)
		return py_fault(why, "free_threaded is %" PRIu64
		    ", neither 0 nor 1", ft);
	o.is_free_threaded = ft == 1;
	r = read_sizes(table, layout, size, why);
	if (r == 0)
		r = read_slots(table, layout, size, &o, why);
	if (r == 0)
		r = place_gil(table, layout, &o, why);
	if (r == 0)
		r = place_gc_frame(table, layout, size, &o, why);
	if (r < 0)
		return r;
	o.fr_size = (uint32_t)size[FRAME];
	o.co_size = o.co_code;
	add_rest(&rests[layout == EARLY ? N_LAYOUTS - 1 : layout], &o);
	if (!o.is_free_threaded)
		o.fr_copy = o.co_copies = PY_NONE;
	r = check_heads(&o, size, why);
	if (r == 0)
		r = py_bounds_check(&o, why);
	if (r == 0)
		*ret = o;
	return r;
}

int
py_debug_read(const uint8_t *table, size_t n, unsigned minor,
    struct py_offsets *ret, struct py_fault *why)
{
	int layout = layout_of(minor), r;
	struct py_fault early;

	if (layout < 0 || n < layout_size[layout])
		return py_fault(why, "its table of offsets is not known");
	r = read_debug_table(table, layout, minor, ret, why);
	if (r < 0 && layout == N_LAYOUTS - 1 &&
	    read_debug_table(table, EARLY, minor, ret, &early) == 0)
		r = 0;
	return r;
}
