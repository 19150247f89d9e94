/*
 * Three layouts of dictionaries: up to 3.10; from 3.11 on with hashes; and
 * without them, if all keys are strings. Four places for the attributes of an
 * object: a dictionary at tp_dictoffset; 3.11: two words in front of the
 * object; from 3.12 on one word in front of it; from 3.13 on an array behind
 * it.
 */
#include "capture/python/objects/object.h"

#include <assert.h>
#include <errno.h>

#include "capture/python/objects/text.h"

/* PyDictKeysObject */
enum {
	OLD_SIZE = 8, OLD_N = 32, OLD_INDICES = 40,
	LOG_INDICES = 9, KIND = 10, NEW_N = 24, INDICES = 32,
	HEAD = 40
};
enum { KIND_GENERAL = 0, KIND_SPLIT = 2 };

/* tp_flags: words in front of an object, values behind it. */
#define HAS_MANAGED_DICT (1u << 4)
#define HAS_INLINE_VALUES (1u << 2)

#define BLOCK 64u

static uint64_t
index_bytes(uint64_t size)
{
	return size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= UINT32_MAX ? 4
	                                                                  : 8;
}

/* Begins with the entries of a PyDictKeysObject. 0, or -errno. */
static int
dict_begin_keys(struct py_dict *d, uint64_t keys)
{
	uint8_t head[HEAD];
	uint64_t n, size;
	int r = mem_read(d->mem, keys, head, sizeof(head));

	if (r < 0)
		return r;
	if (d->o->minor <= 10) {
		size = mem_u64(head, OLD_SIZE);
		n = mem_u64(head, OLD_N);
		if (size > PY_MAX_DICT * 2)
			return -E2BIG;
		d->entries = keys + OLD_INDICES + size * index_bytes(size);
		d->size = 24;
	} else {
		if (mem_u8(head, KIND) > KIND_SPLIT ||
		    mem_u8(head, LOG_INDICES) > 24)
			return -EINVAL;
		n = mem_u64(head, NEW_N);
		d->entries = keys + INDICES +
		    ((uint64_t)1 << mem_u8(head, LOG_INDICES));
		d->size = mem_u8(head, KIND) == KIND_GENERAL ? 24 : 16;
	}
	if (n > PY_MAX_DICT)
		return -E2BIG;
	d->n = (uint32_t)n;
	return 0;
}

/* The same; `values` is the address of an array, or 0. From 3.13 on the array
 * has a head of 8 bytes. */
static int
dict_begin_split(struct py_dict *d, uint64_t keys, uint64_t values)
{
	if (values != 0)
		d->values = values + (d->o->minor >= 13 ? 8 : 0);
	return dict_begin_keys(d, keys);
}

static void
dict_reset(struct py_dict *d, struct mem *m, const struct py_offsets *o)
{
	d->mem = m;
	d->o = o;
	d->entries = d->values = 0;
	d->n = d->next = d->size = d->from = d->n_read = 0;
}

int
py_dict_begin(struct py_dict *d, struct mem *m, const struct py_offsets *o,
    uint64_t at)
{
	uint8_t b[16];
	int r = mem_read(m, at + py_at(o, PY_DICT_KEYS), b, sizeof(b));

	dict_reset(d, m, o);
	if (r < 0)
		return r;
	return dict_begin_split(d, mem_u64(b, 0),
	    mem_u64(b, PY_DICT_VALUES - PY_DICT_KEYS));
}

static int
dict_read_block(struct py_dict *d)
{
	uint32_t n = d->n - d->next < BLOCK ? d->n - d->next : BLOCK;
	int r = mem_read(d->mem, d->entries + (uint64_t)d->next * d->size,
	    d->block, (size_t)n * d->size);

	if (r == 0 && d->values != 0)
		r = mem_read(d->mem, d->values + (uint64_t)d->next * 8,
		    d->value_block, (size_t)n * 8);
	if (r < 0)
		return r;
	d->from = d->next;
	d->n_read = n;
	return 0;
}

int
py_dict_next(struct py_dict *d, struct py_item *ret)
{
	const uint8_t *p;
	size_t i;
	int r;

	while (d->next < d->n) {
		if (d->next >= d->from + d->n_read) {
			r = dict_read_block(d);
			if (r < 0)
				return r;
		}
		i = d->next++ - d->from;
		assert(i < BLOCK);
		p = d->block + i * d->size;
		ret->hash = d->size == 24 ? mem_u64(p, 0) : 0;
		ret->key = mem_u64(p, d->size - 16);
		ret->value = d->values != 0 ? mem_u64(d->value_block, i * 8)
		                            : mem_u64(p, d->size - 8);
		if (ret->key != 0 && ret->value != 0)
			return 1;
	}
	return 0;
}

/* Searches a dictionary that was begun. 0, -ENOENT, or -errno. */
static int
dict_find_key(struct py_dict *d, const char *key, uint64_t *ret)
{
	struct py_item item;
	int r;

	while ((r = py_dict_next(d, &item)) == 1)
		if (py_text_is(d->mem, d->o, item.key, key)) {
			*ret = item.value;
			return 0;
		}
	return r == 0 ? -ENOENT : r;
}

int
py_dict_get(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *key, uint64_t *ret)
{
	struct py_dict d;
	int r = py_dict_begin(&d, m, o, at);

	return r < 0 ? r : dict_find_key(&d, key, ret);
}

int
py_dict_get_number(struct mem *m, const struct py_offsets *o, uint64_t at,
    uint64_t key, uint64_t *ret)
{
	struct py_item item;
	struct py_dict d;
	int r = py_dict_begin(&d, m, o, at);

	if (r < 0)
		return r;
	if (d.size != 24)
		return -ENOENT; /* all keys are strings */
	while ((r = py_dict_next(&d, &item)) == 1)
		if (item.hash == key) {
			*ret = item.value;
			return 0;
		}
	return r == 0 ? -ENOENT : r;
}

/* --- attributes ---------------------------------------------------------- */

struct type {
	uint64_t at, basic_size, dict_offset;
	uint32_t flags;
};

static int
read_type(struct mem *m, const struct py_offsets *o, uint64_t object,
    struct type *ret)
{
	uint8_t b[PY_TYPE_DICT_OFFSET + 8 - PY_TYPE_BASIC_SIZE];
	int r = mem_read_u64(m, object + o->ob_type, &ret->at);

	if (r == 0)
		r = mem_read(m, ret->at + py_at(o, PY_TYPE_BASIC_SIZE), b,
		    sizeof(b));
	if (r < 0)
		return r;
	ret->basic_size = mem_u64(b, 0);
	ret->flags = (uint32_t)mem_u64(b, PY_TYPE_FLAGS - PY_TYPE_BASIC_SIZE);
	ret->dict_offset = mem_u64(b, PY_TYPE_DICT_OFFSET - PY_TYPE_BASIC_SIZE);
	return 0;
}

/* Values in an array, in the order of the keys that the type has. */
static int
begin_values(struct py_dict *d, const struct type *t, uint64_t values)
{
	uint64_t keys;
	int r = mem_read_u64(d->mem, t->at + d->o->ht_keys, &keys);

	return r < 0 ? r : dict_begin_split(d, keys, values);
}

/* 3.11: two words in front of the head of the garbage collector: values or,
 * if that is 0, a dictionary. */
static int
begin_3_11(struct py_dict *d, const struct type *t, uint64_t object)
{
	uint64_t values, dict;
	int r = mem_read_u64(d->mem, object - 32, &values);

	if (r == 0 && values != 0)
		return begin_values(d, t, values);
	if (r == 0)
		r = mem_read_u64(d->mem, object - 24, &dict);
	return r < 0 ? r : py_dict_begin(d, d->mem, d->o, dict);
}

/* From 3.12 on one word in front of the object: a dictionary, or in 3.12, if
 * its lowest bit is set, an array. From 3.13 on the array may be behind the
 * object. */
static int
begin_managed(struct py_dict *d, const struct type *t, uint64_t object)
{
	uint64_t word;
	uint8_t is_valid;
	int r = mem_read_u64(d->mem,
	    object - (d->o->is_free_threaded ? 8 : 24), &word);

	if (r < 0)
		return r;
	if (d->o->minor == 12 && (word & 1) != 0)
		return begin_values(d, t, word + 1);
	if (word != 0)
		return py_dict_begin(d, d->mem, d->o, word);
	if ((t->flags & HAS_INLINE_VALUES) == 0 || t->basic_size > 1u << 20)
		return -ENOENT;
	r = mem_read(d->mem, object + t->basic_size + 3, &is_valid, 1);
	if (r < 0 || !is_valid)
		return r < 0 ? r : -ENOENT;
	return begin_values(d, t, object + t->basic_size);
}

static int
begin_attributes(struct py_dict *d, uint64_t object)
{
	struct type t;
	uint64_t dict;
	int r = read_type(d->mem, d->o, object, &t);

	if (r < 0)
		return r;
	if (d->o->minor >= 11 && (t.flags & HAS_MANAGED_DICT) != 0)
		return d->o->minor == 11 ? begin_3_11(d, &t, object)
		                         : begin_managed(d, &t, object);
	if (t.dict_offset == 0 || t.dict_offset > 1u << 20)
		return -ENOENT;
	r = mem_read_u64(d->mem, object + t.dict_offset, &dict);
	return r < 0 ? r : py_dict_begin(d, d->mem, d->o, dict);
}

int
py_object_attr(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *name, uint64_t *ret)
{
	struct py_dict d;
	int r;

	dict_reset(&d, m, o);
	r = begin_attributes(&d, at);
	if (r == 0 && d.n > PY_MAX_ATTRS)
		return -E2BIG;
	return r < 0 ? r : dict_find_key(&d, name, ret);
}

/* --- types --------------------------------------------------------------- */

int
py_type_name(struct mem *m, const struct py_offsets *o, uint64_t type,
    char *buf, size_t cap)
{
	uint64_t name;
	int r = mem_read_u64(m, type + py_at(o, PY_TYPE_NAME), &name);
	long n;

	if (r < 0)
		return r;
	n = mem_read_some(m, name, buf, cap - 1);
	if (n < 0)
		return (int)n;
	buf[n] = '\0';
	return 0;
}
