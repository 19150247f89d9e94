/* info as text: lines of facts. The tables are in tables.c. */
#include "info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <bobbin/capture.h>
#include <bobbin/times.h>

#include "input/job.h"
#include "print/plain.h"
#include "print/msg.h"

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
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	label("state");
	if (x->n_gaps == 0 && !x->is_incomplete) {
		(void)puts("whole");
		return;
	}
	(void)fputs(color_on(stdout, "31"), stdout);
	if (x->n_gaps > 0)
		(void)printf("%s, %s passed over, %s%s lost%s",
		    number_nouns(a, x->n_gaps, "gap"),
		    number_nouns(b, x->gap_bytes, "byte"),
		    x->lost_is_exact ? "" : "at least ",
		    number_nouns((char[NUMBER_TEXT]){ 0 }, x->n_lost, "sample"),
		    x->is_incomplete ? "; " : "");
	if (x->is_incomplete)
		(void)fputs("ends inside an event: cut, or still being "
		    "written", stdout);
	(void)printf("%s\n", color_off(stdout));
}

static void
put_times(const struct info *x)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (x->n_timed == 0)
		return;
	label("times");
	(void)printf("%s to %s on the clocks of the segments",
	    number_time(a, x->t_min), number_time(b, x->t_max));
	if (x->n_timed < x->n_samples)
		(void)printf(", %s without", number_nouns(a,
		    x->n_samples - x->n_timed, "sample"));
	(void)putchar('\n');
}

static void
put_sizes(const struct info *x)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	label("size");
	(void)printf("%s", number_bytes(a, x->bytes_in));
	if (x->bytes_in >= 1000)
		(void)printf(" (%s)", number_nouns(a, x->bytes_in, "byte"));
	if (x->bytes_unpacked != x->bytes_in)
		(void)printf(", %s unpacked",
		    number_bytes(b, x->bytes_unpacked));
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
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (info_fact(x, "frames written", &written) &&
	    info_fact(x, "frames saved", &saved)) {
		label("encoded");
		(void)printf("%s written, %s saved (%.1f %%)\n",
		    number_nouns(a, written, "frame"), number_count(b, saved),
		    percent(saved, plain_add(written, saved)));
	}
	if (info_fact(x, "strings", &n) && info_fact(x, "string uses", &uses)
	    && info_fact(x, "frames", &frames) &&
	    info_fact(x, "frame uses", &frame_uses)) {
		label("reuse");
		(void)printf("%s, used %.1f times each; %s, %.1f times\n",
		    number_nouns(a, n, "string"), ratio(uses, n),
		    number_nouns(b, frames, "frame"),
		    ratio(frame_uses, frames));
	}
}

/* How much room samples take, before and after packing. */
static void
put_packing(const struct info *x)
{
	uint64_t raw, packed, tables;
	char a[NUMBER_TEXT];

	if (!info_fact(x, "sample bytes", &raw) ||
	    !info_fact(x, "sample bytes packed", &packed))
		return;
	label("sample data");
	(void)printf("%.3g bytes per sample", ratio(raw, x->n_samples));
	if (packed != raw)
		(void)printf(", %.3g packed, ratio %.2f",
		    ratio(packed, x->n_samples), ratio(raw, packed));
	if (info_fact(x, "table bytes", &tables))
		(void)printf("; tables %s", number_bytes(a, tables));
	(void)putchar('\n');
}

/* The same figures as in all reports. */
static void
put_figures(const struct info *x)
{
	struct bob_times_figure v[BOB_TIMES_FIGURES];
	size_t n = bob_times_figures(&x->times, v), i;
	char loss[BOB_TIMES_TEXT];

	for (i = 0; x->n_samples > 0 && i < n; i++) {
		label(v[i].label);
		(void)printf("%s%s%s%s\n", v[i].text,
		    strcmp(v[i].label, "idle") == 0 ? " (" : "",
		    strcmp(v[i].label, "idle") == 0
		        ? bob_times_idle_rule(&x->times) : "",
		    strcmp(v[i].label, "idle") == 0 ? ")" : "");
	}
	if (*bob_times_loss(loss, &x->times) != '\0') {
		label("missing");
		(void)puts(loss);
	}
}

static void
put_facts(const struct info *x)
{
	struct bob_counts n = bob_dict_counts(x->dict);
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[NUMBER_TEXT];

	(void)fputs(color_on(stdout, "1"), stdout);
	(void)plain_safe_str(stdout, job_name(x->input));
	(void)printf("%s\n", color_off(stdout));
	label("format");
	(void)printf("%s%s%s\n", x->format != NULL ? x->format : "-",
	    x->dialect != NULL ? ", dialect " : "",
	    x->dialect != NULL ? x->dialect : "");
	put_sizes(x);
	label("samples");
	(void)printf("%s in %s, %s\n", number_count(a, x->n_samples),
	    number_nouns(b, x->n_segments, "segment"),
	    number_nouns(c, x->n_runs, "run"));
	put_figures(x);
	put_times(x);
	if (x->has_late) {
		label("on time");
		(void)printf("99 %% of samples at most %s late; %g %% missed "
		    "or over %d us late\n",
		    number_time(a, (uint64_t)x->late_us), x->late_percent,
		    BOB_LATE_US);
	}
	if (x->has_inferred) {
		label("inferred");
		(void)printf("%g %% of stacks changed while they were read, "
		    "or were lost\n", x->inferred_percent);
	}
	label("distinct");
	(void)printf("%s, %s, %s; depth up to %" PRIu32 "\n",
	    number_nouns(a, x->n_stacks, "stack"),
	    number_nouns(b, n.n_frame - 1, "frame"),
	    number_nouns(c, n.n_str - 1, "string"), x->max_depth);
	if (x->n_unknown > 0) {
		label("unknown");
		(void)printf("%s of a newer version\n",
		    number_nouns(d, x->n_unknown, "event"));
	}
	if (x->n_unkept > 0) {
		label("not kept");
		(void)printf("%s: taken by the capture, but in no file\n",
		    number_nouns(d, x->n_unkept, "sample"));
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
