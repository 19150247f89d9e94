/* Gathers weights by thread and stack, for lines.c; see the header. */
#include "format/folded/cpython/tachyon.h"

#include <stdlib.h>
#include <string.h>

#include "format/common/weightsink.h"
#include "format/folded/cpython/pairs.h"
#include "format/folded/folded.h"

/* Runs that are renumbered at a time. */
#define BATCH 128

struct writer {
	struct weight_sink base; /* first; by number of a pair, not by stack */
	struct pairs pairs;
};

static int
tachyon_open(struct sink *sink)
{
	struct writer *st = sink->state;

	pairs_init(&st->pairs, sink->ctx, sink->dict->seed);
	sink->caps |= BOB_CAP_THREADS;
	return weight_sink_open(sink, "folded");
}

/* The number behind `tid:`: the process where no thread is known. */
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
		r = weight_sink_runs(sink, numbered, k);
	}
	return r;
}

static int
tachyon_finish(struct sink *sink)
{
	struct writer *st = sink->state;
	uint64_t *weight;
	uint32_t i;
	int r = format_need_output(sink);

	if (r < 0)
		return r;
	weight = calloc(st->pairs.n, sizeof(*weight));
	if (weight == NULL)
		return err_nomem(sink->ctx);
	for (i = 1; i < st->pairs.n; i++)
		weight[i] = weight_sink_of(&st->base, i);
	r = tachyon_lines(sink, &st->pairs, weight);
	if (r == BOB_OK)
		weight_sink_tell_unit(&st->base);
	free(weight);
	return r;
}

static void
tachyon_close(struct sink *sink)
{
	struct writer *st = sink->state;

	weight_sink_close(sink);
	pairs_done(&st->pairs);
}

static const struct sink_ops tachyon_sink = {
	.state_size = sizeof(struct writer),
	.want = BOB_WANT_TRACKS,
	.open = tachyon_open,
	.segment = weight_sink_segment,
	.runs = tachyon_runs,
	.finish = tachyon_finish,
	.close = tachyon_close,
};

const struct sink_ops *
folded_variant(const struct bob_option *v, size_t n)
{
	for (; n > 0; n--)
		if (strcmp(v[n - 1].key, FOLDED_TACHYON_KEY) == 0)
			return &tachyon_sink;
	return &folded_sink;
}
