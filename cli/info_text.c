/* info for people: a few lines of facts, then tables. */
#include "info.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "job.h"
#include "msg.h"
#include "plain.h"

#define BAR 24 /* columns of a full bar */

static void
label(const char *name)
{
	(void)printf("  %s%-13s%s ", color_on(stdout, "36"), name,
	    color_off(stdout));
}

static void
table(const char *title)
{
	(void)printf("\n  %s%s%s\n", color_on(stdout, "1"), title,
	    color_off(stdout));
}

static void
more(uint64_t n_all, uint64_t n_shown)
{
	char a[PLAIN_NUMBER];

	if (n_all > n_shown)
		(void)printf("  ... and %s more; --all lists them\n",
		    plain_count(a, n_all - n_shown));
}

/* A share, as a number and as a bar that is easier to compare. */
static void
share(uint64_t part, uint64_t whole)
{
	double x = whole > 0 ? (double)part / (double)whole : 0;
	int n = (int)(x * BAR + 0.5);

	(void)printf("  %5.1f %%%s%s", 100 * x, n > 0 ? "  " : "",
	    color_on(stdout, "32"));
	while (n-- > 0)
		(void)putchar('#');
	(void)printf("%s\n", color_off(stdout));
}

static void
put_state(const struct info *x)
{
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER];

	label("state");
	if (x->n_gaps == 0 && !x->is_incomplete) {
		(void)puts("whole");
		return;
	}
	(void)fputs(color_on(stdout, "31"), stdout);
	if (x->n_gaps > 0)
		(void)printf("%s, %s passed over, %s%s lost%s",
		    plain_nouns(a, x->n_gaps, "gap"),
		    plain_nouns(b, x->gap_bytes, "byte"),
		    x->lost_is_exact ? "" : "at least ",
		    plain_nouns((char[PLAIN_NUMBER]){ 0 }, x->n_lost, "sample"),
		    x->is_incomplete ? "; " : "");
	if (x->is_incomplete)
		(void)fputs("ends inside an event: cut, or still being "
		    "written", stdout);
	(void)printf("%s\n", color_off(stdout));
}

static void
put_times(const struct info *x)
{
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER];

	if (x->n_timed == 0)
		return;
	label("times");
	(void)printf("%s to %s on the clocks of the segments",
	    plain_time(a, x->t_min), plain_time(b, x->t_max));
	if (x->n_timed < x->n_samples)
		(void)printf(", %s without", plain_nouns(a,
		    x->n_samples - x->n_timed, "sample"));
	(void)putchar('\n');
}

static void
put_sizes(const struct info *x)
{
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER];

	label("size");
	(void)printf("%s", plain_bytes(a, x->bytes_in));
	if (x->bytes_in >= 1000)
		(void)printf(" (%s)", plain_nouns(a, x->bytes_in, "byte"));
	if (x->bytes_unpacked != x->bytes_in)
		(void)printf(", %s unpacked",
		    plain_bytes(b, x->bytes_unpacked));
	if (x->n_samples > 0)
		(void)printf(", %.3g per sample",
		    (double)x->bytes_in / (double)x->n_samples);
	(void)putchar('\n');
}

static void
put_facts(const struct info *x)
{
	struct bob_counts n = bob_dict_counts(x->dict);
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER], c[PLAIN_NUMBER], d[PLAIN_NUMBER];

	(void)fputs(color_on(stdout, "1"), stdout);
	(void)plain_safe_str(stdout, job_name(x->input));
	(void)printf("%s\n", color_off(stdout));
	label("format");
	(void)puts(x->format != NULL ? x->format : "-");
	put_sizes(x);
	label("samples");
	(void)printf("%s in %s, %s\n", plain_count(a, x->n_samples),
	    plain_nouns(b, x->n_segments, "segment"),
	    plain_nouns(c, x->n_runs, "run"));
	if (x->sampled_us > 0) {
		label("sampled time");
		(void)puts(plain_time(a, x->sampled_us));
	}
	put_times(x);
	label("distinct");
	(void)printf("%s, %s, %s; depth up to %" PRIu32 "\n",
	    plain_nouns(a, x->n_stacks, "stack"),
	    plain_nouns(b, n.n_frame - 1, "frame"),
	    plain_nouns(c, n.n_str - 1, "string"), x->max_depth);
	if (x->n_unknown > 0) {
		label("unknown");
		(void)printf("%s of a newer version\n",
		    plain_nouns(d, x->n_unknown, "event"));
	}
	put_state(x);
}

/* Unix time in microseconds, as 2026-01-31 12:00:00 UTC. */
static const char *
plain_date(char buf[PLAIN_NUMBER], uint64_t us)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(buf, PLAIN_NUMBER, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		return "-";
	return buf;
}

static void
put_segments(const struct info *x)
{
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER];
	size_t i;

	if (x->n_segments == 0)
		return;
	table("segment       offset     period       samples  times");
	for (i = 0; i < x->n_kept_segments; i++) {
		const struct info_segment *s = &x->segments[i];

		(void)printf("  %7" PRIu64 " %12" PRIu64 " %10s %13s  ",
		    s->head.index, s->head.offset,
		    s->head.period_us > 0 ? plain_time(a, s->head.period_us)
		                          : "-",
		    plain_count(b, s->n_samples));
		if (s->n_timed > 0)
			(void)printf("%s to %s", plain_time(a, s->t_first),
			    plain_time(b, s->t_last));
		else
			(void)putchar('-');
		if (s->head.start_us > 0)
			(void)printf(" from %s",
			    plain_date(a, s->head.start_us));
		(void)puts(s->is_ended ? "" : "  (not closed)");
	}
	more(x->n_segments, x->n_kept_segments);
}

static void
put_pids(const struct info *x)
{
	size_t n = x->keeps_all || x->n_pids < INFO_TOP ? x->n_pids : INFO_TOP;
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER];
	size_t i;

	if (x->n_pids == 0)
		return;
	table("        pid       samples");
	for (i = 0; i < n; i++) {
		(void)snprintf(b, sizeof(b), "%" PRIu64, x->pids[i].pid);
		(void)printf("  %11s %13s", x->pids[i].is_known ? b : "-",
		    plain_count(a, x->pids[i].n_samples));
		share(x->pids[i].n_samples, x->n_samples);
	}
	more(x->n_pids, n);
}

/* A string of the dictionary, at most `max` bytes of it; returns columns. */
static size_t
put_name(const struct info *x, bob_str s, size_t max)
{
	struct bob_bytes b = bob_str_get(x->dict, s);
	size_t n = b.n <= max ? b.n : max - 3;
	size_t columns = plain_safe(stdout, b.p, n);
	const char *tail = n < b.n ? "..." : b.n == 0 ? "''" : "";

	return columns + plain_safe_str(stdout, tail);
}

static void
put_keys(const struct info *x)
{
	size_t n = x->keeps_all || x->n_keys < INFO_TOP ? x->n_keys : INFO_TOP;
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER];
	size_t i, columns;

	if (x->n_keys == 0)
		return;
	table("annotation                        samples      values");
	for (i = 0; i < n; i++) {
		(void)fputs("  ", stdout);
		columns = put_name(x, x->keys[i].key, 24);
		(void)printf("%*s %13s %11s",
		    columns < 27 ? (int)(27 - columns) : 0, "",
		    plain_count(a, x->keys[i].n_samples),
		    plain_count(b, x->keys[i].n_values));
		share(x->keys[i].n_samples, x->n_samples);
	}
	more(x->n_keys, n);
}

static void
put_metas(const struct info *x)
{
	size_t i;

	if (x->n_meta == 0)
		return;
	table("segment  metadata");
	for (i = 0; i < x->n_kept_metas; i++) {
		(void)printf("  %7" PRIu64 "  ", x->metas[i].segment);
		(void)put_name(x, x->metas[i].key, 40);
		(void)fputs(" = ", stdout);
		(void)put_name(x, x->metas[i].value, 200);
		(void)putchar('\n');
	}
	more(x->n_meta, x->n_kept_metas);
}

static void
put_records(const struct info *x)
{
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER];
	uint64_t all = 0;
	size_t i;

	if (x->n_stats == 0)
		return;
	for (i = 0; i < x->n_stats; i++)
		all = plain_add(all, x->stats[i].n_bytes);
	table("record                    count         bytes");
	for (i = 0; i < x->n_stats; i++) {
		if (x->stats[i].n_records == 0)
			continue;
		(void)printf("  %-17s %13s %13s", x->stats[i].kind,
		    plain_count(a, x->stats[i].n_records),
		    plain_count(b, x->stats[i].n_bytes));
		share(x->stats[i].n_bytes, all);
	}
}

void
info_text(const struct info *x)
{
	put_facts(x);
	put_segments(x);
	put_pids(x);
	put_keys(x);
	put_metas(x);
	put_records(x);
}
