/* Reads the names of variables from the code, and their values from the
 * frame. */
#include "capture/python/values/locals.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"

/* co_flags: *args and **kwargs. */
#define CO_VARARGS 0x4u
#define CO_VARKEYWORDS 0x8u

/* co_localspluskinds: in a cell, which an inner function shares. */
#define KIND_CELL 0xc0u

struct names {
	unsigned n;
	unsigned n_args; /* the first ones are arguments */
	uint64_t at[LOCALS_PER_FRAME];   /* addresses of strings */
	uint8_t kind[LOCALS_PER_FRAME];
};

struct py_locals *
py_locals_new(struct process *p, const struct py_offsets *o)
{
	struct py_locals *l = calloc(1, sizeof(*l));

	if (l == NULL) {
		(void)err_nomem(p->ctx);
		return NULL;
	}
	l->p = p;
	l->o = o;
	py_repr_init(&l->repr, p, o);
	return l;
}

void
py_locals_free(struct py_locals *l)
{
	free(l);
}

/* Appends the names of a tuple. 0, or -errno. */
static int
add_var_names(struct py_locals *l, uint64_t tuple, uint8_t kind,
    struct names *ret)
{
	struct mem *m = &l->p->mem;
	uint64_t n;
	int r = mem_read_u64(m, tuple + l->o->var_size, &n);

	if (r < 0)
		return r;
	assert(ret->n <= LOCALS_PER_FRAME);
	if (n > LOCALS_PER_FRAME - ret->n)
		n = LOCALS_PER_FRAME - ret->n;
	if (n > 0)
		r = mem_read(m, tuple + l->o->tuple_items, ret->at + ret->n,
		    (size_t)n * 8);
	if (r < 0)
		return r;
	memset(ret->kind + ret->n, kind, (size_t)n);
	ret->n += (unsigned)n;
	return 0;
}

/* From 3.11 on: reads the kind of each name. */
static int
read_var_kinds(struct py_locals *l, uint64_t bytes, struct names *ret)
{
	uint64_t n;
	int r = mem_read_u64(&l->p->mem, bytes + l->o->var_size, &n);

	if (r == 0 && (n < ret->n || ret->n == 0))
		r = n < ret->n ? -EINVAL : 0;
	else if (r == 0)
		r = mem_read(&l->p->mem, bytes + l->o->bytes_data, ret->kind,
		    ret->n);
	return r;
}

/* The number of arguments: co_argcount, co_kwonlyargcount (from 3.8 on
 * co_posonlyargcount is between them), *args and **kwargs. */
static unsigned
count_args(const struct py_offsets *o, const uint8_t *code)
{
	uint32_t flags = mem_u32(code, o->co_flags);
	uint64_t n = (uint64_t)mem_u32(code, o->co_arg_count) +
	    mem_u32(code, o->co_arg_count + (o->minor == 7 ? 4 : 8));

	n += ((flags & CO_VARARGS) != 0) + ((flags & CO_VARKEYWORDS) != 0);
	return n < LOCALS_PER_FRAME ? (unsigned)n : LOCALS_PER_FRAME;
}

static int
read_var_names(struct py_locals *l, uint64_t at, struct names *ret)
{
	const struct py_offsets *o = l->o;
	uint8_t code[PY_MAX_CODE] = { 0 };
	uint64_t names;
	int r = o->co_size <= sizeof(code)
	    ? mem_read(&l->p->mem, at, code, o->co_size) : -EINVAL;

	if (r < 0)
		return r;
	ret->n = 0;
	ret->n_args = count_args(o, code);
	names = mem_u64(code, o->co_var_names);
	r = add_var_names(l, names, 0, ret);
	if (r == 0 && o->co_var_kinds != PY_NONE)
		return read_var_kinds(l, mem_u64(code, o->co_var_kinds), ret);
	/* A frame has variables, cells, free variables. The code has the
	 * tuples of their names in the order variables, free, cells. */
	if (r == 0)
		r = add_var_names(l, mem_u64(code, o->co_var_names + 16),
		    KIND_CELL, ret);
	if (r == 0)
		r = add_var_names(l, mem_u64(code, o->co_var_names + 8),
		    KIND_CELL, ret);
	return r;
}

/* Makes the text of a word of the frame. Returns as py_repr_read(). */
static int
read_value(struct py_locals *l, uint64_t word, uint8_t kind)
{
	uint32_t digit[3];
	int64_t v;
	uint64_t n;

	if (l->o->minor < 13)
		return word != 0 ? py_repr_read(&l->repr, word,
		    (kind & KIND_CELL) != 0) : REPR_NONE;
	/* With both tags it is not a reference but a small int. */
	if (l->o->minor >= 14 && (word & PY_REF_TAGS) == PY_REF_TAGS) {
		v = (int64_t)word >> 2;
		n = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
		digit[0] = n & ((1u << 30) - 1);
		digit[1] = n >> 30 & ((1u << 30) - 1);
		digit[2] = (uint32_t)(n >> 60);
		l->repr.text.n = 0;
		repr_long(&l->repr.text, digit, 3, v < 0);
		return REPR_OK;
	}
	word &= ~PY_REF_TAGS;
	return word != 0 ? py_repr_read(&l->repr, word,
	    (kind & KIND_CELL) != 0) : REPR_NONE;
}

/* Returns 1 if name i is that of an argument. Up to 3.10 an argument that is in
 * a cell occurs again among the cells. */
static int
is_argument(const struct names *names, unsigned i)
{
	unsigned k;

	for (k = 0; k < names->n_args && k < names->n; k++)
		if (names->at[k] == names->at[i])
			return 1;
	return 0;
}

static int
add_local(struct py_locals *l, const struct names *names, unsigned i,
    uint64_t word, bob_stack stack)
{
	struct bob_local local = { .stack = stack };
	const struct repr_text *t = &l->repr.text;
	char name[PY_MAX_TEXT];
	int n, r = read_value(l, word, names->kind[i]);

	if (r == REPR_NONE)
		return BOB_OK;
	if (r == REPR_FATAL)
		return BOB_FATAL;
	n = py_text_read(&l->p->mem, l->o, names->at[i], name);
	if (n < 0)
		n = 0;
	local.name = bob_str_put(l->p->dict, name, (size_t)n);
	if (r == REPR_OK)
		local.value = process_put_value(l->p, t->p, t->n, 0);
	if (is_argument(names, i))
		local.flags |= BOB_LOCAL_ARGUMENT;
	l->p->counts.unread += r != REPR_OK;
	return process_add_local(l->p, &local);
}

int
py_locals_of_frame(struct py_locals *l, uint64_t frame, uint64_t code,
    bob_stack stack)
{
	uint64_t word[LOCALS_PER_FRAME];
	struct names names;
	unsigned i;
	int r = BOB_OK;

	if (read_var_names(l, code, &names) < 0 || names.n == 0 ||
	    mem_read(&l->p->mem, frame + l->o->fr_locals, word,
	        names.n * 8) < 0)
		return BOB_OK;
	for (i = 0; r == BOB_OK && i < names.n; i++)
		r = add_local(l, &names, i, word[i], stack);
	return r;
}

int
py_locals_of_walk(struct py_locals *l, const struct py_walk *w)
{
	size_t d;
	int r = BOB_OK;

	for (d = w->n_memo; r == BOB_OK && d-- > 0;) {
		const struct py_walk_memo *m = &w->memo[d];

		if (w->codes->code[m->index].is_hidden)
			continue;
		/* If the GC runs in a frame, its stack ends with "<GC>". */
		r = py_locals_of_frame(l, m->at, m->code, m->runs_gc
		    ? bob_stack_get(l->p->dict, m->stack).parent : m->stack);
	}
	return r;
}
