/*
 * Holding back the first samples of a segment that has times but no period.
 * They are held until the period can be estimated from their gaps (tempo.h).
 * Marks are held with them, so that the order of events stays the same.
 *
 *     hold_begin(&h);                        a segment without a period
 *     hold_learn(ctx, &h, ev)                of each event
 *     hold_keep(ctx, &h, ev)                 as long as hold_has_room
 *     while (hold_next(&h, &from, &held))    what was kept, in order
 *
 * Estimating may continue after that, until TEMPO_ENOUGH gaps were seen: the
 * first samples of a growing file are shown at once.
 */
#ifndef ANALYZE_HOLD_H
#define ANALYZE_HOLD_H

#include <bobbin/model.h>

#include "analyze/tempo.h"
#include "core/error.h"

/* The most runs and marks that are held, and the most gaps within runs: enough
 * for the first samples of thousands of processes, 2 MiB in all. */
#define HOLD_MOST 8192
#define HOLD_MOST_GAPS 65536

/* A run, or a mark when run.count is 0. */
struct held {
	struct bob_run run;
	size_t dt; /* where its differences begin in hold.dt */
	struct bob_mark mark;
	struct bob_gap gap;
};

struct hold {
	int is_on;       /* events are held */
	int is_learning; /* there are not enough gaps yet */
	uint32_t stamp;  /* of the segment, from 1 */
	struct tempo tempo;
	struct held *v;
	size_t n, cap_v;
	uint32_t *dt;
	size_t n_dt, cap_dt;
	struct hold_last {
		uint64_t t;
		uint32_t stamp;
	} *last; /* by track */
	size_t cap_last;
};

void hold_begin(struct hold *h);
void hold_done(struct hold *h);

/* Counts the gaps in an event, until there are enough. Returns BOB_OK or
 * FATAL. */
int hold_learn(struct bob_ctx *ctx, struct hold *h, const struct bob_event *ev);

/* True if more gaps are needed, and the event can be held. */
int hold_has_room(const struct hold *h, const struct bob_event *ev);

/* Holds a copy of an event that is no segment. Returns BOB_OK or FATAL. */
int hold_keep(struct bob_ctx *ctx, struct hold *h, const struct bob_event *ev);

/* Gives the held event number *at, valid until the next call, and adds 1 to
 * *at. Returns 1; 0 after the last one. */
int hold_next(struct hold *h, size_t *at, struct bob_event *ret);

#endif
