/*
 * Remembers which function calls which, and from which place, for all runtimes.
 *
 * A process runs on while its stack is copied, so that a caller may have gone
 * on when its callee is read. The two are believed if the one is known to call
 * the other, and the caller gets the place from which it is known to make the
 * call. Functions and places are numbers that the runtime chooses.
 */
#ifndef CAPTURE_CALLS_H
#define CAPTURE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/ptrmap.h"

/* Limit of remembered calls; above it all are forgotten. */
#define CALLS_MAX (1u << 17)

struct call {
	uint32_t n;       /* how often it was seen */
	uint32_t place;   /* the most frequent one */
	uint32_t n_there; /* how often it was seen there */
};

struct calls {
	struct call *call;
	size_t n_call, cap_call;
	struct ptrmap pairs;  /* by caller and callee: index of the call */
	struct ptrmap places; /* by caller, callee and a place that is not the
	                       * most frequent one: how often it was seen */
};

#define CALLS_NONE PTRMAP_NONE /* no such call is known */
#define CALLS_NOWHERE 0        /* the call is known, but not its place */

/* Remembers a call, at a place or CALLS_NOWHERE. Returns BOB_OK, or FATAL if
 * memory is out. */
int calls_note(struct bob_ctx *ctx, struct calls *c, uint32_t caller,
    uint32_t place, uint32_t callee);

/* Returns the most frequent place of a call; CALLS_NOWHERE; or CALLS_NONE, also
 * for a call that was seen only once, which may be a mistake. */
uint32_t calls_find(const struct calls *c, uint32_t caller, uint32_t callee);

/* Returns the only place of a call; CALLS_NOWHERE if there are several. The
 * only place was seen four times or more, and all others together at most a
 * quarter as often: these are taken for mistakes. */
uint32_t calls_find_only(const struct calls *c, uint32_t caller,
    uint32_t callee);

/* True if a call was seen at a place so often that it is no mistake: more than
 * once, and either at least an eighth as often as at the most frequent place,
 * or 512 times. */
int calls_knows(const struct calls *c, uint32_t caller, uint32_t place,
    uint32_t callee);

void calls_forget(struct calls *c);
void calls_free(struct calls *c);

#endif
