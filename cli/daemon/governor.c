/*
 * --max-cpu: keeps the daemon below its share of the processor by sampling less
 * often. The rate is halved when the limit is exceeded, and doubled again after
 * a while with a low load. Each change begins new segments, so changes are
 * rare.
 */
#include "daemon.h"
#include "system/clock.h"

#define LOOK_US 1000000
#define SETTLE_US 5000000    /* after a change, before the next */
#define CALM_US 30000000     /* of room before the rate is raised */
#define SLOWEST_NS 1000000000

int
governor_look(struct governor *g, uint64_t t_us)
{
	uint64_t cpu = cpu_us();
	double load;

	if (g->t_last != 0 && t_us < g->t_last + LOOK_US)
		return 0;
	if (g->t_last != 0) {
		load = (double)(cpu - g->cpu_last) /
		    (double)(t_us - g->t_last);
		g->load += (load - g->load) / 4;
	}
	g->t_last = t_us;
	g->cpu_last = cpu;
	if (g->limit <= 0 || t_us < g->t_changed + SETTLE_US)
		return 0;
	if (g->load > g->limit && g->period_ns < SLOWEST_NS) {
		g->period_ns *= 2;
	} else if (g->load < 0.4 * g->limit &&
	    g->period_ns > g->wanted_ns && t_us > g->t_changed + CALM_US) {
		g->period_ns /= 2;
		if (g->period_ns < g->wanted_ns)
			g->period_ns = g->wanted_ns;
	} else {
		return 0;
	}
	g->t_changed = t_us;
	return 1;
}
