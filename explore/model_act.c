/* What each action does with the model. */
#include <bobbin/convert.h>
#include <bobbin/times.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "layout.h"
#include "model.h"
#include "model_inside.h"
#include "text/number.h"

#define PAGE 10

static struct tree *
current_tree(struct model *m)
{
	if (m->mode != MODE_SANDWICH || m->pane != PANE_MAIN)
		return NULL;
	if (m->look == LOOK_CALLEES)
		return model_tree(m, BOB_CALLEES);
	if (m->look == LOOK_CALLERS)
		return model_tree(m, BOB_CALLERS);
	return NULL;
}

static int
is_flame(const struct model *m)
{
	return m->mode == MODE_SANDWICH && m->look == LOOK_FLAME &&
	    m->pane == PANE_MAIN;
}

/* ---- Moving -------------------------------------------------------------- */

/* Moves among the facets; skips headings. */
static void
move_facets(struct facets *f, long by)
{
	struct cursor old = f->c;

	cursor_move(&f->c, f->n, by);
	while (f->c.at < f->n && f->facet[f->c.at].kind == FACET_HEADING) {
		if (by < 0 && f->c.at == 0) {
			f->c = old;
			break;
		}
		cursor_move(&f->c, f->n, by < 0 ? -1 : 1);
	}
}

static void
move_cursor(struct model *m, long by)
{
	struct table *t;
	struct tree *tree;

	if (m->over == OVER_HELP) {
		by += m->help_top;
		m->help_top = by < 0 ? 0 : by > 1000 ? 1000 : (int)by;
	} else if (m->over == OVER_FACETS) {
		move_facets(&m->facets, by);
	} else if (m->over == OVER_SOURCE) {
		cursor_move(&m->source.c, m->source.n, by);
	} else if ((t = model_table(m)) != NULL) {
		cursor_move(&t->c, t->n, by);
		model_moved(m);
	} else if ((tree = current_tree(m)) != NULL) {
		cursor_move(&tree->c, tree->n_lines, by);
	} else if (is_flame(m)) {
		(void)model_flame_now(m);
		if (by > 1000 || by < -1000)
			by = by > 0 ? m->flame.down + m->flame.up
			            : -(m->flame.down + m->flame.up);
		flame_move(&m->flame, 0, (int)by);
	}
}

/* Larger than any list, and far from overflow. */
#define FAR 1000000000L

static void
set_pane(struct model *m, int pane)
{
	m->pane = pane;
}

static void
move_sideways(struct model *m, int dx)
{
	struct tree *t = current_tree(m);

	if (m->over != OVER_NONE || m->mode != MODE_SANDWICH)
		return;
	if (t != NULL) {
		uint32_t node = tree_at(t);

		if (dx > 0 && t->n > 0 && t->node[node].is_open &&
		    tree_has_children(t, node))
			cursor_move(&t->c, t->n_lines, 1);
		else if (dx < 0 && t->n > 0 && (!t->node[node].is_open ||
		    !tree_has_children(t, node)))
			t->c.at = tree_parent_line(t, t->c.at);
		else
			tree_fold(t, t->c.at, dx > 0, 0);
	} else if (is_flame(m)) {
		flame_move(model_flame_now(m), dx, 0);
	} else if (m->look == LOOK_PANES) {
		set_pane(m, dx < 0 ? PANE_CALLERS : PANE_CALLEES);
	}
}

static void
fold_all(struct model *m, int is_open)
{
	struct tree *t = current_tree(m);

	if (t == NULL)
		return;
	tree_fold(t, t->c.at, is_open, 1);
	if (t->is_cut)
		model_say(m, 0, "the first %d lines are shown",
		    TREE_MAX_LINES);
}

/* callers -> focus -> callees -> overview, if there is one. */
static void
cycle_panes(struct model *m, int step)
{
	static const int panes[] = { PANE_CALLERS, PANE_FOCUS, PANE_CALLEES,
		PANE_OVERVIEW };
	int has_overview = model_has_overview(m), at = 0, n = 4;

	if (m->mode != MODE_SANDWICH)
		return;
	if (m->look != LOOK_PANES) {
		set_pane(m, m->pane == PANE_OVERVIEW || !has_overview
		        ? PANE_MAIN
		        : PANE_OVERVIEW);
		return;
	}
	n -= !has_overview;
	while (at < n && panes[at] != m->pane)
		at++;
	set_pane(m, panes[(at + step + n) % n]);
}

/* ---- Looking ------------------------------------------------------------- */

/* Shows the samples of a row that is not a frame, by line. */
static void
enter_sample_row(struct model *m, uint32_t key)
{
	struct bob_key k = bob_view_key(m->view[1], key);
	const char *p = k.text.p, *end = p + k.text.n;
	struct facet f = { .kind = FACET_PID };
	int r = 0;

	if (m->group == BOB_GROUP_THREAD) {
		const char *slash = memchr(p, '/', k.text.n);

		f.kind = FACET_THREAD;
		p = slash != NULL ? slash + 1 : p;
	}
	if (m->group == BOB_GROUP_ANNOTATION) {
		r = facets_choose_pair(&m->facets, m->profile, m->annotation,
		    p, k.text.n);
	} else if (p < end && *p >= '0' && *p <= '9' &&
	    (m->group == BOB_GROUP_PID || m->group == BOB_GROUP_THREAD)) {
		for (; p < end && *p >= '0' && *p <= '9'; p++)
			f.number = f.number * 10 + (uint64_t)(*p - '0');
		r = facets_choose(&m->facets, m->profile, &f);
	}
	if (r <= 0) {
		model_say(m, 0, "these rows are not frames: b groups "
		    "differently, a chooses facets");
		return;
	}
	model_push(m);
	m->group = BOB_GROUP_FUNCTION;
	(void)model_rebuild(m, 1);
}

static void
enter_selected(struct model *m)
{
	uint32_t key;

	if (m->over == OVER_FACETS) {
		if (facets_toggle(&m->facets, m->profile, m->facets.c.at) > 0)
			model_requery(m);
		return;
	}
	if (m->over == OVER_SOURCE) {
		key = m->source.c.at < m->source.n
		    ? m->source.line[m->source.c.at].key : 0;
		m->over = key != 0 ? OVER_NONE : OVER_SOURCE;
	} else {
		key = model_cursor_key(m);
	}
	if (key == 0 && m->is_whole)
		model_say(m, 0, "choose a box with the arrow keys");
	else if (key == 0)
		model_say(m, 0, "nothing is selected");
	else if (!model_is_frames(m))
		enter_sample_row(m, key);
	else
		model_go(m, MODE_SANDWICH, m->look, key);
}

static int
has_frames(struct model *m)
{
	m->over = OVER_NONE;
	if (!model_is_frames(m))
		model_say(m, 0, "these rows are not frames: b groups "
		    "differently");
	return model_is_frames(m);
}

/* The flame of the whole program; what was selected is selected there. */
static void
look_at_whole(struct model *m)
{
	uint32_t key = model_cursor_key(m);

	if (!has_frames(m))
		return;
	m->flame_seeks = key;
	m->flame.width = 0;
	model_go(m, MODE_SANDWICH, LOOK_FLAME, 0);
}

static void
look_at_selected(struct model *m, int how)
{
	uint32_t key = model_cursor_key(m);

	if (!has_frames(m))
		return;
	if (how == LOOK_FLAME && m->mode == MODE_LIST) {
		look_at_whole(m);
		return;
	}
	if (key == 0)
		key = m->focus;
	if (key == 0 && (!m->is_whole || how == LOOK_PANES))
		model_say(m, 0, "nothing is selected");
	else
		model_go(m, MODE_SANDWICH, how, key);
}

static void
sort_by(struct model *m, int order)
{
	if (m->mode == MODE_SANDWICH) {
		m->overview_order = order;
		m->has_overview = 0;
		if (!model_has_overview(m) && m->cols >= LAYOUT_MIN_OVERVIEW)
			m->overview_set = 1;
		if (model_has_overview(m)) {
			set_pane(m, PANE_OVERVIEW);
			return;
		}
		model_go(m, MODE_LIST, m->look, m->focus);
	}
	m->order = order;
	m->has_list = 0;
	memset(&m->list.c, 0, sizeof(m->list.c));
}

/* Changes the grouping; the old one stays if that fails. */
static void
regroup(struct model *m, int group, int opcodes)
{
	int old_group = m->group, old_opcodes = m->opcodes;

	m->group = group;
	m->opcodes = opcodes;
	if (model_rebuild(m, 1) < 0) {
		m->group = old_group;
		m->opcodes = old_opcodes;
	}
}

static void
overview_full(struct model *m)
{
	model_push(m);
	m->over = OVER_NONE;
	m->mode = MODE_LIST;
	m->pane = PANE_MAIN;
	m->order = BOB_BY_SELF;
	m->has_list = 0;
	memset(&m->list.c, 0, sizeof(m->list.c));
	regroup(m, BOB_GROUP_NAME, m->opcodes);
}

/* The next grouping for which the profile has data. */
static int
next_group(const struct model *m)
{
	static const struct {
		int group;
		uint32_t cap;
	} groups[] = {
		{ BOB_GROUP_FUNCTION, 0 },
		{ BOB_GROUP_NAME, 0 },
		{ BOB_GROUP_LINE, 0 },
		{ BOB_GROUP_FILE, 0 },
		{ BOB_GROUP_MODULE, 0 },
		{ BOB_GROUP_CLASS, 0 },
		{ BOB_GROUP_THREAD, BOB_CAP_THREADS },
		{ BOB_GROUP_PID, BOB_CAP_PIDS },
		{ BOB_GROUP_STATUS, BOB_CAP_STATUS },
	};
	size_t n = sizeof(groups) / sizeof(groups[0]), i, k;

	for (i = 0; i < n && groups[i].group != m->group; i++)
		;
	for (k = 1; k <= n; k++) {
		size_t at = (i + k) % n;

		if (groups[at].cap == 0 ||
		    (m->info[1].caps & groups[at].cap) != 0)
			return groups[at].group;
	}
	return m->group;
}

/* ---- Showing ------------------------------------------------------------- */

static void
toggle_overview(struct model *m)
{
	if (m->cols < LAYOUT_MIN_OVERVIEW) {
		model_say(m, 0, "the overview needs %d columns; O fills the "
		    "screen with it", LAYOUT_MIN_OVERVIEW);
		return;
	}
	if (m->mode != MODE_SANDWICH) {
		model_say(m, 0, "this is the overview already");
		return;
	}
	m->overview_set = !model_has_overview(m);
	model_resize(m, m->cols, m->rows);
}

static void
toggle_unit(struct model *m)
{
	uint32_t key = model_cursor_key(m);

	m->by_time = !m->by_time;
	model_weigh(m);
	model_forget(m);
	model_seek(m, key);
	model_say(m, 0, "weights are %s", m->by_time
	        ? m->info[1].basis == BOB_TIME_CLOCK
	            ? "times, by the clock of the trace"
	            : "times, samples by period"
	        : "samples");
}

static void
toggle_delta(struct model *m)
{
	uint32_t key = model_cursor_key(m);

	if (!m->is_diff) {
		model_say(m, 0, "there is only one side: --diff compares two");
		return;
	}
	m->by_delta = !m->by_delta;
	m->has_list = m->has_overview = m->has_calls = 0;
	model_seek(m, key);
	model_say(m, 0, "sorted by %s", m->by_delta ? "change" : "weight");
}

static void
toggle_facets(struct model *m)
{
	if (m->over == OVER_FACETS) {
		m->over = OVER_NONE;
		return;
	}
	if (!m->facets.is_made && facets_make(&m->facets, m->profile,
	    m->idle) < 0) {
		model_say(m, 1, "out of memory");
		return;
	}
	if (m->facets.n == 0) {
		model_say(m, 0, "samples have no process, thread, status or "
		    "annotation");
		return;
	}
	m->over = OVER_FACETS;
}

static void
toggle_idle(struct model *m)
{
	char a[NUMBER_TEXT];

	if (m->times[1].idle_samples == 0) {
		model_say(m, 0, "no thread waited for work");
		return;
	}
	model_set_idle(m, m->idle == BOB_IDLE_KEEP ? BOB_IDLE_HIDE
	                                           : BOB_IDLE_KEEP);
	(void)number_time(a, m->times[1].idle_us);
	model_say(m, 0, "idle: %s of %llu thread%s %s (%s)", a,
	    (unsigned long long)m->times[1].n_idle_tracks,
	    m->times[1].n_idle_tracks == 1 ? "" : "s",
	    m->idle == BOB_IDLE_KEEP ? "shown" : "set aside",
	    bob_times_idle_rule(&m->times[1]));
}

static void
clear_all(struct model *m)
{
	m->filter[0] = '\0';
	m->match[0] = '\0';
	facets_clear(&m->facets);
	m->has_range = 0;
	(void)model_rebuild(m, 0);
}

/* ---- Time ---------------------------------------------------------------- */

static void
move_time(struct model *m, int by)
{
	struct time_strip *s = model_time(m);
	uint32_t step = s->n > (uint32_t)m->cols ? s->n / (uint32_t)m->cols
	                                         : 1;

	m->has_time = 1;
	if (by < 0)
		s->cursor = s->cursor > step ? s->cursor - step : 0;
	else if (s->n > 0)
		s->cursor = s->cursor + step < s->n ? s->cursor + step
		                                    : s->n - 1;
}

static void
set_time_end(struct model *m, int is_from)
{
	struct time_strip *s = model_time(m);
	uint64_t at = s->cursor * s->bin_us, end = s->n * s->bin_us;
	uint64_t from = m->has_range ? m->from : 0;
	uint64_t to = m->has_range ? m->to : end;

	if (is_from)
		from = at;
	else
		to = at + s->bin_us;
	if (from >= to) { /* the other end is on the wrong side */
		if (is_from)
			to = end;
		else
			from = 0;
	}
	model_set_range(m, from, to);
}

/* Esc: out of what is open, else away with the filter. */
static void
cancel(struct model *m)
{
	if (m->over != OVER_NONE)
		m->over = OVER_NONE;
	else if (m->filter[0] != '\0')
		(void)model_set_filter(m, "");
}

static void
go_back(struct model *m)
{
	if (m->over != OVER_NONE)
		m->over = OVER_NONE;
	else
		model_pop(m);
}

static void
act_on_view(struct model *m, int action)
{
	switch (action) {
	case ACT_PANES:
		look_at_selected(m, LOOK_PANES);
		break;
	case ACT_FLAME:
		look_at_selected(m, LOOK_FLAME);
		break;
	case ACT_WHOLE:
		look_at_whole(m);
		break;
	case ACT_CALLEES:
		look_at_selected(m, LOOK_CALLEES);
		break;
	case ACT_CALLERS:
		look_at_selected(m, LOOK_CALLERS);
		break;
	case ACT_SELF:
		sort_by(m, BOB_BY_SELF);
		break;
	case ACT_TOTAL:
		sort_by(m, BOB_BY_TOTAL);
		break;
	case ACT_OVERVIEW_FULL:
		overview_full(m);
		break;
	case ACT_SOURCE:
		if (m->over == OVER_SOURCE)
			m->over = OVER_NONE;
		else
			model_open_source(m, model_cursor_key(m));
		break;
	case ACT_OVERVIEW:
		toggle_overview(m);
		break;
	case ACT_FOLLOW_CURSOR:
		m->follows_cursor = !m->follows_cursor;
		model_say(m, 0, "the focus %s the overview's cursor",
		    m->follows_cursor ? "follows" : "no longer follows");
		model_moved(m);
		break;
	case ACT_MINI_FLAME:
		m->has_mini = !m->has_mini;
		break;
	case ACT_ALIGN:
		m->is_right = !m->is_right;
		break;
	case ACT_NO_LINE:
		regroup(m, m->group == BOB_GROUP_LINE ? BOB_GROUP_FUNCTION
		                                      : BOB_GROUP_LINE,
		    m->opcodes);
		break;
	case ACT_OPCODES:
		regroup(m, m->group, !m->opcodes);
		break;
	case ACT_GROUP:
		regroup(m, next_group(m), m->opcodes);
		break;
	default:
		break;
	}
}

static void
act_on_query(struct model *m, int action)
{
	switch (action) {
	case ACT_UNIT:
		toggle_unit(m);
		break;
	case ACT_DELTA:
		toggle_delta(m);
		break;
	case ACT_FILTER:
	case ACT_MATCH:
		m->wants_prompt = action;
		break;
	case ACT_FACETS:
		toggle_facets(m);
		break;
	case ACT_IDLE:
		toggle_idle(m);
		break;
	case ACT_CLEAR:
		clear_all(m);
		break;
	case ACT_TIME:
		m->has_time = !m->has_time;
		break;
	case ACT_TIME_LEFT:
		move_time(m, -1);
		break;
	case ACT_TIME_RIGHT:
		move_time(m, 1);
		break;
	case ACT_TIME_FROM:
		set_time_end(m, 1);
		break;
	case ACT_TIME_TO:
		set_time_end(m, 0);
		break;
	case ACT_TIME_RESET:
		if (m->has_range)
			model_set_range(m, 0, 0);
		break;
	case ACT_REDRAW:
		m->wants_redraw = 1;
		break;
	case ACT_SUSPEND:
		m->wants_suspend = 1;
		break;
	case ACT_CANCEL:
		cancel(m);
		break;
	case ACT_HELP:
		m->over = m->over == OVER_HELP ? OVER_NONE : OVER_HELP;
		m->help_top = 0;
		break;
	case ACT_QUIT:
		m->wants_quit = 1;
		break;
	default:
		act_on_view(m, action);
		break;
	}
}

void
model_act(struct model *m, int action)
{
	m->status[0] = '\0';
	m->is_error = 0;
	switch (action) {
	case ACT_UP:
		move_cursor(m, -1);
		break;
	case ACT_DOWN:
		move_cursor(m, 1);
		break;
	case ACT_PAGE_UP:
		move_cursor(m, -PAGE);
		break;
	case ACT_PAGE_DOWN:
		move_cursor(m, PAGE);
		break;
	case ACT_TOP:
		move_cursor(m, -FAR);
		break;
	case ACT_BOTTOM:
		move_cursor(m, FAR);
		break;
	case ACT_LEFT:
		move_sideways(m, -1);
		break;
	case ACT_RIGHT:
		move_sideways(m, 1);
		break;
	case ACT_FOLD_ALL:
		fold_all(m, 0);
		break;
	case ACT_UNFOLD_ALL:
		fold_all(m, 1);
		break;
	case ACT_NEXT_PANE:
		cycle_panes(m, 1);
		break;
	case ACT_PREV_PANE:
		cycle_panes(m, -1);
		break;
	case ACT_ENTER:
		enter_selected(m);
		break;
	case ACT_BACK:
		go_back(m);
		break;
	default:
		act_on_query(m, action);
		break;
	}
}
