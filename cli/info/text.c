/* info for people: a few lines of facts; the tables are info_tables.c's. */
#include "info.h"

#include <inttypes.h>
#include <stdio.h>

#include "job.h"
#include "msg.h"
#include "plain.h"

static void
label(const char *name)
{
	(void)printf("  %s%-13s%s ", color_on(stdout, "36"), name,
	    color_off(stdout));
}

static double
ratio(uint64_t a, uint64_t b)
{
	return b > 0 ? (double)a / (double)b : 0;
}

static double
percent(uint64_t part, uint64_t whole)
{
	return 100 * ratio(part, whole);
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

/* What is encoded, and how often it is used again. */
static void
put_reuse(const struct info *x)
{
	uint64_t written, saved, n, uses, frames, frame_uses;
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER];

	if (info_fact(x, "frames written", &written) &&
	    info_fact(x, "frames saved", &saved)) {
		label("encoded");
		(void)printf("%s written, %s saved (%.1f %%)\n",
		    plain_nouns(a, written, "frame"), plain_count(b, saved),
		    percent(saved, plain_add(written, saved)));
	}
	if (info_fact(x, "strings", &n) && info_fact(x, "string uses", &uses)
	    && info_fact(x, "frames", &frames) &&
	    info_fact(x, "frame uses", &frame_uses)) {
		label("reuse");
		(void)printf("%s, used %.1f times each; %s, %.1f times\n",
		    plain_nouns(a, n, "string"), ratio(uses, n),
		    plain_nouns(b, frames, "frame"),
		    ratio(frame_uses, frames));
	}
}

/* How much room samples take, before and after packing. */
static void
put_packing(const struct info *x)
{
	uint64_t raw, packed, tables;
	char a[PLAIN_NUMBER];

	if (!info_fact(x, "sample bytes", &raw) ||
	    !info_fact(x, "sample bytes packed", &packed))
		return;
	label("sample data");
	(void)printf("%.3g bytes per sample", ratio(raw, x->n_samples));
	if (packed != raw)
		(void)printf(", %.3g packed, ratio %.2f",
		    ratio(packed, x->n_samples), ratio(raw, packed));
	if (info_fact(x, "table bytes", &tables))
		(void)printf("; tables %s", plain_bytes(a, tables));
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
	(void)printf("%s%s%s\n", x->format != NULL ? x->format : "-",
	    x->dialect != NULL ? ", dialect " : "",
	    x->dialect != NULL ? x->dialect : "");
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
	if (x->n_unkept > 0) {
		label("not kept");
		(void)printf("%s: taken by the capture, but in no file\n",
		    plain_nouns(d, x->n_unkept, "sample"));
	}
	put_reuse(x);
	put_packing(x);
	put_state(x);
}

void
info_text(const struct info *x)
{
	put_facts(x);
	info_tables(x);
}
