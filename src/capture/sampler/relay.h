/*
 * Translates ids of the sampling thread's dictionary to those of a dictionary
 * of the caller.
 *
 * The caller has a dictionary for each of his files, and a relay for each
 * dictionary: it remembers which id is which, and puts names that are new.
 * Relays are used by the caller's thread only, which holds the gate (sampler.h)
 * while it reads
 * while that thread holds the gate (sampler.h).
 */
#ifndef CAPTURE_SAMPLER_RELAY_H
#define CAPTURE_SAMPLER_RELAY_H

#include <bobbin/model.h>

#include "capture/ptrmap.h"

struct relay {
	struct bob_ctx *ctx;
	struct bob_dict *to;
	unsigned n_users;   /* processes that use it */
	struct ptrmap frame, stack, track, annot; /* old id to new id */
	bob_stack *path;    /* scratch space of relay_new_run() */
	size_t cap_path;
	struct relay *next; /* in the list of the sampler */
};

/* Sets the ids of a run to those of `to`. Returns 1; 0 if one of them is new,
 * and then the run is unchanged. */
int relay_run(const struct relay *r, struct bob_run *run);

/* The same for a run with new ids, whose names are in `from`. Returns BOB_OK or
 * FATAL. */
int relay_new_run(struct relay *r, const struct bob_dict *from,
    struct bob_run *run);

/* Forgets all ids, as the sampling thread has a new dictionary. */
void relay_clear(struct relay *r);

void relay_free(struct relay *r);

#endif
