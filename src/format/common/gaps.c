/* Gaps that were found and not yet given; see the header. */
#include "format/common/gaps.h"

#include <assert.h>
#include <stdio.h>

#include "core/mem.h"

/* Joins a gap to the last one that waits, where it must be. Returns 1, or 0. */
static int
gaps_join(struct gaps *g, const struct bob_gap *gap)
{
	struct bob_gap *last = g->n > 0 ? &g->v[g->n - 1].gap : NULL;
	uint64_t end, last_end;

	if (last == NULL || !gaps_has(g))
		return 0;
	last_end = last->offset + last->length;
	if (last_end != gap->offset && g->n < GAPS_MAX)
		return 0;
	end = gap->offset + gap->length;
	if (gap->offset < last->offset)
		last->offset = gap->offset;
	last->length = (end > last_end ? end : last_end) - last->offset;
	last->lost = count_add(last->lost, gap->lost);
	last->lost_is_exact &= gap->lost_is_exact;
	return 1;
}

void
gaps_add(struct gaps *g, const struct bob_gap *gap, const char *why)
{
	if (!gaps_has(g))
		g->n = g->n_given = 0;
	if (gaps_join(g, gap))
		return;
	assert(g->n < GAPS_MAX);
	g->v[g->n].gap = *gap;
	(void)snprintf(g->v[g->n].why, GAPS_MAX_WHY, "%s", why);
	g->n++;
}

int
gaps_give(struct gaps *g, struct bob_mark *mark, struct bob_event *ret)
{
	struct bob_gap *gap = &g->v[g->n_given].gap;

	assert(gaps_has(g));
	gap->why = g->v[g->n_given++].why;
	*mark = (struct bob_mark){ .kind = BOB_MARK_GAP,
		.offset = gap->offset, .length = gap->length,
		.count = gap->lost, .gap = gap };
	*ret = (struct bob_event){ .kind = BOB_EVENT_MARK, .mark = mark };
	return BOB_OK;
}

int
gaps_damage(struct gaps *g, const struct source *src,
    const struct bob_gap *gap, const char *format, const char *fmt,
    va_list ap)
{
	char why[GAPS_MAX_WHY];

	(void)vsnprintf(why, sizeof(why), fmt, ap);
	if (!(src->flags & BOB_READ_RECOVER))
		return err_set(src->ctx, BOB_FATAL, gap->code, gap->offset,
		    "%s: byte %llu: %s", format,
		    (unsigned long long)gap->offset, why);
	gaps_add(g, gap, why);
	return BOB_FAILED;
}
