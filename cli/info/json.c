/* info --json: one object per input. Keys may be added; none changes. */
#include "info.h"

#include <stdio.h>

#include "print/json.h"
#include "print/times.h"

static void
put_bytes(struct json *j, const char *key, const struct info *x, bob_str s)
{
	struct bob_bytes b = bob_str_get(x->dict, s);

	json_bytes(j, key, b.p, b.n);
}

/* The metadata of segment s; *at moves over the list, which is in order. */
static void
put_meta(struct json *j, const struct info *x, uint64_t s, size_t *at)
{
	json_open(j, "metadata", '[');
	for (; *at < x->n_kept_metas && x->metas[*at].segment <= s; ++*at) {
		json_open(j, NULL, '{');
		put_bytes(j, "key", x, x->metas[*at].key);
		put_bytes(j, "value", x, x->metas[*at].value);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
put_segments(struct json *j, const struct info *x)
{
	size_t i, meta = 0;

	json_u64(j, "n_segments", x->n_segments);
	json_open(j, "segments", '[');
	for (i = 0; i < x->n_kept_segments; i++) {
		const struct info_segment *s = &x->segments[i];

		json_open(j, NULL, '{');
		json_u64(j, "index", s->head.index);
		json_u64(j, "offset", s->head.offset);
		json_u64_if(j, "period_us", s->head.period_us,
		    s->head.period_us != 0);
		json_u64_if(j, "start_us", s->head.start_us,
		    s->head.start_us != 0);
		json_bool(j, "timed",
		    (s->head.flags & BOB_SEGMENT_TIMED) != 0);
		json_u64(j, "samples", s->n_samples);
		json_u64_if(j, "t_first_us", s->t_first, s->n_timed > 0);
		json_u64_if(j, "t_last_us", s->t_last, s->n_timed > 0);
		if (x->has_ends)
			json_bool(j, "ended", s->is_ended);
		else
			json_null(j, "ended");
		put_meta(j, x, s->head.index, &meta);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
put_pids(struct json *j, const struct info *x)
{
	size_t i;

	json_open(j, "pids", '[');
	for (i = 0; i < x->n_pids; i++) {
		json_open(j, NULL, '{');
		json_u64_if(j, "pid", x->pids[i].pid, x->pids[i].is_known);
		json_u64(j, "samples", x->pids[i].n_samples);
		if (x->pids[i].runtime != 0)
			put_bytes(j, "runtime", x, x->pids[i].runtime);
		if (x->pids[i].command != 0)
			put_bytes(j, "command", x, x->pids[i].command);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
put_threads(struct json *j, const struct info *x)
{
	size_t i;

	json_open(j, "threads", '[');
	for (i = 0; i < x->n_threads; i++) {
		const struct bob_track *t = &x->threads[i].who;

		json_open(j, NULL, '{');
		json_u64_if(j, "pid", t->pid, (t->flags & BOB_TRACK_PID) != 0);
		json_u64(j, "tid", t->tid);
		json_u64_if(j, "interpreter", t->interp,
		    (t->flags & BOB_TRACK_INTERP) != 0);
		json_u64(j, "samples", x->threads[i].n_samples);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
put_status(struct json *j, const struct info *x)
{
	unsigned i;

	json_u64(j, "status_samples", x->n_status);
	json_open(j, "status", '{');
	for (i = 0; x->n_status > 0 && i < INFO_STATUS_BITS; i++)
		json_u64(j, info_bits[i].key, x->of_bit[i]);
	if (x->n_status > 0)
		json_u64(j, "none", x->of_status[0]);
	json_close(j, '{');
}

static void
put_keys(struct json *j, const struct info *x)
{
	size_t i;

	json_u64(j, "annotated_samples", x->n_annotated);
	json_open(j, "annotations", '[');
	for (i = 0; i < x->n_keys; i++) {
		json_open(j, NULL, '{');
		put_bytes(j, "key", x, x->keys[i].key);
		json_u64(j, "samples", x->keys[i].n_samples);
		json_u64(j, "values", x->keys[i].n_values);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
put_records(struct json *j, const struct info *x)
{
	int told_apart = x->n_samples == 0;
	size_t i;

	for (i = 0; i < x->n_stats; i++)
		told_apart |= x->stats[i].n_samples > 0;
	json_open(j, "records", '[');
	for (i = 0; i < x->n_stats; i++) {
		json_open(j, NULL, '{');
		json_str(j, "kind", x->stats[i].kind);
		json_u64(j, "count", x->stats[i].n_records);
		json_u64(j, "bytes", x->stats[i].n_bytes);
		json_u64_if(j, "samples", x->stats[i].n_samples, told_apart);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* Facts by their names, with _ for each space. */
static void
put_facts(struct json *j, const struct info *x)
{
	char key[64];
	size_t i, n;

	json_open(j, "facts", '{');
	for (i = 0; i < x->n_facts; i++) {
		(void)snprintf(key, sizeof(key), "%s", x->facts[i].name);
		for (n = 0; key[n] != '\0'; n++)
			if (key[n] == ' ')
				key[n] = '_';
		json_u64(j, key, x->facts[i].value);
	}
	json_close(j, '{');
}

static void
put_totals(struct json *j, const struct info *x)
{
	struct bob_counts n = bob_dict_counts(x->dict);

	json_str(j, "format", x->format != NULL ? x->format : "");
	if (x->dialect != NULL)
		json_str(j, "dialect", x->dialect);
	else
		json_null(j, "dialect");
	json_u64(j, "bytes", x->bytes_in);
	json_u64(j, "bytes_unpacked", x->bytes_unpacked);
	json_u64(j, "samples", x->n_samples);
	json_u64(j, "runs", x->n_runs);
	json_u64(j, "sampled_us", x->sampled_us);
	json_times(j, &x->times);
	json_u64(j, "timed_samples", x->n_timed);
	json_u64_if(j, "t_first_us", x->t_min, x->n_timed > 0);
	json_u64_if(j, "t_last_us", x->t_max, x->n_timed > 0);
	if (x->n_samples > 0)
		json_double(j, "bytes_per_sample",
		    (double)x->bytes_in / (double)x->n_samples);
	else
		json_null(j, "bytes_per_sample");
	json_u64(j, "stacks", x->n_stacks);
	json_u64(j, "frames", n.n_frame - 1);
	json_u64(j, "strings", n.n_str - 1);
	json_u64(j, "max_depth", x->max_depth);
	json_u64(j, "unknown_events", x->n_unknown);
	json_u64(j, "gap_bytes", x->gap_bytes);
	json_u64(j, "samples_lost", x->n_lost);
	json_bool(j, "samples_lost_is_exact", x->lost_is_exact);
	json_u64(j, "samples_unkept", x->n_unkept);
	json_u64_if(j, "late_us_p99", (uint64_t)x->late_us, x->has_late);
	if (x->has_late)
		json_double(j, "late_percent", x->late_percent);
	else
		json_null(j, "late_percent");
	if (x->has_inferred)
		json_double(j, "inferred_percent", x->inferred_percent);
	else
		json_null(j, "inferred_percent");
	json_bool(j, "incomplete", x->is_incomplete);
}

void
info_json(const struct info *x)
{
	struct json j = { .f = stdout };

	json_open(&j, NULL, '{');
	json_str(&j, "input", x->input);
	put_totals(&j, x);
	put_segments(&j, x);
	put_pids(&j, x);
	put_threads(&j, x);
	put_status(&j, x);
	put_keys(&j, x);
	put_records(&j, x);
	put_facts(&j, x);
	json_close(&j, '{');
	json_end(&j);
}
