/*
 * The wire format of protocol buffers, into memory: fields one after the
 * other, messages inside messages. What was gathered is handed to an output
 * with proto_commit, so that a message of any size can be written field by
 * field.
 *
 *     at = proto_begin(p, 2);          a message in field 2
 *     proto_u64(p, 1, id);
 *     proto_bytes(p, 3, name.p, name.n);
 *     proto_end(p, at);
 *     return proto_commit(p, out);
 *
 * Puts return nothing: a failure is kept and returned by proto_commit.
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

/* A varint field; 0 is written too. */
void proto_u64(struct proto *p, unsigned field, uint64_t v);

/* The same, but nothing when v is 0: what a reader takes for absent. */
void proto_u64_if(struct proto *p, unsigned field, uint64_t v);

void proto_fixed64(struct proto *p, unsigned field, uint64_t v);
void proto_bytes(struct proto *p, unsigned field, const void *v, size_t n);

/* A varint without a field, for what is packed. */
void proto_packed(struct proto *p, uint64_t v);

/* A message, or packed numbers, in `field`: what is put from here to
 * proto_end, which takes what proto_begin returned. */
size_t proto_begin(struct proto *p, unsigned field);
void proto_end(struct proto *p, size_t at);

/* Commits what was gathered and starts anew. BOB_OK or the first failure. */
int proto_commit(struct proto *p, struct out *to);

#endif
