/* From a spec to a value; see the header. */
#include "capture/php/vars.h"

#include <stdlib.h>
#include <string.h>

#include "capture/php/table.h"
#include "capture/php/vartext.h"
#include "core/mem.h"

/* Times that a variable is looked for in one sample. */
#define TRIES 3

/* Variables of one function; and those that are told when all are. */
#define MAX_NAMES 4096
#define MAX_LOCALS 256
#define BATCH 32

/* How far a number counts between two looks. */
#define COUNTED ((uint64_t)1 << 20)

/* Beside the results of tables: memory is out. */
#define FATAL (-2)

/* Of vm_stack_top, its end and its page. */
#define ROOTS 24

int
vars_init(struct vars *v, struct process *p, const struct php_offsets *o,
    const struct spec *specs, size_t n, const struct php_globals *at)
{
	size_t i;

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

/* --- where it is --------------------------------------------------------- */

/* A key of the tables of functions and classes: in lower case. */
static struct table_key
lower_key(const char *s, size_t n, char buf[SPEC_MAX_BYTES])
{
	size_t i;

	for (i = 0; i < n; i++)
		buf[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] + 32)
		                                    : s[i];
	return table_key_of(buf, n);
}

/* What a field of a function or class stands for that each process, or
 * thread, has its own of. */
static int
read_map(struct vars *v, struct proof *p, uint64_t field, uint64_t *ret)
{
	const struct php_offsets *o = v->o;
	uint64_t base;

	if (proof_word(p, field, ret) < 0)
		return TABLE_TORN;
	if (o->cg_map == 0 || *ret == 0)
		return *ret != 0 ? TABLE_OK : TABLE_NONE;
	if (*ret & 1) {
		if (v->at.cg == 0)
			return TABLE_NONE;
		if (proof_word(p, v->at.cg + o->cg_map, &base) < 0)
			return TABLE_TORN;
		/* Up to 7.4 the base had no bias for the odd bit. */
		*ret += base - (o->version < 80);
	} else if (o->version >= 82) {
		return TABLE_OK;
	}
	if (proof_word(p, *ret, ret) < 0)
		return TABLE_TORN;
	return *ret != 0 ? TABLE_OK : TABLE_NONE;
}

static int
find_class(struct vars *v, struct proof *p, const char *name, size_t n,
    uint64_t *ret)
{
	char buf[SPEC_MAX_BYTES];
	struct table_key key = lower_key(name, n, buf);
	uint64_t table;

	if (proof_word(p, v->at.eg + v->o->eg_functions + 8, &table) < 0)
		return TABLE_TORN;
	return ht_pointer(p, v->o, table, &key, ret);
}

/* The number of a static property of a class. */
static int
find_static_index(struct vars *v, struct proof *p, uint64_t class,
    const struct table_key *name, uint32_t *ret)
{
	uint64_t at, info;
	uint32_t count;
	int r = ht_pointer(p, v->o, class + CE_PROPERTIES, name, &at);

	if (r != TABLE_OK)
		return r;
	if (proof_word(p, at + PROP_OFFSET, &info) < 0 ||
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
	struct proof *p = &x->proof;
	uint64_t class, table;
	uint32_t i;
	int r = find_class(v, p, s->owner, s->owner_len, &class);

	if (r == TABLE_OK)
		r = find_static_index(v, p, class, &s->name, &i);
	if (r != TABLE_OK)
		return r;
	r = read_map(v, p, class + CE_STATICS, &table);
	if (r == TABLE_NONE)
		r = proof_word(p, class + CE_FIRST_STATICS, &table) < 0
		    ? TABLE_TORN : TABLE_OK;
	*ret_at = table + (uint64_t)i * ZVAL_SIZE;
	return r;
}

/* The innermost frame of the function that the spec names, or NULL. */
static const struct walk_memo *
find_frame(const struct var *x, const struct walk *w)
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

static int
find_function(struct vars *v, struct var *x, const struct walk *w,
    uint64_t *ret)
{
	const struct spec *s = x->spec;
	const struct walk_memo *m;
	char buf[SPEC_MAX_BYTES];
	const char *colon = NULL, *p = s->owner, *end = p + s->owner_len;
	struct table_key key;
	uint64_t table;
	int r;

	while ((p = memchr(p, ':', (size_t)(end - p))) != NULL &&
	    ++p < end)
		if (*p == ':')
			colon = p++;
	if (colon == NULL) {
		key = lower_key(s->owner, s->owner_len, buf);
		r = proof_word(&x->proof, v->at.eg + v->o->eg_functions,
		    &table) < 0 ? TABLE_TORN : TABLE_OK;
	} else {
		r = find_class(v, &x->proof, s->owner,
		    (size_t)(colon - 1 - s->owner), &table);
		table += CE_FUNCTIONS;
		key = lower_key(colon + 1, (size_t)(end - colon - 1), buf);
	}
	if (r == TABLE_OK)
		r = ht_pointer(&x->proof, v->o, table, &key, ret);
	/* Closures and scripts are in no table. */
	m = r == TABLE_NONE ? find_frame(x, w) : NULL;
	if (m == NULL)
		return r;
	*ret = m->func;
	return proof_note(&x->proof, m->ex + EX_FUNC, &m->func, 8) < 0
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
	if (mem_read(x->proof.mem, func + FN_TYPE, &type, 1) < 0)
		return TABLE_TORN;
	if (type != FN_USER && type != FN_EVAL)
		return TABLE_NONE;
	r = read_map(v, &x->proof, func + v->o->op_statics, &table);
	return r == TABLE_OK ? ht_find(&x->proof, v->o, table,
	    &x->spec->name, ret_at) : r;
}

/* --- local variables ----------------------------------------------------- */

/* Looks for the name among `n` that begin at names + 8 * first. */
static int
find_in_batch(struct var *x, uint64_t names, uint32_t first, uint32_t n)
{
	const struct table_key *key = &x->spec->name;
	struct mem *m = x->proof.mem;
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

/* The number of the variable among those of a function. */
static int
find_index(struct vars *v, struct var *x, uint64_t func)
{
	uint64_t names;
	uint32_t n, i;
	int r = TABLE_NONE;

	if (mem_read(x->proof.mem, func + v->o->op_n_vars, &n, 4) < 0 ||
	    proof_word(&x->proof, func + v->o->op_vars, &names) < 0 ||
	    n > MAX_NAMES)
		return TABLE_TORN;
	if (names != x->names || x->index >= n)
		for (i = 0; r == TABLE_NONE && i < n; i += BATCH)
			r = find_in_batch(x, names, i,
			    n - i < BATCH ? n - i : BATCH);
	else
		r = TABLE_OK;
	if (r == TABLE_OK && proof_note(&x->proof,
	        names + (uint64_t)x->index * 8, &x->name, 8) < 0)
		r = TABLE_TORN;
	return r;
}

static int
find_local(struct vars *v, struct var *x, const struct walk *w,
    uint64_t *ret_at)
{
	const struct walk_memo *m = find_frame(x, w);
	int r;

	if (m == NULL || m->is_internal)
		return TABLE_NONE;
	x->ex = m->ex;
	x->func = m->func;
	if (proof_note(&x->proof, m->ex + EX_FUNC, &m->func, 8) < 0)
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

/* Whether the frame is still in use: the stack ends above it. Those that do
 * not lie on the page (generators) say nothing about it. */
static int
is_in_use(const struct var *x, const struct walk *w, const uint8_t *roots)
{
	return !copy_in_page(w->copy, x->ex) ||
	    (mem_u64(roots, EG_VM_STACK) == w->copy->base &&
	        mem_u64(roots, 0) > x->ex);
}

/* --- the value ----------------------------------------------------------- */

static int
resolve(struct vars *v, struct var *x, const struct walk *w)
{
	uint8_t zval[ZVAL_SIZE];
	uint64_t at = 0;
	size_t i;
	int r;

	proof_begin(&x->proof, &v->p->mem);
	switch (x->spec->scope) {
	case SPEC_GLOBAL:
		r = ht_find(&x->proof, v->o, v->at.eg + EG_SYMBOL_TABLE,
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
		r = ht_step(&x->proof, v->o, &at, &x->spec->step[i]);
	if (r == TABLE_OK)
		r = ht_follow(&x->proof, v->o, &at, zval);
	x->at = at;
	return r;
}

/*
 * Whether two looks at a value are of one. PHP writes a value and its type one
 * after the other, so a single look may see a pointer as a number. A number
 * may go on counting in between.
 */
static int
is_one(const uint8_t *a, const uint8_t *b)
{
	uint64_t before = mem_u64(a, 0), after = mem_u64(b, 0);

	if (mem_u8(a, ZVAL_TYPE) != mem_u8(b, ZVAL_TYPE))
		return 0;
	return before == after || (mem_u8(a, ZVAL_TYPE) == ZVAL_IS_LONG &&
	    after - before + COUNTED < 2 * COUNTED);
}

/* Reads the value twice, and `more`, while the proof holds. */
static int
look(struct vars *v, struct var *x, const struct walk *w,
    uint8_t zval[2][ZVAL_SIZE], const struct mem_span *more)
{
	uint8_t roots[ROOTS];
	struct mem_span span[4] = {
		{ x->at, zval[0], ZVAL_SIZE },
		{ x->at, zval[1], ZVAL_SIZE },
		{ v->at.eg + v->o->eg_vm_stack_top, roots, ROOTS },
	};

	if (more != NULL)
		span[3] = *more;
	if (!proof_holds(&x->proof, span, more != NULL ? 4 : 3) ||
	    !is_one(zval[0], zval[1]))
		return TABLE_TORN;
	return x->spec->scope != SPEC_LOCAL || is_in_use(x, w, roots)
	    ? TABLE_OK : TABLE_TORN;
}

/* What a zval points to: n bytes of it, the same twice, from `from` on. */
static int
look_behind(struct vars *v, struct var *x, const struct walk *w, uint64_t to,
    const uint8_t *was, size_t from, size_t n)
{
	uint8_t zval[2][ZVAL_SIZE], is[STR_VAL + VARTEXT_MAX_BYTES];
	struct mem_span more = { to + from, is, n };
	int r = look(v, x, w, zval, &more);

	if (r == TABLE_OK && (mem_u64(zval[1], 0) != to ||
	        memcmp(was + from, is, n) != 0))
		r = TABLE_TORN;
	return r;
}

/* Secrets are hidden before quotes and escapes come between. */
static int
tell_string(struct vars *v, const char *s, size_t n, int is_cut, char *buf,
    size_t *ret_n)
{
	char told[VARTEXT_MAX_BYTES];
	size_t k = process_redact(v->p, s, n, is_cut, told, sizeof(told));

	if (k == REDACT_FATAL)
		return FATAL;
	*ret_n = vartext_string(told, k, is_cut || k == sizeof(told), buf);
	return TABLE_OK;
}

static int
read_string(struct vars *v, struct var *x, const struct walk *w, uint64_t to,
    char *buf, size_t *ret_n)
{
	uint8_t s[STR_VAL + VARTEXT_MAX_BYTES];
	long k = mem_is_user(to, STR_VAL)
	    ? mem_read_some(&v->p->mem, to, s, sizeof(s)) : 0;
	uint64_t len, n;
	int r;

	if (k < STR_VAL || (s[GC_TYPE] & GC_TYPE_BITS) != ZVAL_IS_STRING)
		return TABLE_TORN;
	len = mem_u64(s, STR_LEN);
	n = len < VARTEXT_MAX_BYTES ? len : VARTEXT_MAX_BYTES;
	if (n > (uint64_t)k - STR_VAL)
		return TABLE_TORN;
	r = look_behind(v, x, w, to, s, STR_LEN, 8 + (size_t)n);
	return r == TABLE_OK ? tell_string(v, (const char *)s + STR_VAL,
	    (size_t)n, len > n, buf, ret_n) : r;
}

static int
read_array(struct vars *v, struct var *x, const struct walk *w, uint64_t to,
    char *buf, size_t *ret_n)
{
	uint8_t head[ARR_SIZE];
	int r;

	if (!mem_is_user(to, ARR_SIZE) ||
	    mem_read(&v->p->mem, to, head, sizeof(head)) < 0 ||
	    (head[GC_TYPE] & GC_TYPE_BITS) != ZVAL_IS_ARRAY)
		return TABLE_TORN;
	r = look_behind(v, x, w, to, head, ARR_COUNT, 4);
	if (r == TABLE_OK)
		*ret_n = vartext_count(mem_u32(head, ARR_COUNT), buf);
	return r;
}

/*
 * Whether a number may be a pointer whose type has not been written yet. Those
 * that happen to look like one are left out with them; the heap is above the
 * first 4 GiB.
 */
static int
may_point(struct vars *v, uint64_t n)
{
	return n > UINT32_MAX && ht_type_at(&v->p->mem, n) != 0;
}

static size_t
put(char *buf, const char *s)
{
	size_t n = strlen(s);

	memcpy(buf, s, n);
	return n;
}

/* The value where the variable is believed to be. */
static int
read_value(struct vars *v, struct var *x, const struct walk *w, char *buf,
    size_t *ret_n)
{
	uint8_t zval[2][ZVAL_SIZE];
	double d;
	uint64_t to;
	int r = look(v, x, w, zval, NULL);

	if (r != TABLE_OK)
		return r;
	to = mem_u64(zval[1], 0);
	if ((mem_u8(zval[1], ZVAL_TYPE) == ZVAL_IS_LONG ||
	        mem_u8(zval[1], ZVAL_TYPE) == ZVAL_IS_DOUBLE) &&
	    may_point(v, to))
		return TABLE_TORN;
	switch (mem_u8(zval[1], ZVAL_TYPE)) {
	case ZVAL_IS_UNDEF:
		return TABLE_NONE;
	case ZVAL_IS_NULL:
		*ret_n = put(buf, "null");
		return r;
	case ZVAL_IS_FALSE:
		*ret_n = put(buf, "(bool) false");
		return r;
	case ZVAL_IS_TRUE:
		*ret_n = put(buf, "(bool) true");
		return r;
	case ZVAL_IS_LONG:
		*ret_n = vartext_long((int64_t)to, buf);
		return r;
	case ZVAL_IS_DOUBLE:
		memcpy(&d, &to, sizeof(d));
		*ret_n = vartext_double(d, buf);
		return r;
	case ZVAL_IS_STRING:
		return read_string(v, x, w, to, buf, ret_n);
	case ZVAL_IS_ARRAY:
		return read_array(v, x, w, to, buf, ret_n);
	case ZVAL_IS_REFERENCE:
		return TABLE_TORN; /* it has become one */
	default:
		if (mem_u8(zval[1], ZVAL_TYPE) == v->o->type_indirect)
			return TABLE_TORN;
		*ret_n = put(buf, "(unknown)");
		return r;
	}
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

/* True while what was found in the sample before may still be it. */
static int
may_be_there(const struct var *x, const struct walk *w)
{
	const struct walk_memo *m;

	if (!x->is_known || x->spec->scope != SPEC_LOCAL)
		return x->is_known;
	m = find_frame(x, w);
	return m != NULL && m->ex == x->ex && m->func == x->func;
}

static int
read_one(struct vars *v, struct var *x, const struct walk *w, char *buf,
    size_t *ret_n)
{
	int r = TABLE_TORN, i;

	if (x->spec->scope == SPEC_MEMORY)
		return read_memory(v, x, buf, ret_n);
	x->is_known = may_be_there(x, w);
	for (i = 0; r == TABLE_TORN && i < TRIES; i++) {
		r = x->is_known ? TABLE_OK : resolve(v, x, w);
		if (r == TABLE_OK)
			r = read_value(v, x, w, buf, ret_n);
		x->is_known = r == TABLE_OK;
		if (r == TABLE_TORN)
			x->names = 0;
	}
	return r;
}

/* Strings have been looked through; all others have not. */
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
		r = read_one(v, x, w, buf, &n);
		if (r == FATAL)
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

/* The i-th variable of a frame, wherever its value is. */
static int
read_nth(struct vars *v, struct var *x, const struct walk *w, uint32_t i,
    char *buf, size_t *ret_n)
{
	uint8_t zval[ZVAL_SIZE];
	int r = TABLE_TORN, k;

	for (k = 0; r == TABLE_TORN && k < TRIES; k++) {
		proof_begin(&x->proof, &v->p->mem);
		x->at = x->ex + v->o->ex_variables + (uint64_t)i * ZVAL_SIZE;
		if (proof_note(&x->proof, x->ex + EX_FUNC, &x->func, 8) < 0)
			return TABLE_TORN;
		r = ht_follow(&x->proof, v->o, &x->at, zval);
		if (r == TABLE_OK)
			r = read_value(v, x, w, buf, ret_n);
	}
	return r;
}

/* The name of a variable as PHP has it; 0 when it cannot be read. */
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
	int r = read_nth(v, &x, w, i, buf, &n);

	if (r == TABLE_NONE)
		return BOB_OK;
	if (r == FATAL)
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
