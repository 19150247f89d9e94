/* The whole screen: header, footer and status line around the views. */
#include "draw.h"

#include <stdio.h>
#include <string.h>

#include "tui/glyph.h"
#include "tui/prompt.h"

static const char *
group_name(const struct model *m)
{
	static const char *const names[] = {
		[BOB_GROUP_LINE] = "line",
		[BOB_GROUP_NAME] = "function",
		[BOB_GROUP_FUNCTION] = "function and file",
		[BOB_GROUP_FILE] = "file",
		[BOB_GROUP_MODULE] = "module",
		[BOB_GROUP_PID] = "process",
		[BOB_GROUP_THREAD] = "thread",
		[BOB_GROUP_ANNOTATION] = "annotation",
		[BOB_GROUP_STATUS] = "status",
		[BOB_GROUP_SEGMENT] = "segment",
		[BOB_GROUP_MINUTE] = "minute",
	};

	return names[m->group];
}

static const char *
mode_name(const struct model *m)
{
	static const char *const looks[] = {
		[LOOK_PANES] = "sandwich, panes",
		[LOOK_FLAME] = "sandwich, flame",
		[LOOK_CALLEES] = "sandwich, callee tree",
		[LOOK_CALLERS] = "sandwich, caller tree",
	};

	if (m->over == OVER_SOURCE)
		return "source";
	if (m->over == OVER_HELP)
		return "help";
	if (m->mode == MODE_SANDWICH)
		return looks[m->look];
	return m->order == BOB_BY_SELF ? "list, by self" : "list, by total";
}

/* Draws `name: value`, the value highlighted if is_set; returns the next
 * column. */
static int
draw_setting(struct screen *s, const struct rect *r, int x, int y, int limit,
    const char *name, const char *value, int is_set)
{
	int w;

	x += canvas_str(s->canvas, r, x, y, name, STYLE_LABEL);
	x += canvas_str(s->canvas, r, x, y, ": ", STYLE_LABEL);
	w = limit < r->w - x ? limit : r->w - x;
	x += canvas_text(s->canvas, r, x, y, w, value, strlen(value),
	    FIT_LEFT, is_set ? STYLE_ON : STYLE_PLAIN);
	return x + 2;
}

static void
draw_header_title(struct screen *s, const struct rect *r)
{
	const struct model *m = s->model;
	const struct bob_profile_info *i = &m->info[1];
	uint64_t period = i->period_us > 0 ? i->period_us :
	    i->has_several_periods ? 0 : i->learned_us;
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], facts[160];
	char text[200];
	int x, w, name;

	if (m->is_diff)
		(void)snprintf(facts, sizeof(facts), " (%s · %s samples)",
		    number_count(a, m->info[0].n_samples),
		    number_count(b, i->n_samples));
	else
		(void)snprintf(facts, sizeof(facts),
		    " (%s sample%s · %s%s%s%s%s)",
		    number_count(a, i->n_samples), i->n_samples == 1 ? "" : "s",
		    number_time(b, i->time_us),
		    period > 0 ? " · " : "",
		    period > i->period_us ? "~" : "",
		    period > 0 ? number_time(c, period) : "",
		    period > 0 ? " period"
		    : i->has_several_periods ? " · several periods"
		                             : "");
	(void)glyph_text(s->canvas, text, sizeof(text), facts);
	w = (int)safe_width(text, strlen(text), s->canvas->is_ascii);
	x = canvas_str(s->canvas, r, 0, 0, "bobbin explore — ", STYLE_TITLE);
	/* The end of a long path tells more. */
	name = (int)safe_width(s->title, strlen(s->title),
	    s->canvas->is_ascii);
	if (name > r->w - x - w && name > 16)
		name = r->w - x - w > 16 ? r->w - x - w : 16;
	x += canvas_text(s->canvas, r, x, 0, name, s->title, strlen(s->title),
	    FIT_RIGHT, STYLE_TITLE);
	(void)canvas_text(s->canvas, r, x, 0, r->w - x, text, strlen(text),
	    FIT_LEFT, STYLE_PLAIN);
}

void
draw_header(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	const struct rect *r = &l->header;
	char a[NUMBER_TEXT], text[96], wheel[16];
	int x;

	draw_header_title(s, r);
	x = draw_setting(s, r, 0, 1, 24, "mode", mode_name(m), 0);
	(void)snprintf(text, sizeof(text), "%zu back", m->n_history);
	x = draw_setting(s, r, x, 1, 20, "history", text, 0);
	x = draw_setting(s, r, x, 1, 24, "rows", group_name(m),
	    m->group != BOB_GROUP_LINE);
	if (m->total[1] != (m->by_time ? m->info[1].time_us
	                               : m->info[1].n_samples))
		(void)draw_setting(s, r, x, 1, 40, "selected",
		    draw_weight(m, a, m->total[1]), 1);
	x = draw_setting(s, r, 0, 2, 8, "no-line", m->group == BOB_GROUP_LINE
	    ? "off" : "on", m->group != BOB_GROUP_LINE);
	x = draw_setting(s, r, x, 2, r->w / 5, "match", m->match[0] != '\0'
	    ? m->match : "-", m->match[0] != '\0');
	x = draw_setting(s, r, x, 2, r->w / 5, "filter", m->filter[0] != '\0'
	    ? m->filter : "-", m->filter[0] != '\0');
	if (facets_count(&m->facets) > 0) {
		(void)snprintf(text, sizeof(text), "%zu",
		    facets_count(&m->facets));
		(void)draw_setting(s, r, x, 2, 6, "facets", text, 1);
	}
	(void)snprintf(text, sizeof(text), "[δ%d]", m->delta);
	(void)glyph_text(s->canvas, wheel, sizeof(wheel), text);
	(void)canvas_text(s->canvas, &l->wheel, 0, 0, l->wheel.w, wheel,
	    strlen(wheel), FIT_RIGHT, STYLE_KEY);
	canvas_fill(s->canvas, r, 0, 3, r->w, glyph(s->canvas, GLYPH_RULE),
	    STYLE_RULE);
}

/* The most useful keys, as many as fit; help and quit at the right. */
static void
draw_keys(struct screen *s, const struct rect *r)
{
	static const struct {
		int action;
		const char *what;
	} keys[] = {
		{ ACT_ENTER, "focus" }, { ACT_BACK, "back" },
		{ ACT_PANES, "panes" }, { ACT_FLAME, "flame" },
		{ ACT_CALLEES, "callees" }, { ACT_CALLERS, "callers" },
		{ ACT_SELF, "self" }, { ACT_TOTAL, "total" },
		{ ACT_FILTER, "filter" }, { ACT_MATCH, "match" },
		{ ACT_FACETS, "facets" }, { ACT_SOURCE, "source" },
		{ ACT_NO_LINE, "lines" }, { ACT_GROUP, "group" },
		{ ACT_TIME_FROM, "from" }, { ACT_TIME_TO, "to" },
		{ ACT_OVERVIEW, "overview" }, { ACT_CLEAR, "clear" },
	};
	static const int last[] = { ACT_HELP, ACT_QUIT };
	char buf[64];
	int x = 0, w, end = r->w - 14;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		(void)keymap_keys(s->keys, keys[i].action, buf, sizeof(buf));
		buf[strcspn(buf, " ")] = '\0';
		w = (int)strlen(buf) + 1 + (int)strlen(keys[i].what);
		if (x + w > end)
			break;
		if (buf[0] == '\0')
			continue;
		x += canvas_str(s->canvas, r, x, 0, buf, STYLE_KEY) + 1;
		x += canvas_str(s->canvas, r, x, 0, keys[i].what,
		    STYLE_DIM) + 2;
	}
	x = r->w - 13;
	for (i = 0; i < 2; i++) {
		(void)keymap_keys(s->keys, last[i], buf, sizeof(buf));
		buf[strcspn(buf, " ")] = '\0';
		x += canvas_str(s->canvas, r, x, 0, buf, STYLE_KEY) + 1;
		x += canvas_str(s->canvas, r, x, 0,
		    action_info(last[i])->name, STYLE_DIM) + 1;
	}
}

static void
draw_prompt(struct screen *s, const struct rect *r)
{
	const struct prompt *p = s->prompt;
	int x, w;

	x = canvas_printf(s->canvas, r, 0, 0, STYLE_KEY, "%s: ",
	    p->action == ACT_FILTER ? "filter rows" : "match samples");
	w = (int)safe_width(p->text, p->n, s->canvas->is_ascii);
	if (w > r->w - x - 1) /* show the end, where the user types */
		w = canvas_text(s->canvas, r, x, 0, r->w - x - 1, p->text,
		    p->n, FIT_RIGHT, STYLE_PLAIN);
	else
		w = canvas_text(s->canvas, r, x, 0, r->w - x - 1, p->text,
		    p->n, FIT_LEFT, STYLE_PLAIN);
	s->cursor_x = r->x + x + w;
	s->cursor_y = r->y;
}

static void
draw_status(struct screen *s, const struct rect *r)
{
	struct model *m = s->model;
	struct table *t = model_table(m);
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (m->status[0] != '\0') {
		(void)canvas_text(s->canvas, r, 0, 0, r->w, m->status,
		    strlen(m->status), FIT_LEFT, m->is_error ? STYLE_ERROR
		                                             : STYLE_ON);
	} else if (m->over == OVER_SOURCE) {
		(void)canvas_printf(s->canvas, r, 0, 0, STYLE_DIM,
		    "line %s of %s", number_count(a, m->source.c.at + 1),
		    number_count(b, m->source.n));
	} else if (m->over == OVER_NONE && t != NULL && t->n > 0) {
		(void)canvas_printf(s->canvas, r, 0, 0, STYLE_DIM,
		    "%s of %s%s", number_count(a, t->c.at + 1),
		    number_count(b, t->n),
		    m->can_grow ? " · following" : "");
	} else if (m->can_grow) {
		(void)canvas_str(s->canvas, r, 0, 0, "following", STYLE_DIM);
	}
}

void
draw_footer(struct screen *s, const struct layout *l)
{
	draw_keys(s, &l->footer);
	if (s->prompt != NULL)
		draw_prompt(s, &l->status);
	else
		draw_status(s, &l->status);
}

static void
draw_body(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;

	if (m->over == OVER_HELP) {
		draw_help(s, l);
		return;
	}
	if (l->overview.w > 0)
		draw_overview(s, l);
	if (m->over == OVER_SOURCE)
		draw_source(s, l);
	else if (m->mode == MODE_LIST)
		draw_list(s, l);
	else if (m->look == LOOK_PANES)
		draw_panes(s, l);
	else if (m->look == LOOK_FLAME)
		draw_flame(s, l);
	else
		draw_tree(s, l, m->look == LOOK_CALLERS ? BOB_CALLERS
		                                        : BOB_CALLEES);
	if (m->over == OVER_FACETS)
		draw_facets(s, l);
}

void
draw(struct screen *s)
{
	struct layout l;
	struct rect all = { 0, 0, s->canvas->cols, s->canvas->rows };

	canvas_clear(s->canvas);
	s->cursor_x = s->cursor_y = -1;
	layout_make(s->model, &l);
	if (l.is_too_small) {
		(void)canvas_printf(s->canvas, &all, 0, 0, STYLE_BOLD,
		    "%dx%d is too small", s->model->cols, s->model->rows);
		(void)canvas_printf(s->canvas, &all, 0, 1, STYLE_PLAIN,
		    "%dx%d is needed", LAYOUT_MIN_COLS, LAYOUT_MIN_ROWS);
		return;
	}
	if (l.mini.h > 0)
		draw_mini(s, &l);
	if (l.time.h > 0)
		draw_time(s, &l);
	draw_body(s, &l);
	draw_header(s, &l);
	draw_footer(s, &l);
}
