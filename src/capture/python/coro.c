/* Chains of coroutines; see coro.h. */
#include "capture/python/coro.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/object.h"
#include "core/mem.h"

/* PyTypeObject.tp_name, where py_at puts it */
#define TYPE_NAME 24

void
py_coros_init(struct py_coros *c, struct py_codes *codes)
{
	memset(c, 0, sizeof(*c));
	c->ctx = codes->ctx;
	c->mem = codes->mem;
	c->codes = codes;
	c->o = codes->o;
}

void
py_coros_done(struct py_coros *c)
{
	free(c->fid);
}

uint64_t
py_coros_frame(const struct py_coros *c, uint64_t coro)
{
	return coro + c->o->gen_frame;
}

/* --- what is awaited ----------------------------------------------------- */

/* A coroutine or generator; an object whose first field is one; or something
 * else, as a future. */
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

int
py_type_name(struct mem *m, const struct py_offsets *o, uint64_t object,
    char *buf, size_t cap)
{
	uint64_t type, name;
	int r = mem_read_u64(m, object + o->ob_type, &type);
	long n;

	if (r == 0)
		r = mem_read_u64(m, type + py_at(o, TYPE_NAME), &name);
	if (r < 0)
		return r;
	n = mem_read_some(m, name, buf, cap - 1);
	if (n < 0)
		return (int)n;
	buf[n] = '\0';
	return 0;
}

static enum kind
name_kind(struct py_coros *c, uint64_t object)
{
	char name[32];
	size_t i;

	if (py_type_name(c->mem, c->o, object, name, sizeof(name)) < 0)
		return OTHER;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(name, kinds[i].name) == 0)
			return kinds[i].kind;
	return OTHER;
}

/* Types that matter are never freed, so that they are known by address. */
static enum kind
kind_of(struct py_coros *c, uint64_t object)
{
	uint64_t type;
	unsigned i;
	enum kind kind;

	if (object % 8 != 0 || !mem_is_user(object, 64) ||
	    mem_read_u64(c->mem, object + c->o->ob_type, &type) < 0)
		return OTHER;
	for (i = 0; i < c->n_type; i++)
		if (c->type[i].at == type)
			return (enum kind)c->type[i].kind;
	kind = name_kind(c, object);
	if (kind != OTHER && c->n_type < CORO_MAX_TYPES) {
		c->type[c->n_type].at = type;
		c->type[c->n_type++].kind = (int)kind;
	}
	return kind;
}

/* --- one coroutine ------------------------------------------------------- */

struct coro {
	uint64_t at;
	size_t n;
	uint8_t bytes[CORO_MAX_SIZE]; /* head, and frame */
};

static int
read_coro(struct py_coros *c, uint64_t at, struct coro *ret)
{
	ret->at = at;
	ret->n = c->o->gen_frame + c->o->fr_size;
	if (ret->n > sizeof(ret->bytes) || c->o->gen_state >= ret->n)
		return -EFAULT;
	return mem_read(c->mem, at, ret->bytes, ret->n);
}

static int
has_moved(struct py_coros *c, const struct coro *a)
{
	struct coro b;

	return read_coro(c, a->at, &b) < 0 ||
	    memcmp(a->bytes, b.bytes, a->n) != 0;
}

/* gi_frame_state: it waits for another, or has ended. */
static int
is_waiting(const struct py_coros *c, int8_t state)
{
	return c->o->minor >= 15 ? state == 2 || state == 3 : state == -1;
}

static int
has_ended(const struct py_coros *c, int8_t state)
{
	return c->o->minor >= 15 ? state > 4 : state > 0;
}

/* What it awaits is the value that is on top of its stack: from 3.15 on,
 * below the one that is sent to it. 0: nothing that can be followed. */
static uint64_t
awaited_by(struct py_coros *c, const struct coro *k)
{
	const uint8_t *frame = k->bytes + c->o->gen_frame;
	uint64_t top = mem_u64(frame, c->o->fr_stack_top), at;
	unsigned hops;

	if (top % 8 != 0 ||
	    mem_read_u64(c->mem, top - (c->o->minor >= 15 ? 16 : 8), &at) < 0)
		return 0;
	at &= ~(uint64_t)7; /* bits of a reference */
	for (hops = 0; hops < 4; hops++)
		switch (kind_of(c, at)) {
		case COROUTINE:
			return at;
		case WRAPPER:
			if (mem_read_u64(c->mem, at + py_at(c->o, 16), &at) <
			    0)
				return 0;
			break;
		default:
			return 0;
		}
	return 0;
}

/* The place where it waits, as a frame. */
static int
add_frame(struct py_coros *c, const struct coro *k)
{
	const struct py_offsets *o = c->o;
	const uint8_t *frame = k->bytes + o->gen_frame;
	uint64_t code = mem_u64(frame, o->fr_code) & o->code_mask;
	uint64_t instr = mem_u64(frame, o->fr_instr);
	uint32_t copy = o->fr_copy != PY_NONE ? mem_u32(frame, o->fr_copy) : 0;
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
	if (c->codes->code[index].is_hidden)
		return 0;
	if (MEM_GROW(c->ctx, c, fid, c->n_fid + 1) < 0)
		return -ENOMEM;
	c->fid[c->n_fid++] = fid;
	return 0;
}

int
py_coros_read(struct py_coros *c, uint64_t at)
{
	struct coro first, k;
	unsigned n;
	int r;

	c->n_fid = 0;
	for (n = 0; at != 0 && n < CORO_MAX_CHAIN; n++) {
		if (kind_of(c, at) != COROUTINE)
			return n == 0 ? -ENOENT : -EAGAIN;
		if (read_coro(c, at, &k) < 0)
			return -EAGAIN;
		if (has_ended(c, (int8_t)mem_u8(k.bytes, c->o->gen_state)))
			return n == 0 ? -ENOENT : -EAGAIN;
		if (n == 0)
			first = k;
		r = add_frame(c, &k);
		if (r < 0)
			return r;
		at = is_waiting(c, (int8_t)mem_u8(k.bytes, c->o->gen_state))
		    ? awaited_by(c, &k) : 0;
	}
	if (n == 0)
		return -ENOENT;
	return has_moved(c, &k) || has_moved(c, &first) ? -EAGAIN : 0;
}
