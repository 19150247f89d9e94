/*
 * Ids on their way from the thread that samples to the caller.
 *
 * The thread that samples puts names into a dictionary of its own; the caller
 * has one for each of his files. A relay knows which id of the first is which
 * of the second, and puts what is new. It is the caller's: only what it reads
 * is the other thread's, and is read while that one waits (sampler.h).
 */
#ifndef CAPTURE_RELAY_H
#define CAPTURE_RELAY_H

#include <bobbin/model.h>

#include "capture/ptrmap.h"

struct relay {
	struct bob_ctx *ctx;
	struct bob_dict *to;
	unsigned n_users;   /* processes whose ids go there */
	struct ptrmap frame, stack, track, annot;
	bob_stack *path;    /* while one is put */
	size_t cap_path;
	struct relay *next; /* of the sampler's */
};

/* Sets the ids of a run to those of `to`. 1; 0 when one of them is new. */
int relay_run(const struct relay *r, struct bob_run *run);

/* The same for one with new ids, whose names are in `from`. BOB_OK or FATAL. */
int relay_new_run(struct relay *r, const struct bob_dict *from,
    struct bob_run *run);

/* Ids are of another dictionary from here on. */
void relay_clear(struct relay *r);

void relay_free(struct relay *r);

#endif
