/*
 * The priority of the thread that samples.
 *
 * At an ordinary one it gets a processor when somebody gives one up: mostly
 * when a process that is sampled begins to wait. Then moments are chosen by
 * what is sampled, and shares are wrong. With real-time priority it wakes up
 * when it has to.
 *
 * It must not starve anybody, so it has a budget: half of a processor in each
 * second. Above it the priority is an ordinary one for the rest of that second.
 */
#ifndef CAPTURE_REALTIME_H
#define CAPTURE_REALTIME_H

#include <stdint.h>

struct realtime {
	int is_wanted;
	int is_on;
	uint64_t t_second; /* of the clock, in ns: when this second began */
	uint64_t t_look;   /* when to look again */
	uint64_t used;     /* CPU time of the thread when it began */
	uint64_t n_demoted; /* seconds in which the budget was used up */
};

/* Of the thread that calls. True when it has real-time priority now. */
int realtime_begin(struct realtime *rt, uint64_t t);

/* To be called after each moment. */
void realtime_look(struct realtime *rt, uint64_t t);

/* An ordinary priority, as before. */
void realtime_end(struct realtime *rt);

#endif
