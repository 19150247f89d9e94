/* info as text: the tables. */
#include "info.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "print/block.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/terminal.h"

#define BAR 24 /* columns of a full bar */

/* Narrower terminals have no room for bars. */
#define WIDE 92

/* Columns of less use are left out where there is less room. */
#define MIN_OFFSET 72
#define MIN_INTERP 60
#define MIN_VALUES 66

/* A command has at least as many columns, or a line of its own. */
#define MIN_COMMAND 24
#define MAX_COMMAND 80
#define INDENT 6

/* Of a process, with its samples and their share. */
#define PID_COLUMNS 36

/* Columns of the terminal; any number if there is none. */
static size_t
width(void)
{
	size_t columns, lines;

	terminal_size(&columns, &lines);
	return isatty(STDOUT_FILENO) ? columns : SIZE_MAX;
}

static void
put_title(const char *title)
{
	(void)printf("\n  %s%s%s\n", color_on(stdout, "1"), title,
	    color_off(stdout));
}

static void
put_more(uint64_t n_all, uint64_t n_shown)
{
	char a[NUMBER_TEXT];

	if (n_all > n_shown)
		(void)printf("  ... and %s more; --all lists them\n",
		    number_count(a, n_all - n_shown));
}

/* A share, as a number and as a bar that is easier to compare. Returns the
 * columns of the bar. */
static int
bar(uint64_t part, uint64_t whole)
{
	double x = whole > 0 ? (double)part / (double)whole : 0;
	int n = width() < WIDE ? 0 : (int)(x * BAR + 0.5), i;

	(void)printf("  %5.1f %%%s%s", 100 * x, n > 0 ? "  " : "",
	    color_on(stdout, "32"));
	for (i = 0; i < n; i++)
		(void)putchar('#');
	(void)printf("%s", color_off(stdout));
	return n > 0 ? n + 2 : 0;
}

static void
share(uint64_t part, uint64_t whole)
{
	(void)bar(part, whole);
	(void)putchar('\n');
}

/* Unix time in microseconds, as 2026-01-31 12:00:00 UTC. */
static const char *
plain_date(char buf[NUMBER_TEXT], uint64_t us)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(buf, NUMBER_TEXT, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		return "-";
	return buf;
}

static void
put_segments(const struct info *x)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];
	size_t i;

	if (x->n_segments == 0)
		return;
	put_title(width() < MIN_OFFSET
	    ? "segment     period       samples  times"
	    : "segment       offset     period       samples  times");
	for (i = 0; i < x->n_kept_segments; i++) {
		const struct info_segment *s = &x->segments[i];

		(void)printf("  %7" PRIu64, s->head.index);
		if (width() >= MIN_OFFSET)
			(void)printf(" %12" PRIu64, s->head.offset);
		(void)printf(" %10s %13s  ", s->head.period_us > 0
		    ? number_time(a, s->head.period_us) : "-",
		    number_count(b, s->n_samples));
		if (s->n_timed > 0)
			(void)printf("%s to %s", number_time(a, s->t_first),
			    number_time(b, s->t_last));
		else
			(void)putchar('-');
		if (s->head.start_us > 0 && width() >= WIDE)
			(void)printf(" from %s",
			    plain_date(a, s->head.start_us));
		(void)puts(x->has_ends && !s->is_ended ? "  (not closed)"
		                                       : "");
	}
	put_more(x->n_segments, x->n_kept_segments);
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

/* A command, behind `used` columns: cut in its middle where it does not fit. */
static void
put_command(const struct info *x, bob_str command, size_t used)
{
	struct bob_bytes b = bob_str_get(x->dict, command);
	struct span l = { 0 };
	size_t room = width() > used + 2 ? width() - used - 2 : 0;

	if (room >= MIN_COMMAND)
		(void)fputs("  ", stdout);
	else {
		room = width() > INDENT + MIN_COMMAND ? width() - INDENT
		                                      : MIN_COMMAND;
		(void)printf("\n%*s", INDENT, "");
	}
	span_safe_middle(&l, b.p, b.n, room < MAX_COMMAND ? room
	                                                  : MAX_COMMAND);
	(void)printf("%.*s", (int)l.n, l.p != NULL ? l.p : "");
	span_done(&l);
}

/* Prints runtime and command of a process behind its bar. */
static void
put_pid_label(const struct info *x, const struct info_pid *p, int used)
{
	int gap = width() < WIDE ? 2 : BAR + 4 - used;
	size_t at = PID_COLUMNS + (size_t)(used + gap);

	if (p->runtime != 0) {
		(void)printf("%*s", gap, "");
		at += put_name(x, p->runtime, 16);
	} else if (p->command != 0)
		(void)printf("%*s", gap - 2, "");
	if (p->command != 0)
		put_command(x, p->command, at);
	(void)putchar('\n');
}

static void
put_pids(const struct info *x)
{
	size_t n = x->keeps_all || x->n_pids < INFO_TOP ? x->n_pids : INFO_TOP;
	char a[NUMBER_TEXT], b[NUMBER_TEXT];
	size_t i;

	if (x->n_pids == 0)
		return;
	put_title("        pid       samples");
	for (i = 0; i < n; i++) {
		(void)snprintf(b, sizeof(b), "%" PRIu64, x->pids[i].pid);
		(void)printf("  %11s %13s", x->pids[i].is_known ? b : "-",
		    number_count(a, x->pids[i].n_samples));
		put_pid_label(x, &x->pids[i],
		    bar(x->pids[i].n_samples, x->n_samples));
	}
	put_more(x->n_pids, n);
}

static void
put_interp(const struct bob_track *who)
{
	if ((who->flags & BOB_TRACK_INTERP) != 0)
		(void)printf("%12" PRIu32, who->interp);
	else
		(void)printf("%12s", "-");
}

static void
put_threads(const struct info *x)
{
	size_t n = x->keeps_all || x->n_threads < INFO_TOP ? x->n_threads
	                                                   : INFO_TOP;
	char a[NUMBER_TEXT];
	size_t i;

	if (x->n_threads == 0)
		return;
	put_title(width() < MIN_INTERP ? "              thread       samples"
	    : "              thread  interpreter       samples");
	for (i = 0; i < n; i++) {
		const struct info_thread *t = &x->threads[i];

		(void)printf("  %20" PRIu64 " ", t->who.tid);
		if (width() >= MIN_INTERP)
			put_interp(&t->who);
		(void)printf(" %13s", number_count(a, t->n_samples));
		share(t->n_samples, x->n_samples);
	}
	put_more(x->n_threads, n);
}

const struct info_bit info_bits[INFO_STATUS_BITS] = {
	{ "has the GIL", "has_gil" },
	{ "on a CPU", "on_cpu" },
	{ "CPU not known", "cpu_unknown" },
	{ "waits for the GIL", "wants_gil" },
	{ "handles an exception", "has_exception" },
	{ "main thread", "main_thread" },
	{ "bit 6", "bit_6" },
	{ "bit 7", "bit_7" },
};

static void
put_status(const struct info *x)
{
	char a[NUMBER_TEXT];
	unsigned i;

	if (x->n_status == 0)
		return;
	put_title("thread status                     samples");
	for (i = 0; i < INFO_STATUS_BITS; i++) {
		if (x->of_bit[i] == 0)
			continue;
		(void)printf("  %-27s %13s", info_bits[i].words,
		    number_count(a, x->of_bit[i]));
		share(x->of_bit[i], x->n_status);
	}
	if (x->of_status[0] > 0) {
		(void)printf("  %-27s %13s", "none of these",
		    number_count(a, x->of_status[0]));
		share(x->of_status[0], x->n_status);
	}
}

static void
put_keys(const struct info *x)
{
	size_t n = x->keeps_all || x->n_keys < INFO_TOP ? x->n_keys : INFO_TOP;
	char a[NUMBER_TEXT], b[NUMBER_TEXT];
	size_t i, columns;

	if (x->n_keys == 0)
		return;
	put_title(width() < MIN_VALUES
	    ? "annotation                        samples"
	    : "annotation                        samples      values");
	for (i = 0; i < n; i++) {
		(void)fputs("  ", stdout);
		columns = put_name(x, x->keys[i].key, 24);
		(void)printf("%*s %13s",
		    columns < 27 ? (int)(27 - columns) : 0, "",
		    number_count(a, x->keys[i].n_samples));
		if (width() >= MIN_VALUES)
			(void)printf(" %11s", number_count(b,
			    x->keys[i].n_values));
		share(x->keys[i].n_samples, x->n_samples);
	}
	put_more(x->n_keys, n);
}

static void
put_metas(const struct info *x)
{
	size_t i;

	if (x->n_meta == 0)
		return;
	put_title("segment  metadata");
	for (i = 0; i < x->n_kept_metas; i++) {
		(void)printf("  %7" PRIu64 "  ", x->metas[i].segment);
		(void)put_name(x, x->metas[i].key, 40);
		(void)fputs(" = ", stdout);
		(void)put_name(x, x->metas[i].value, 200);
		(void)putchar('\n');
	}
	put_more(x->n_meta, x->n_kept_metas);
}

/* A count and its share. */
static void
put_part(uint64_t part, uint64_t whole)
{
	char a[NUMBER_TEXT];

	(void)printf(" %13s %5.1f %%", number_count(a, part), whole > 0
	    ? 100 * (double)part / (double)whole : 0);
}

/* Where samples are told apart by the records that hold them. */
static void
put_sample_records(const struct info *x, const struct bob_stat *all)
{
	size_t i;

	put_title("record              count               samples"
	      "                 bytes");
	for (i = 0; i < x->n_stats; i++) {
		const struct bob_stat *s = &x->stats[i];

		if (s->n_records == 0)
			continue;
		(void)printf("  %-11s", s->kind);
		put_part(s->n_records, all->n_records);
		put_part(s->n_samples, all->n_samples);
		put_part(s->n_bytes, all->n_bytes);
		(void)putchar('\n');
	}
}

static void
put_records(const struct info *x)
{
	struct bob_stat all = { 0 };
	char a[NUMBER_TEXT], b[NUMBER_TEXT];
	size_t i;

	for (i = 0; i < x->n_stats; i++) {
		all.n_records = plain_add(all.n_records,
		    x->stats[i].n_records);
		all.n_bytes = plain_add(all.n_bytes, x->stats[i].n_bytes);
		all.n_samples = plain_add(all.n_samples,
		    x->stats[i].n_samples);
	}
	if (all.n_samples > 0) {
		put_sample_records(x, &all);
		return;
	}
	if (x->n_stats == 0)
		return;
	put_title("record                    count         bytes");
	for (i = 0; i < x->n_stats; i++) {
		if (x->stats[i].n_records == 0)
			continue;
		(void)printf("  %-17s %13s %13s", x->stats[i].kind,
		    number_count(a, x->stats[i].n_records),
		    number_count(b, x->stats[i].n_bytes));
		share(x->stats[i].n_bytes, all.n_bytes);
	}
}

void
info_tables(const struct info *x)
{
	put_segments(x);
	put_pids(x);
	put_threads(x);
	put_status(x);
	put_keys(x);
	put_metas(x);
	put_records(x);
}
