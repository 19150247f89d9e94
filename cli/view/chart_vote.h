/* Finds what has more than half of a weight, if anything has: the vote of Boyer
 * and Moore. `lead` is by how much it leads. */
#ifndef CLI_VIEW_CHART_VOTE_H
#define CLI_VIEW_CHART_VOTE_H

#include <stdint.h>

struct chart_vote {
	uint64_t lead;
	uint32_t what;
};

static inline void
chart_vote(struct chart_vote *v, uint32_t what, uint64_t weight)
{
	if (v->what == what) {
		v->lead += weight;
	} else if (v->lead >= weight) {
		v->lead -= weight;
	} else {
		v->what = what;
		v->lead = weight - v->lead;
	}
}

#endif
