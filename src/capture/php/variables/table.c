/* Lookup in tables that may change while they are read; see table.h. */
#include "capture/php/variables/table.h"

#include <string.h>

/* Limit of buckets in one chain. */
#define MAX_CHAIN 64
#define NO_BUCKET UINT32_MAX

/* Limit of references and indirect zvals in a row. */
#define MAX_FOLLOWED 4

/* Bytes of a zval without its last field, which belongs to its bucket. */
#define ZVAL_OWN 12

uint8_t
ht_type_at(struct mem *m, uint64_t at)
{
	uint8_t type;

	if (at % 8 != 0 || !mem_is_user(at, ZVAL_SIZE) ||
	    mem_read(m, at + GC_TYPE, &type, 1) < 0)
		return 0;
	type &= GC_TYPE_BITS;
	return type >= ZVAL_IS_STRING && type <= ZVAL_IS_REFERENCE ? type : 0;
}

static int
is_key(struct mem *m, uint64_t at, const struct table_key *k)
{
	uint8_t s[STR_VAL + SPEC_MAX_BYTES];

	return mem_is_user(at, STR_VAL) && k->n <= SPEC_MAX_BYTES &&
	    mem_read(m, at, s, STR_VAL + k->n) == 0 &&
	    mem_u64(s, STR_LEN) == k->n &&
	    memcmp(s + STR_VAL, k->s, k->n) == 0;
}

/* Looks up a key in a packed array: its values are in order, without keys. */
static int
find_in_list(const struct php_offsets *o, uint64_t data, uint32_t used,
    const struct table_key *k, uint64_t *ret_at)
{
	uint64_t size = o->has_short_lists ? ZVAL_SIZE : BUCKET_SIZE;

	if (!k->is_number || k->h >= used)
		return TABLE_NONE;
	*ret_at = data + k->h * size;
	return TABLE_OK;
}

/* Returns 1 if the bucket has the key, and notes it; else 0. */
static int
has_key(struct deps *p, uint64_t at, const uint8_t *bucket,
    const struct table_key *k)
{
	uint64_t key = mem_u64(bucket, BUCKET_KEY);

	return mem_u64(bucket, BUCKET_HASH) == k->h &&
	    (k->is_number ? key == 0 : is_key(p->mem, key, k)) &&
	    deps_note(p, at + BUCKET_HASH, bucket + BUCKET_HASH, 16) == 0;
}

static int
find_in_chain(struct deps *p, uint64_t data, uint32_t mask, uint32_t used,
    const struct table_key *k, uint64_t *ret_at)
{
	uint8_t bucket[BUCKET_SIZE];
	uint32_t i = (uint32_t)k->h | mask;
	int steps;

	/* The index of the first bucket of a chain is in a table before the
	 * buckets; so the mask is negative. */
	if (mask < 0x80000000u || mem_read(p->mem,
	        data + (uint64_t)((int64_t)(int32_t)i * 4), &i, 4) < 0)
		return TABLE_TORN;
	for (steps = 0; steps < MAX_CHAIN; steps++) {
		uint64_t at = data + (uint64_t)i * BUCKET_SIZE;

		if (i == NO_BUCKET)
			return TABLE_NONE;
		if (i >= used ||
		    mem_read(p->mem, at, bucket, sizeof(bucket)) < 0)
			return TABLE_TORN;
		if (has_key(p, at, bucket, k)) {
			*ret_at = at;
			return TABLE_OK;
		}
		i = mem_u32(bucket, ZVAL_NEXT);
	}
	return TABLE_TORN;
}

int
ht_find(struct deps *p, const struct php_offsets *o, uint64_t table,
    const struct table_key *key, uint64_t *ret_at)
{
	uint8_t head[ARR_SIZE];
	uint64_t data;
	uint32_t used;

	if (!mem_is_user(table, ARR_SIZE) ||
	    mem_read(p->mem, table, head, sizeof(head)) < 0 ||
	    deps_note(p, table + ARR_MASK, head + ARR_MASK, 12) < 0)
		return TABLE_TORN;
	data = mem_u64(head, ARR_DATA);
	used = mem_u32(head, ARR_USED);
	if (used == 0)
		return TABLE_NONE;
	if (!mem_is_user(data, 1))
		return TABLE_TORN;
	if (mem_u32(head, ARR_FLAGS) & ARR_IS_LIST)
		return find_in_list(o, data, used, key, ret_at);
	return find_in_chain(p, data, mem_u32(head, ARR_MASK), used, key,
	    ret_at);
}

int
ht_follow(struct deps *p, const struct php_offsets *o, uint64_t *at,
    uint8_t zval[ZVAL_SIZE])
{
	int i;

	for (i = 0; i <= MAX_FOLLOWED; i++) {
		uint8_t type;
		uint64_t to;

		if (!mem_is_user(*at, ZVAL_SIZE) ||
		    mem_read(p->mem, *at, zval, ZVAL_SIZE) < 0)
			return TABLE_TORN;
		type = mem_u8(zval, ZVAL_TYPE);
		to = mem_u64(zval, 0);
		if (type == ZVAL_IS_REFERENCE)
			to += REF_VAL;
		else if (type != o->type_indirect)
			return type == ZVAL_IS_UNDEF ? TABLE_NONE : TABLE_OK;
		if (deps_note(p, *at, zval, ZVAL_OWN) < 0)
			return TABLE_TORN;
		*at = to;
	}
	return TABLE_TORN;
}

int
ht_pointer(struct deps *p, const struct php_offsets *o,
    uint64_t table, const struct table_key *key, uint64_t *ret)
{
	uint8_t zval[ZVAL_SIZE];
	uint64_t at;
	uint8_t type;
	int r = ht_find(p, o, table, key, &at);

	if (r != TABLE_OK)
		return r;
	if (mem_read(p->mem, at, zval, sizeof(zval)) < 0 ||
	    deps_note(p, at, zval, ZVAL_OWN) < 0)
		return TABLE_TORN;
	type = mem_u8(zval, ZVAL_TYPE);
	*ret = mem_u64(zval, 0);
	/* The second type is that of a class alias. */
	return (type == o->type_pointer || type == o->type_pointer + 1) &&
	    mem_is_user(*ret, 1) ? TABLE_OK : TABLE_TORN;
}

/* Sets *ret_at to the address of a declared property of an object. */
static int
find_declared(struct deps *p, const struct php_offsets *o, uint64_t object,
    uint64_t class, const struct table_key *key, uint64_t *ret_at)
{
	uint32_t count;
	uint64_t info, v;
	uint32_t offset;
	int r = ht_pointer(p, o, class + CE_PROPERTIES, key, &info);

	if (r != TABLE_OK)
		return r;
	if (deps_read_word(p, info + PROP_OFFSET, &v) < 0 ||
	    mem_read(p->mem, class + CE_N_PROPERTIES, &count, 4) < 0)
		return TABLE_TORN;
	offset = (uint32_t)v;
	if ((v >> 32 & o->acc_static) != 0)
		return TABLE_NONE;
	/* Virtual properties have no value in the object. */
	if (offset < OBJ_TABLE || (offset - OBJ_TABLE) % ZVAL_SIZE != 0 ||
	    (offset - OBJ_TABLE) / ZVAL_SIZE >= count)
		return TABLE_NONE;
	*ret_at = object + offset;
	return TABLE_OK;
}

static int
find_property(struct deps *p, const struct php_offsets *o,
    uint64_t object, const struct table_key *key, uint64_t *ret_at)
{
	uint64_t class, others;
	int r;

	if (!mem_is_user(object, OBJ_TABLE) ||
	    deps_read_word(p, object + OBJ_CLASS, &class) < 0 ||
	    !mem_is_user(class, 1))
		return TABLE_TORN;
	r = find_declared(p, o, object, class, key, ret_at);
	if (r != TABLE_NONE)
		return r;
	if (deps_read_word(p, object + OBJ_OTHERS, &others) < 0)
		return TABLE_TORN;
	return others != 0 ? ht_find(p, o, others, key, ret_at)
	                   : TABLE_NONE;
}

int
ht_step(struct deps *p, const struct php_offsets *o, uint64_t *at,
    const struct spec_step *step)
{
	const uint8_t want = step->is_property ? ZVAL_IS_OBJECT
	                                       : ZVAL_IS_ARRAY;
	uint8_t zval[ZVAL_SIZE];
	int r = ht_follow(p, o, at, zval);

	if (r != TABLE_OK)
		return r;
	if (mem_u8(zval, ZVAL_TYPE) != want)
		return TABLE_NONE;
	if (ht_type_at(p->mem, mem_u64(zval, 0)) != want ||
	    deps_note(p, *at, zval, ZVAL_OWN) < 0)
		return TABLE_TORN;
	return step->is_property
	    ? find_property(p, o, mem_u64(zval, 0), &step->key, at)
	    : ht_find(p, o, mem_u64(zval, 0), &step->key, at);
}

/* Reads the zval of $_SERVER[name]. Returns 1, or 0. */
static int
find_server(struct deps *p, const struct php_offsets *o, uint64_t eg,
    const char *name, uint8_t zval[ZVAL_SIZE])
{
	struct table_key server = table_key_of("_SERVER", 7);
	struct spec_step step = { .key = table_key_of(name, strlen(name)) };
	uint64_t at;

	return ht_find(p, o, eg + EG_SYMBOL_TABLE, &server, &at) == TABLE_OK &&
	    ht_step(p, o, &at, &step) == TABLE_OK &&
	    ht_follow(p, o, &at, zval) == TABLE_OK;
}

size_t
ht_server(struct mem *m, const struct php_offsets *o, uint64_t eg,
    const char *name, char *buf, size_t cap)
{
	struct deps p;
	uint8_t zval[ZVAL_SIZE];
	uint64_t at, len;

	deps_init(&p, m);
	if (!find_server(&p, o, eg, name, zval) ||
	    mem_u8(zval, ZVAL_TYPE) != ZVAL_IS_STRING)
		return 0;
	at = mem_u64(zval, 0);
	if (mem_read_u64(m, at + STR_LEN, &len) < 0)
		return 0;
	if (len > cap)
		len = cap;
	return len > 0 && mem_read(m, at + STR_VAL, buf, (size_t)len) == 0 &&
	        deps_unchanged(&p, NULL, 0)
	    ? (size_t)len : 0;
}

uint64_t
ht_server_double(struct mem *m, const struct php_offsets *o, uint64_t eg,
    const char *name)
{
	struct deps p;
	uint8_t zval[ZVAL_SIZE];

	deps_init(&p, m);
	return find_server(&p, o, eg, name, zval) &&
	        mem_u8(zval, ZVAL_TYPE) == ZVAL_IS_DOUBLE &&
	        deps_unchanged(&p, NULL, 0)
	    ? mem_u64(zval, 0) : 0;
}
