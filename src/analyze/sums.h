/*
 * Sums of the times of samples: what struct bob_times is made of. Both times
 * of each sample are added up, because which one is right is known at the end.
 *
 *     sums_add(ctx, &s, &part);      for each run, or each row
 *     sums_settle(ctx, &s);
 *     sums_join(ctx, &s, &other);    both are settled
 *     ... s.thread_us[BY_CLOCK] ...
 *
 * Runs of one thread often follow each other. They are added to one part, which
 * is added to the sums when another comes, or by sums_settle.
 *     sums_done(&s);
 */
#ifndef ANALYZE_SUMS_H
#define ANALYZE_SUMS_H

#include <bobbin/model.h>

#include "core/error.h"

/* By the times of samples, or by the periods of their segments. */
enum profile_time { BY_CLOCK, BY_PERIOD, N_TIMES };

struct sums_track {
	uint64_t us[N_TIMES];
	uint8_t is_used, has_idle;
};

/* Samples that have everything but their times in common. */
struct sums_part {
	bob_tid track;
	uint8_t status, flags; /* as in struct bob_run */
	uint8_t is_idle;
	uint8_t is_waiting; /* of a waiting asyncio task: no thread runs it */
	uint8_t is_shared;  /* shares are of it, too */
	uint8_t zero[3];
	/* What is before this is compared as bytes. */
	uint64_t samples;
	uint64_t us[N_TIMES];
};

/* All zeros: nothing. */
struct sums {
	uint64_t samples, n_timed; /* also before they are settled */
	uint64_t share_samples, idle_samples;
	uint64_t share_us[N_TIMES];
	uint64_t thread_us[N_TIMES], waited_us[N_TIMES], idle_us[N_TIMES];
	uint64_t status_us[N_TIMES]; /* of thread_us, with a known status */
	uint64_t cpu_us[N_TIMES];    /* of that, on a CPU */
	int has_unknown_idle;        /* an idle sample has no known status */
	struct sums_track *track;    /* by track */
	size_t cap_track;
	struct sums_part last; /* not added yet; without samples: none */
};

/* These return BOB_OK or FATAL. */
int sums_add(struct bob_ctx *ctx, struct sums *s, const struct sums_part *v);
int sums_settle(struct bob_ctx *ctx, struct sums *s);
int sums_join(struct bob_ctx *ctx, struct sums *s, const struct sums *from);
void sums_done(struct sums *s);

#endif
