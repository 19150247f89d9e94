/*
 * Reads zend_functions with their strings, and remembers them; see names.h.
 * Every length and pointer here is foreign data: it is bounded before use.
 */
#include "capture/php/frames/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/php/layout/opcodes.h"
#include "core/mem.h"
#include "core/text.h"
#include "core/utf8.h"

/* How long a function need not be read again, in microseconds: one that is
 * freed when it has run, and one that stays for a request. */
#define PASSING_US 10000
#define STAYING_US 1000000

/* Limit of opcodes of one function. PHP's own is far higher; generated code has
 * some ten thousand. */
#define MAX_OPCODES (1u << 22)

#define INTERNAL_FILE "<internal>"
#define MAIN_NAME "<main>"
#define CLOSURE_NAME "{closure}"

void
names_init(struct names *n, struct bob_ctx *ctx, struct bob_dict *dict,
    struct mem *mem, const struct php_offsets *o, int with_opcodes)
{
	memset(n, 0, sizeof(*n));
	n->ctx = ctx;
	n->dict = dict;
	n->mem = mem;
	n->o = o;
	n->with_opcodes = with_opcodes;
}

void
names_done(struct names *n)
{
	free(n->function);
	free(n->place);
	ptrmap_free(&n->by_func);
	ptrmap_free(&n->by_opcodes);
	ptrmap_free(&n->by_opline);
	ptrmap_free(&n->by_start);
}

void
names_forget(struct names *n)
{
	n->generation++;
	n->n_function = n->n_place = 0;
	ptrmap_clear(&n->by_func);
	ptrmap_clear(&n->by_opcodes);
	ptrmap_clear(&n->by_opline);
	ptrmap_clear(&n->by_start);
}

void
names_doubt(struct names *n)
{
	n->epoch++;
}

static int
is_fresh(const struct names *n, const struct php_function *f)
{
	uint64_t limit = f->is_passing ? PASSING_US : STAYING_US;

	return f->type == FN_INTERNAL ||
	    ((f->epoch == n->epoch || f->is_shared) &&
	        n->now_us - f->t_read < limit);
}

int
names_is_fresh(const struct names *n, uint32_t function)
{
	return function < n->n_function &&
	    is_fresh(n, &n->function[function]);
}

uint64_t
names_frame_size(const struct names *n, uint32_t function, uint32_t n_args)
{
	const struct php_function *f = &n->function[function];
	uint64_t slots = (uint64_t)f->n_slots + n_args;

	/* Declared parameters are among the variables. */
	if (f->type != FN_INTERNAL)
		slots -= n_args < f->n_params ? n_args : f->n_params;
	return n->o->ex_variables + slots * ZVAL_SIZE;
}

/* --- reading ------------------------------------------------------------- */

/* True if it is PHP's hash of a string. Whether PHP adds chars with a sign or
 * without depends on the compiler that built it. */
static int
is_hash_of(uint64_t hash, const char *s, size_t n)
{
	const uint64_t is_known = (uint64_t)1 << 63;
	uint64_t without = 5381, with = 5381;
	size_t i;

	for (i = 0; i < n; i++) {
		without = without * 33 + (uint8_t)s[i];
		with = with * 33 + (uint64_t)(int8_t)s[i];
	}
	return hash == (without | is_known) || hash == (with | is_known);
}

/* True if a string was not freed. PHP frees the strings of a function before it
 * leaves it, and from 8.4 on overwrites their last bytes. Without a hash it may
 * be a new string in the same memory, which is not filled in yet: then it must
 * at least be UTF-8. */
static int
is_whole(const uint8_t *head, size_t n_head, const char *s, size_t n)
{
	uint64_t hash = mem_u64(head, STR_HASH);

	if (n < n_head - STR_VAL && head[STR_VAL + n] != '\0')
		return 0;
	return hash == 0 ? utf8_valid(s, n) == n : is_hash_of(hash, s, n);
}

/* Reads at most NAMES_MAX_BYTES of a zend_string. Returns their number, or enum
 * names_result. */
static int
read_string(struct names *n, uint64_t at, char *buf)
{
	uint8_t head[STR_VAL + 232];
	long k = mem_read_some(n->mem, at, head, sizeof(head));
	uint64_t len, all;

	if (k < STR_VAL)
		return NAMES_READ;
	all = len = mem_u64(head, STR_LEN);
	if (len == 0)
		return NAMES_STRANGE;
	if (len > NAMES_MAX_BYTES)
		len = NAMES_MAX_BYTES;
	if (len <= (uint64_t)k - STR_VAL)
		memcpy(buf, head + STR_VAL, (size_t)len);
	else if (mem_read(n->mem, at + STR_VAL, buf, (size_t)len) < 0)
		return NAMES_READ;
	return len < all || is_whole(head, (size_t)k, buf, (size_t)len)
	    ? (int)len : NAMES_STRANGE;
}

/* Reads a zend_function without its strings. Returns enum names_result. */
static int
read_function(struct names *n, uint64_t func, struct php_function *f)
{
	const struct php_offsets *o = n->o;
	uint8_t b[FN_SIZE] = { 0 };
	long k = mem_read_some(n->mem, func, b, sizeof(b));
	uint32_t last;

	memset(f, 0, sizeof(*f));
	if (k < FN_SCOPE + 8)
		return NAMES_READ;
	f->func = func;
	f->type = mem_u8(b, FN_TYPE);
	f->flags = mem_u32(b, FN_FLAGS);
	f->name = mem_u64(b, FN_NAME);
	f->scope = mem_u64(b, FN_SCOPE);
	/* PHP clears the name of a trampoline that has run. */
	if ((f->flags & o->acc_trampoline) != 0 && f->name == 0)
		return NAMES_STRANGE;
	f->n_params = mem_u32(b, FN_N_ARGS);
	if (f->type == FN_INTERNAL) {
		if (o->version >= 82)
			f->n_slots = mem_u32(b, o->op_n_temps);
		return NAMES_OK;
	}
	if (f->type != FN_USER && f->type != FN_EVAL)
		return NAMES_STRANGE;
	if (k < o->op_line_start + 8)
		return NAMES_READ;
	f->file = mem_u64(b, o->op_filename);
	f->opcodes = mem_u64(b, o->op_opcodes);
	f->n_slots = mem_u32(b, o->op_n_temps) + mem_u32(b, o->op_n_vars);
	f->line_start = mem_u32(b, o->op_line_start);
	f->line_end = mem_u32(b, o->op_line_start + 4u);
	/* A trampoline has one opcode; its count is not set. */
	last = (f->flags & o->acc_trampoline) != 0 ? 1
	                                           : mem_u32(b, o->op_last);
	if (f->opcodes == 0 || f->opcodes % 8 != 0 || last == 0 ||
	    last > MAX_OPCODES || !mem_is_user(f->opcodes, 1) || f->file == 0)
		return NAMES_STRANGE;
	f->end = f->opcodes + (uint64_t)last * OP_SIZE;
	f->is_shared = f->opcodes >= n->shared && f->end <= n->shared_end;
	f->is_passing = !f->is_shared &&
	    (f->name == 0 || f->type == FN_EVAL);
	return NAMES_OK;
}

static int
is_same(const struct php_function *a, const struct php_function *b)
{
	return a->type == b->type && a->flags == b->flags &&
	    a->name == b->name && a->scope == b->scope &&
	    a->file == b->file && a->opcodes == b->opcodes &&
	    a->end == b->end && a->line_start == b->line_start &&
	    a->line_end == b->line_end;
}

/* True for a copy of a function: its address says nothing. */
static int
is_copy(const struct names *n, const struct php_function *f)
{
	return (f->flags & (n->o->acc_closure | n->o->acc_trampoline |
	    n->o->acc_fake_closure)) != 0;
}

/* Reads the class of a method as "Class::". Returns its bytes, or enum
 * names_result. */
static int
read_class(struct names *n, uint64_t scope, char *buf)
{
	uint64_t name;
	const char *nul;
	int k;

	if (mem_read_u64(n->mem, scope + CE_NAME, &name) < 0)
		return NAMES_READ;
	k = read_string(n, name, buf);
	if (k < 0)
		return k;
	/* The name of an anonymous class has a NUL, then file and line. */
	nul = memchr(buf, '\0', (size_t)k);
	if (nul != NULL)
		k = (int)(nul - buf);
	memcpy(buf + k, "::", 2);
	return k + 2;
}

/* Appends lines to the name of a closure: all closures of a class have the same
 * name. Returns the new length. */
static size_t
name_closure(const struct php_function *f, char *buf, size_t n, size_t cap)
{
	int k;

	if (f->type != FN_USER || !text_ends_in(buf, n, CLOSURE_NAME))
		return n;
	k = snprintf(buf + n - 1, cap - (n - 1), ":%u-%u}", f->line_start,
	    f->line_end);
	return k < 0 ? n : n - 1 + (size_t)k;
}

/* Reads class and name, as in "App\Cart::total", into the dictionary. */
static int
read_name(struct names *n, struct php_function *f)
{
	char buf[2 * NAMES_MAX_BYTES + 64];
	size_t len = 0;
	int k;

	if (f->name == 0) {
		len = strlen(MAIN_NAME);
		memcpy(buf, MAIN_NAME, len);
	} else {
		if (f->scope != 0) {
			k = read_class(n, f->scope, buf);
			if (k < 0)
				return k;
			len = (size_t)k;
		}
		k = read_string(n, f->name, buf + len);
		if (k < 0)
			return k;
		len = name_closure(f, buf, len + (size_t)k, sizeof(buf));
	}
	if (bob_frame_set_php_name(n->dict, &f->frame, buf, len) < 0)
		return NAMES_FATAL;
	return NAMES_OK;
}

static int
read_file(struct names *n, struct php_function *f)
{
	char buf[NAMES_MAX_BYTES];
	int k = (int)strlen(INTERNAL_FILE);

	if (f->type == FN_INTERNAL)
		memcpy(buf, INTERNAL_FILE, (size_t)k);
	else
		k = read_string(n, f->file, buf);
	if (k < 0)
		return k;
	f->frame.lang = BOB_LANG_PHP;
	f->frame.file = bob_str_put(n->dict, buf, (size_t)k);
	return f->frame.file == BOB_NO_ID ? NAMES_FATAL : NAMES_OK;
}

/* --- remembering --------------------------------------------------------- */

/* The key of a function in by_opcodes: the same for all copies of it. */
static uint64_t
opcodes_key(const struct php_function *f)
{
	return ptrmap_mix(f->type == FN_INTERNAL ? f->name : f->opcodes,
	    f->scope);
}

static int
is_full(const struct names *n)
{
	return n->n_function >= NAMES_MAX_FUNCTIONS ||
	    n->n_place >= NAMES_MAX_PLACES;
}

/* Remembers a function that has just been read, at index `at` or at a new one.
 * Returns its index, or PTRMAP_NONE (the context has the error). */
static uint32_t
remember_function(struct names *n, struct php_function *f, uint32_t at)
{
	uint32_t i = at;

	f->t_read = n->now_us;
	f->epoch = n->epoch;
	if (at == PTRMAP_NONE) {
		if (MEM_GROW(n->ctx, n, function, n->n_function + 1) < 0)
			return PTRMAP_NONE;
		i = (uint32_t)n->n_function++;
	}
	n->function[i] = *f;
	if (ptrmap_put(n->ctx, &n->by_opcodes, opcodes_key(f), i) < 0 ||
	    (!is_copy(n, f) &&
	        ptrmap_put(n->ctx, &n->by_func, f->func, i) < 0))
		return PTRMAP_NONE;
	return i;
}

/* Reads the strings of a function again. PHP may put the code of one included
 * file where that of another was: the function can look the same and have other
 * strings. NAMES_OK if they are the same, else NAMES_STRANGE or an error. */
static int
reread_strings(struct names *n, const struct php_function *f)
{
	struct php_function again = *f;
	int r = read_name(n, &again);

	if (r == NAMES_OK)
		r = read_file(n, &again);
	if (r < 0)
		return r;
	return memcmp(&again.frame, &f->frame, sizeof(f->frame)) == 0
	    ? NAMES_OK : NAMES_STRANGE;
}

/* Reads the function at an address and sets *ret to its index. A fresh function
 * with the same opcodes keeps its strings. */
static int
learn_function(struct names *n, uint64_t func, uint32_t *ret)
{
	struct php_function f, again;
	uint32_t i;
	int r = read_function(n, func, &f);

	if (r < 0)
		return r;
	if (f.type != FN_INTERNAL) {
		i = ptrmap_get(&n->by_opcodes, opcodes_key(&f));
		if (i != PTRMAP_NONE && is_same(&n->function[i], &f) &&
		    is_fresh(n, &n->function[i])) {
			*ret = i;
			return !is_copy(n, &f) && ptrmap_put(n->ctx,
			    &n->by_func, func, i) < 0 ? NAMES_FATAL : NAMES_OK;
		}
	}
	r = read_name(n, &f);
	if (r == NAMES_OK)
		r = read_file(n, &f);
	if (r < 0)
		return r;
	r = read_function(n, func, &again);
	if (r < 0 || !is_same(&f, &again))
		return r < 0 ? r : NAMES_STRANGE;
	r = f.is_passing ? reread_strings(n, &f) : NAMES_OK;
	if (r < 0)
		return r;
	/* If nothing changed it keeps its index, and with it its places. */
	i = ptrmap_get(&n->by_opcodes, opcodes_key(&f));
	if (i != PTRMAP_NONE && (!is_same(&n->function[i], &f) ||
	    memcmp(&n->function[i].frame, &f.frame, sizeof(f.frame)) != 0))
		i = PTRMAP_NONE;
	*ret = remember_function(n, &f, i);
	return *ret == PTRMAP_NONE ? NAMES_FATAL : NAMES_OK;
}

/* Puts the frame of a place into the dictionary, and the place into `map`. */
static int
add_place(struct names *n, struct ptrmap *map, uint64_t key,
    struct php_place *p, struct bob_frame *frame)
{
	const char *name = "";

	if (n->with_opcodes) {
		if (p->opcode != 0)
			name = php_opcode_name(n->o->version, p->opcode);
		frame->flags |= BOB_FRAME_OPNAME;
		frame->opname = bob_str_put(n->dict, name, strlen(name));
		if (frame->opname == BOB_NO_ID)
			return NAMES_FATAL;
	}
	p->frame = bob_frame_put(n->dict, frame);
	if (p->frame == BOB_NO_ID ||
	    MEM_GROW(n->ctx, n, place, n->n_place + 1) < 0)
		return NAMES_FATAL;
	n->place[n->n_place] = *p;
	return ptrmap_put(n->ctx, map, key, (uint32_t)n->n_place++) < 0
	    ? NAMES_FATAL : NAMES_OK;
}

/* Sets *ret to a function without an opline: at its first line, or without a
 * line if it is internal. */
static int
place_start(struct names *n, uint32_t i, struct php_place *ret)
{
	const struct php_function *f = &n->function[i];
	struct bob_frame frame = f->frame;
	uint32_t k = ptrmap_get(&n->by_start, (uint64_t)i + 1);

	if (k != PTRMAP_NONE) {
		*ret = n->place[k];
		return NAMES_OK;
	}
	*ret = (struct php_place){ .function = i,
		.is_internal = f->type == FN_INTERNAL };
	if (ret->is_internal && f->name == 0) {
		ret->is_nameless = 1;
		return NAMES_OK;
	}
	frame.where = ret->is_internal ? -1 : (int64_t)f->line_start;
	return add_place(n, &n->by_start, (uint64_t)i + 1, ret, &frame);
}

static int
is_inside(const struct php_function *f, uint64_t opline)
{
	return opline >= f->opcodes && opline < f->end &&
	    (opline - f->opcodes) % OP_SIZE == 0;
}

/* Sets *ret to a user function at one of its oplines. */
static int
place_at(struct names *n, uint32_t i, uint64_t func, uint64_t opline,
    struct php_place *ret)
{
	uint64_t key = ptrmap_mix(func, opline);
	uint32_t k = ptrmap_get(&n->by_opline, key);
	struct bob_frame frame = n->function[i].frame;
	uint8_t op[OP_SIZE];

	if (k != PTRMAP_NONE && n->place[k].function == i) {
		*ret = n->place[k];
		return NAMES_OK;
	}
	if (mem_read(n->mem, opline, op, sizeof(op)) < 0)
		return NAMES_READ;
	*ret = (struct php_place){ .function = i,
		.opcode = mem_u8(op, OP_CODE) };
	frame.where = mem_u32(op, OP_LINE);
	return add_place(n, &n->by_opline, key, ret, &frame);
}

/* Returns 1 and sets *ret if the place is known and its function fresh, without
 * reading; else 0. */
static int
find_known_place(const struct names *n, uint64_t func, uint64_t opline,
    struct php_place *ret)
{
	uint32_t k = ptrmap_get(&n->by_opline, ptrmap_mix(func, opline));

	if (k == PTRMAP_NONE ||
	    !is_fresh(n, &n->function[n->place[k].function]))
		return 0;
	*ret = n->place[k];
	return 1;
}

int
names_caller(struct names *n, uint64_t func, uint64_t opline,
    struct php_place *ret)
{
	uint32_t i = ptrmap_get(&n->by_func, func);
	int r;

	/* An internal function has no opline: the field is left over from
	 * another frame. */
	if (i != PTRMAP_NONE && n->function[i].type == FN_INTERNAL)
		return place_start(n, i, ret);
	if (find_known_place(n, func, opline, ret))
		return NAMES_OK;
	if (is_full(n))
		names_forget(n);
	r = learn_function(n, func, &i);
	if (r < 0)
		return r;
	if (n->function[i].type == FN_INTERNAL)
		return place_start(n, i, ret);
	if (!is_inside(&n->function[i], opline))
		return NAMES_OUTSIDE;
	return place_at(n, i, func, opline, ret);
}

int
names_top(struct names *n, uint64_t func, uint64_t opline,
    struct php_place *ret)
{
	uint32_t i = ptrmap_get(&n->by_func, func);
	int r;

	if (i == PTRMAP_NONE || !is_fresh(n, &n->function[i])) {
		if (is_full(n))
			names_forget(n);
		r = learn_function(n, func, &i);
		if (r < 0)
			return r;
	}
	if (is_inside(&n->function[i], opline))
		return place_at(n, i, func, opline, ret);
	r = place_start(n, i, ret);
	/* No opline shows that a copy still is that function. */
	if (r == NAMES_OK)
		ret->is_unsure = (uint8_t)is_copy(n, &n->function[i]);
	return r;
}
