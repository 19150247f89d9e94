/*
 * Gaps that tolerant reading has found and not yet given. They are few on
 * purpose: what follows the last one directly, or comes when there is no more
 * room, is joined to it, so that a file which is nothing but damage costs no
 * memory.
 */
#ifndef FORMAT_GAPS_H
#define FORMAT_GAPS_H

#include <bobbin/model.h>

#define GAPS_MAX 32
#define GAPS_MAX_WHY 160

struct gaps {
	struct {
		struct bob_gap gap;
		char why[GAPS_MAX_WHY];
	} v[GAPS_MAX];
	size_t n, n_given;
};

/* `why` is copied; gap->why is not looked at. */
void gaps_add(struct gaps *g, const struct bob_gap *gap, const char *why);

static inline int
gaps_has(const struct gaps *g)
{
	return g->n_given < g->n;
}

/* The first gap that was not given, as an event. What it points to is valid
 * until the next gap is added. Returns BOB_OK. */
int gaps_give(struct gaps *g, struct bob_mark *mark, struct bob_event *ret);

#endif
