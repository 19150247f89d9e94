/*
 * A trace in fewer bytes. Time is divided into bins. Of each thread, equal
 * samples in a bin are joined, where the first of them stands. What never
 * changes: how many samples a stack has on a thread, in a bin, and in all; the
 * times of a thread's last sample in a bin; and how much time its stacks had
 * there without pauses, as gaps are joined with the samples behind them.
 *
 * Samples are not moved across a change of annotations (another request), nor
 * across a gap of more than two periods: what such a gap means depends on the
 * samples beside it.
 *
 * If even that is too much, times are dropped: then the counts alone are kept,
 * of each stack on a thread in a segment, and a sample lasts a period.
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mem.h"
#include "core/memo.h"
#include "format/page/page.h"
#include "model/intern.h"
#include "model/weights.h"

/* Runs have at most as many times: each takes 4 bytes while it is written. */
#define PIECE 65536u

/* What joined samples have in common. */
struct alike {
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint32_t stretch; /* of the track: samples stay in theirs */
	uint8_t status, flags;
	uint16_t zero;
};

struct group {
	struct alike key;
	uint64_t count;
	uint64_t span; /* from the sample before the group, or its own first
	                * one (is_start), to the last */
	uint64_t start;
	int is_start;
};

struct lane {
	uint64_t seen;  /* time of the last sample that was read */
	uint64_t given; /* of the last one that was written */
	uint64_t n_untimed;
	bob_annot annot;
	uint32_t stretch;
	uint8_t has_seen;
};

struct thinner {
	struct bob_ctx *ctx;
	struct sink *to;
	uint64_t seed;
	uint64_t bin_us, period_us;
	uint64_t bin; /* the current one */
	struct group *group; /* from 1, in order of their first samples */
	size_t n_group, cap_group;
	struct intern by_key;
	struct lane *lane; /* by track */
	size_t cap_lane;
	uint32_t *dt; /* scratch */
	size_t cap_dt;
};

static int
give(struct thinner *t, const struct alike *key, uint64_t n, uint64_t first,
    uint64_t step, uint64_t rest)
{
	struct bob_run run = { .count = n, .stack = key->stack,
		.track = key->track, .annot = key->annot,
		.status = key->status, .flags = key->flags,
		.t_first = first, .t_last = first };
	uint64_t i;

	if (step > 0 || rest > 0) {
		if (MEM_GROW(t->ctx, t, dt, n) < 0)
			return BOB_FATAL;
		for (i = 0; i + 1 < n; i++)
			t->dt[i] = (uint32_t)step;
		t->dt[0] += (uint32_t)rest;
		run.dt = t->dt;
		run.t_last = first + (n - 1) * step + rest;
	}
	return t->to->ops->runs(t->to, &run, 1);
}

/* Writes a group: its samples at even distances. */
static int
give_group(struct thinner *t, const struct group *g)
{
	struct lane *lane = &t->lane[g->key.track];
	uint64_t n = g->count, span = g->span, first, step, rest;
	int r;

	if (!(g->key.flags & BOB_RUN_TIMED) || span == 0) {
		first = g->is_start ? g->start : lane->given;
		lane->given = first;
		return give(t, &g->key, n, first, 0, 0);
	}
	first = g->is_start ? g->start : lane->given + span / n;
	lane->given = g->is_start ? g->start + span : lane->given + span;
	if (n == 1)
		return give(t, &g->key, 1, lane->given, 0, 0);
	span = lane->given - first;
	step = span / (n - 1);
	rest = span % (n - 1);
	if (step > UINT32_MAX / 2)
		step = UINT32_MAX / 2; /* no clock of a sampler does that */
	for (r = BOB_OK; r == BOB_OK && n > PIECE; n -= PIECE) {
		r = give(t, &g->key, PIECE, first, step, rest);
		first += PIECE * step + rest;
		rest = 0;
	}
	return r < 0 ? r : n == 1 ? give(t, &g->key, 1, first, 0, 0)
	    : give(t, &g->key, n, first, step, rest);
}

/* Ends a bin. A table that is much larger than its content is not kept: each
 * bin may cost as much as it has samples. */
static int
give_bin(struct thinner *t)
{
	size_t i;
	int r = BOB_OK;

	for (i = 1; r == BOB_OK && i <= t->n_group; i++)
		r = give_group(t, &t->group[i]);
	if (t->by_key.slot != NULL && t->by_key.mask > 16 * t->n_group + 64) {
		intern_free(&t->by_key);
		t->by_key = (struct intern){ .slot = NULL };
	} else if (t->by_key.slot != NULL) {
		memset(t->by_key.slot, 0,
		    ((size_t)t->by_key.mask + 1) * sizeof(*t->by_key.slot));
		t->by_key.used = 0;
	}
	t->n_group = 0;
	return r;
}

static struct group *
find_group(struct thinner *t, const struct alike *key)
{
	uint64_t hash = XXH3_64bits_withSeed(key, sizeof(*key), t->seed);
	uint32_t at = (uint32_t)(hash >> 32), id;

	if (intern_reserve(t->ctx, &t->by_key) < 0)
		return NULL;
	while ((id = intern_probe(&t->by_key, hash, &at)) != 0)
		if (memcmp(&t->group[id].key, key, sizeof(*key)) == 0)
			return &t->group[id];
	if (MEM_GROW(t->ctx, t, group, t->n_group + 2) < 0)
		return NULL;
	id = (uint32_t)++t->n_group;
	intern_add(&t->by_key, hash, at, id);
	t->group[id] = (struct group){ .key = *key };
	return &t->group[id];
}

static uint64_t
bin_of(const struct thinner *t, struct lane *lane, const struct bob_run *run)
{
	uint64_t at = run->t_first;

	if (!(run->flags & BOB_RUN_TIMED)) {
		at = count_mul(lane->n_untimed, t->period_us);
		lane->n_untimed = count_add(lane->n_untimed, run->count);
	}
	return at / t->bin_us;
}

/* True if the time between this run and the one before it is that of the run,
 * whatever stands beside it. */
static int
goes_on(const struct thinner *t, const struct lane *lane,
    const struct bob_run *run)
{
	return lane->has_seen && lane->annot == run->annot &&
	    run->t_first >= lane->seen &&
	    run->t_first - lane->seen <= 2 * t->period_us;
}

/* Without times all that is alike in a segment is one group. */
static int
take_untimed(struct thinner *t, struct alike *key, uint64_t count)
{
	struct group *g;

	if (MEMO_GROW(t->ctx, t, lane, (size_t)key->track + 1) < 0)
		return BOB_FATAL;
	key->flags &= (uint8_t)~BOB_RUN_TIMED;
	g = find_group(t, key);
	if (g == NULL)
		return BOB_FATAL;
	g->count = count_add(g->count, count);
	return BOB_OK;
}

static int
take_run(struct thinner *t, const struct bob_run *run)
{
	struct alike key = { .stack = run->stack, .track = run->track,
		.annot = run->annot, .status = run->status,
		.flags = run->flags };
	int is_timed = (run->flags & BOB_RUN_TIMED) != 0, is_start;
	struct group *g;
	struct lane *lane;
	uint64_t bin, gap;

	if (t->bin_us == PAGE_NO_TIMES)
		return take_untimed(t, &key, run->count);
	if (MEMO_GROW(t->ctx, t, lane, (size_t)run->track + 1) < 0)
		return BOB_FATAL;
	lane = &t->lane[run->track];
	bin = bin_of(t, lane, run);
	if (bin != t->bin && give_bin(t) < 0)
		return BOB_FATAL;
	t->bin = bin;
	is_start = is_timed ? !goes_on(t, lane, run)
	    : lane->annot != run->annot;
	lane->stretch += (uint32_t)is_start;
	key.stretch = lane->stretch;
	g = find_group(t, &key);
	if (g == NULL)
		return BOB_FATAL;
	gap = is_start ? 0 : run->t_first - lane->seen;
	if (is_start) {
		g->is_start = 1;
		g->start = run->t_first;
	}
	g->count = count_add(g->count, run->count);
	if (is_timed && run->t_last > run->t_first)
		gap += run->t_last - run->t_first;
	if (is_timed)
		g->span += gap;
	lane->annot = run->annot;
	lane->seen = run->t_last;
	lane->has_seen = (uint8_t)is_timed;
	return BOB_OK;
}

static int
take_event(struct thinner *t, const struct bob_event *ev)
{
	size_t i;
	int r = BOB_OK;

	if (ev->kind == BOB_EVENT_RUNS) {
		for (i = 0; r == BOB_OK && i < ev->n_runs; i++)
			r = take_run(t, &ev->runs[i]);
		return r;
	}
	r = give_bin(t);
	if (r < 0 || ev->kind == BOB_EVENT_MARK)
		return r < 0 ? r : t->to->ops->mark(t->to, ev->mark);
	if (t->cap_lane > 0)
		memset(t->lane, 0, t->cap_lane * sizeof(*t->lane));
	t->period_us = ev->segment->period_us != 0 ? ev->segment->period_us
	    : WEIGHTS_DEFAULT_PERIOD;
	return t->to->ops->segment(t->to, ev->segment);
}

static int
take_all(struct thinner *t, struct source *src)
{
	struct bob_event ev;
	int r = src->ops->open(src);

	while (r == BOB_OK && (r = src->ops->next(src, &ev)) == BOB_OK)
		r = take_event(t, &ev);
	return r == BOB_EOF ? give_bin(t) : r;
}

int
page_thin(struct out *trace, struct bob_dict *dict, uint64_t bin_us,
    struct carry *to)
{
	struct thinner t = { .ctx = trace->ctx, .to = &to->sink,
		.seed = dict->seed, .bin_us = bin_us,
		.period_us = WEIGHTS_DEFAULT_PERIOD };
	struct source src = { .ops = format_named(PAGE_CARRIES)->source,
		.ctx = trace->ctx, .dict = dict, .want = BOB_WANT_ALL &
		    ~(uint32_t)BOB_WANT_STATS };
	int r = in_open_exact_range(trace->ctx, trace->fd, 0,
	    out_total(trace), "page", &src.in);

	if (r < 0)
		return BOB_FATAL;
	src.state = calloc(1, src.ops->state_size);
	r = src.state == NULL ? err_nomem(t.ctx) : take_all(&t, &src);
	if (src.state != NULL)
		src.ops->close(&src);
	free(src.state);
	in_close(src.in);
	intern_free(&t.by_key);
	free(t.group);
	free(t.lane);
	free(t.dt);
	return r;
}
