/* What the keys of top do; see screen.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "actions.h"
#include "screen.h"
#include "text/number.h"
#include "tui/tty.h"

#define MIN_WINDOW_US ((uint64_t)1000000)
#define MAX_WINDOW_US ((uint64_t)600 * 1000000)

static void __attribute__((format(printf, 3, 4)))
notice(struct top *t, int is_bad, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(t->notice, sizeof(t->notice), fmt, ap);
	va_end(ap);
	t->is_notice_bad = is_bad;
}

/* Makes the table again after a key, also while it is frozen. Returns 0; -1 if
 * that fails. */
static int
remake(struct top *t)
{
	if (top_refresh(t) >= 0)
		return 0;
	notice(t, 1, "%s", bob_ctx_error(t->ctx)->text);
	return -1;
}

/* Filters by a text; the old filter stays if it is no pattern. */
static int
set_filter(struct top *t, const char *text)
{
	char old[sizeof(t->pattern)];

	if (strcmp(text, t->pattern) == 0)
		return 0;
	memcpy(old, t->pattern, sizeof(old));
	(void)snprintf(t->pattern, sizeof(t->pattern), "%s", text);
	t->screen->cursor = (struct cursor){ 0, 0 };
	if (remake(t) == 0)
		return 0;
	memcpy(t->pattern, old, sizeof(old));
	(void)top_refresh(t);
	return -1;
}

static void
save_as(struct top *t, const char *path)
{
	char err[BOB_MAX_TEXT], n[NUMBER_TEXT];

	if (top_save(t, path, err, sizeof(err)) < 0)
		notice(t, 1, "not saved: %s", err);
	else
		notice(t, 0, "%s: %s since the start, as sums; bobbin explore "
		    "%s", path, number_nouns(n, bob_profile_info(
		    t->store.profile, 0).n_samples, "sample"), path);
}

static void
open_save(struct top *t)
{
	char name[64];

	if (t->procs.n == 1)
		(void)snprintf(name, sizeof(name), "top-%llu.rbt",
		    (unsigned long long)t->procs.v[0]->pid);
	else
		(void)snprintf(name, sizeof(name), "top.rbt");
	prompt_open(&t->screen->prompt, DO_SAVE, name);
	t->screen->has_prompt = 1;
}

void
top_prompt_key(struct top *t, const struct event *e)
{
	struct top_screen *s = t->screen;
	int what = prompt_key(&s->prompt, e);
	int is_filter = s->prompt.action == DO_FILTER;

	s->has_prompt = what == PROMPT_GOES_ON;
	s->why[0] = '\0';
	if (what == PROMPT_CANCELLED && is_filter)
		(void)set_filter(t, "");
	else if (what == PROMPT_DONE && !is_filter)
		save_as(t, s->prompt.text);
	else if (is_filter && set_filter(t, s->prompt.text) < 0 &&
	    what == PROMPT_GOES_ON) {
		(void)snprintf(s->why, sizeof(s->why), "%s", t->notice);
		t->notice[0] = '\0';
	}
}

/* Sorts by the column beside the one that rows are sorted by. */
static void
sort_beside(struct top *t, int by)
{
	int order = t->table.order;

	if (!top_has_own(t))
		order = by < 0 ? TOP_SELF : TOP_ALL_SELF;
	else if (order + by >= 0 && order + by < TOP_N_ORDERS)
		order += by;
	t->table.order = order;
}

static void
explore(struct top *t)
{
	size_t at = t->screen->cursor.at;

	if (bob_profile_info(t->store.profile, 0).n_samples == 0)
		notice(t, 1, "there is no sample yet");
	else
		top_live_open(t, at < t->table.n ? &t->table.row[at] : NULL);
}

void
top_move_cursor(const struct top *t, long by)
{
	cursor_move(&t->screen->cursor, t->table.n, by);
}

static void
set_table(struct top *t, int action, int value)
{
	switch (action) {
	case DO_BY:
		t->table.by = value;
		break;
	case DO_ORDER:
		t->table.order = value;
		break;
	default:
		sort_beside(t, action == DO_SORT_LEFT ? -1 : 1);
	}
	t->screen->cursor = (struct cursor){ 0, 0 };
	(void)remake(t);
}

static void
open_filter(struct top *t)
{
	prompt_open(&t->screen->prompt, DO_FILTER, t->pattern);
	t->screen->has_prompt = 1;
}

/* Makes the window twice as long, or half as long. */
static void
resize_window(struct top *t, int is_wider)
{
	if (is_wider && t->window_us < MAX_WINDOW_US)
		t->window_us *= 2;
	else if (!is_wider && t->window_us > MIN_WINDOW_US)
		t->window_us /= 2;
}

static void
move(const struct top *t, int action)
{
	long page = t->screen->canvas.rows - TOP_HEAD - TOP_FOOT - 1;

	switch (action) {
	case DO_UP:
		top_move_cursor(t, -1);
		break;
	case DO_DOWN:
		top_move_cursor(t, 1);
		break;
	case DO_PAGE_UP:
		top_move_cursor(t, -page);
		break;
	case DO_PAGE_DOWN:
		top_move_cursor(t, page);
		break;
	case DO_FIRST:
		t->screen->cursor = (struct cursor){ 0, 0 };
		break;
	default:
		top_move_cursor(t, (long)t->table.n);
	}
}

int
top_act(struct top *t, int action, int value)
{
	switch (action) {
	case DO_BY:
	case DO_ORDER:
	case DO_SORT_LEFT:
	case DO_SORT_RIGHT:
		set_table(t, action, value);
		break;
	case DO_IDLE:
		t->table.shows_idle = !t->table.shows_idle;
		(void)remake(t);
		break;
	case DO_EXPLORE:
		explore(t);
		break;
	case DO_SAVE:
		open_save(t);
		break;
	case DO_CANCEL:
		if (t->pattern[0] != '\0')
			(void)set_filter(t, "");
		break;
	case DO_FREEZE:
		t->is_frozen = !t->is_frozen;
		break;
	case DO_FILTER:
		open_filter(t);
		break;
	case DO_CLEAR:
		t->wants_clear = 1;
		break;
	case DO_WIDER:
	case DO_NARROWER:
		resize_window(t, action == DO_WIDER);
		break;
	case DO_SUSPEND:
		tty_suspend();
		(void)top_screen_resize(t->screen);
		break;
	case DO_REDRAW:
		tty_forget();
		break;
	case DO_SHOW_KEYS:
		t->screen->has_help = !t->screen->has_help;
		break;
	case DO_END:
		return 1;
	default:
		move(t, action);
	}
	return 0;
}
