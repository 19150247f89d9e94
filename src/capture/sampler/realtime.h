/*
 * Real-time priority of the sampling thread.
 *
 * With ordinary priority, on a busy machine, it gets a processor when another
 * thread gives one up: mostly when a sampled process begins to wait. Then the
 * process chooses the moment of the sample, and shares are wrong. With
 * real-time priority the thread wakes up when it should.
 *
 * So that it starves nobody it has a budget: half of a processor in each
 * second. Above it, it has ordinary priority for the rest of that second.
 */
#ifndef CAPTURE_SAMPLER_REALTIME_H
#define CAPTURE_SAMPLER_REALTIME_H

#include <stdint.h>

struct realtime {
	int is_wanted;     /* the kernel allows it */
	int is_on;
	uint64_t t_second; /* of the clock, in ns: when this second began */
	uint64_t t_look;   /* when to check the budget again */
	uint64_t used;     /* CPU time of the thread at t_second */
	uint64_t n_demoted; /* seconds in which the budget was used up */
};

/* For the calling thread. Returns 1 if it has real-time priority now, also if
 * it had before; else 0. */
int realtime_begin(struct realtime *rt, uint64_t t);

/* Checks the budget; to be called after each moment. */
void realtime_look(struct realtime *rt, uint64_t t);

/* Restores ordinary priority, if it was raised. */
void realtime_end(struct realtime *rt);

#endif
