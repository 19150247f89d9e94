/*
 * Which function calls which, and where, as it was seen.
 *
 * A process runs on while its stack is copied, so that a caller may have gone
 * on when its callee is read. Both are believed all the same when the one is
 * known to call the other; then the caller stood where it is known to. What a
 * function and a place are is the runtime's business: both are numbers.
 */
#ifndef CAPTURE_CALLS_H
#define CAPTURE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/ptrmap.h"

/* Calls that are remembered; at more, all are forgotten. */
#define CALLS_MAX (1u << 17)

struct call {
	uint32_t n;       /* how often it was seen */
	uint32_t place;   /* where most of all */
	uint32_t n_there; /* and how often there */
};

struct calls {
	struct call *call;
	size_t n_call, cap_call;
	struct ptrmap pairs;  /* by caller and callee: which call */
	struct ptrmap places; /* by both and a place that was not the most
	                       * frequent one: how often */
};

#define CALLS_NONE PTRMAP_NONE /* no such call is known */
#define CALLS_NOWHERE 0        /* it is, but not where */

/* Remembers a call, at a place or CALLS_NOWHERE. BOB_OK, or an error when
 * memory is out. */
int calls_note(struct bob_ctx *ctx, struct calls *c, uint32_t caller,
    uint32_t place, uint32_t callee);

/* Where in `caller` the other is called most often; CALLS_NOWHERE or
 * CALLS_NONE. Once may be chance. */
uint32_t calls_find(const struct calls *c, uint32_t caller, uint32_t callee);

/* Where alone it is called: there four times or more, and elsewhere at most a
 * quarter as often, which is taken for a mistake; CALLS_NOWHERE. */
uint32_t calls_find_only(const struct calls *c, uint32_t caller,
    uint32_t callee);

/* Whether it is called there often enough for that to be no mistake: more than
 * once, and once in eight times that it is where it is most often, or some
 * hundred times. */
int calls_knows(const struct calls *c, uint32_t caller, uint32_t place,
    uint32_t callee);

void calls_forget(struct calls *c);
void calls_free(struct calls *c);

#endif
