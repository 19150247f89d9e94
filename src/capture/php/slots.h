/*
 * What a function calls in a frame of this size at this distance.
 *
 * Which frame is current and where the stack ends is read in one go, and both
 * are true for the same moment. The frame itself is copied half a microsecond
 * later, when another function may already have its place. But a frame has the
 * size that its function needs, and lies where the calls around it leave room:
 * when the one that was copied does not have the size that the current one
 * had, then it was another function, and mostly there is one that fits.
 */
#ifndef CAPTURE_PHP_SLOTS_H
#define CAPTURE_PHP_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/php/names.h"
#include "capture/ptrmap.h"

/* Places that are remembered; at more, all are forgotten. */
#define SLOTS_MAX (1u << 14)

/* Functions with frames of one size in one place. */
#define SLOT_CALLEES 4

struct slot_key {
	uint32_t caller;   /* function, by its index in names */
	uint64_t distance; /* of the callee's frame */
	uint64_t size;     /* of it */
};

struct slot_callee {
	struct php_place place; /* where it was seen last */
	bob_fid caller;         /* and its caller */
	uint32_t n;             /* how often */
};

struct slot {
	struct slot_callee callee[SLOT_CALLEES];
};

struct slots {
	struct ptrmap by_key;
	struct slot *slot;
	size_t n_slot, cap_slot;
	uint32_t lot;
};

/* Remembers a frame that is linked to its caller. BOB_OK, or an error when
 * memory is out. */
int slots_note(struct bob_ctx *ctx, struct slots *s,
    const struct slot_key *key, bob_fid caller,
    const struct php_place *callee);

/* One that fits: the only one, or of several one by lot, as often as they were
 * seen. NULL when nothing is known. */
const struct slot_callee *slots_find(struct slots *s,
    const struct slot_key *key);

/* The same for a function that is known to be it. */
const struct slot_callee *slots_find_of(const struct slots *s,
    const struct slot_key *key, uint32_t function);

void slots_forget(struct slots *s);
void slots_free(struct slots *s);

#endif
