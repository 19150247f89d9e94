/* The whole screen: a line of facts above the views, a line of keys below. */
#include "draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bobbin/times.h>

#include "tui/glyph.h"
#include "tui/keybar.h"
#include "tui/prompt.h"

/* ---- The header ---------------------------------------------------------- */

/* A fact of the header. Where there is not enough room, those with the highest
 * rank are left out first. */
struct fact {
	char text[96];
	int style, rank;
};

#define MAX_FACTS 14
#define MIN_NAME 12   /* columns that facts leave for the name of the file */
#define FACT_TEXT 24  /* columns of a pattern */

struct facts {
	struct fact v[MAX_FACTS];
	size_t n;
};

static void __attribute__((format(printf, 4, 5)))
add_fact(struct facts *f, int rank, int style, const char *fmt, ...)
{
	struct fact *to;
	va_list ap;

	if (f->n == MAX_FACTS)
		return;
	to = &f->v[f->n++];
	to->rank = rank;
	to->style = style;
	va_start(ap, fmt);
	(void)vsnprintf(to->text, sizeof(to->text), fmt, ap);
	va_end(ap);
}

static const char *
group_name(const struct model *m)
{
	static const char *const names[] = {
		[BOB_GROUP_LINE] = "lines",
		[BOB_GROUP_NAME] = "functions",
		[BOB_GROUP_FUNCTION] = "functions",
		[BOB_GROUP_FILE] = "files",
		[BOB_GROUP_CLASS] = "classes",
		[BOB_GROUP_MODULE] = "modules",
		[BOB_GROUP_PID] = "processes",
		[BOB_GROUP_THREAD] = "threads",
		[BOB_GROUP_ANNOTATION] = "annotations",
		[BOB_GROUP_STATUS] = "status",
		[BOB_GROUP_SEGMENT] = "segments",
		[BOB_GROUP_MINUTE] = "minutes",
	};

	return names[m->group];
}

/* What the view shows, with the size of the whole. */
static void
add_view_fact(const struct model *m, struct facts *f)
{
	static const char *const looks[] = {
		[LOOK_PANES] = "callers and callees",
		[LOOK_FLAME] = "flame",
		[LOOK_CALLEES] = "tree of callees",
		[LOOK_CALLERS] = "tree of callers",
	};

	if (m->over == OVER_SOURCE)
		add_fact(f, 2, STYLE_PLAIN, "source");
	else if (m->over == OVER_HELP)
		add_fact(f, 2, STYLE_PLAIN, "help");
	else if (m->mode == MODE_LIST)
		add_fact(f, 2, STYLE_PLAIN, "%s by %s", group_name(m),
		    m->is_diff && m->by_delta ? "change"
		    : m->order == BOB_BY_SELF ? "self"
		                              : "total");
	else
		add_fact(f, 2, STYLE_PLAIN, "%s: %s", group_name(m),
		    looks[m->look]);
}

/* Thread time stays longest where not all have room, so without its threads,
 * which the facets list. */
static void
add_times_facts(const struct model *m, struct facts *f)
{
	struct bob_times_figure v[BOB_TIMES_FIGURES];
	size_t n = bob_times_figures(&m->times[1], v), i;
	char missing[BOB_TIMES_TEXT], a[NUMBER_TEXT];

	for (i = 0; i < n; i++) {
		if (strcmp(v[i].key, "thread_us") == 0)
			add_fact(f, 4, STYLE_DIM, "%s %s", v[i].label,
			    number_time(a, v[i].us));
		else if (strcmp(v[i].key, "idle_us") != 0)
			add_fact(f, 6, STYLE_DIM, "%s %s", v[i].label,
			    v[i].text);
	}
	if (*bob_times_loss(missing, &m->times[1]) != '\0')
		add_fact(f, 6, STYLE_DIM, "missing: %s", missing);
}

static void
add_size_facts(const struct model *m, struct facts *f)
{
	const struct bob_profile_info *i = &m->info[1];
	uint64_t period = i->period_us > 0 ? i->period_us :
	    i->has_several_periods ? 0 : i->learned_us;
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (m->is_diff) {
		add_fact(f, 3, STYLE_DIM, "%s and %s samples",
		    number_count(a, m->times[0].share_samples),
		    number_count(b, m->times[1].share_samples));
		return;
	}
	add_fact(f, 3, STYLE_DIM, "%s", number_nouns(a,
	    m->times[1].share_samples, "sample"));
	add_times_facts(m, f);
	if (period > 0)
		add_fact(f, 7, STYLE_DIM, "a sample each %s%s",
		    period > i->period_us ? "~" : "", number_time(a, period));
	else if (i->has_several_periods)
		add_fact(f, 7, STYLE_DIM, "several periods");
}

/* What narrows the view. */
static void
add_query_facts(const struct model *m, struct facts *f)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (m->total[1] != (m->by_time ? m->times[1].share_us
	                               : m->times[1].share_samples))
		add_fact(f, 1, STYLE_ON, "selected: %s", draw_weight(m, a,
		    m->total[1]));
	if (m->times[1].idle_samples + m->times[0].idle_samples > 0)
		add_fact(f, 2, m->idle == BOB_IDLE_HIDE ? STYLE_DIM
		                                        : STYLE_ON, "%s",
		    m->idle == BOB_IDLE_HIDE ? "no idle"
		    : m->idle == BOB_IDLE_ONLY ? "only idle"
		                               : "with idle");
	if (m->filter[0] != '\0')
		add_fact(f, 1, STYLE_ON, "filter: %.60s", m->filter);
	if (m->match[0] != '\0')
		add_fact(f, 1, STYLE_ON, "match: %.60s", m->match);
	if (facets_count(&m->facets) > 0)
		add_fact(f, 1, STYLE_ON, "facets: %zu",
		    facets_count(&m->facets));
	if (m->has_range)
		add_fact(f, 1, STYLE_ON, "%s .. %s", number_time(a, m->from),
		    number_time(b, m->to));
	if (m->opcodes)
		add_fact(f, 5, STYLE_ON, "opcodes");
	if (m->can_grow)
		add_fact(f, 5, STYLE_ON, "following");
}

static int
fact_width(const struct screen *s, const struct fact *f)
{
	int w = (int)safe_width(f->text, strlen(f->text),
	    s->canvas->is_ascii);

	return 3 + (f->rank == 1 && w > FACT_TEXT ? FACT_TEXT : w);
}

/* Leaves out facts until the name has its columns, and returns how many are
 * left for it. */
static int
fit_facts(const struct screen *s, struct facts *f, int room, int name)
{
	int w, rank;
	size_t i;

	if (name > 3 * MIN_NAME)
		name = 3 * MIN_NAME;
	for (rank = 9; rank >= 1; rank--) {
		for (w = 0, i = 0; i < f->n; i++)
			w += fact_width(s, &f->v[i]);
		if (w <= room - name)
			break;
		if (rank <= 4 && name > MIN_NAME) {
			name = MIN_NAME; /* a shorter name first */
			rank++;
			continue;
		}
		while (f->n > 0 && f->v[f->n - 1].rank >= rank)
			f->n--;
		for (i = 0; i < f->n; i++)
			if (f->v[i].rank >= rank) {
				memmove(&f->v[i], &f->v[i + 1], (f->n - i - 1) *
				    sizeof(f->v[0]));
				f->n--;
				i--;
			}
	}
	for (w = 0, i = 0; i < f->n; i++)
		w += fact_width(s, &f->v[i]);
	return room - w;
}

static void
draw_header(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	const struct rect *r = &l->header;
	struct facts f = { .n = 0 };
	char text[16], wheel[16];
	int x, w, name;
	size_t i;

	add_view_fact(m, &f);
	add_query_facts(m, &f);
	add_size_facts(m, &f);
	name = (int)safe_width(s->title, strlen(s->title),
	    s->canvas->is_ascii);
	w = fit_facts(s, &f, r->w - l->wheel.w, name);
	/* The end of a long path tells more. */
	x = name <= w
	    ? canvas_text(s->canvas, r, 0, 0, w, s->title, strlen(s->title),
	        FIT_LEFT, STYLE_TITLE)
	    : canvas_text(s->canvas, r, 0, 0, w, s->title, strlen(s->title),
	        FIT_RIGHT, STYLE_TITLE);
	for (i = 0; i < f.n; i++) {
		x += canvas_str(s->canvas, r, x, 0, " · ", STYLE_RULE);
		x += canvas_text(s->canvas, r, x, 0, fact_width(s, &f.v[i]) -
		    3, f.v[i].text, strlen(f.v[i].text), FIT_LEFT,
		    f.v[i].style);
	}
	(void)snprintf(text, sizeof(text), "[δ%d]", m->delta);
	(void)glyph_text(s->canvas, wheel, sizeof(wheel), text);
	(void)canvas_text(s->canvas, &l->wheel, 0, 0, l->wheel.w, wheel,
	    strlen(wheel), FIT_RIGHT, STYLE_DIM);
}

/* ---- The footer ---------------------------------------------------------- */

#define MAX_KEYS 24

static const struct footer_key {
	int action;
	const char *what;
} list_keys[] = { { ACT_ENTER, "calls" }, { ACT_FLAME, "flame" },
	{ ACT_FILTER, "filter" }, { ACT_NO_LINE, "lines" },
	{ ACT_SELF, "self" }, { ACT_TOTAL, "total" }, { ACT_BACK, "back" },
	{ ACT_FACETS, "facets" }, { ACT_IDLE, "idle" },
	{ ACT_MATCH, "match" }, { ACT_GROUP, "group" },
	{ ACT_SOURCE, "source" }, { ACT_CALLEES, "callees" },
	{ ACT_CALLERS, "callers" },
	{ ACT_TIME_FROM, "from" }, { ACT_TIME_TO, "to" },
	{ ACT_CLEAR, "clear" }, { 0, NULL } },
  focus_keys[] = { { ACT_BACK, "back" }, { ACT_ENTER, "focus" },
	{ ACT_PANES, "panes" }, { ACT_FLAME, "flame" },
	{ ACT_CALLEES, "callees" }, { ACT_CALLERS, "callers" },
	{ ACT_FILTER, "filter" }, { ACT_WHOLE, "whole" },
	{ ACT_SELF, "self" }, { ACT_TOTAL, "total" },
	{ ACT_NO_LINE, "lines" }, { ACT_SOURCE, "source" },
	{ ACT_FACETS, "facets" }, { ACT_MATCH, "match" },
	{ ACT_OVERVIEW, "overview" }, { ACT_CLEAR, "clear" }, { 0, NULL } };

/* The most useful keys, as many as fit; help and quit at the end. */
static void
draw_keys(struct screen *s, const struct rect *r)
{
	static const int last[] = { ACT_HELP, ACT_QUIT };
	const struct footer_key *k = s->model->mode == MODE_LIST ? list_keys
	                                                         : focus_keys;
	struct keybar_item item[MAX_KEYS];
	char buf[MAX_KEYS][16];
	size_t n = 0, i;

	for (; k->what != NULL && n + 2 < MAX_KEYS; k++)
		item[n++] = (struct keybar_item){ keymap_key(s->keys,
		    k->action, buf[n], sizeof(buf[n])), k->what };
	for (i = 0; i < 2; i++)
		item[n++] = (struct keybar_item){ keymap_key(s->keys, last[i],
		    buf[n], sizeof(buf[n])), last[i] == ACT_QUIT &&
		        s->quit != NULL ? s->quit
		                        : action_info(last[i])->name };
	keybar_draw(s->canvas, r, 0, item, n);
}

/* What is typed; at the right, what the keys do or why it is no pattern. */
static void
draw_prompt(struct screen *s, const struct rect *r)
{
	const struct prompt *p = s->prompt;
	const char *hint = s->prompt_error != NULL ? s->prompt_error
	    : p->action == ACT_FILTER ? "Enter keeps it · Esc clears it"
	                              : "Enter · Esc";
	char text[256];
	int x, w, room;

	x = canvas_printf(s->canvas, r, 0, 0, STYLE_KEY, "%s: ",
	    p->action == ACT_FILTER ? "filter rows" : "match samples");
	w = (int)safe_width(p->text, p->n, s->canvas->is_ascii);
	room = r->w - x - 1;
	/* Show the end, where the user types. */
	w = canvas_text(s->canvas, r, x, 0, room, p->text, p->n, w > room
	    ? FIT_RIGHT : FIT_LEFT, STYLE_PLAIN);
	s->cursor_x = r->x + x + w;
	s->cursor_y = r->y;
	(void)glyph_text(s->canvas, text, sizeof(text), hint);
	room -= w + 2;
	if (room > 12)
		(void)canvas_text(s->canvas, r, r->w - room, 0, room, text,
		    strlen(text), FIT_RIGHT, s->prompt_error != NULL
		        ? STYLE_ERROR : STYLE_DIM);
}

/* Where the cursor is, at the right; returns the columns that are left. */
static int
draw_position(struct screen *s, const struct rect *r)
{
	struct model *m = s->model;
	struct table *t = model_table(m);
	char a[NUMBER_TEXT], b[NUMBER_TEXT], text[3 * NUMBER_TEXT];
	int w;

	text[0] = '\0';
	if (m->over == OVER_SOURCE)
		(void)snprintf(text, sizeof(text), "line %s of %s",
		    number_count(a, m->source.c.at + 1),
		    number_count(b, m->source.n));
	else if (m->over == OVER_NONE && t != NULL && t->n > 0)
		(void)snprintf(text, sizeof(text), "%s of %s",
		    number_count(a, t->c.at + 1), number_count(b, t->n));
	w = (int)strlen(text);
	(void)canvas_text(s->canvas, r, r->w - w, 0, w, text, strlen(text),
	    FIT_LEFT, STYLE_DIM);
	return r->w - w - (w > 0 ? 2 : 0);
}

static void
draw_footer(struct screen *s, const struct layout *l)
{
	const struct model *m = s->model;
	struct rect r = l->footer;

	if (s->prompt != NULL) {
		draw_prompt(s, &r);
	} else if (m->status[0] != '\0') {
		(void)canvas_text(s->canvas, &r, 0, 0, r.w, m->status,
		    strlen(m->status), FIT_LEFT, m->is_error ? STYLE_ERROR
		                                             : STYLE_ON);
	} else {
		r.w = draw_position(s, &r);
		draw_keys(s, &r);
	}
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
	if (l.verdict.h > 0)
		draw_verdict(s, &l);
	draw_body(s, &l);
	draw_header(s, &l);
	draw_footer(s, &l);
}
