/*
 * Which functions a caller calls, by the distance of the callee's frame from
 * the caller's and by the size of the callee's frame. Such a pair is a slot.
 *
 * The current frame and the end of the stack are read together, so they are of
 * the same moment. The frame itself is copied half a microsecond later, when
 * another function may already have a frame in its place. The size of a frame
 * depends on its function, and the distance on the calls around it. So if the
 * copied frame has not the size of the one that was current, the current one
 * was of another function, and mostly just one known callee fits the slot.
 */
#ifndef CAPTURE_PHP_FRAMES_SLOTS_H
#define CAPTURE_PHP_FRAMES_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/php/frames/names.h"
#include "capture/ptrmap.h"

/* Limit of remembered slots; above it all are forgotten. */
#define SLOTS_MAX (1u << 14)

/* Functions that are remembered for one slot. */
#define SLOT_CALLEES 4

struct slot_key {
	uint32_t caller;   /* function, by its index in names */
	uint64_t distance; /* of the callee's frame */
	uint64_t size;     /* of the callee's frame */
};

struct slot_callee {
	struct php_place place; /* of the callee when it was last seen */
	bob_fid caller;         /* frame of its caller then */
	uint32_t n;             /* how often it was seen; 0: unused */
};

struct slot {
	struct slot_callee callee[SLOT_CALLEES];
};

struct slots {
	struct ptrmap by_key;
	struct slot *slot;
	size_t n_slot, cap_slot;
	uint32_t seed; /* of slots_find */
};

/* Remembers a frame that is linked to its caller. Returns BOB_OK, or BOB_FATAL
 * if memory is out. */
int slots_note(struct bob_ctx *ctx, struct slots *s,
    const struct slot_key *key, bob_fid caller,
    const struct php_place *callee);

/* Returns a callee of the slot; NULL if none is known. Of several it draws one,
 * each with the probability with which it was seen. */
const struct slot_callee *slots_find(struct slots *s,
    const struct slot_key *key);

/* Returns the callee of the slot that is this function; NULL if it was not seen
 * there. */
const struct slot_callee *slots_find_of(const struct slots *s,
    const struct slot_key *key, uint32_t function);

void slots_forget(struct slots *s);
void slots_free(struct slots *s);

#endif
