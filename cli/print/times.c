/* Times of a recording as JSON; see the header. */
#include "times.h"

static const char *
rule_name(int rule)
{
	switch (rule) {
	case BOB_IDLE_BY_STATUS: return "status";
	case BOB_IDLE_BY_FUNCTIONS: return "functions";
	default: return "none";
	}
}

void
json_times(struct json *j, const struct bob_times *t)
{
	json_u64_if(j, "wall_us", t->wall_us, t->wall_basis != BOB_WALL_NONE);
	json_u64(j, "thread_us", t->thread_us);
	json_u64_if(j, "cpu_us", t->cpu_us, t->has_cpu);
	json_u64(j, "idle_us", t->idle_us);
	json_u64(j, "idle_threads", t->n_idle_tracks);
	json_str(j, "idle_rule", rule_name(t->idle_rule));
	json_u64(j, "waited_us", t->waited_us);
	json_u64(j, "gaps", t->n_gaps);
	json_u64(j, "lost", t->n_lost + t->n_gap_lost);
	json_u64(j, "missed", t->n_missed);
	json_u64(j, "unkept", t->n_unkept);
}
