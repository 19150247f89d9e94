/*
 * analyze --follow: a report per interval, while the inputs grow.
 *
 * On a terminal each report takes the place of the one before: the cursor goes
 * home, lines are written over, and what is left below is cleared. The cursor
 * is hidden meanwhile and shown again at the end, whatever ends it; a signal
 * that cannot be caught leaves nothing worse than a hidden cursor.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze.h"
#include "print/msg.h"
#include "system/clock.h"
#include "system/signals.h"
#include "system/terminal.h"

/* How often inputs are looked at between reports. */
#define LOOK_US 100000

int
analyze_is_stopped(void)
{
	return *signals_stopped();
}

void
follow_signals(void)
{
	signals_catch_stop(SIGINT, SIGNALS_ALWAYS);
	signals_catch_stop(SIGTERM, SIGNALS_ALWAYS);
	signals_catch_stop(SIGHUP, SIGNALS_ALWAYS);
	if (isatty(STDOUT_FILENO))
		signals_catch_resize();
}

static int
is_screen(const struct analyze *a)
{
	const char *term = getenv("TERM");

	return (a->o.style == STYLE_TABLES || a->o.style == STYLE_RELI) &&
	    isatty(STDOUT_FILENO) && term != NULL &&
	    strcmp(term, "dumb") != 0;
}

/* Adds the summary above the tables; elsewhere it goes to standard error. */
static void
put_head(struct analyze *a, struct block *b, size_t columns)
{
	struct span l = { 0 };
	size_t i;

	for (i = 0; summary_line(a, i, &l); i++) {
		span_crop(&l, columns, 0, "...");
		if (l.n > 0)
			span_add(block_line(b), &l);
		span_done(&l);
	}
	if (a->r.whole.samples == 0)
		span_put(block_line(b), "nothing yet");
	(void)block_line(b);
}

/* Draws over the previous report, at most as many lines as the screen has. */
static int
follow_draw(struct analyze *a)
{
	struct block head = { 0 }, body = { 0 };
	size_t columns, lines, asked = a->o.budget;
	int code = analyze_gather(a);

	terminal_size(&columns, &lines);
	if (code == EXIT_OK) {
		put_head(a, &head, columns);
		lines = lines > head.n + 1 ? lines - head.n - 1 : 1;
		if (a->o.budget == 0 || a->o.budget > lines)
			a->o.budget = lines;
		code = analyze_fit(a);
	}
	if (code == EXIT_OK)
		analyze_text(a, &body);
	a->o.budget = asked;
	if (code == EXIT_OK && block_is_whole(&head) &&
	    block_is_whole(&body)) {
		(void)fputs("\033[?25l\033[H", stdout);
		block_print(&head, stdout, "\033[K\n");
		block_print(&body, stdout, "\033[K\n");
		(void)fputs("\033[J", stdout);
		(void)fflush(stdout);
	}
	block_done(&head);
	block_done(&body);
	return code;
}

static int
follow_show(struct analyze *a)
{
	int code;

	if (is_screen(a))
		return follow_draw(a);
	if (!a->is_first && a->o.style != STYLE_JSON &&
	    a->o.style != STYLE_CSV)
		(void)fputc('\n', stdout);
	a->is_first = 0;
	code = analyze_report(a);
	(void)fflush(stdout);
	return code;
}

static void
pause_us(uint64_t us)
{
	struct timespec t = { (time_t)(us / 1000000),
		(long)(us % 1000000) * 1000 };

	(void)nanosleep(&t, NULL);
}

static int
is_interrupted(void)
{
	return analyze_is_stopped() || signals_is_resized();
}

/*
 * Reads what is added to the inputs until the interval is over. Returns 1 if
 * all inputs have ended; sets *has_news if something was read.
 */
static int
wait_for_news(struct analyze *a, int *has_news)
{
	uint64_t end = now_us() + a->o.interval_us, t;
	int r;

	do {
		r = bob_profile_refresh(a->profile);
		*has_news |= r == BOB_OK || r == BOB_WARN;
		if (r < BOB_WARN) {
			a->code = job_error(&a->job);
			*has_news = 1;
		}
		if (r == BOB_EOF)
			return 1;
		t = now_us();
		if (t < end && !is_interrupted())
			pause_us(end - t < LOOK_US ? end - t : LOOK_US);
	} while (now_us() < end && !is_interrupted());
	return 0;
}

int
analyze_follow(struct analyze *a)
{
	int code = EXIT_OK, has_ended = 0, has_news = 1;

	a->is_first = 1;
	if (is_screen(a))
		(void)fputs("\033[2J", stdout);
	while (code == EXIT_OK) {
		has_news |= signals_take_resize();
		if (has_news)
			code = follow_show(a);
		has_news = 0;
		if (has_ended || analyze_is_stopped() || code != EXIT_OK)
			break;
		has_ended = wait_for_news(a, &has_news);
	}
	if (is_screen(a)) {
		(void)fputs("\033[?25h", stdout);
		(void)fflush(stdout);
	}
	return code == EXIT_OK ? a->code : code;
}
