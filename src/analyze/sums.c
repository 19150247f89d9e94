/* Sums of the times of samples; see the header. */
#include "analyze/sums.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/memo.h"
#include "model/idle.h"

static void
add_us(uint64_t *to, const uint64_t *us)
{
	to[BY_CLOCK] = count_add(to[BY_CLOCK], us[BY_CLOCK]);
	to[BY_PERIOD] = count_add(to[BY_PERIOD], us[BY_PERIOD]);
}

static void
add_idle(struct sums *s, const struct sums_part *v)
{
	s->idle_samples = count_add(s->idle_samples, v->samples);
	add_us(s->idle_us, v->us);
	s->track[v->track].has_idle = 1;
	if (!idle_is_by_status(v->status, v->flags))
		s->has_unknown_idle = 1;
}

static int
settle_part(struct bob_ctx *ctx, struct sums *s, const struct sums_part *v)
{
	if (v->is_shared) {
		s->share_samples = count_add(s->share_samples, v->samples);
		add_us(s->share_us, v->us);
	}
	if (v->is_waiting) {
		add_us(s->waited_us, v->us);
		return BOB_OK;
	}
	if (MEMO_GROW(ctx, s, track, (size_t)v->track + 1) < 0)
		return BOB_FATAL;
	s->track[v->track].is_used = 1;
	add_us(s->track[v->track].us, v->us);
	add_us(s->thread_us, v->us);
	if (v->is_idle)
		add_idle(s, v);
	if (!idle_is_by_status(v->status, v->flags))
		return BOB_OK;
	add_us(s->status_us, v->us);
	if (v->status & BOB_STATUS_ON_CPU)
		add_us(s->cpu_us, v->us);
	return BOB_OK;
}

int
sums_settle(struct bob_ctx *ctx, struct sums *s)
{
	int r = s->last.samples == 0 ? BOB_OK : settle_part(ctx, s, &s->last);

	s->last.samples = 0;
	return r;
}

int
sums_add(struct bob_ctx *ctx, struct sums *s, const struct sums_part *v)
{
	s->samples = count_add(s->samples, v->samples);
	if (v->flags & BOB_RUN_TIMED)
		s->n_timed = count_add(s->n_timed, v->samples);
	if (s->last.samples > 0 &&
	    memcmp(&s->last, v, offsetof(struct sums_part, samples)) == 0) {
		s->last.samples = count_add(s->last.samples, v->samples);
		add_us(s->last.us, v->us);
		return BOB_OK;
	}
	if (sums_settle(ctx, s) < 0)
		return BOB_FATAL;
	s->last = *v;
	return BOB_OK;
}

int
sums_join(struct bob_ctx *ctx, struct sums *s, const struct sums *from)
{
	size_t i;

	if (MEMO_GROW(ctx, s, track, from->cap_track) < 0)
		return BOB_FATAL;
	s->samples = count_add(s->samples, from->samples);
	s->n_timed = count_add(s->n_timed, from->n_timed);
	s->share_samples = count_add(s->share_samples, from->share_samples);
	s->idle_samples = count_add(s->idle_samples, from->idle_samples);
	s->has_unknown_idle |= from->has_unknown_idle;
	add_us(s->share_us, from->share_us);
	add_us(s->thread_us, from->thread_us);
	add_us(s->waited_us, from->waited_us);
	add_us(s->idle_us, from->idle_us);
	add_us(s->status_us, from->status_us);
	add_us(s->cpu_us, from->cpu_us);
	for (i = 0; i < from->cap_track; i++) {
		s->track[i].is_used |= from->track[i].is_used;
		s->track[i].has_idle |= from->track[i].has_idle;
		add_us(s->track[i].us, from->track[i].us);
	}
	return BOB_OK;
}

void
sums_done(struct sums *s)
{
	free(s->track);
	memset(s, 0, sizeof(*s));
}
