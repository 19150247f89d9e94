/* Gathering what tachyon_lines.c writes; see tachyon.h. */
#include "format/folded/tachyon.h"

#include <stdlib.h>
#include <string.h>

#include "format/folded/folded.h"
#include "model/weights.h"

/* Runs that are renumbered at a time. */
#define BATCH 128

struct writer {
	struct weights weights; /* by number of a pair, instead of a stack */
	struct pairs pairs;
	int is_plain; /* unit=samples */
};

static int
tachyon_open(struct sink *sink)
{
	struct writer *st = sink->state;

	weights_init(&st->weights, sink->ctx);
	pairs_init(&st->pairs, sink->ctx, sink->dict->seed);
	sink->caps |= BOB_CAP_THREADS;
	return folded_unit(sink, &st->is_plain);
}

static int
tachyon_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct writer *st = sink->state;

	weights_segment(&st->weights, segment->period_us);
	return BOB_OK;
}

/* What stands behind `tid:`; where no thread is known, the process. */
static uint64_t
thread_of(const struct bob_dict *d, bob_tid id)
{
	const struct bob_track *t = &d->track[id];

	return (t->flags & BOB_TRACK_TID) != 0 ? t->tid : t->pid;
}

static int
tachyon_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct writer *st = sink->state;
	struct bob_run numbered[BATCH];
	size_t i, k;
	int r = BOB_OK;

	for (i = 0; r == BOB_OK && i < n; i += k) {
		for (k = 0; k < BATCH && i + k < n; k++) {
			const struct bob_run *run = &v[i + k];
			uint32_t id = pairs_put(&st->pairs,
			    thread_of(sink->dict, run->track), run->stack);

			if (id == BOB_NO_ID)
				return BOB_FATAL;
			numbered[k] = (struct bob_run){ .count = run->count,
				.stack = id };
		}
		r = weights_add(&st->weights, numbered, k);
	}
	return r;
}

static int
tachyon_finish(struct sink *sink)
{
	struct writer *st = sink->state;
	const struct weights *w = &st->weights;
	uint64_t *weight;
	uint32_t i;
	int r = sink_need_output(sink);

	if (r < 0)
		return r;
	weight = calloc(st->pairs.n, sizeof(*weight));
	if (weight == NULL)
		return err_nomem(sink->ctx);
	for (i = 1; i < w->n; i++)
		weight[i] = st->is_plain ? w->samples[i] : weights_of(w, i);
	r = tachyon_lines(sink, &st->pairs, weight);
	if (r == BOB_OK && !st->is_plain)
		folded_tell_unit(sink->ctx, w);
	free(weight);
	return r;
}

static void
tachyon_close(struct sink *sink)
{
	struct writer *st = sink->state;

	weights_done(&st->weights);
	pairs_done(&st->pairs);
}

const struct sink_ops folded_tachyon_sink = {
	.state_size = sizeof(struct writer),
	.want = BOB_WANT_TRACKS,
	.open = tachyon_open,
	.segment = tachyon_segment,
	.runs = tachyon_runs,
	.finish = tachyon_finish,
	.close = tachyon_close,
};
