/*
 * The shape of a view: which frames of a stack it shows, and as what
 * (bobbin/profile.h). Texts of frames are compared once for each frame; after
 * that a stack takes one step.
 */
#ifndef ANALYZE_SHAPE_H
#define ANALYZE_SHAPE_H

#include <bobbin/profile.h>

#include "core/error.h"

/* What becomes of a frame: bits. */
enum shape_role {
	SHAPE_HIDES = 1 << 0,
	SHAPE_BEGINS = 1 << 1,   /* it is the focus */
	SHAPE_COLLAPSES = 1 << 2 /* its key is the text of a rule */
};

/* A copy of what the caller gave. All zeros: none. */
struct shape {
	struct bob_shape *rule;
	size_t n;
	int has_focus, folds; /* there is a rule of FOCUS, of RECURSION */
};

/* Returns what is wrong with the rules; NULL: nothing. */
const char *shape_wrong(const struct bob_shape *rule, size_t n);

/* Returns BOB_OK or FATAL. Call shape_done in either case. */
int shape_copy(struct bob_ctx *ctx, struct shape *to,
    const struct bob_shape *rule, size_t n);
void shape_done(struct shape *s);

/* True if these are the rules, in this order. */
int shape_is(const struct shape *s, const struct bob_shape *rule, size_t n);

struct keys;

/* Sets the key and the role of a frame. Returns BOB_OK or FATAL. */
int shape_frame(struct keys *k, bob_fid id);

/* Sets k->of_stack from k->n_stack on. Returns BOB_OK or FATAL. */
int shape_stacks(struct keys *k);

#endif
