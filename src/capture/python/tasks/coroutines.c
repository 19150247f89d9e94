/*
 * A coroutine awaits the object on top of its frame's stack. The chain is
 * followed from object to object until one is not a coroutine. Then the first
 * and the last one are read again: if they are the same, the chain did not
 * move.
 */
#include "capture/python/tasks/coroutines.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"
#include "core/mem.h"

#define NO UINT16_MAX

/*
 * PyCoroObject and its frame, up to 3.13. Offsets in the object are for
 * py_at(). `frame` is a pointer to the frame up to 3.10, and the frame itself
 * later. The top of the frame's stack is in front of a pointer (`top`), or at
 * an index (`depth`) from a pointer (`values`) or from a place in the frame
 * (`locals`).
 */
struct py_coro_layout {
	uint16_t size, name, frame, state;
	uint16_t top, depth, values, locals;
	uint16_t owner; /* pointer to the generator that has the frame */
};

#define HEAP_CORO                                                            \
	{ .size = 104, .name = 56, .frame = 16, .state = NO, .top = 72,      \
		.depth = NO, .values = NO, .locals = NO, .owner = 96 }
#define INLINE_CORO                                                          \
	{ .size = 144, .name = 32, .frame = 72, .state = 67, .top = NO,      \
		.depth = 64, .values = NO, .locals = 72, .owner = NO }

static const struct py_coro_layout layouts[] = {
	[7] = HEAP_CORO,
	[8] = HEAP_CORO,
	[9] = HEAP_CORO,
	[10] = { .size = 96, .name = 48, .frame = 16, .state = NO, .top = NO,
	    .depth = 80, .values = 64, .locals = NO, .owner = 88 },
	[11] = { .size = 152, .name = 40, .frame = 80, .state = 75, .top = NO,
	    .depth = 64, .values = NO, .locals = 72, .owner = NO },
	[12] = INLINE_CORO,
	[13] = INLINE_CORO,
};

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* The opcode YIELD_FROM of 3.7 to 3.10, which also awaits. */
#define OLD_YIELD_FROM 72

/* 3.11 and 3.12: the argument of RESUME behind an instruction that awaits or
 * yields from another generator is at least this. */
#define RESUMES_FROM 2

void
py_coros_init(struct py_coros *c, struct py_codes *codes)
{
	memset(c, 0, sizeof(*c));
	c->ctx = codes->ctx;
	c->mem = codes->mem;
	c->codes = codes;
	c->o = codes->o;
	if (c->o->minor < N_LAYOUTS)
		c->layout = &layouts[c->o->minor];
}

void
py_coros_done(struct py_coros *c)
{
	ptrmap_free(&c->awaits);
	ptrmap_free(&c->ahead_at);
	free(c->ahead);
	free(c->fid);
}

/* --- types --------------------------------------------------------------- */

/* A coroutine or generator; an object whose first field is one; or another
 * object, such as a future. */
enum kind { OTHER, COROUTINE, WRAPPER };

static const struct {
	const char *name;
	enum kind kind;
} kinds[] = {
	{ "coroutine", COROUTINE },
	{ "generator", COROUTINE },
	{ "async_generator", COROUTINE },
	{ "coroutine_wrapper", WRAPPER },
	{ "async_generator_asend", WRAPPER },
	{ "async_generator_athrow", WRAPPER },
	{ "anext_awaitable", WRAPPER },
};

/* Types of the interpreter are never freed, so their addresses stay known.
 * Others are forgotten after a sample. */
void
py_coros_begin(struct py_coros *c)
{
	unsigned i, n = 0;

	for (i = 0; i < c->n_type; i++)
		if (c->type[i].kind != OTHER)
			c->type[n++] = c->type[i];
	c->n_type = n;
	ptrmap_clear(&c->awaits);
}

/* Returns 1 if a type has the size of our layout. If not, its layout is not
 * known. */
static int
is_as_laid_out(struct py_coros *c, uint64_t type)
{
	uint64_t size;

	return c->layout == NULL ||
	    (mem_read_u64(c->mem, type + py_at(c->o, PY_TYPE_BASIC_SIZE),
	         &size) == 0 && size == py_at(c->o, c->layout->size));
}

static enum kind
kind_by_name(struct py_coros *c, uint64_t type)
{
	char name[32];
	size_t i;

	if (py_type_name(c->mem, c->o, type, name, sizeof(name)) < 0)
		return OTHER;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(name, kinds[i].name) == 0)
			return i > 0 || is_as_laid_out(c, type)
			    ? kinds[i].kind : OTHER;
	return OTHER;
}

static enum kind
kind_of(struct py_coros *c, uint64_t type)
{
	enum kind kind;
	unsigned i;

	for (i = 0; i < c->n_type; i++)
		if (c->type[i].at == type)
			return (enum kind)c->type[i].kind;
	if (type % 8 != 0 || !mem_is_user(type, 64))
		return OTHER;
	kind = kind_by_name(c, type);
	if (c->n_type < CORO_MAX_TYPES) {
		c->type[c->n_type].at = type;
		c->type[c->n_type++].kind = (int)kind;
	}
	return kind;
}

/* --- one coroutine ------------------------------------------------------- */

struct coro {
	struct py_coro_block head; /* with the frame, from 3.11 on */
	struct py_coro_block heap; /* its frame, up to 3.10 */
	uint64_t frame_at;
	const uint8_t *frame;
};

static int
read_block(struct py_coros *c, uint64_t at, struct py_coro_block *b)
{
	uint32_t i = c->n_ahead > 0 ? ptrmap_get(&c->ahead_at, at)
	                            : PTRMAP_NONE;
	long n;

	if (i != PTRMAP_NONE) {
		*b = c->ahead[i];
		return 0;
	}
	if (at % 8 != 0 || !mem_is_user(at, sizeof(b->bytes)))
		return -EFAULT;
	n = mem_read_some(c->mem, at, b->bytes, sizeof(b->bytes));
	if (n < (long)c->o->ob_type + 16)
		return -EFAULT;
	b->at = at;
	b->n = (size_t)n;
	return 0;
}

/* The word at an address: of the block, or read now. */
static int
read_word(struct py_coros *c, const struct py_coro_block *b, uint64_t at,
    uint64_t *ret)
{
	if (at >= b->at && at - b->at <= b->n && b->n - (at - b->at) >= 8) {
		*ret = mem_u64(b->bytes, (size_t)(at - b->at));
		return 0;
	}
	return mem_read_u64(c->mem, at, ret);
}

/* Reads the coroutine at an address, or the one that a wrapper there has. 0, or
 * -ENOENT. */
static int
read_coroutine(struct py_coros *c, uint64_t at, struct py_coro_block *ret)
{
	unsigned hops;

	for (hops = 0; hops < 4; hops++) {
		if (read_block(c, at, ret) < 0)
			return -ENOENT;
		switch (kind_of(c, mem_u64(ret->bytes, c->o->ob_type))) {
		case COROUTINE:
			return 0;
		case WRAPPER:
			at = mem_u64(ret->bytes, c->o->ob_type + 8);
			break;
		default:
			return -ENOENT;
		}
	}
	return -ENOENT;
}

static uint32_t
frame_offset(const struct py_coros *c)
{
	return c->layout == NULL ? c->o->gen_frame
	                         : py_at(c->o, c->layout->frame);
}

static int
is_on_heap(const struct py_coros *c)
{
	return c->layout != NULL && c->layout->state == NO;
}

uint64_t
py_coros_frame(struct py_coros *c, uint64_t coro)
{
	uint64_t at;

	if (!is_on_heap(c))
		return coro + frame_offset(c);
	return mem_read_u64(c->mem, coro + frame_offset(c), &at) == 0 ? at : 0;
}

int
py_coros_name(struct py_coros *c, uint64_t coro, char *buf)
{
	struct py_coro_block b;

	if (c->layout == NULL || read_coroutine(c, coro, &b) < 0 ||
	    b.n < py_at(c->o, c->layout->name) + 8u)
		return -ENOENT;
	return py_text_read(c->mem, c->o,
	    mem_u64(b.bytes, py_at(c->o, c->layout->name)), buf);
}

enum life { ENDED, RESTING, AWAITING, RUNNING };

/* Up to 3.10: reads the frame. A coroutine that has ended has none. */
static int
find_heap_frame(struct py_coros *c, struct coro *k)
{
	uint64_t at = mem_u64(k->head.bytes, frame_offset(c));

	if (at == 0)
		return -ENOENT;
	if (read_block(c, at, &k->heap) < 0 || k->heap.n < c->o->fr_size ||
	    mem_u64(k->heap.bytes, c->layout->owner) != k->head.at)
		return -EAGAIN;
	k->frame_at = at;
	k->frame = k->heap.bytes;
	return 0;
}

static int
find_coroutine_frame(struct py_coros *c, struct coro *k)
{
	size_t at = frame_offset(c);

	if (is_on_heap(c))
		return find_heap_frame(c, k);
	if (k->head.n < at + c->o->fr_size ||
	    (c->layout == NULL && c->o->gen_state >= k->head.n))
		return -EAGAIN;
	k->frame_at = k->head.at + at;
	k->frame = k->head.bytes + at;
	return 0;
}

/* By gi_frame_state, f_state or f_executing. */
static enum life
life_of(const struct py_coros *c, const struct coro *k)
{
	unsigned minor = c->o->minor;
	int8_t state;

	if (is_on_heap(c))
		state = (int8_t)mem_u8(k->frame, c->o->fr_state);
	else
		state = (int8_t)mem_u8(k->head.bytes, c->layout == NULL
		    ? c->o->gen_state : py_at(c->o, c->layout->state));
	if (minor >= 15)
		return state > 4 ? ENDED : state == 4 ? RUNNING
		    : state == 2 || state == 3 ? AWAITING : RESTING;
	if (minor <= 9)
		return state == (int8_t)c->o->fr_runs ? RUNNING : RESTING;
	if (state >= 0)
		return state == 0 ? RUNNING : ENDED;
	return minor >= 13 && state == -1 ? AWAITING : RESTING;
}

/* The address of the top value of a frame's stack. From 3.15 on it is below the
 * value that is sent to the coroutine. */
static uint64_t
stack_top_at(const struct py_coros *c, const uint8_t *frame, uint64_t frame_at)
{
	const struct py_coro_layout *l = c->layout;

	if (l == NULL)
		return mem_u64(frame, c->o->fr_stack_top) -
		    (c->o->minor >= 15 ? 16 : 8);
	if (l->top != NO)
		return mem_u64(frame, l->top) - 8;
	return (l->locals != NO ? frame_at + l->locals
	                        : mem_u64(frame, l->values)) +
	    (uint64_t)mem_u32(frame, l->depth) * 8 - 8;
}

/* The object on top of its stack. 0 if it cannot be read. */
static uint64_t
awaited_object(struct py_coros *c, const struct coro *k)
{
	uint64_t at = stack_top_at(c, k->frame, k->frame_at), value;

	if (at % 8 != 0 || read_word(c, is_on_heap(c) ? &k->heap : &k->head,
	        at, &value) < 0)
		return 0;
	return value & ~(uint64_t)7; /* without the tags of a reference */
}

/* --- chains -------------------------------------------------------------- */

static uint64_t
instr_of(const struct py_coros *c, const struct coro *k)
{
	return c->o->minor <= 10 ? mem_u32(k->frame, c->o->fr_instr)
	                         : mem_u64(k->frame, c->o->fr_instr);
}

/*
 * Up to 3.12 a coroutine that rests may have yielded a value, or await the
 * object on top of its stack: the next instruction tells. `index` is that of
 * its code, `unit` the one it stands on. Returns 1 if it awaits, 0, or -ENOMEM.
 */
static int
stands_on_await(struct py_coros *c, const struct coro *k, uint32_t index,
    int64_t unit)
{
	const struct py_code *code = &c->codes->code[index];
	uint64_t at;
	uint32_t known;
	uint8_t b;
	int is_one;

	if (unit < 0 || (uint64_t)unit + 1 >= code->n_units)
		return 0;
	at = c->o->minor <= 10
	    ? code->code + c->o->bytes_data + 2 * ((uint64_t)unit + 1)
	    : instr_of(c, k) + 3;
	known = ptrmap_get(&c->awaits, at);
	if (known != PTRMAP_NONE)
		return (int)known;
	if (mem_read(c->mem, at, &b, 1) < 0)
		return 0;
	is_one = c->o->minor <= 10 ? b == OLD_YIELD_FROM : b >= RESUMES_FROM;
	return ptrmap_put(c->ctx, &c->awaits, at, (uint32_t)is_one) < 0
	    ? -ENOMEM : is_one;
}

/* Adds the frame of a coroutine to c->fid. Returns 1 if it awaits another
 * object, 0, or -errno. */
static int
add_frame(struct py_coros *c, const struct coro *k, enum life life)
{
	const struct py_offsets *o = c->o;
	uint64_t code = mem_u64(k->frame, o->fr_code) & o->code_mask;
	uint64_t instr = instr_of(c, k);
	uint32_t copy = o->fr_copy != PY_NONE ? mem_u32(k->frame, o->fr_copy)
	                                      : 0;
	uint32_t index;
	int64_t unit;
	bob_fid fid;
	int r = py_codes_find(c->codes, code, &index);

	if (r == CODE_OK)
		r = py_codes_unit(c->codes, index, instr, copy, &unit);
	if (r == CODE_OK)
		r = py_codes_place(c->codes, index, unit, instr, &fid);
	if (r == CODE_FATAL)
		return -ENOMEM;
	if (r != CODE_OK)
		return -EAGAIN;
	if (c->root_frame == 0) {
		c->root_frame = k->frame_at;
		c->root_code = index;
	}
	if (!c->codes->code[index].is_hidden) {
		if (MEM_GROW(c->ctx, c, fid, c->n_fid + 1) < 0)
			return -ENOMEM;
		c->fid[c->n_fid++] = fid;
	}
	if (o->minor <= 12 && life == RESTING)
		return stands_on_await(c, k, index, unit);
	return life == AWAITING;
}

/* The memory that changes when a coroutine moves: its frame, and the state
 * beside it. */
static void
span_of(const struct py_coros *c, const struct coro *k, struct mem_span *ret)
{
	size_t n = c->o->fr_size;

	*ret = (struct mem_span){ .at = k->frame_at, .n = n };
	if (!is_on_heap(c)) {
		ret->at = k->head.at;
		ret->n = frame_offset(c) + n;
	}
}

/* Reads the first and the last coroutine of a chain again. Returns 1 if one of
 * them has moved. */
static int
has_moved(struct py_coros *c, const struct coro *first,
    const struct coro *last)
{
	const struct coro *both[2] = { first, last };
	uint8_t bytes[2][CORO_MAX_SIZE];
	struct mem_span v[2];
	size_t i, n = first->head.at == last->head.at ? 1 : 2;

	for (i = 0; i < n; i++) {
		span_of(c, both[i], &v[i]);
		v[i].to = bytes[i];
	}
	if (mem_gather(c->mem, v, n) != (long)mem_total(v, n))
		return 1;
	for (i = 0; i < n; i++)
		if (memcmp(bytes[i], is_on_heap(c) ? both[i]->heap.bytes
		        : both[i]->head.bytes, v[i].n) != 0)
			return 1;
	return 0;
}

int
py_coros_read(struct py_coros *c, uint64_t at)
{
	struct coro first, last, k;
	enum life life;
	unsigned n;
	int r = 1;

	c->n_fid = 0;
	c->is_running = 0;
	c->root_frame = 0;
	for (n = 0; r == 1 && n < CORO_MAX_CHAIN; n++) {
		if (read_coroutine(c, at, &k.head) < 0) {
			if (n == 0)
				return -ENOENT;
			break; /* a future, or another object */
		}
		r = find_coroutine_frame(c, &k);
		life = r == 0 ? life_of(c, &k) : ENDED;
		if (r < 0 || life == ENDED)
			return n == 0 && r != -EAGAIN ? -ENOENT : -EAGAIN;
		if (n == 0)
			first = k;
		r = add_frame(c, &k, life);
		if (r < 0)
			return r;
		if (life == RUNNING) {
			c->is_running = 1;
			return n == 0 ? 0 : -EAGAIN;
		}
		at = r == 1 ? awaited_object(c, &k) : 0;
		last = k;
	}
	return has_moved(c, &first, &last) ? -EAGAIN : 0;
}

/* --- reading ahead ------------------------------------------------------- */

/* Reads blocks at n addresses, at most CORO_AHEAD. Those behind the first that
 * cannot be read as a whole are left out. 0 or -ENOMEM. */
static int
read_blocks_ahead(struct py_coros *c, const uint64_t *at, size_t n)
{
	struct mem_span v[CORO_AHEAD];
	size_t i, first = c->n_ahead, got;
	long sum;

	assert(n <= CORO_AHEAD);
	if (MEM_GROW(c->ctx, c, ahead, c->n_ahead + n) < 0)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		c->ahead[first + i].at = at[i];
		c->ahead[first + i].n = CORO_MAX_SIZE;
		v[i] = (struct mem_span){ .at = at[i],
			.to = c->ahead[first + i].bytes, .n = CORO_MAX_SIZE };
	}
	sum = mem_gather(c->mem, v, n);
	got = sum > 0 ? (size_t)sum / CORO_MAX_SIZE : 0;
	for (i = 0; i < got && i < n; i++)
		if (ptrmap_put(c->ctx, &c->ahead_at, at[i],
		        (uint32_t)(first + i)) < 0)
			return -ENOMEM;
	c->n_ahead += got;
	return 0;
}

/* Guesses what py_coros_read() reads after a block, which is a coroutine or its
 * frame. 0 if the block does not tell. A wrong guess does no harm. */
static uint64_t
guess_next(struct py_coros *c, const struct py_coro_block *b, int is_frame)
{
	const uint8_t *frame = b->bytes;
	uint64_t frame_at = b->at, at;
	size_t offset = frame_offset(c);

	if (!is_frame) {
		if (kind_of(c, mem_u64(b->bytes, c->o->ob_type)) != COROUTINE)
			return 0;
		if (is_on_heap(c))
			return mem_u64(b->bytes, offset);
		if (offset + c->o->fr_size > b->n)
			return 0;
		frame += offset;
		frame_at += offset;
	}
	at = stack_top_at(c, frame, frame_at);
	if (at % 8 != 0 || at < b->at || at - b->at > b->n - 8)
		return 0;
	return mem_u64(b->bytes, (size_t)(at - b->at)) & ~(uint64_t)7;
}

int
py_coros_look_ahead(struct py_coros *c, const uint64_t *coro, size_t n)
{
	uint64_t at[CORO_AHEAD];
	size_t i, from, n_at = 0;
	unsigned depth;

	c->n_ahead = 0;
	ptrmap_clear(&c->ahead_at);
	for (i = 0; i < n && i < CORO_AHEAD; i++)
		if (coro[i] % 8 == 0 && mem_is_user(coro[i], CORO_MAX_SIZE))
			at[n_at++] = coro[i];
	for (depth = 0; n_at > 0 && depth < CORO_AHEAD_DEPTH; depth++) {
		from = c->n_ahead;
		if (read_blocks_ahead(c, at, n_at) < 0)
			return -ENOMEM;
		for (n_at = 0, i = from; i < c->n_ahead; i++) {
			uint64_t next = guess_next(c, &c->ahead[i],
			    is_on_heap(c) && depth % 2 == 1);

			if (next % 8 == 0 &&
			    mem_is_user(next, CORO_MAX_SIZE) &&
			    ptrmap_get(&c->ahead_at, next) == PTRMAP_NONE)
				at[n_at++] = next;
		}
	}
	return 0;
}
