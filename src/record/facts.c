/* Writes metadata about processes and counts; see facts.h. */
#include "record/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int
facts_put(struct bob_writer *out, const char *key, const char *value)
{
	struct bob_dict *dict = bob_writer_dict(out);
	struct bob_mark m;

	memset(&m, 0, sizeof(m));
	m.kind = BOB_MARK_META;
	m.key = bob_str_put(dict, key, strlen(key));
	m.value = bob_str_put(dict, value, strlen(value));
	if (m.key == BOB_NO_ID || m.value == BOB_NO_ID)
		return BOB_FATAL;
	return bob_write_mark(out, &m);
}

int
facts_put_number(struct bob_writer *out, const char *key, double value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.15g", value);
	return facts_put(out, key, text);
}

int
facts_put_process(struct bob_writer *out, const struct bob_proc_facts *f)
{
	char parent[24], key[64];
	const struct {
		const char *name, *value;
	} fact[] = {
		{ "runtime", f->runtime },
		{ "version", f->version },
		{ "parent", parent },
		{ "command", f->command },
	};
	size_t i;
	int r = BOB_OK;

	(void)snprintf(parent, sizeof(parent), "%llu",
	    (unsigned long long)f->ppid);
	for (i = 0; r == BOB_OK && i < sizeof(fact) / sizeof(fact[0]); i++) {
		(void)snprintf(key, sizeof(key), "process.%llu.%s",
		    (unsigned long long)f->pid, fact[i].name);
		r = facts_put(out, key, fact[i].value);
	}
	return r;
}

/* Writes percentiles of the delay of samples, and the share that was late. */
static int
put_delays(struct bob_writer *out, const struct bob_capture_counts *c)
{
	static const struct {
		const char *key;
		double percent;
	} late[] = { { "profiler.late_us.p50", 50 },
		{ "profiler.late_us.p90", 90 },
		{ "profiler.late_us.p99", 99 } };
	size_t i;
	int r = BOB_OK;

	for (i = 0; r == BOB_OK && i < sizeof(late) / sizeof(late[0]); i++)
		r = facts_put_number(out, late[i].key,
		    round(bob_late_us(c, late[i].percent)));
	return r == BOB_OK ? facts_put_number(out, "profiler.late_percent",
	    round(bob_late_percent(c) * 100) / 100) : r;
}

/* Writes how long threads were stopped, if they were. */
static int
put_stops(struct bob_writer *out, const struct bob_capture_counts *c)
{
	int r;

	if (c->stops == 0)
		return BOB_OK;
	r = facts_put_number(out, "profiler.stopped_us",
	    (double)c->stopped_ns / 1000 / (double)c->stops);
	if (r == BOB_OK)
		r = facts_put_number(out, "profiler.unmerged",
		    (double)c->unmerged);
	if (r == BOB_OK)
		r = facts_put_number(out, "profiler.broken",
		    (double)c->broken);
	return r;
}

int
facts_put_counts(struct bob_writer *out, const struct bob_capture_counts *c,
    double seconds)
{
	double tries = (double)c->taken + (double)c->lost;
	double due = tries + (double)c->idle + (double)c->missed;
	const struct {
		const char *key;
		double value;
	} fact[] = {
		{ "profiler.duration_s", seconds },
		{ "profiler.samples_per_s",
		    seconds > 0 ? (double)c->taken / seconds : -1 },
		{ "profiler.taken", (double)c->taken },
		{ "profiler.lost", (double)c->lost },
		{ "profiler.repaired", (double)c->repaired },
		{ "profiler.retried", (double)c->retried },
		{ "profiler.inferred", (double)c->inferred },
		{ "profiler.missed", (double)c->missed },
		{ "profiler.idle", (double)c->idle },
		{ "profiler.failed_percent",
		    tries > 0 ? 100 * (double)c->lost / tries : 0 },
		{ "profiler.missed_percent",
		    due > 0 ? 100 * (double)c->missed / due : 0 },
		{ "profiler.inferred_percent",
		    round(bob_inferred_percent(c) * 100) / 100 },
	};
	size_t i;
	int r = BOB_OK;

	for (i = 0; r == BOB_OK && i < sizeof(fact) / sizeof(fact[0]); i++)
		if (fact[i].value >= 0)
			r = facts_put_number(out, fact[i].key, fact[i].value);
	if (r == BOB_OK)
		r = put_delays(out, c);
	return r == BOB_OK ? put_stops(out, c) : r;
}
