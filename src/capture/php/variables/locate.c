/* Finds globals, locals, static properties and static variables; see
 * locate.h. */
#include "capture/php/variables/locate.h"

#include <string.h>

#include "capture/php/variables/table.h"

/* Limit of variables of one function; and how many of their names are read at
 * once. */
#define MAX_NAMES 4096
#define BATCH 32

const struct walk_memo *
var_find_frame(const struct var *x, const struct walk *w)
{
	size_t d;

	for (d = w->depth; d-- > 0;) {
		const struct walk_memo *m = &w->memo[d];
		const struct bob_frame *f;

		if (m->function >= w->names->n_function)
			continue;
		f = &w->names->function[m->function].frame;
		if (f->name == x->owner.name && f->scope == x->owner.scope &&
		    f->ns == x->owner.ns)
			return m;
	}
	return NULL;
}

/* --- static variables ----------------------------------------------------- */

/* Returns the key of a function or class in PHP's tables: in lower case. */
static struct table_key
lower_key(const char *s, size_t n, char buf[SPEC_MAX_BYTES])
{
	size_t i;

	for (i = 0; i < n; i++)
		buf[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] + 32)
		                                    : s[i];
	return table_key_of(buf, n);
}

/* Sets *ret to the pointer that a field of a function or class stands for. From
 * 7.4 on such a field is a map_ptr: opcache shares functions and classes
 * between processes, so the pointer itself is in a map of each process or
 * thread. An odd value is an offset into that map; an even one is the address
 * of the pointer, or from 8.2 on the pointer itself. Returns TABLE_NONE if the
 * pointer is NULL. */
static int
read_map_ptr(struct vars *v, struct deps *p, uint64_t field, uint64_t *ret)
{
	const struct php_offsets *o = v->o;
	uint64_t base;

	if (deps_read_word(p, field, ret) < 0)
		return TABLE_TORN;
	if (o->cg_map == 0 || *ret == 0)
		return *ret != 0 ? TABLE_OK : TABLE_NONE;
	if (*ret & 1) {
		if (v->at.cg == 0)
			return TABLE_NONE;
		if (deps_read_word(p, v->at.cg + o->cg_map, &base) < 0)
			return TABLE_TORN;
		/* Up to 7.4 the base had no bias for the odd bit. */
		*ret += base - (o->version < 80);
	} else if (o->version >= 82) {
		return TABLE_OK;
	}
	if (deps_read_word(p, *ret, ret) < 0)
		return TABLE_TORN;
	return *ret != 0 ? TABLE_OK : TABLE_NONE;
}

static int
find_class(struct vars *v, struct deps *p, const char *name, size_t n,
    uint64_t *ret)
{
	char buf[SPEC_MAX_BYTES];
	struct table_key key = lower_key(name, n, buf);
	uint64_t table;

	if (deps_read_word(p, v->at.eg + v->o->eg_functions + 8, &table) < 0)
		return TABLE_TORN;
	return ht_pointer(p, v->o, table, &key, ret);
}

/* Sets *ret to the index of a static property in the table of its class. */
static int
find_static_index(struct vars *v, struct deps *p, uint64_t class,
    const struct table_key *name, uint32_t *ret)
{
	uint64_t at, info;
	uint32_t count;
	int r = ht_pointer(p, v->o, class + CE_PROPERTIES, name, &at);

	if (r != TABLE_OK)
		return r;
	if (deps_read_word(p, at + PROP_OFFSET, &info) < 0 ||
	    mem_read(p->mem, class + CE_N_STATICS, &count, 4) < 0)
		return TABLE_TORN;
	*ret = (uint32_t)info;
	if ((info >> 32 & v->o->acc_static) == 0)
		return TABLE_NONE;
	return *ret < count ? TABLE_OK : TABLE_TORN;
}

static int
find_static(struct vars *v, struct var *x, uint64_t *ret_at)
{
	const struct spec *s = x->spec;
	struct deps *p = &x->deps;
	uint64_t class, table;
	uint32_t i;
	int r = find_class(v, p, s->owner, s->owner_len, &class);

	if (r == TABLE_OK)
		r = find_static_index(v, p, class, &s->name, &i);
	if (r != TABLE_OK)
		return r;
	r = read_map_ptr(v, p, class + CE_STATICS, &table);
	if (r == TABLE_NONE)
		r = deps_read_word(p, class + CE_FIRST_STATICS, &table) < 0
		    ? TABLE_TORN : TABLE_OK;
	*ret_at = table + (uint64_t)i * ZVAL_SIZE;
	return r;
}

static int
find_function(struct vars *v, struct var *x, const struct walk *w,
    uint64_t *ret)
{
	const struct spec *s = x->spec;
	const struct walk_memo *m;
	char buf[SPEC_MAX_BYTES];
	const char *colon = NULL, *p = s->owner, *end = p + s->owner_len;
	struct table_key key;
	uint64_t table = 0;
	int r;

	while ((p = memchr(p, ':', (size_t)(end - p))) != NULL &&
	    ++p < end)
		if (*p == ':')
			colon = p++;
	if (colon == NULL) {
		key = lower_key(s->owner, s->owner_len, buf);
		r = deps_read_word(&x->deps, v->at.eg + v->o->eg_functions,
		    &table) < 0 ? TABLE_TORN : TABLE_OK;
	} else {
		r = find_class(v, &x->deps, s->owner,
		    (size_t)(colon - 1 - s->owner), &table);
		table += CE_FUNCTIONS;
		key = lower_key(colon + 1, (size_t)(end - colon - 1), buf);
	}
	if (r == TABLE_OK)
		r = ht_pointer(&x->deps, v->o, table, &key, ret);
	/* Closures and scripts are in no table, but may have a frame. */
	m = r == TABLE_NONE ? var_find_frame(x, w) : NULL;
	if (m == NULL)
		return r;
	*ret = m->func;
	return deps_note(&x->deps, m->ex + EX_FUNC, &m->func, 8) < 0
	    ? TABLE_TORN : TABLE_OK;
}

static int
find_func_static(struct vars *v, struct var *x, const struct walk *w,
    uint64_t *ret_at)
{
	uint64_t func, table;
	uint8_t type;
	int r = find_function(v, x, w, &func);

	if (r != TABLE_OK)
		return r;
	if (mem_read(x->deps.mem, func + FN_TYPE, &type, 1) < 0)
		return TABLE_TORN;
	if (type != FN_USER && type != FN_EVAL)
		return TABLE_NONE;
	r = read_map_ptr(v, &x->deps, func + v->o->op_statics, &table);
	return r == TABLE_OK ? ht_find(&x->deps, v->o, table,
	    &x->spec->name, ret_at) : r;
}

/* --- local variables ----------------------------------------------------- */

/* Searches n names, from index `first` on, for that of the variable. */
static int
find_in_batch(struct var *x, uint64_t names, uint32_t first, uint32_t n)
{
	const struct table_key *key = &x->spec->name;
	struct mem *m = x->deps.mem;
	struct mem_span span[BATCH];
	uint64_t at[BATCH];
	uint8_t head[BATCH][STR_VAL], text[SPEC_MAX_BYTES];
	uint32_t i;

	if (mem_read(m, names + (uint64_t)first * 8, at, n * 8) < 0)
		return TABLE_TORN;
	for (i = 0; i < n; i++)
		span[i] = (struct mem_span){ at[i], head[i], STR_VAL };
	if (mem_gather(m, span, n) != (long)mem_total(span, n))
		return TABLE_TORN;
	for (i = 0; i < n; i++) {
		if (mem_u64(head[i], STR_LEN) != key->n)
			continue;
		if (mem_read(m, at[i] + STR_VAL, text, key->n) < 0)
			return TABLE_TORN;
		if (memcmp(text, key->s, key->n) != 0)
			continue;
		x->names = names;
		x->name = at[i];
		x->index = first + i;
		return TABLE_OK;
	}
	return TABLE_NONE;
}

/* Sets x->index to the index of the variable in its function. The one of the
 * last lookup is right as long as the array of names is the same. */
static int
find_index(struct vars *v, struct var *x, uint64_t func)
{
	uint64_t names;
	uint32_t n, i;
	int r = TABLE_NONE;

	if (mem_read(x->deps.mem, func + v->o->op_n_vars, &n, 4) < 0 ||
	    deps_read_word(&x->deps, func + v->o->op_vars, &names) < 0 ||
	    n > MAX_NAMES)
		return TABLE_TORN;
	if (names != x->names || x->index >= n)
		for (i = 0; r == TABLE_NONE && i < n; i += BATCH)
			r = find_in_batch(x, names, i,
			    n - i < BATCH ? n - i : BATCH);
	else
		r = TABLE_OK;
	if (r == TABLE_OK && deps_note(&x->deps,
	        names + (uint64_t)x->index * 8, &x->name, 8) < 0)
		r = TABLE_TORN;
	return r;
}

static int
find_local(struct vars *v, struct var *x, const struct walk *w,
    uint64_t *ret_at)
{
	const struct walk_memo *m = var_find_frame(x, w);
	int r;

	if (m == NULL || m->is_internal)
		return TABLE_NONE;
	x->ex = m->ex;
	x->func = m->func;
	if (deps_note(&x->deps, m->ex + EX_FUNC, &m->func, 8) < 0)
		return TABLE_TORN;
	if (x->spec->name.n == 4 && memcmp(x->spec->name.s, "this", 4) == 0) {
		*ret_at = m->ex + EX_THIS;
		return TABLE_OK;
	}
	r = find_index(v, x, m->func);
	*ret_at = m->ex + v->o->ex_variables +
	    (uint64_t)x->index * ZVAL_SIZE;
	return r;
}

/* --- all kinds ------------------------------------------------------------ */

int
var_locate(struct vars *v, struct var *x, const struct walk *w)
{
	uint8_t zval[ZVAL_SIZE];
	uint64_t at = 0;
	size_t i;
	int r;

	deps_init(&x->deps, &v->p->mem);
	switch (x->spec->scope) {
	case SPEC_GLOBAL:
		r = ht_find(&x->deps, v->o, v->at.eg + EG_SYMBOL_TABLE,
		    &x->spec->name, &at);
		break;
	case SPEC_LOCAL:
		r = find_local(v, x, w, &at);
		break;
	case SPEC_STATIC:
		r = find_static(v, x, &at);
		break;
	default:
		r = find_func_static(v, x, w, &at);
	}
	for (i = 0; r == TABLE_OK && i < x->spec->n_step; i++)
		r = ht_step(&x->deps, v->o, &at, &x->spec->step[i]);
	if (r == TABLE_OK)
		r = ht_follow(&x->deps, v->o, &at, zval);
	x->at = at;
	return r;
}
