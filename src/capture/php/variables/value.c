/* Reads values of all types twice, and makes text of them; see value.h. */
#include "capture/php/variables/value.h"

#include <string.h>

#include "capture/php/variables/table.h"
#include "capture/php/variables/text.h"

/* By how much an integer may change between two reads. */
#define COUNTED ((uint64_t)1 << 20)

/* Bytes of vm_stack_top, vm_stack_end and vm_stack. */
#define ROOTS 24

/* True if the frame of a local variable is still in use: the stack ends above
 * it. For a frame outside the page (a generator) that cannot be said, and true
 * is returned. */
static int
is_in_use(const struct var *x, const struct walk *w, const uint8_t *roots)
{
	return !copy_in_page(w->copy, x->ex) ||
	    (mem_u64(roots, EG_VM_STACK) == w->copy->base &&
	        mem_u64(roots, 0) > x->ex);
}

/*
 * True if two reads of a zval show the same value. PHP writes a value and its
 * type one after the other, so a single read may take a pointer for an integer.
 * An integer may be a counter that changes in between.
 */
static int
is_same_value(const uint8_t *a, const uint8_t *b)
{
	uint64_t before = mem_u64(a, 0), after = mem_u64(b, 0);

	if (mem_u8(a, ZVAL_TYPE) != mem_u8(b, ZVAL_TYPE))
		return 0;
	return before == after || (mem_u8(a, ZVAL_TYPE) == ZVAL_IS_LONG &&
	    after - before + COUNTED < 2 * COUNTED);
}

/* Reads the zval twice, and `more` (NULL: nothing), together with the deps.
 * TABLE_OK if all of it is unchanged, else TABLE_TORN. */
static int
read_twice(struct vars *v, struct var *x, const struct walk *w,
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
	if (!deps_unchanged(&x->deps, span, more != NULL ? 4 : 3) ||
	    !is_same_value(zval[0], zval[1]))
		return TABLE_TORN;
	return x->spec->scope != SPEC_LOCAL || is_in_use(x, w, roots)
	    ? TABLE_OK : TABLE_TORN;
}

/* Reads n bytes of what a zval points to once more, from offset `from` on.
 * TABLE_OK if they are as in `was`, and the zval still points there. */
static int
read_pointed(struct vars *v, struct var *x, const struct walk *w, uint64_t to,
    const uint8_t *was, size_t from, size_t n)
{
	uint8_t zval[2][ZVAL_SIZE], is[STR_VAL + VARTEXT_MAX_BYTES];
	struct mem_span more = { to + from, is, n };
	int r = read_twice(v, x, w, zval, &more);

	if (r == TABLE_OK && (mem_u64(zval[1], 0) != to ||
	        memcmp(was + from, is, n) != 0))
		r = TABLE_TORN;
	return r;
}

/* Secrets are replaced first: in the escaped text the pattern might not
 * match. */
static int
write_string(struct vars *v, const char *s, size_t n, int is_cut, char *buf,
    size_t *ret_n)
{
	char told[VARTEXT_MAX_BYTES];
	size_t k = process_redact(v->p, s, n, is_cut, told, sizeof(told));

	if (k == REDACT_FATAL)
		return VAR_FATAL;
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
	r = read_pointed(v, x, w, to, s, STR_LEN, 8 + (size_t)n);
	return r == TABLE_OK ? write_string(v, (const char *)s + STR_VAL,
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
	r = read_pointed(v, x, w, to, head, ARR_COUNT, 4);
	if (r == TABLE_OK)
		*ret_n = vartext_count(mem_u32(head, ARR_COUNT), buf);
	return r;
}

/*
 * True if an integer or float may be a pointer whose type has not been written
 * yet. A number that happens to look like a pointer is then left out, too. The
 * heap is above the first 4 GiB.
 */
static int
may_point(struct vars *v, uint64_t n)
{
	return n > UINT32_MAX && ht_type_at(&v->p->mem, n) != 0;
}

int
var_read(struct vars *v, struct var *x, const struct walk *w, char *buf,
    size_t *ret_n)
{
	uint8_t zval[2][ZVAL_SIZE];
	double d;
	uint64_t to;
	int r = read_twice(v, x, w, zval, NULL);

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
		*ret_n = vartext_word(buf, "null");
		return r;
	case ZVAL_IS_FALSE:
		*ret_n = vartext_word(buf, "(bool) false");
		return r;
	case ZVAL_IS_TRUE:
		*ret_n = vartext_word(buf, "(bool) true");
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
		return TABLE_TORN; /* it was none when it was located */
	default:
		if (mem_u8(zval[1], ZVAL_TYPE) == v->o->type_indirect)
			return TABLE_TORN;
		*ret_n = vartext_word(buf, "(unknown)");
		return r;
	}
}
