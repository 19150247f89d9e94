/* One function for each kind of object; the type tells the kind. */
#include "capture/python/values/repr.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"

/* How often an object is read until it stays the same. */
#define TRIES 3

/* tp_flags: a class of a program, and the built-in type it is derived from. */
#define IS_HEAP_TYPE ((uint64_t)1 << 9)
#define IS_LONG ((uint64_t)1 << 24)
#define IS_LIST ((uint64_t)1 << 25)
#define IS_TUPLE ((uint64_t)1 << 26)
#define IS_BYTES ((uint64_t)1 << 27)
#define IS_STR ((uint64_t)1 << 28)
#define IS_DICT ((uint64_t)1 << 29)
#define IS_TYPE ((uint64_t)1 << 31)

/* Slots of a set that are searched for its first elements, and that are read at
 * once. */
#define MAX_SLOTS 512
#define SLOTS 32

/* Bytes of a class's name, without its module. */
#define MAX_NAME 100

struct type {
	uint64_t at, flags, dict;
	char name[MAX_NAME + 1];
};

void
py_repr_init(struct py_repr *r, struct process *p, const struct py_offsets *o)
{
	memset(r, 0, sizeof(*r));
	r->p = p;
	r->o = o;
	reread_init(&r->reread, &p->mem);
}

/* --- reading ------------------------------------------------------------- */

/* The address of a field of an object. */
static uint64_t
field_at(const struct py_repr *r, uint64_t at, uint32_t offset)
{
	return at + py_at(r->o, offset);
}

static int
read_word(struct py_repr *r, uint64_t at, uint64_t *ret)
{
	return mem_read_u64(&r->reread.mem, at, ret);
}

/*
 * A type lives as long as one of its objects, and the object is read twice. So
 * the type itself is read once.
 */
static int
read_type(struct py_repr *r, uint64_t at, struct type *ret)
{
	uint8_t b[PY_TYPE_DICT + 8 - PY_TYPE_NAME];
	struct mem *m = &r->p->mem;
	long n;
	int k = mem_read(m, field_at(r, at, PY_TYPE_NAME), b, sizeof(b));

	if (k < 0)
		return k;
	ret->at = at;
	ret->flags = mem_u64(b, PY_TYPE_FLAGS - PY_TYPE_NAME);
	ret->dict = mem_u64(b, PY_TYPE_DICT - PY_TYPE_NAME);
	n = mem_read_some(m, mem_u64(b, 0), ret->name, MAX_NAME);
	if (n < 0)
		return (int)n;
	ret->name[n] = '\0';
	return ret->name[0] != '\0' ? 0 : -EINVAL;
}

static int
type_of(struct py_repr *r, uint64_t at, struct type *ret)
{
	uint64_t type;
	int k = at % 8 == 0 ? read_word(r, at + r->o->ob_type, &type)
	                    : -EINVAL;

	return k == 0 ? read_type(r, type, ret) : k;
}

/* Returns 1 if it is the built-in type of this name, not a class of a
 * program. */
static int
is_builtin(const struct type *t, const char *name)
{
	return (t->flags & IS_HEAP_TYPE) == 0 && strcmp(t->name, name) == 0;
}

/* Appends "module.Class". Types written in C have the module in their name,
 * others in their dictionary. */
static void
put_class(struct py_repr *r, const struct type *t)
{
	char module[PY_MAX_TEXT];
	uint64_t at;
	int n = -1;

	if ((t->flags & IS_HEAP_TYPE) != 0 && strchr(t->name, '.') == NULL &&
	    py_dict_get(&r->p->mem, r->o, t->dict, "__module__", &at) == 0)
		n = py_text_read(&r->p->mem, r->o, at, module);
	if (n > 0 && !(n == 8 && memcmp(module, "builtins", 8) == 0)) {
		repr_plain(&r->text, module,
		    (size_t)n < MAX_NAME ? (size_t)n : MAX_NAME);
		repr_str(&r->text, ".");
	}
	repr_plain(&r->text, t->name, strlen(t->name));
}

/* Appends a string in quotes. Secrets are hidden first, because quotes and
 * escapes would break them up. */
static void
put_string(struct py_repr *r, const char *s, size_t n, int is_bytes,
    int is_cut)
{
	char told[4 * REPR_MAX_CHARS];
	size_t k = process_redact(r->p, s, n, is_cut, told, sizeof(told));

	if (k == REDACT_FATAL)
		r->is_fatal = 1;
	else
		repr_quoted(&r->text, told, k, is_bytes, is_cut);
}

/* --- objects without elements -------------------------------------------- */

static int
read_long(struct py_repr *r, uint64_t at)
{
	uint32_t digit[REPR_MAX_DIGITS], last;
	char buf[64];
	uint64_t tag, n, from = field_at(r, at, PY_LONG_DIGITS);
	int is_negative, k = read_word(r, field_at(r, at, PY_LONG_TAG), &tag);
	unsigned bits;

	if (k < 0)
		return k;
	if (r->o->minor >= 12) {
		n = tag >> 3;
		is_negative = (tag & 3) == 2;
	} else {
		is_negative = (int64_t)tag < 0;
		n = is_negative ? 0 - tag : tag;
	}
	if (n <= REPR_MAX_DIGITS) {
		if (n > 0)
			k = mem_read(&r->reread.mem, from, digit, n * 4);
		if (k == 0)
			repr_long(&r->text, digit, (size_t)n, is_negative);
		return k;
	}
	if (n > (uint64_t)1 << 40)
		return -EINVAL;
	k = mem_read(&r->reread.mem, from + (n - 1) * 4, &last, 4);
	for (bits = 0; k == 0 && bits < 30 && last >> bits != 0; bits++)
		;
	(void)snprintf(buf, sizeof(buf), "<%sint of %" PRIu64 " bits>",
	    is_negative ? "negative " : "", (n - 1) * 30 + bits);
	if (k == 0)
		repr_str(&r->text, buf);
	return k;
}

static int
read_float(struct py_repr *r, uint64_t at)
{
	double v;
	int k = mem_read(&r->reread.mem, field_at(r, at, PY_FLOAT_VALUE), &v,
	    sizeof(v));

	if (k == 0)
		repr_float(&r->text, v);
	return k;
}

static int
read_bytes(struct py_repr *r, uint64_t at)
{
	char b[REPR_MAX_CHARS];
	uint64_t size;
	size_t n;
	int k = read_word(r, at + r->o->var_size, &size);

	if (k < 0)
		return k;
	n = size < sizeof(b) ? (size_t)size : sizeof(b);
	if (n > 0)
		k = mem_read(&r->reread.mem, at + r->o->bytes_data, b, n);
	if (k == 0)
		put_string(r, b, n, 1, size > n);
	return k;
}

static int
read_str(struct py_repr *r, uint64_t at)
{
	uint8_t head[PY_TEXT_MAX_HEAD], raw[4 * REPR_MAX_CHARS];
	char utf8[4 * REPR_MAX_CHARS];
	struct py_text_shape s = { 0 };
	uint32_t from = r->o->str_length; /* the reference count may change */
	size_t n, len;
	int k = r->o->str_ascii <= sizeof(head) && from < r->o->str_ascii
	    ? mem_read(&r->reread.mem, at + from, head + from,
	        r->o->str_ascii - from)
	    : -EINVAL;

	if (k == 0)
		k = py_text_shape(r->o, head, &s);
	if (k < 0)
		return k;
	n = s.length < REPR_MAX_CHARS ? (size_t)s.length : REPR_MAX_CHARS;
	if (n > 0)
		k = mem_read(&r->reread.mem, at + s.data, raw, n * s.kind);
	if (k < 0)
		return k;
	len = py_text_utf8(raw, &n, s.kind, utf8, sizeof(utf8));
	put_string(r, utf8, len, 0, s.length > n);
	return 0;
}

/* --- containers ---------------------------------------------------------- */

static int read_object(struct py_repr *r, uint64_t at, unsigned depth);

/* Returns 1 if element i of n is to be written. Appends the comma before it, or
 * dots if it is one too many. */
static int
begin_element(struct py_repr *r, size_t i, uint64_t n)
{
	if (i >= n)
		return 0;
	if (i > 0)
		repr_str(&r->text, ", ");
	if (i < REPR_MAX_ELEMENTS && r->text.n < REPR_ENOUGH)
		return 1;
	repr_str(&r->text, "...");
	return 0;
}

/* Writes the objects of an array of n pointers. */
static int
read_items(struct py_repr *r, uint64_t items, uint64_t n, unsigned depth)
{
	uint64_t item[REPR_MAX_ELEMENTS];
	size_t i, n_read = n < REPR_MAX_ELEMENTS ? (size_t)n
	                                         : REPR_MAX_ELEMENTS;
	int k = n > 0 ? mem_read(&r->reread.mem, items, item, n_read * 8) : 0;

	for (i = 0; k == 0 && begin_element(r, i, n); i++)
		k = read_object(r, item[i], depth + 1);
	return k;
}

static int
read_list(struct py_repr *r, uint64_t at, unsigned depth)
{
	uint64_t head[2];
	int k = mem_read(&r->reread.mem, field_at(r, at, PY_LIST_SIZE), head,
	    sizeof(head));

	repr_str(&r->text, "[");
	if (k == 0)
		k = read_items(r, head[1], head[0], depth);
	repr_str(&r->text, "]");
	return k;
}

static int
read_tuple(struct py_repr *r, uint64_t at, unsigned depth)
{
	uint64_t n;
	int k = read_word(r, at + r->o->var_size, &n);

	repr_str(&r->text, "(");
	if (k == 0)
		k = read_items(r, at + r->o->tuple_items, n, depth);
	repr_str(&r->text, k == 0 && n == 1 ? ",)" : ")");
	return k;
}

static int
read_dict(struct py_repr *r, uint64_t at, unsigned depth)
{
	struct py_item item;
	struct py_dict d;
	uint64_t n;
	size_t i;
	int k = read_word(r, field_at(r, at, PY_DICT_USED), &n);

	repr_str(&r->text, "{");
	if (k == 0 && n > 0)
		k = py_dict_begin(&d, &r->reread.mem, r->o, at);
	for (i = 0; k == 0 && begin_element(r, i, n); i++) {
		/* Fewer than it says: it changes. */
		k = py_dict_next(&d, &item) == 1 ? 0 : -EAGAIN;
		if (k == 0)
			k = read_object(r, item.key, depth + 1);
		repr_str(&r->text, ": ");
		if (k == 0)
			k = read_object(r, item.value, depth + 1);
	}
	repr_str(&r->text, "}");
	return k;
}

struct slots {
	uint64_t table, size; /* address and number of slots */
	uint64_t next, n_read;
	uint64_t slot[SLOTS][2]; /* object and hash */
};

/* Returns 1 and sets *ret to the next element of a set; 0 if none was found; or
 * -errno. An element that was removed leaves a dummy with the hash -1. */
static int
next_slot(struct py_repr *r, struct slots *s, uint64_t *ret)
{
	const uint64_t *slot;
	uint64_t n;
	int k;

	while (s->next < s->size && s->next < MAX_SLOTS) {
		if (s->next == s->n_read) {
			n = s->size - s->next < SLOTS ? s->size - s->next
			                              : SLOTS;
			k = mem_read(&r->reread.mem, s->table + s->next * 16,
			    s->slot, (size_t)n * 16);
			if (k < 0)
				return k;
			s->n_read = s->next + n;
		}
		assert(s->next < s->n_read);
		slot = s->slot[s->next++ % SLOTS];
		if (slot[0] != 0 && slot[1] != UINT64_MAX) {
			*ret = slot[0];
			return 1;
		}
	}
	return 0;
}

static int
read_elements(struct py_repr *r, uint64_t at, unsigned depth)
{
	uint64_t head[3], item; /* used, mask, table */
	struct slots s = { 0 };
	size_t i;
	int k = mem_read(&r->reread.mem, field_at(r, at, PY_SET_USED), head,
	    sizeof(head));

	if (k < 0)
		return k;
	s.table = head[2];
	s.size = head[1] < UINT64_MAX ? head[1] + 1 : 0;
	for (i = 0; k == 0 && begin_element(r, i, head[0]); i++) {
		k = next_slot(r, &s, &item);
		if (k == 0)
			repr_str(&r->text, "...");
		if (k <= 0)
			return k;
		k = read_object(r, item, depth + 1);
	}
	return k;
}

static int
read_set(struct py_repr *r, uint64_t at, unsigned depth, int is_frozen)
{
	int k;

	repr_str(&r->text, is_frozen ? "frozenset({" : "{");
	k = read_elements(r, at, depth);
	repr_str(&r->text, is_frozen ? "})" : "}");
	return k;
}

/* --- any object ---------------------------------------------------------- */

/* An object that is shown by its class alone. */
static int
put_other(struct py_repr *r, uint64_t at, const struct type *t)
{
	char buf[32];

	repr_str(&r->text, "<");
	put_class(r, t);
	(void)snprintf(buf, sizeof(buf), " at 0x%" PRIx64 ">", at);
	repr_str(&r->text, buf);
	return 0;
}

/* A class. */
static int
put_type(struct py_repr *r, uint64_t at)
{
	struct type t;
	int k = read_type(r, at, &t);

	if (k < 0)
		return k;
	repr_str(&r->text, "<class ");
	put_class(r, &t);
	repr_str(&r->text, ">");
	return 0;
}

struct builtin {
	const char *name;
	uint64_t flag; /* tp_flags of types derived from it; 0: none */
	int (*read)(struct py_repr *r, uint64_t at);
	int (*read_deep)(struct py_repr *r, uint64_t at, unsigned depth);
};

static int
read_plain_set(struct py_repr *r, uint64_t at, unsigned depth)
{
	return read_set(r, at, depth, 0);
}

static int
read_frozen_set(struct py_repr *r, uint64_t at, unsigned depth)
{
	return read_set(r, at, depth, 1);
}

static const struct builtin builtins[] = {
	{ "int", IS_LONG, read_long, NULL },
	{ "str", IS_STR, read_str, NULL },
	{ "float", 0, read_float, NULL },
	{ "bytes", IS_BYTES, read_bytes, NULL },
	{ "list", IS_LIST, NULL, read_list },
	{ "tuple", IS_TUPLE, NULL, read_tuple },
	{ "dict", IS_DICT, NULL, read_dict },
	{ "set", 0, NULL, read_plain_set },
	{ "frozenset", 0, NULL, read_frozen_set },
};

/* The text of a singleton. NULL if the type is not that of one. */
static const char *
singleton_text(const struct type *t)
{
	return is_builtin(t, "NoneType") ? "None"
	    : is_builtin(t, "ellipsis") ? "Ellipsis"
	    : is_builtin(t, "NotImplementedType") ? "NotImplemented" : NULL;
}

static const struct builtin *
builtin_of(const struct type *t, int *is_derived)
{
	size_t i;

	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		*is_derived = !is_builtin(t, builtins[i].name);
		if (!*is_derived || (t->flags & builtins[i].flag) != 0)
			return &builtins[i];
	}
	return NULL;
}

/* Returns 1 if the contents cannot be read: not a built-in type, or derived
 * from str, whose characters are then elsewhere. */
static int
is_opaque(const struct builtin *builtin, int is_derived)
{
	return builtin == NULL || (is_derived && builtin->flag == IS_STR);
}

static int
read_typed(struct py_repr *r, uint64_t at, unsigned depth,
    const struct type *t)
{
	const struct builtin *builtin;
	uint32_t digit;
	int is_derived, k;

	if (singleton_text(t) != NULL) {
		repr_str(&r->text, singleton_text(t));
		return 0;
	}
	if (is_builtin(t, "bool")) {
		k = mem_read(&r->reread.mem, field_at(r, at, PY_LONG_DIGITS),
		    &digit, sizeof(digit));
		if (k == 0)
			repr_str(&r->text, digit != 0 ? "True" : "False");
		return k;
	}
	if ((t->flags & IS_TYPE) != 0)
		return put_type(r, at);
	builtin = builtin_of(t, &is_derived);
	if (is_opaque(builtin, is_derived))
		return put_other(r, at, t);
	if (builtin->read_deep != NULL && depth >= REPR_MAX_NESTED) {
		repr_str(&r->text, "...");
		return 0;
	}
	if (is_derived) {
		put_class(r, t);
		repr_str(&r->text, "(");
	}
	/* NOLINT(clang-analyzer-core.CallAndMessage): each has one of both. */
	k = builtin->read != NULL ? builtin->read(r, at)
	                          : builtin->read_deep(r, at, depth);
	if (is_derived)
		repr_str(&r->text, ")");
	return k;
}

static int
read_object(struct py_repr *r, uint64_t at, unsigned depth)
{
	struct type t;
	int k = type_of(r, at, &t);

	return k == 0 ? read_typed(r, at, depth, &t) : k;
}

/* Makes the text once. 0; -ENOENT: an empty cell; or another -errno. */
static int
read_once(struct py_repr *r, uint64_t at, int in_cell)
{
	struct type t;
	int k = type_of(r, at, &t);

	r->text.n = 0;
	if (k < 0 || !in_cell || !is_builtin(&t, "cell"))
		return k == 0 ? read_typed(r, at, 0, &t) : k;
	k = read_word(r, field_at(r, at, PY_CELL_VALUE), &at);
	if (k == 0 && at == 0)
		return -ENOENT;
	return k == 0 ? read_object(r, at, 0) : k;
}

int
py_repr_read(struct py_repr *r, uint64_t at, int in_cell)
{
	int k, i;

	r->is_fatal = 0;
	for (i = 0; i < TRIES; i++) {
		reread_begin(&r->reread);
		k = read_once(r, at, in_cell);
		if (r->is_fatal)
			return REPR_FATAL;
		if ((k == 0 || k == -ENOENT) && reread_is_same(&r->reread))
			return k == 0 ? REPR_OK : REPR_NONE;
	}
	return REPR_TORN;
}
