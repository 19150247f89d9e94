/*
 * Reading protocol buffers from memory: the fields of a message one after the
 * other, whatever the message. core/proto.h writes them.
 *
 *     while ((r = proto_next(&p, end, &f)) == 1)
 *             if (f.number == 3 && f.wire == PROTO_BYTES)
 *                     ... f.n bytes at f.p ...
 *     if (r < 0)
 *             ... damaged at p ...
 *
 * Groups, which are obsolete, count as damage.
 */
#ifndef CORE_PROTOREAD_H
#define CORE_PROTOREAD_H

#include <stddef.h>
#include <stdint.h>

#include "core/varint.h"

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_FIXED32 = 5
};

/* The longest key and length in front of bytes. */
#define PROTO_HEAD_MAX (2 * VARINT_MAX)

struct proto_field {
	uint32_t number;
	uint32_t wire;    /* enum proto_wire */
	uint64_t value;   /* of numbers; PROTO_BYTES: how many bytes */
	const uint8_t *p; /* PROTO_BYTES: the first of them */
};

/* Reads a varint of at most 10 bytes. Returns 1, sets *ret and moves *p behind
 * it; 0 if there is none. */
static inline int
proto_varint(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	if (end - *p > VARINT_MAX)
		end = *p + VARINT_MAX;
	return varint_get(p, end, ret);
}

/*
 * Reads a field without the bytes of PROTO_BYTES, which need not be there:
 * f->p is where they begin. Returns 1 and moves *p to the same place; 0 if the
 * field is damaged or not complete before `end`.
 */
static inline int
proto_head(const uint8_t **p, const uint8_t *end, struct proto_field *f)
{
	const uint8_t *q = *p;
	uint64_t key;
	size_t size;

	if (!proto_varint(&q, end, &key) || key >> 3 == 0 || key >> 32 != 0)
		return 0;
	f->number = (uint32_t)(key >> 3);
	f->wire = key & 7;
	f->value = 0;
	switch (f->wire) {
	case PROTO_VARINT:
	case PROTO_BYTES:
		if (!proto_varint(&q, end, &f->value))
			return 0;
		break;
	case PROTO_FIXED64:
	case PROTO_FIXED32:
		size = f->wire == PROTO_FIXED64 ? 8 : 4;
		if ((size_t)(end - q) < size)
			return 0;
		while (size-- > 0)
			f->value = f->value << 8 | q[size];
		q += f->wire == PROTO_FIXED64 ? 8 : 4;
		break;
	default:
		return 0;
	}
	f->p = *p = q;
	return 1;
}

/* Reads the next field. Returns 1 and moves *p behind it; 0 at the end; -1 if
 * the field at *p is damaged or incomplete. */
static inline int
proto_next(const uint8_t **p, const uint8_t *end, struct proto_field *f)
{
	const uint8_t *q = *p;

	if (q == end)
		return 0;
	if (!proto_head(&q, end, f))
		return -1;
	if (f->wire == PROTO_BYTES) {
		if (f->value > (uint64_t)(end - q))
			return -1;
		q += f->value;
	}
	*p = q;
	return 1;
}

/*
 * Reads the next number of a field: it has one number, or several packed into
 * bytes. Set *at to NULL before the first call. Returns 1 and sets *ret; 0 at
 * the end; -1 if they are damaged.
 */
static inline int
proto_next_number(const struct proto_field *f, const uint8_t **at,
    uint64_t *ret)
{
	if (f->wire == PROTO_VARINT) {
		*ret = f->value;
		if (*at != NULL)
			return 0;
		*at = f->p;
		return 1;
	}
	if (f->wire != PROTO_BYTES)
		return -1;
	if (*at == NULL)
		*at = f->p;
	if (*at == f->p + f->value)
		return 0;
	return proto_varint(at, f->p + f->value, ret) ? 1 : -1;
}

#endif
