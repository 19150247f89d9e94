/* info as text: lines of facts. The tables are in tables.c. */
#include "info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/capture.h>
#include <bobbin/times.h>

#include "input/job.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/terminal.h"
#include "text/wrap.h"

/* Columns before the facts, behind their labels. */
#define FACT 16

static void
label(FILE *f, const char *name)
{
	(void)fprintf(f, "  %s%-13s%s ", color_on(stdout, "36"), name,
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
put_state(FILE *f, const struct info *x)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	label(f, "state");
	if (x->n_gaps == 0 && !x->is_incomplete) {
		(void)fputs("whole\n", f);
		return;
	}
	(void)fputs(color_on(stdout, "31"), f);
	if (x->n_gaps > 0)
		(void)fprintf(f, "%s, %s passed over, %s%s lost%s",
		    number_nouns(a, x->n_gaps, "gap"),
		    number_nouns(b, x->gap_bytes, "byte"),
		    x->lost_is_exact ? "" : "at least ",
		    number_nouns((char[NUMBER_TEXT]){ 0 }, x->n_lost, "sample"),
		    x->is_incomplete ? "; " : "");
	if (x->is_incomplete)
		(void)fputs("ends inside an event: cut, or still being "
		    "written", f);
	(void)fprintf(f, "%s\n", color_off(stdout));
}

static void
put_times(FILE *f, const struct info *x)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (x->n_timed == 0)
		return;
	label(f, "times");
	(void)fprintf(f, "%s to %s on the clocks of the segments",
	    number_time(a, x->t_min), number_time(b, x->t_max));
	if (x->n_timed < x->n_samples)
		(void)fprintf(f, ", %s without", number_nouns(a,
		    x->n_samples - x->n_timed, "sample"));
	(void)fputc('\n', f);
}

static void
put_sizes(FILE *f, const struct info *x)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	label(f, "size");
	(void)fprintf(f, "%s", number_bytes(a, x->bytes_in));
	if (x->bytes_in >= 1000)
		(void)fprintf(f, " (%s)", number_nouns(a, x->bytes_in, "byte"));
	if (x->bytes_unpacked != x->bytes_in)
		(void)fprintf(f, ", %s unpacked",
		    number_bytes(b, x->bytes_unpacked));
	if (x->n_samples > 0)
		(void)fprintf(f, ", %.3g per sample",
		    (double)x->bytes_in / (double)x->n_samples);
	(void)fputc('\n', f);
}

/* What is encoded, and how often it is used again. */
static void
put_reuse(FILE *f, const struct info *x)
{
	uint64_t written, saved, n, uses, frames, frame_uses;
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (info_fact(x, "frames written", &written) &&
	    info_fact(x, "frames saved", &saved)) {
		label(f, "encoded");
		(void)fprintf(f, "%s written, %s saved (%.1f %%)\n",
		    number_nouns(a, written, "frame"), number_count(b, saved),
		    percent(saved, plain_add(written, saved)));
	}
	if (info_fact(x, "strings", &n) && info_fact(x, "string uses", &uses)
	    && info_fact(x, "frames", &frames) &&
	    info_fact(x, "frame uses", &frame_uses)) {
		label(f, "reuse");
		(void)fprintf(f, "%s, used %.1f times each; %s, %.1f times\n",
		    number_nouns(a, n, "string"), ratio(uses, n),
		    number_nouns(b, frames, "frame"),
		    ratio(frame_uses, frames));
	}
}

/* How much room samples take, before and after packing. */
static void
put_packing(FILE *f, const struct info *x)
{
	uint64_t raw, packed, tables;
	char a[NUMBER_TEXT];

	if (!info_fact(x, "sample bytes", &raw) ||
	    !info_fact(x, "sample bytes packed", &packed))
		return;
	label(f, "sample data");
	(void)fprintf(f, "%.3g bytes per sample", ratio(raw, x->n_samples));
	if (packed != raw)
		(void)fprintf(f, ", %.3g packed, ratio %.2f",
		    ratio(packed, x->n_samples), ratio(raw, packed));
	if (info_fact(x, "table bytes", &tables))
		(void)fprintf(f, "; tables %s", number_bytes(a, tables));
	(void)fputc('\n', f);
}

/* The same figures as in all reports. */
static void
put_figures(FILE *f, const struct info *x)
{
	struct bob_times_figure v[BOB_TIMES_FIGURES];
	size_t n = bob_times_figures(&x->times, v), i;
	char loss[BOB_TIMES_TEXT];

	for (i = 0; x->n_samples > 0 && i < n; i++) {
		label(f, v[i].label);
		(void)fprintf(f, "%s%s%s%s\n", v[i].text,
		    strcmp(v[i].label, "idle") == 0 ? " (" : "",
		    strcmp(v[i].label, "idle") == 0
		        ? bob_times_idle_rule(&x->times) : "",
		    strcmp(v[i].label, "idle") == 0 ? ")" : "");
	}
	if (*bob_times_loss(loss, &x->times) != '\0') {
		label(f, "missing");
		(void)fprintf(f, "%s\n", loss);
	}
}

static void
put_facts(FILE *f, const struct info *x)
{
	struct bob_counts n = bob_dict_counts(x->dict);
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[NUMBER_TEXT];

	(void)fputs(color_on(stdout, "1"), f);
	(void)plain_safe_str(f, job_name(x->input));
	(void)fprintf(f, "%s\n", color_off(stdout));
	label(f, "format");
	(void)fprintf(f, "%s%s%s\n", x->format != NULL ? x->format : "-",
	    x->dialect != NULL ? ", dialect " : "",
	    x->dialect != NULL ? x->dialect : "");
	put_sizes(f, x);
	label(f, "samples");
	(void)fprintf(f, "%s in %s, %s\n", number_count(a, x->n_samples),
	    number_nouns(b, x->n_segments, "segment"),
	    number_nouns(c, x->n_runs, "run"));
	put_figures(f, x);
	put_times(f, x);
	if (x->has_late) {
		label(f, "on time");
		(void)fprintf(f, "99 %% of samples at most %s late; %g %% "
		    "missed or over %d us late\n",
		    number_time(a, (uint64_t)x->late_us), x->late_percent,
		    BOB_LATE_US);
	}
	if (x->has_inferred) {
		label(f, "inferred");
		(void)fprintf(f, "%g %% of stacks changed while they were "
		    "read, or were lost\n", x->inferred_percent);
	}
	label(f, "distinct");
	(void)fprintf(f, "%s, %s, %s; depth up to %" PRIu32 "\n",
	    number_nouns(a, x->n_stacks, "stack"),
	    number_nouns(b, n.n_frame - 1, "frame"),
	    number_nouns(c, n.n_str - 1, "string"), x->max_depth);
	if (x->n_unknown > 0) {
		label(f, "unknown");
		(void)fprintf(f, "%s of a newer version\n",
		    number_nouns(d, x->n_unknown, "event"));
	}
	if (x->n_unkept > 0) {
		label(f, "not kept");
		(void)fprintf(f, "%s: taken by the capture, but in no file\n",
		    number_nouns(d, x->n_unkept, "sample"));
	}
	put_reuse(f, x);
	put_packing(f, x);
	put_state(f, x);
}

/* A line whose second and later parts stand below the first fact. */
static void
put_line(const char *line, size_t n, size_t width)
{
	size_t column = 0, len, next;

	while (n > 0) {
		len = wrap_line(line, n, column, column > FACT, width, &next);
		(void)fwrite(line, 1, len, stdout);
		line += next;
		n -= next;
		column = FACT;
		if (n > 0)
			(void)printf("\n%*s", FACT, "");
	}
	(void)putchar('\n');
}

/* On a terminal lines are broken between words. */
static void
put_fitted(const char *text)
{
	size_t width, lines, n;

	terminal_size(&width, &lines);
	for (; *text != '\0'; text += n + 1) {
		n = strcspn(text, "\n");
		put_line(text, n, width);
	}
}

void
info_text(const struct info *x)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = isatty(STDOUT_FILENO) ? open_memstream(&text, &n) : NULL;

	put_facts(f != NULL ? f : stdout, x);
	if (f != NULL && fclose(f) == 0)
		put_fitted(text);
	free(text);
	info_tables(x);
}
