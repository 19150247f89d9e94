/*
 * Gaps that tolerant reading has found and not yet given. At most GAPS_MAX are
 * kept, so that a file which is nothing but damage costs no memory: a gap that
 * begins where the last one ends, or for which there is no room, is joined to
 * the last one.
 */
#ifndef FORMAT_COMMON_GAPS_H
#define FORMAT_COMMON_GAPS_H

#include <stdarg.h>

#include <bobbin/model.h>

#include "format/format.h"

#define GAPS_MAX 32
#define GAPS_MAX_WHY 160

struct gaps {
	struct {
		struct bob_gap gap;
		char why[GAPS_MAX_WHY];
	} v[GAPS_MAX];
	size_t n, n_given;
};

/* Copies `why`; gap->why is not used. */
void gaps_add(struct gaps *g, const struct bob_gap *gap, const char *why);

/*
 * Reports damage in an input. In tolerant reading it adds a gap and returns
 * BOB_FAILED. Else it sets the error "FORMAT: byte N: REASON" with the code of
 * the gap and returns FATAL. gap->why is not used.
 */
int gaps_damage(struct gaps *g, const struct source *src,
    const struct bob_gap *gap, const char *format, const char *fmt,
    va_list ap) __attribute__((format(printf, 5, 0)));

static inline int
gaps_has(const struct gaps *g)
{
	return g->n_given < g->n;
}

/* Makes an event of the first gap that was not given. The event is valid until
 * the next gap is added. Returns BOB_OK. */
int gaps_give(struct gaps *g, struct bob_mark *mark, struct bob_event *ret);

#endif
