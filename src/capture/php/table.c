/* Lookup in a table that may change meanwhile: every step is bounded. */
#include "capture/php/table.h"

#include <string.h>

#include "capture/php/offsets.h"

/* Steps through buckets with one hash. */
#define MAX_CHAIN 64
#define NO_BUCKET UINT32_MAX

enum {
	ARR_SIZE = 32,  /* what is read of one */
	TYPE_STRING = 6,
	TYPE_ARRAY = 7,
	TYPE_REFERENCE = 10,
	/* IS_INDIRECT has been 12, 13 and 15. */
	TYPE_INDIRECT_80 = 12,
	TYPE_INDIRECT_73 = 13,
	TYPE_INDIRECT_70 = 15,
	ZVAL_BYTES = 16,
	REF_VAL = 8
};

static uint64_t
hash_of(const char *s, size_t n)
{
	uint64_t h = 5381;

	while (n-- > 0)
		h = h * 33 + (uint8_t)*s++;
	return h | (uint64_t)1 << 63;
}

static int
is_key(struct mem *m, uint64_t at, const char *name, size_t n)
{
	uint8_t s[STR_VAL + 64];

	return n <= 64 && mem_read(m, at, s, STR_VAL + n) == 0 &&
	    mem_u64(s, STR_LEN) == n && memcmp(s + STR_VAL, name, n) == 0;
}

/* The zval behind references and slots of compiled variables. 1, or 0. */
static int
follow(struct mem *m, uint8_t *zval)
{
	int i;

	for (i = 0; i < 4; i++) {
		uint64_t at = mem_u64(zval, 0);

		switch (mem_u8(zval, ZVAL_TYPE)) {
		case TYPE_REFERENCE:
			at += REF_VAL;
			break;
		case TYPE_INDIRECT_80:
		case TYPE_INDIRECT_73:
		case TYPE_INDIRECT_70:
			break;
		default:
			return 1;
		}
		if (mem_read(m, at, zval, ZVAL_BYTES) < 0)
			return 0;
	}
	return 0;
}

/* The value under a key: 1 and its zval, or 0. */
static int
find(struct mem *m, uint64_t table, const char *name, uint8_t *zval)
{
	size_t n = strlen(name);
	uint64_t h = hash_of(name, n), data;
	uint8_t head[ARR_SIZE], bucket[BUCKET_SIZE];
	uint32_t i, used;
	int steps;

	if (mem_read(m, table, head, sizeof(head)) < 0)
		return 0;
	data = mem_u64(head, ARR_DATA);
	used = mem_u32(head, ARR_USED);
	/* Slots with the first bucket of a hash lie before the buckets; the
	 * mask is negative. */
	i = (uint32_t)h | mem_u32(head, ARR_MASK);
	if (mem_read(m, data + (uint64_t)((int64_t)(int32_t)i * 4), &i,
	        sizeof(i)) < 0)
		return 0;
	for (steps = 0; i != NO_BUCKET && i < used && steps < MAX_CHAIN;
	    steps++) {
		if (mem_read(m, data + (uint64_t)i * BUCKET_SIZE, bucket,
		        sizeof(bucket)) < 0)
			return 0;
		if (mem_u64(bucket, ZVAL_BYTES) == h &&
		    is_key(m, mem_u64(bucket, BUCKET_KEY), name, n)) {
			memcpy(zval, bucket, ZVAL_BYTES);
			return follow(m, zval);
		}
		i = mem_u32(bucket, ZVAL_NEXT);
	}
	return 0;
}

size_t
table_server(struct mem *m, uint64_t eg, const char *name, char *buf,
    size_t cap)
{
	uint8_t zval[ZVAL_BYTES];
	uint64_t at, len;

	if (!find(m, eg + EG_SYMBOL_TABLE, "_SERVER", zval) ||
	    mem_u8(zval, ZVAL_TYPE) != TYPE_ARRAY ||
	    !find(m, mem_u64(zval, 0), name, zval) ||
	    mem_u8(zval, ZVAL_TYPE) != TYPE_STRING)
		return 0;
	at = mem_u64(zval, 0);
	if (mem_read_u64(m, at + STR_LEN, &len) < 0)
		return 0;
	if (len > cap)
		len = cap;
	return len > 0 && mem_read(m, at + STR_VAL, buf, (size_t)len) == 0
	    ? (size_t)len : 0;
}
