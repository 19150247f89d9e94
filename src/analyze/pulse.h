/*
 * The time of a sample: how long the track was in the sampled stack.
 *
 * It is the time since the sample before it on the same track. In these cases
 * it is one period instead:
 *
 * - The first sample of a track in a segment, and the first of a request: when
 *   the stack began is unknown, and the time before belongs to another request
 *   or to none.
 * - Samples of a capture that leaves some out, such as threads that are not on
 *   a processor (is_picked).
 * - After a gap that is longer than a period plus the delay of the sampler. The
 *   delay is up to a period, because the moment within a period is random; or
 *   the usual gap of the track, if the sampler cannot keep up. After a longer
 *   gap the track probably had no stack. An exception: the gap is at most
 *   PULSE_PAUSE periods, and stack and annotations are the same before and
 *   after it.
 *
 * Where samples were added up before they were written (is_of_sums), times are
 * the lengths of sums: each gap counts, also that from 0 to the first run.
 *
 * Within one request all gaps count, because the request was being served.
 *
 * asyncio tasks that wait (--async all) are sampled at the same time: each gets
 * the full time.
 */
#ifndef ANALYZE_PULSE_H
#define ANALYZE_PULSE_H

#include <bobbin/model.h>

/* A track without a sample for more periods had no stack. */
#define PULSE_PAUSE 8

/* How a segment was sampled. */
struct pace {
	uint64_t period_us; /* never 0 */
	uint64_t slack_us;  /* how much longer a gap may be: half a period if
	                     * the period was estimated, else 0 */
	uint32_t stamp;     /* number of the segment, from 1 */
	uint32_t n_holes;   /* gaps of recovery so far */
	int is_picked;      /* the capture left samples out */
	int is_of_sums;     /* META_TIMES of format/common/meta.h */
};

/* The last sample of a track. All zeros: there is none. */
struct pulse {
	uint64_t t;
	uint64_t length;   /* the time of that sample */
	uint64_t usual;    /* a usual gap: few gaps are shorter */
	uint32_t stamp, n_holes;
	bob_stack stack;
	bob_annot annot;
	bob_str id;        /* of its request; 0: none so far */
	uint32_t n_request; /* number of requests so far, by id */
};

/* Takes the next run of a track. id is that of its request (0: none); is_task:
 * it is of an asyncio task. Returns the time of its first sample; 0 if it has
 * no times. */
uint64_t pulse_take(struct pulse *p, const struct pace *pace,
    const struct bob_run *run, bob_str id, int is_task);

/* Returns the time of a sample inside a run, `gap` after the one before. */
uint64_t pulse_inside(const struct pace *pace, bob_str id, uint64_t gap);

/* Returns the time of a whole run; `first` is that of its first sample. */
uint64_t pulse_run(const struct pace *pace, const struct bob_run *run,
    bob_str id, uint64_t first);

#endif
