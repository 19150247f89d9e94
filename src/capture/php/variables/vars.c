/* Reads variables with each sample, from where they were in the last one if
 * nothing has changed; see vars.h. */
#include "capture/php/variables/vars.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "capture/php/variables/locate.h"
#include "capture/php/variables/table.h"
#include "capture/php/variables/text.h"
#include "capture/php/variables/value.h"

/* How often a variable is looked up for one sample. */
#define TRIES 3

/* Limit of local variables of one frame. */
#define MAX_LOCALS 256

int
vars_init(struct vars *v, struct process *p, const struct php_offsets *o,
    const struct spec *specs, size_t n, const struct php_globals *at)
{
	size_t i;

	assert(n <= VARS_MAX);
	memset(v, 0, sizeof(*v));
	v->p = p;
	v->o = o;
	v->at = *at;
	if (n == 0)
		return BOB_OK;
	v->var = calloc(n, sizeof(*v->var));
	if (v->var == NULL)
		return err_nomem(p->ctx);
	v->n = n;
	for (i = 0; i < n; i++)
		v->var[i].spec = &specs[i];
	return BOB_OK;
}

void
vars_done(struct vars *v)
{
	free(v->var);
}

void
vars_doubt(struct vars *v)
{
	size_t i;

	for (i = 0; i < v->n; i++) {
		v->var[i].is_known = 0;
		v->var[i].names = 0;
	}
}

void
vars_forget(struct vars *v)
{
	size_t i;

	v->n_pair = 0;
	for (i = 0; i < v->n; i++)
		v->var[i].key = 0;
}

static int
put_ids(struct vars *v, struct var *x)
{
	const struct spec *s = x->spec;

	if (x->key != 0)
		return BOB_OK;
	memset(&x->owner, 0, sizeof(x->owner));
	if (s->owner != NULL && bob_frame_set_php_name(v->p->dict, &x->owner,
	        s->owner, s->owner_len) < 0)
		return BOB_FATAL;
	x->key = bob_str_put(v->p->dict, s->text, strlen(s->text));
	return x->key == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
read_memory(struct vars *v, const struct var *x, char *buf, size_t *ret_n)
{
	const uint64_t at[] = { HEAP_SIZE, HEAP_PEAK, v->o->heap_real,
		v->o->heap_real + 8u };
	uint64_t heap, n;

	if (v->at.heap == 0)
		return TABLE_NONE;
	if (mem_read_u64(&v->p->mem, v->at.heap, &heap) < 0 ||
	    mem_read_u64(&v->p->mem, heap + at[x->spec->name.h], &n) < 0)
		return TABLE_TORN;
	*ret_n = vartext_long((int64_t)n, buf);
	return TABLE_OK;
}

/* True if the location of the last sample may still be right. */
static int
may_be_unmoved(const struct var *x, const struct walk *w)
{
	const struct walk_memo *m;

	if (!x->is_known || x->spec->scope != SPEC_LOCAL)
		return x->is_known;
	m = var_find_frame(x, w);
	return m != NULL && m->ex == x->ex && m->func == x->func;
}

static int
read_var(struct vars *v, struct var *x, const struct walk *w, char *buf,
    size_t *ret_n)
{
	int r = TABLE_TORN, i;

	if (x->spec->scope == SPEC_MEMORY)
		return read_memory(v, x, buf, ret_n);
	x->is_known = may_be_unmoved(x, w);
	for (i = 0; r == TABLE_TORN && i < TRIES; i++) {
		r = x->is_known ? TABLE_OK : var_locate(v, x, w);
		if (r == TABLE_OK)
			r = var_read(v, x, w, buf, ret_n);
		x->is_known = r == TABLE_OK;
		if (r == TABLE_TORN)
			x->names = 0;
	}
	return r;
}

/* Secrets in strings were replaced by var_read(), those in other values were
 * not. */
static bob_str
put_value(struct vars *v, const char *s, size_t n)
{
	return strncmp(s, "(string)", 8) == 0
	    ? bob_str_put(v->p->dict, s, n)
	    : process_put_value(v->p, s, n, 0);
}

int
vars_read(struct vars *v, const struct walk *w)
{
	char buf[VARTEXT_ROOM];
	size_t i, n = 0;

	v->n_pair = 0;
	for (i = 0; i < v->n; i++) {
		struct var *x = &v->var[i];
		struct bob_pair *pair = &v->pair[v->n_pair];
		int r;

		if (put_ids(v, x) < 0)
			return BOB_FATAL;
		r = read_var(v, x, w, buf, &n);
		if (r == VAR_FATAL)
			return BOB_FATAL;
		v->p->counts.unread += r == TABLE_TORN;
		if (r != TABLE_OK)
			continue;
		pair->key = x->key;
		pair->value = put_value(v, buf, n);
		if (pair->value == BOB_NO_ID)
			return BOB_FATAL;
		v->n_pair++;
	}
	return BOB_OK;
}

/* --- all variables of a frame -------------------------------------------- */

static const struct spec any_local = { .scope = SPEC_LOCAL };

/* Reads the i-th variable of a frame, as var_read(). */
static int
read_nth_local(struct vars *v, struct var *x, const struct walk *w, uint32_t i,
    char *buf, size_t *ret_n)
{
	uint8_t zval[ZVAL_SIZE];
	int r = TABLE_TORN, k;

	for (k = 0; r == TABLE_TORN && k < TRIES; k++) {
		deps_init(&x->deps, &v->p->mem);
		x->at = x->ex + v->o->ex_variables + (uint64_t)i * ZVAL_SIZE;
		if (deps_note(&x->deps, x->ex + EX_FUNC, &x->func, 8) < 0)
			return TABLE_TORN;
		r = ht_follow(&x->deps, v->o, &x->at, zval);
		if (r == TABLE_OK)
			r = var_read(v, x, w, buf, ret_n);
	}
	return r;
}

/* Returns the id of a variable's name with its $; 0 if it cannot be read;
 * BOB_NO_ID. */
static bob_str
put_name(struct vars *v, uint64_t at)
{
	uint8_t head[STR_VAL];
	char name[1 + SPEC_MAX_BYTES] = "$";
	uint64_t n;

	if (mem_read(&v->p->mem, at, head, sizeof(head)) < 0)
		return 0;
	n = mem_u64(head, STR_LEN);
	if (n == 0 || n > SPEC_MAX_BYTES ||
	    mem_read(&v->p->mem, at + STR_VAL, name + 1, (size_t)n) < 0)
		return 0;
	return bob_str_put(v->p->dict, name, 1 + (size_t)n);
}

static int
add_local(struct vars *v, const struct walk *w, const struct walk_memo *m,
    uint32_t i, uint32_t n_args, uint64_t name)
{
	struct var x = { .spec = &any_local, .ex = m->ex, .func = m->func };
	struct bob_local local = { .stack = m->stack,
		.flags = i < n_args ? BOB_LOCAL_ARGUMENT : 0 };
	char buf[VARTEXT_ROOM];
	size_t n = 0;
	int r = read_nth_local(v, &x, w, i, buf, &n);

	if (r == TABLE_NONE)
		return BOB_OK;
	if (r == VAR_FATAL)
		return BOB_FATAL;
	local.name = put_name(v, name);
	if (r == TABLE_OK)
		local.value = put_value(v, buf, n);
	v->p->counts.unread += r != TABLE_OK;
	return process_add_local(v->p, &local);
}

static int
read_frame(struct vars *v, const struct walk *w, const struct walk_memo *m)
{
	struct mem *mem = &v->p->mem;
	uint64_t names, at[MAX_LOCALS];
	uint32_t n, n_args, i;
	int r = BOB_OK;

	if (mem_read(mem, m->func + v->o->op_n_vars, &n, 4) < 0 ||
	    mem_read(mem, m->func + FN_N_ARGS, &n_args, 4) < 0 ||
	    mem_read_u64(mem, m->func + v->o->op_vars, &names) < 0)
		return BOB_OK;
	if (n > MAX_LOCALS)
		n = MAX_LOCALS;
	if (n == 0 || mem_read(mem, names, at, n * 8) < 0)
		return BOB_OK;
	for (i = 0; r == BOB_OK && i < n; i++)
		r = add_local(v, w, m, i, n_args, at[i]);
	return r;
}

int
vars_read_locals(struct vars *v, const struct walk *w)
{
	size_t d;
	int r = BOB_OK;

	for (d = w->depth; r == BOB_OK && d-- > 0;)
		if (!w->memo[d].is_internal)
			r = read_frame(v, w, &w->memo[d]);
	return r;
}
