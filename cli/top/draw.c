/* Draws the screen of top; see screen.h. */
#include <stdio.h>
#include <string.h>

#include "actions.h"
#include "screen.h"
#include "text/number.h"
#include "text/safe.h"
#include "tui/glyph.h"
#include "tui/keybar.h"
#include "tui/label.h"
#include "tui/style.h"
#include "tui/tty.h"

#define MIN_COLS 40
#define MIN_ROWS 8

static double
share(uint64_t w, uint64_t whole)
{
	return whole > 0 ? (double)w / (double)whole : 0;
}

/* ---- Columns ------------------------------------------------------------- */

enum column {
	COL_OWN,
	COL_TOTAL,
	COL_OWN_TIME,
	COL_TOTAL_TIME,
	COL_ACTIVE, /* of processes and threads, in place of own and total */
	COL_GIL,
	COL_IDLE,
	N_COLUMNS
};

static const struct {
	const char *title;
	int width, order; /* with blanks; -1: no order of its own */
} columns[N_COLUMNS] = {
	[COL_OWN] = { "%Own", 7, TOP_SELF },
	[COL_TOTAL] = { "%Total", 8, TOP_TOTAL },
	[COL_OWN_TIME] = { "OwnTime", 10, TOP_ALL_SELF },
	[COL_TOTAL_TIME] = { "TotalTime", 11, TOP_ALL_TOTAL },
	[COL_ACTIVE] = { "%Active", 9, TOP_SELF },
	[COL_GIL] = { "%GIL", 7, -1 },
	[COL_IDLE] = { "%Idle", 7, -1 },
};

struct layout {
	int column[N_COLUMNS], n;
};

int
top_has_own(const struct top *t)
{
	return t->table.by <= TOP_BY_FILE;
}

/* True if rows are sorted by a column. Rows of samples have no own. */
static int
is_sorted_by(const struct top *t, int column)
{
	int order = t->table.order;

	if (!top_has_own(t)) /* own and total are the same there */
		order = order < TOP_ALL_SELF ? TOP_SELF : TOP_ALL_SELF;
	return columns[column].order == order;
}

/* The columns that there is room for: names keep theirs, and the one that rows
 * are sorted by is always there. */
static void
make_layout(const struct top *t, int w, struct layout *l)
{
	static const int frames[] = { COL_OWN, COL_TOTAL, COL_OWN_TIME,
		COL_TOTAL_TIME, -1 };
	static const int tasks[] = { COL_ACTIVE, COL_GIL, COL_IDLE,
		COL_OWN_TIME, -1 };
	static const int routes[] = { COL_OWN, COL_OWN_TIME, -1 };
	const int *c = top_has_own(t) ? frames
	    : t->table.by == TOP_BY_ROUTE ? routes : tasks;
	int most = w < 56 ? 1 : w < 72 ? 2 : N_COLUMNS, n = 0, sorted = 0, i;

	for (i = 0; c[i] >= 0; i++)
		if (is_sorted_by(t, c[i]))
			sorted = i;
	l->n = 0;
	for (i = 0; c[i] >= 0; i++) {
		int is_kept = i == sorted ||
		    n + (i < sorted) < most;

		if (c[i] == COL_GIL && !t->table.has_gil)
			is_kept = 0;
		if (is_kept) {
			l->column[l->n++] = c[i];
			n++;
		}
	}
}

/* Writes a cell to text, and its share for the colour; -1: none. */
static double
cell_text(const struct top *t, const struct top_row *r, int column,
    char text[NUMBER_TEXT])
{
	const struct top_table *k = &t->table;
	double ticks = t->store.period_us > 0
	    ? (double)k->window_us / (double)t->store.period_us : 0, part = 0;

	switch (column) {
	case COL_OWN:
		part = share(r->w[TOP_SELF], k->n_window);
		break;
	case COL_TOTAL:
		part = share(r->w[TOP_TOTAL], k->n_window);
		break;
	case COL_OWN_TIME:
		(void)number_time(text, r->self_us);
		return -1;
	case COL_TOTAL_TIME:
		(void)number_time(text, r->total_us);
		return -1;
	case COL_ACTIVE:
		part = ticks > 1 ? (double)r->n_active / ticks : 0;
		break;
	case COL_GIL:
		part = ticks > 1 ? (double)r->n_gil / ticks : 0;
		break;
	default:
		part = ticks > 1 ? (double)r->n_idle / ticks : 0;
		break;
	}
	(void)snprintf(text, NUMBER_TEXT, "%.1f", 100 * part);
	return part;
}

/* ---- Drawing ------------------------------------------------------------- */

/* Writes what the table shows: "functions · no idle · last 10 s". The last
 * facts are left out where they need more than `width` columns. Returns the
 * columns of the text. */
static int
title_facts(const struct top *t, int width, char *text, size_t n)
{
	struct canvas *c = &t->screen->canvas;
	const char *idle = t->table.n_set_aside > 0 ? " · no idle"
	    : t->table.shows_idle ? " · with idle" : "";
	const char *frozen = t->is_frozen ? " · frozen" : "";
	char raw[200], last[NUMBER_TEXT + 16] = " · last ";
	size_t at = strlen(last);
	int left_out, w = 0;

	(void)number_time(last + at, (t->table.window_us + 50000) / 100000 *
	    100000);
	for (left_out = 0; left_out < 3; left_out++) {
		(void)snprintf(raw, sizeof(raw), "%s%s%s%s",
		    top_by_nouns[t->table.by], left_out < 2 ? idle : "",
		    frozen, left_out < 1 ? last : "");
		(void)glyph_text(c, text, (int)n, raw);
		w = (int)safe_width(text, strlen(text), c->is_ascii);
		if (w <= width)
			break;
	}
	return w;
}

/* The title: what is sampled, and what narrows or stops the table. */
static void
draw_title(const struct top *t, const struct rect *all)
{
	struct canvas *c = &t->screen->canvas;
	const char *name = all->w < 60 ? "top " : "bobbin top ";
	char subject[256], text[200];
	int x, w, wanted;

	(void)top_subject(t, subject, sizeof(subject));
	wanted = (int)safe_width(subject, strlen(subject), c->is_ascii);
	if (wanted > all->w / 2)
		wanted = all->w / 2;
	w = title_facts(t, all->w - (int)strlen(name) - wanted - 2, text,
	    sizeof(text));
	(void)canvas_text(c, all, all->w - w, 0, w, text, strlen(text),
	    FIT_LEFT, t->is_frozen ? STYLE_ON : STYLE_DIM);
	x = canvas_str(c, all, 0, 0, name, STYLE_TITLE);
	x += label_cut_middle(c, all, x, 0, all->w - w - x - 2, subject,
	    strlen(subject), STYLE_BOLD);
	if (t->pattern[0] != '\0' && all->w - w - x - 4 > 8) {
		x += canvas_str(c, all, x + 2, 0, "/", STYLE_ON);
		(void)canvas_text(c, all, x + 2, 0, all->w - w - x - 4,
		    t->pattern, strlen(t->pattern), FIT_LEFT, STYLE_ON);
	}
}

/* Leaves out the last facts of a list until it has at most `width` columns. */
static void
leave_out(char *text, int width)
{
	size_t n = strlen(text);

	while (n > 0 && (int)n > width) {
		n--;
		while (n > 0 && text[n] != ',' && text[n] != ';')
			n--;
		/* Not the comma of a number. */
		if (text[n + 1] == ' ' || n == 0)
			text[n] = '\0';
	}
}

static void
draw_head(const struct top *t, const struct rect *all,
    const struct layout *l)
{
	struct canvas *c = &t->screen->canvas;
	char text[256];
	int x, i;

	draw_title(t, all);
	x = canvas_str(c, all, 0, 1, top_activity(t, all->w < 48, text,
	    sizeof(text)), STYLE_PLAIN);
	if (t->stats.lost_percent >= 1)
		x += canvas_printf(c, all, x, 1, STYLE_ERROR, "; lost %.0f %%",
		    t->stats.lost_percent);
	(void)top_quality(t, text, sizeof(text));
	leave_out(text, all->w - x - 2);
	(void)canvas_str(c, all, x + 2, 1, text, STYLE_DIM);
	for (i = 0, x = 0; i < l->n; i++) {
		int column = l->column[i], is_sorted = is_sorted_by(t, column);

		(void)canvas_printf(c, all, x, 2, is_sorted
		    ? STYLE_PANE_ACTIVE : STYLE_PANE, "%*s",
		    columns[column].width - 1, columns[column].title);
		x += columns[column].width;
		if (is_sorted)
			canvas_put(c, all, x - 1, 2, glyph(c, GLYPH_OPEN),
			    STYLE_PANE_ACTIVE);
	}
	(void)canvas_str(c, all, x + 1, 2, top_by_titles[t->table.by],
	    STYLE_PANE);
}

static size_t
first_word(const char *p, size_t n)
{
	const char *end = memchr(p, ' ', n);

	return end != NULL ? (size_t)(end - p) : n;
}

static void
draw_row(const struct top *t, const struct rect *all, const struct layout *l,
    int y, size_t at)
{
	struct canvas *c = &t->screen->canvas;
	const struct top_table *k = &t->table;
	const struct top_row *r = &k->row[at];
	int style = at == t->screen->cursor.at ? STYLE_CURSOR : STYLE_PLAIN;
	char text[NUMBER_TEXT];
	size_t name;
	int x, i;

	if (style == STYLE_CURSOR)
		canvas_fill(c, all, 0, y, all->w, ' ', style);
	for (i = 0, x = 0; i < l->n; i++) {
		int w = columns[l->column[i]].width;
		double part = cell_text(t, r, l->column[i], text);

		(void)canvas_printf(c, all, x, y, style == STYLE_CURSOR
		    ? style
		    : part == 0 ? STYLE_DIM
		    : part > 0 ? style_heat(part)
		               : STYLE_PLAIN, "%*s", w - 1, text);
		x += w;
	}
	/* A long command or path is cut, its pid is not. */
	name = top_has_own(t) || t->table.by == TOP_BY_ROUTE ? r->n_name
	    : first_word(k->bytes + r->text, r->n_text);
	(void)label_draw(c, all, x + 1, y, all->w - x - 1, k->bytes + r->text,
	    r->n_text, name, FIT_LEFT, style);
}

static void
draw_rows(const struct top *t, const struct rect *all,
    const struct layout *l)
{
	int height = all->h - TOP_HEAD - TOP_FOOT, y;

	cursor_fit(&t->screen->cursor, t->table.n, height);
	for (y = 0; y < height; y++) {
		size_t at = t->screen->cursor.top + (size_t)y;

		if (at < t->table.n)
			draw_row(t, all, l, TOP_HEAD + y, at);
	}
	if (t->table.n == 0)
		(void)canvas_str(&t->screen->canvas, all, 2, TOP_HEAD,
		    t->pattern[0] != '\0' ? "nothing matches"
		    : t->stats.n_procs == 0 ? "waiting for processes"
		    : t->table.n_set_aside > 0
		        ? "all threads are idle; i shows them"
		        : "nothing runs",
		    STYLE_DIM);
}

static void
draw_help(struct canvas *c, const struct rect *all)
{
	int per_column = all->h - TOP_HEAD - TOP_FOOT + 1, n = 0, width, y;
	size_t i;

	canvas_fill(c, all, 0, TOP_HEAD - 1, all->w, ' ', STYLE_PLAIN);
	for (i = 0; i < top_n_keys; i++)
		n += top_keys[i].help != NULL;
	width = n > per_column && all->w >= 80 ? all->w / 2 : all->w;
	for (i = 0, n = 0; i < top_n_keys; i++) {
		struct rect cell = { 0, TOP_HEAD - 1, width, per_column };

		if (top_keys[i].help == NULL)
			continue;
		cell.x = n / per_column * width;
		y = n++ % per_column;
		if (cell.x + width > all->w)
			break;
		(void)canvas_str(c, &cell, 1, y, top_keys[i].key, STYLE_KEY);
		(void)canvas_str(c, &cell, 8, y, top_keys[i].help,
		    STYLE_PLAIN);
	}
}

static void
draw_prompt(const struct top *t, const struct rect *all, int *cursor)
{
	const struct top_screen *s = t->screen;
	struct canvas *c = &t->screen->canvas;
	const char *hint = s->why[0] != '\0' ? s->why
	    : s->prompt.action == DO_SAVE ? "Enter saves, Esc does not"
	                                  : "Enter keeps it, Esc clears it";
	int y = all->h - 1, x, w, room;

	x = canvas_str(c, all, 0, y, s->prompt.action == DO_SAVE
	    ? "save as: " : "filter: ", STYLE_KEY);
	w = (int)safe_width(s->prompt.text, s->prompt.n, c->is_ascii);
	room = all->w - x - 1;
	x += canvas_text(c, all, x, y, room, s->prompt.text, s->prompt.n,
	    w > room ? FIT_RIGHT : FIT_LEFT, STYLE_PLAIN);
	*cursor = x;
	room = all->w - x - 2;
	if (room > 12)
		(void)canvas_text(c, all, all->w - room, y, room, hint,
		    strlen(hint), FIT_RIGHT, s->why[0] != '\0' ? STYLE_ERROR
		                                               : STYLE_DIM);
}

static void
draw_foot(const struct top *t, const struct rect *all, int *x)
{
	static const struct keybar_item items[] = { { "Enter", "explore" },
		{ "s", "save" }, { "/", "filter" }, { "1-4", "sort" },
		{ "p", "processes" }, { "t", "threads" }, { "f", "functions" },
		{ "l", "lines" }, { "r", "routes" }, { "i", "idle" },
		{ "Space", "freeze" }, { "c", "clear" }, { "?", "help" },
		{ "q", "quit" } };
	struct canvas *c = &t->screen->canvas;
	const char *text = t->notice[0] != '\0' ? t->notice
	                                        : t->procs.refusal;
	int y = all->h - 1;

	*x = -1;
	if (t->screen->has_prompt)
		draw_prompt(t, all, x);
	else if (text[0] != '\0')
		(void)canvas_text(c, all, 0, y, all->w, text, strlen(text),
		    FIT_LEFT, text == t->notice && !t->is_notice_bad
		        ? STYLE_ON : STYLE_ERROR);
	else
		keybar_draw(c, all, y, items, sizeof(items) /
		    sizeof(items[0]));
}

void
top_draw(struct top *t)
{
	struct canvas *c = &t->screen->canvas;
	struct rect all = { 0, 0, c->cols, c->rows };
	struct layout l;
	int x;

	canvas_clear(c);
	if (c->cols < MIN_COLS || c->rows < MIN_ROWS) {
		(void)canvas_str(c, &all, 0, 0, "too small", STYLE_ERROR);
		tty_show(c, -1, -1);
		return;
	}
	make_layout(t, all.w, &l);
	draw_head(t, &all, &l);
	if (t->screen->has_help)
		draw_help(c, &all);
	else
		draw_rows(t, &all, &l);
	draw_foot(t, &all, &x);
	tty_show(c, x, all.h - 1);
}
