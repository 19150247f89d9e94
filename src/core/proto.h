/*
 * Writing protocol buffers: fields one after the other, messages inside
 * messages. They are gathered in memory; proto_commit passes them to an output.
 * So a message of any size can be written field by field.
 *
 *     at = proto_begin(p, 2);          a message in field 2
 *     proto_u64(p, 1, id);
 *     proto_bytes(p, 3, name.p, name.n);
 *     proto_end(p, at);
 *     return proto_commit(p, out);
 *
 * The functions that write return nothing. The first failure is kept, and
 * proto_commit returns it.
 */
#ifndef CORE_PROTO_H
#define CORE_PROTO_H

#include <stddef.h>
#include <stdint.h>

#include "core/output.h"

struct proto {
	struct bob_ctx *ctx;
	uint8_t *p;
	size_t n, cap_p;
	int r; /* first failure, or BOB_OK */
};

void proto_init(struct proto *p, struct bob_ctx *ctx);
void proto_done(struct proto *p);

/* Writes a varint field, even if it is 0. */
void proto_u64(struct proto *p, unsigned field, uint64_t v);

/* The same, but nothing if v is 0, which readers take for an absent field. */
void proto_u64_if(struct proto *p, unsigned field, uint64_t v);

void proto_bytes(struct proto *p, unsigned field, const void *v, size_t n);

/* Writes a varint without a field number, for packed fields. */
void proto_packed(struct proto *p, uint64_t v);

/* Begin and end a message, or packed numbers, in `field`. Everything written in
 * between is its content. Pass the result of proto_begin to proto_end. */
size_t proto_begin(struct proto *p, unsigned field);
void proto_end(struct proto *p, size_t at);

/* Commits what was gathered, and begins again. Returns BOB_OK or the first
 * failure. */
int proto_commit(struct proto *p, struct out *to);

#endif
