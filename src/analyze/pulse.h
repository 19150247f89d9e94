/*
 * The time of a sample: how long a track was in the stack that it was found in.
 *
 * It is the time since the sample before it on its track. In these cases it is
 * one period:
 *
 * - the first sample of a track in a segment, and of a request: when it began
 *   is not known, and what was before it is another request, or nothing at all;
 * - samples of a capture that passes over what does not interest it (threads
 *   that are not on a processor): between two of them others were left out;
 * - a gap that is longer than a period and its delay. The delay of a sampler is
 *   a period (it chooses its moment within one by chance), or what is usual on
 *   the track when it cannot keep up. Longer gaps belong to nobody: the track
 *   had no stack. Unless stack and annotations are the same on both sides, and
 *   the gap is not longer than PULSE_PAUSE periods.
 *
 * Within one request all gaps count: it was served meanwhile.
 *
 * Tasks of asyncio that wait (--async all) were sampled together: each has all
 * of that time.
 */
#ifndef ANALYZE_PULSE_H
#define ANALYZE_PULSE_H

#include <bobbin/model.h>

/* A track that was not sampled for so many periods was away. */
#define PULSE_PAUSE 8

/* How a segment was sampled. */
struct pace {
	uint64_t period_us; /* never 0 */
	uint32_t stamp;     /* of the segment, from 1 */
	uint32_t n_holes;   /* what could not be read before here */
	int is_picked;      /* not all samples were kept */
};

/* The last sample of a track. All zeros: there is none. */
struct pulse {
	uint64_t t;
	uint64_t length;   /* the time of that sample */
	uint64_t usual;    /* gap between samples: what few are shorter than */
	uint32_t stamp, n_holes;
	bob_stack stack;
	bob_annot annot;
	bob_str id;        /* of its request; 0: none so far */
	uint32_t n_request; /* counts requests with another id */
};

/* Takes note of a run, in a request of this id (0: of none), maybe of a task of
 * asyncio, and returns the time of its first sample; 0 when it has no times. */
uint64_t pulse_take(struct pulse *p, const struct pace *pace,
    const struct bob_run *run, bob_str id, int is_task);

/* The time of a sample that is not the first of its run, such a gap behind the
 * one before. */
uint64_t pulse_inside(const struct pace *pace, bob_str id, uint64_t gap);

/* The time of a run whose first sample has the time `first`. */
uint64_t pulse_run(const struct pace *pace, const struct bob_run *run,
    bob_str id, uint64_t first);

#endif
