/*
 * Ids of stacks that are the same on all machines: 64 bits of a SHA-256 of
 * their frames. A process that makes up function names can make two stacks of
 * its own collide with some effort, but not one with a stack of another
 * process.
 */
#ifndef SHIP_STACKID_H
#define SHIP_STACKID_H

#include "core/sha256.h"
#include "model/dict.h"

struct stackids {
	struct bob_ctx *ctx;
	const struct bob_dict *dict;
	uint64_t *id;    /* by stack */
	uint64_t *frame; /* by frame */
	size_t cap_id, cap_frame;
	uint32_t n_id, n_frame;
	char *name; /* scratch */
	size_t cap_name;
};

void stackids_init(struct stackids *x, struct bob_ctx *ctx,
    const struct bob_dict *dict);
void stackids_done(struct stackids *x);

/* Computes the ids of all stacks that the dictionary has by now. Returns BOB_OK
 * or FATAL. */
int stackids_renew(struct stackids *x);

/* The empty stack has id 0. */
static inline int
stackids_get(struct stackids *x, bob_stack stack, uint64_t *ret)
{
	if (stack >= x->n_id && stackids_renew(x) < 0)
		return BOB_FATAL;
	*ret = stack < x->n_id ? x->id[stack] : 0;
	return BOB_OK;
}

/* Sets *ret to the full name of a frame's function, valid until the next call.
 * Returns BOB_OK or FATAL. */
int stackids_name(struct stackids *x, bob_fid frame, struct bob_bytes *ret);

/* The line of a frame, or the offset of a native one; 0: none. */
int64_t stackids_line(const struct bob_frame *f);

#endif
