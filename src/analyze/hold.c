/* Holding back samples until their period is known; see the header. */
#include "analyze/hold.h"

#include <stdlib.h>
#include <string.h>

#include "core/memo.h"

void
hold_begin(struct hold *h)
{
	h->is_on = h->is_learning = 1;
	h->stamp++;
	h->n = h->n_dt = 0;
	memset(&h->tempo, 0, sizeof(h->tempo));
}

void
hold_done(struct hold *h)
{
	free(h->v);
	free(h->dt);
	free(h->last);
	memset(h, 0, sizeof(*h));
}

static int
learn_run(struct bob_ctx *ctx, struct hold *h, const struct bob_run *run)
{
	struct hold_last *last;
	uint64_t i;

	if (!(run->flags & BOB_RUN_TIMED))
		return BOB_OK;
	if (MEMO_GROW(ctx, h, last, (size_t)run->track + 1) < 0)
		return BOB_FATAL;
	last = &h->last[run->track];
	if (last->stamp == h->stamp && run->t_first > last->t)
		tempo_add(&h->tempo, run->t_first - last->t);
	for (i = 0; run->dt != NULL && i + 1 < run->count &&
	    h->tempo.n < TEMPO_ENOUGH; i++)
		tempo_add(&h->tempo, run->dt[i]);
	last->t = run->t_last;
	last->stamp = h->stamp;
	return BOB_OK;
}

int
hold_learn(struct bob_ctx *ctx, struct hold *h, const struct bob_event *ev)
{
	size_t i;

	if (ev->kind != BOB_EVENT_RUNS)
		return BOB_OK;
	for (i = 0; i < ev->n_runs && h->tempo.n < TEMPO_ENOUGH; i++)
		if (learn_run(ctx, h, &ev->runs[i]) < 0)
			return BOB_FATAL;
	h->is_learning = h->tempo.n < TEMPO_ENOUGH;
	return BOB_OK;
}

/* Gaps within a run. */
static size_t
gaps_of(const struct bob_run *run)
{
	return run->dt == NULL ? 0 : (size_t)run->count - 1;
}

int
hold_has_room(const struct hold *h, const struct bob_event *ev)
{
	size_t gaps = h->n_dt, i;

	if (!h->is_learning || h->n >= HOLD_MOST)
		return 0;
	if (ev->kind != BOB_EVENT_RUNS)
		return 1;
	for (i = 0; i < ev->n_runs && gaps <= HOLD_MOST_GAPS; i++)
		gaps += gaps_of(&ev->runs[i]);
	return gaps <= HOLD_MOST_GAPS && ev->n_runs <= HOLD_MOST - h->n;
}

static int
keep_run(struct bob_ctx *ctx, struct hold *h, const struct bob_run *run)
{
	size_t n = gaps_of(run);
	struct held *to;

	if (MEM_GROW(ctx, h, v, h->n + 1) < 0 ||
	    MEM_GROW(ctx, h, dt, h->n_dt + n) < 0)
		return BOB_FATAL;
	to = &h->v[h->n++];
	to->run = *run;
	to->dt = h->n_dt;
	if (n > 0)
		memcpy(h->dt + h->n_dt, run->dt, n * sizeof(*h->dt));
	h->n_dt += n;
	return BOB_OK;
}

static int
keep_mark(struct bob_ctx *ctx, struct hold *h, const struct bob_mark *mark)
{
	struct held *to;

	if (MEM_GROW(ctx, h, v, h->n + 1) < 0)
		return BOB_FATAL;
	to = &h->v[h->n++];
	to->run.count = 0;
	to->mark = *mark;
	/* Nobody here reads the bytes of a mark, nor why a gap is there. */
	to->mark.bytes = NULL;
	if (mark->gap != NULL) {
		to->gap = *mark->gap;
		to->gap.why = NULL;
	}
	return BOB_OK;
}

int
hold_keep(struct bob_ctx *ctx, struct hold *h, const struct bob_event *ev)
{
	size_t i;

	if (ev->kind == BOB_EVENT_MARK)
		return keep_mark(ctx, h, ev->mark);
	for (i = 0; i < ev->n_runs; i++)
		if (keep_run(ctx, h, &ev->runs[i]) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

int
hold_next(struct hold *h, size_t *at, struct bob_event *ret)
{
	struct held *held;

	if (*at == h->n)
		return 0;
	held = &h->v[(*at)++];
	*ret = (struct bob_event){ .kind = BOB_EVENT_MARK };
	if (held->run.count == 0) {
		if (held->mark.gap != NULL)
			held->mark.gap = &held->gap;
		ret->mark = &held->mark;
		return 1;
	}
	if (held->run.dt != NULL)
		held->run.dt = h->dt + held->dt;
	ret->kind = BOB_EVENT_RUNS;
	ret->runs = &held->run;
	ret->n_runs = 1;
	return 1;
}
