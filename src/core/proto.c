/* Protocol buffers, written; see the header. */
#include "core/proto.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/varint.h"

enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void
proto_init(struct proto *p, struct bob_ctx *ctx)
{
	memset(p, 0, sizeof(*p));
	p->ctx = ctx;
}

void
proto_done(struct proto *p)
{
	free(p->p);
}

/* Room for n more bytes, or NULL. */
static uint8_t *
proto_room(struct proto *p, size_t n)
{
	if (p->r == BOB_OK)
		p->r = MEM_GROW(p->ctx, p, p, p->n + n);
	return p->r == BOB_OK ? p->p + p->n : NULL;
}

void
proto_packed(struct proto *p, uint64_t v)
{
	uint8_t *at = proto_room(p, VARINT_MAX);

	if (at != NULL)
		p->n = (size_t)(varint_put(at, v) - p->p);
}

static void
proto_key(struct proto *p, unsigned field, enum wire wire)
{
	proto_packed(p, (uint64_t)field << 3 | wire);
}

void
proto_u64(struct proto *p, unsigned field, uint64_t v)
{
	proto_key(p, field, WIRE_VARINT);
	proto_packed(p, v);
}

void
proto_u64_if(struct proto *p, unsigned field, uint64_t v)
{
	if (v != 0)
		proto_u64(p, field, v);
}

void
proto_bytes(struct proto *p, unsigned field, const void *v, size_t n)
{
	uint8_t *at;

	proto_key(p, field, WIRE_BYTES);
	proto_packed(p, n);
	at = proto_room(p, n);
	if (at == NULL)
		return;
	if (n > 0)
		memcpy(at, v, n);
	p->n += n;
}

size_t
proto_begin(struct proto *p, unsigned field)
{
	proto_key(p, field, WIRE_BYTES);
	return p->n;
}

/* The length is known only now: the content moves to make room for it. */
void
proto_end(struct proto *p, size_t at)
{
	size_t n, head;

	if (p->r < 0)
		return;
	assert(at <= p->n);
	n = p->n - at;
	head = varint_size(n);
	if (proto_room(p, head) == NULL)
		return;
	memmove(p->p + at + head, p->p + at, n);
	(void)varint_put(p->p + at, n);
	p->n += head;
}

int
proto_commit(struct proto *p, struct out *to)
{
	int r = p->r < 0 ? p->r : out_bytes(to, p->p, p->n);

	p->n = 0;
	return r;
}
