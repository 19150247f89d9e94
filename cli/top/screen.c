/*
 * The full screen of top: two lines of facts, a table, a line of keys. Keys
 * are looked at between samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/msg.h"
#include "text/number.h"
#include "text/safe.h"
#include "top.h"
#include "tui/canvas.h"
#include "tui/cursor.h"
#include "tui/glyph.h"
#include "tui/key.h"
#include "tui/prompt.h"
#include "tui/style.h"
#include "tui/tty.h"

#define HEAD 4 /* lines above the rows */
#define FOOT 1
#define MIN_COLS 40
#define MIN_ROWS 8

#define MIN_WINDOW_US ((uint64_t)1000000)
#define MAX_WINDOW_US ((uint64_t)600 * 1000000)

struct top_screen {
	struct canvas canvas;
	struct keys keys;
	struct prompt prompt;
	int has_prompt, has_help;
	struct cursor cursor;
	char status[BOB_MAX_TEXT]; /* instead of the keys, until the next */
};

/* What a key does: a grouping, an order, or one of these. */
enum deed {
	DO_BY = 0,
	DO_ORDER,
	DO_FREEZE,
	DO_FILTER,
	DO_CLEAR,
	DO_WIDER,
	DO_NARROWER,
	DO_UP,
	DO_DOWN,
	DO_PAGE_UP,
	DO_PAGE_DOWN,
	DO_FIRST,
	DO_SUSPEND,
	DO_REDRAW,
	DO_SHOW_KEYS,
	DO_END
};

static const struct {
	const char *key;
	int deed, value;
	const char *help;
} keys[] = {
	{ "f", DO_BY, TOP_BY_FUNCTION, "by function" },
	{ "l", DO_BY, TOP_BY_LINE, "by line" },
	{ "i", DO_BY, TOP_BY_FILE, "by file" },
	{ "r", DO_BY, TOP_BY_ROUTE, "by route of the request" },
	{ "p", DO_BY, TOP_BY_PID, "by process" },
	{ "d", DO_BY, TOP_BY_THREAD, "by thread" },
	{ "s", DO_ORDER, TOP_SELF, "sort by self, in the window" },
	{ "t", DO_ORDER, TOP_TOTAL, "sort by total, in the window" },
	{ "S", DO_ORDER, TOP_ALL_SELF, "sort by self, since the start" },
	{ "T", DO_ORDER, TOP_ALL_TOTAL, "sort by total, since the start" },
	{ "Space", DO_FREEZE, 0, "freeze the table, and go on" },
	{ "/", DO_FILTER, 0, "only rows that match a pattern" },
	{ "c", DO_CLEAR, 0, "begin the sums since the start anew" },
	{ "+", DO_WIDER, 0, "twice the window" },
	{ "-", DO_NARROWER, 0, "half the window" },
	{ "Up", DO_UP, 0, NULL },
	{ "k", DO_UP, 0, NULL },
	{ "Down", DO_DOWN, 0, NULL },
	{ "j", DO_DOWN, 0, NULL },
	{ "PgUp", DO_PAGE_UP, 0, NULL },
	{ "PgDn", DO_PAGE_DOWN, 0, NULL },
	{ "Home", DO_FIRST, 0, NULL },
	{ "^Z", DO_SUSPEND, 0, NULL },
	{ "^L", DO_REDRAW, 0, NULL },
	{ "?", DO_SHOW_KEYS, 0, "this list" },
	{ "q", DO_END, 0, "quit" },
	{ "^C", DO_END, 0, NULL },
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

static int
screen_resize(struct top_screen *s)
{
	int cols, rows;

	tty_size(&cols, &rows);
	return canvas_resize(&s->canvas, cols, rows);
}

int
top_has_screen(void)
{
	return 1;
}

int
top_screen_open(struct top *t)
{
	const char *color = args_value(t->args, OPT_COLOR);
	struct tty_opts o = { .no_color = color != NULL &&
	    strcmp(color, "never") == 0 };
	char err[256];

	t->screen = calloc(1, sizeof(*t->screen));
	if (t->screen == NULL) {
		msg_error("out of memory");
		return -1;
	}
	if (tty_open(&o, err, sizeof(err)) < 0) {
		msg_error("top: %s", err);
		msg_hint("'bobbin top --count N' prints tables instead");
		free(t->screen);
		return -1;
	}
	t->screen->canvas.is_ascii = tty_is_ascii();
	if (screen_resize(t->screen) == 0)
		return 0;
	top_screen_close(t);
	msg_error("out of memory");
	return -1;
}

void
top_screen_close(struct top *t)
{
	tty_close();
	canvas_done(&t->screen->canvas);
	free(t->screen);
	t->screen = NULL;
}

/* --- drawing -------------------------------------------------------------- */

static double
share(uint64_t w, uint64_t whole)
{
	return whole > 0 ? (double)w / (double)whole : 0;
}

static void
draw_head(const struct top *t, const struct rect *all)
{
	struct canvas *c = &t->screen->canvas;
	char a[256], b[256], line[512], text[600];
	int x, i;
	static const char *const titles[] = { "self", "total", "all self",
		"all total" };

	top_headline(t, a, b, sizeof(a));
	(void)snprintf(line, sizeof(line), "bobbin top — by %s%s",
	    top_by_names[t->table.by], t->is_frozen ? " — frozen" : "");
	canvas_fill(c, all, 0, 0, all->w, ' ', STYLE_TITLE);
	x = canvas_str(c, all, 0, 0, glyph_text(c, text, sizeof(text), line),
	    STYLE_TITLE);
	if (t->pattern[0] != '\0')
		(void)canvas_text(c, all, x + 2, 0, all->w - x - 2,
		    t->pattern, strlen(t->pattern), FIT_LEFT, STYLE_ON);
	(void)canvas_str(c, all, 0, 1, a, STYLE_PLAIN);
	(void)canvas_str(c, all, 0, 2, b, STYLE_DIM);
	for (i = 0, x = 0; i < TOP_N_ORDERS; i++, x += 10)
		(void)canvas_printf(c, all, x, 3, i == t->table.order
		    ? STYLE_PANE_ACTIVE : STYLE_PANE, "%9s", titles[i]);
	(void)canvas_str(c, all, x + 1, 3, top_by_names[t->table.by],
	    STYLE_PANE);
}

static void
draw_row(const struct top *t, const struct rect *all, int y, size_t at)
{
	struct canvas *c = &t->screen->canvas;
	const struct top_table *k = &t->table;
	const struct top_row *r = &k->row[at];
	int is_cursor = at == t->screen->cursor.at, x, i;
	char text[NUMBER_TEXT];

	if (is_cursor)
		canvas_fill(c, all, 0, y, all->w, ' ', STYLE_CURSOR);
	for (i = 0, x = 0; i < TOP_N_ORDERS; i++, x += 10) {
		double part = share(r->w[i], i < TOP_ALL_SELF ? k->n_window
		                                              : k->n_all);

		(void)canvas_printf(c, all, x, y, is_cursor ? STYLE_CURSOR
		    : r->w[i] == 0 ? STYLE_DIM
		                   : style_heat(part), "%9s",
		    number_percent(text, part));
	}
	x++;
	i = canvas_text(c, all, x, y, all->w - x, k->bytes + r->text,
	    r->n_text, FIT_LEFT, is_cursor ? STYLE_CURSOR : STYLE_PLAIN);
	if (!is_cursor && r->n_name > 0 && r->n_name < r->n_text) {
		int name = (int)safe_width(k->bytes + r->text, r->n_name,
		    c->is_ascii);

		if (name < i)
			canvas_paint(c, all, x + name, y, i - name, STYLE_FILE,
			    0);
	}
}

static void
draw_rows(const struct top *t, const struct rect *all)
{
	int height = all->h - HEAD - FOOT, y;

	cursor_fit(&t->screen->cursor, t->table.n, height);
	for (y = 0; y < height; y++) {
		size_t at = t->screen->cursor.top + (size_t)y;

		if (at < t->table.n)
			draw_row(t, all, HEAD + y, at);
	}
	if (t->table.n == 0)
		(void)canvas_str(&t->screen->canvas, all, 2, HEAD,
		    t->pattern[0] != '\0' ? "nothing matches"
		    : t->stats.n_procs == 0 ? "waiting for processes"
		                            : "nothing runs",
		    STYLE_DIM);
}

static void
draw_help(struct canvas *c, const struct rect *all)
{
	size_t i;
	int y = HEAD;

	for (i = 0; i < N_KEYS; i++) {
		if (keys[i].help == NULL)
			continue;
		(void)canvas_str(c, all, 2, y, keys[i].key, STYLE_KEY);
		(void)canvas_str(c, all, 10, y++, keys[i].help, STYLE_PLAIN);
	}
}

static void
draw_foot(const struct top *t, const struct rect *all, int *x)
{
	static const char line[] = "f l i r p d group  s t S T sort  Space "
	    "freeze  / filter  c clear  + - window  ? help  q quit";
	struct canvas *c = &t->screen->canvas;
	int y = all->h - 1;

	*x = -1;
	if (t->screen->has_prompt) {
		(void)canvas_str(c, all, 0, y, "/", STYLE_KEY);
		*x = 1 + canvas_text(c, all, 1, y, all->w - 2,
		    t->screen->prompt.text, t->screen->prompt.n, FIT_LEFT,
		    STYLE_PLAIN);
	} else if (t->screen->status[0] != '\0') {
		(void)canvas_text(c, all, 0, y, all->w, t->screen->status,
		    strlen(t->screen->status), FIT_LEFT, STYLE_ERROR);
	} else if (t->procs.refusal[0] != '\0') {
		(void)canvas_text(c, all, 0, y, all->w, t->procs.refusal,
		    strlen(t->procs.refusal), FIT_LEFT, STYLE_ERROR);
	} else {
		(void)canvas_str(c, all, 0, y, line, STYLE_DIM);
	}
}

void
top_screen_show(struct top *t)
{
	struct canvas *c = &t->screen->canvas;
	struct rect all = { 0, 0, c->cols, c->rows };
	int x;

	canvas_clear(c);
	if (c->cols < MIN_COLS || c->rows < MIN_ROWS) {
		(void)canvas_str(c, &all, 0, 0, "too small", STYLE_ERROR);
		tty_show(c, -1, -1);
		return;
	}
	draw_head(t, &all);
	if (t->screen->has_help)
		draw_help(c, &all);
	else
		draw_rows(t, &all);
	draw_foot(t, &all, &x);
	tty_show(c, x, all.h - 1);
}

/* --- keys ----------------------------------------------------------------- */

/* Makes the table again after a key, also while it is frozen. */
static void
remake(struct top *t)
{
	if (top_refresh(t) < 0)
		(void)snprintf(t->screen->status, sizeof(t->screen->status),
		    "%s", bob_ctx_error(t->ctx)->text);
}

static void
set_filter(struct top *t, const char *text)
{
	char old[sizeof(t->pattern)];

	memcpy(old, t->pattern, sizeof(old));
	(void)snprintf(t->pattern, sizeof(t->pattern), "%s", text);
	remake(t);
	if (t->screen->status[0] == '\0')
		return;
	memcpy(t->pattern, old, sizeof(old));
	(void)top_refresh(t);
}

static void
move_cursor(const struct top *t, long by)
{
	cursor_move(&t->screen->cursor, t->table.n, by);
}

static int
do_deed(struct top *t, int deed, int value)
{
	long page = t->screen->canvas.rows - HEAD - FOOT - 1;

	switch (deed) {
	case DO_BY:
		t->table.by = value;
		t->screen->cursor = (struct cursor){ 0, 0 };
		remake(t);
		break;
	case DO_ORDER:
		t->table.order = value;
		t->screen->cursor = (struct cursor){ 0, 0 };
		remake(t);
		break;
	case DO_FREEZE:
		t->is_frozen = !t->is_frozen;
		break;
	case DO_FILTER:
		prompt_open(&t->screen->prompt, 0, t->pattern);
		t->screen->has_prompt = 1;
		break;
	case DO_CLEAR:
		t->wants_clear = 1;
		break;
	case DO_WIDER:
		if (t->window_us < MAX_WINDOW_US)
			t->window_us *= 2;
		break;
	case DO_NARROWER:
		if (t->window_us > MIN_WINDOW_US)
			t->window_us /= 2;
		break;
	case DO_UP:
		move_cursor(t, -1);
		break;
	case DO_DOWN:
		move_cursor(t, 1);
		break;
	case DO_PAGE_UP:
		move_cursor(t, -page);
		break;
	case DO_PAGE_DOWN:
		move_cursor(t, page);
		break;
	case DO_FIRST:
		t->screen->cursor = (struct cursor){ 0, 0 };
		break;
	case DO_SUSPEND:
		tty_suspend();
		(void)screen_resize(t->screen);
		break;
	case DO_REDRAW:
		tty_forget();
		break;
	case DO_SHOW_KEYS:
		t->screen->has_help = !t->screen->has_help;
		break;
	default:
		return 1;
	}
	return 0;
}

static int
on_key(struct top *t, const struct event *e)
{
	size_t i;
	int what;

	if (t->screen->has_prompt) {
		what = prompt_key(&t->screen->prompt, e);
		t->screen->has_prompt = what == PROMPT_GOES_ON;
		if (what == PROMPT_DONE)
			set_filter(t, t->screen->prompt.text);
		return 0;
	}
	t->screen->status[0] = '\0';
	t->procs.refusal[0] = '\0';
	if (e->kind == EVENT_MOUSE) {
		if (e->mouse == MOUSE_WHEEL_UP || e->mouse == MOUSE_WHEEL_DOWN)
			move_cursor(t, e->mouse == MOUSE_WHEEL_UP ? -3 : 3);
		return 0;
	}
	if (t->screen->has_help && (strcmp(e->name, "Esc") == 0 ||
	    strcmp(e->name, "q") == 0)) {
		t->screen->has_help = 0;
		return 0;
	}
	for (i = 0; i < N_KEYS; i++)
		if (strcmp(keys[i].key, e->name) == 0)
			return do_deed(t, keys[i].deed, keys[i].value);
	return 0;
}

int
top_screen_keys(struct top *t)
{
	struct event e;
	char buf[256];
	size_t n;
	int news = tty_wait(0), is_over = 0;

	if (news & TTY_GONE)
		return 1;
	if (news & TTY_RESIZE) {
		if (screen_resize(t->screen) < 0)
			return 1;
		t->wants_show = 1;
	}
	while ((n = tty_read(buf, keys_room(&t->screen->keys))) > 0)
		keys_feed(&t->screen->keys, buf, n);
	/* All bytes of a key come at once. */
	while (!is_over && keys_next(&t->screen->keys, 1, &e)) {
		is_over = on_key(t, &e);
		t->wants_show = 1;
	}
	return is_over;
}
