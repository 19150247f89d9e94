/* Mouse events, by the window that they happen in; see the header. */
#include "mouse.h"

#include "action.h"
#include "draw.h"
#include "layout.h"

/* A list under the pointer: its cursor, how many rows, and its window. */
struct list_at {
	struct cursor *c;
	size_t n;
	struct rect r;
	int pane;
};

static int
event_in(const struct rect *r, const struct event *e)
{
	return rect_has(r, e->x, e->y);
}

/* A window without its first row, which is a heading. */
static struct rect
below_heading(struct rect r)
{
	r.y++;
	r.h--;
	return r;
}

static int
table_target(struct list_at *t, struct table *table, struct rect r, int pane)
{
	*t = (struct list_at){ &table->c, table->n, r, pane };
	return 1;
}

/* Returns 1 and sets *t to the list under the pointer; 0 if there is none. */
static int
find_target(struct model *m, const struct layout *l, const struct event *e,
    struct list_at *t)
{
	struct tree *tree;

	if (m->over == OVER_HELP)
		return 0;
	if (m->over == OVER_FACETS && event_in(&l->facets, e)) {
		*t = (struct list_at){ &m->facets.c, m->facets.n,
			below_heading(l->facets), PANE_MAIN };
		return 1;
	}
	if (event_in(&l->overview, e))
		return table_target(t, model_overview(m),
		    below_heading(l->overview), PANE_OVERVIEW);
	if (!event_in(&l->body, e))
		return 0;
	if (m->over == OVER_SOURCE) {
		*t = (struct list_at){ &m->source.c, m->source.n,
			below_heading(l->body), PANE_MAIN };
		return 1;
	}
	if (m->mode == MODE_LIST)
		return table_target(t, model_list(m), below_heading(l->body),
		    PANE_MAIN);
	if (m->look == LOOK_PANES && event_in(&l->callers, e))
		return table_target(t, model_callers(m),
		    below_heading(l->callers), PANE_CALLERS);
	if (m->look == LOOK_PANES && event_in(&l->callees, e))
		return table_target(t, model_callees(m),
		    below_heading(l->callees), PANE_CALLEES);
	if (m->look != LOOK_CALLEES && m->look != LOOK_CALLERS)
		return 0;
	tree = model_tree(m, m->look == LOOK_CALLERS ? BOB_CALLERS
	                                             : BOB_CALLEES);
	*t = (struct list_at){ &tree->c, tree->n_lines,
		below_heading(l->body), PANE_MAIN };
	return 1;
}

static void
on_wheel(struct model *m, const struct layout *l, const struct event *e)
{
	int by = e->mouse == MOUSE_WHEEL_UP ? -1 : 1;
	struct list_at t;

	if (event_in(&l->wheel, e)) {
		m->delta -= by;
		m->delta = m->delta < 1 ? 1 : m->delta > 20 ? 20 : m->delta;
	} else if (m->over == OVER_HELP) {
		model_act(m, by < 0 ? ACT_UP : ACT_DOWN);
	} else if (find_target(m, l, e, &t)) {
		cursor_scroll(t.c, t.n, t.r.h, (long)by * m->delta);
		if (t.pane == m->pane)
			model_moved(m);
	} else if (m->mode == MODE_SANDWICH && m->look == LOOK_FLAME &&
	    event_in(&l->body, e)) {
		flame_move(model_flame_now(m), 0, by);
	}
}

/* Rows per step of the wheel: 1, 2, 3, 5, 10, then 1 again. */
static void
cycle_delta(struct model *m)
{
	static const int steps[] = { 1, 2, 3, 5, 10 };
	size_t i;

	for (i = 0; i < 5; i++) {
		if (steps[i] > m->delta) {
			m->delta = steps[i];
			return;
		}
	}
	m->delta = steps[0];
}

static void
set_time_cursor(struct model *m, const struct layout *l,
    const struct event *e)
{
	struct time_strip *s = model_time(m);
	int x = e->x - l->time.x;

	x = x < 0 ? 0 : x >= l->time.w ? l->time.w - 1 : x;
	if (s->n > 0)
		s->cursor = (uint32_t)((uint64_t)x * s->n /
		    (uint64_t)l->time.w);
}

static void
drag_time(struct mouse *s, struct model *m, const struct layout *l,
    const struct event *e)
{
	struct time_strip *t = model_time(m);

	if (l->time.w == 0) { /* the strip was switched off meanwhile */
		s->is_dragging = t->is_dragged = 0;
		return;
	}
	set_time_cursor(m, l, e);
	if (e->mouse == MOUSE_PRESS) {
		s->is_dragging = 1;
		t->anchor = t->cursor;
	}
	t->is_dragged = t->cursor != t->anchor;
	if (e->mouse != MOUSE_RELEASE)
		return;
	s->is_dragging = 0;
	if (t->is_dragged) {
		uint32_t a = t->anchor, b = t->cursor;

		t->is_dragged = 0;
		model_set_range(m, (a < b ? a : b) * t->bin_us,
		    ((a < b ? b : a) + 1) * t->bin_us);
	}
}

/* Selects what is under the pointer. Returns 1; 0 if there is nothing. */
static int
select_at(struct model *m, const struct layout *l, const struct event *e)
{
	struct list_at t;
	size_t at;
	long box;

	if (find_target(m, l, e, &t)) {
		at = t.c->top + (size_t)(e->y - t.r.y);
		if (e->y < t.r.y || at >= t.n)
			return 0;
		if (t.c == &m->facets.c &&
		    m->facets.facet[at].kind == FACET_HEADING)
			return 0;
		t.c->at = at;
		if (m->over == OVER_NONE)
			m->pane = t.pane;
		model_moved(m);
		return 1;
	}
	if (m->mode != MODE_SANDWICH || m->over != OVER_NONE)
		return 0;
	if (m->look == LOOK_PANES && event_in(&l->banner, e)) {
		m->pane = PANE_FOCUS;
		return 1;
	}
	if (m->look != LOOK_FLAME || !event_in(&l->body, e))
		return 0;
	box = flame_find(model_flame_now(m), e->x - l->body.x,
	    e->y - l->body.y - 1 + m->flame.top - m->flame.up);
	if (box < 0)
		return 0;
	m->flame.at = (size_t)box;
	m->pane = PANE_MAIN;
	return 1;
}

/* A click on a column heading sorts the list by it. */
static int
click_heading(struct model *m, const struct layout *l, const struct event *e)
{
	int order = -1;

	if (m->mode == MODE_LIST && m->over == OVER_NONE &&
	    e->y == l->body.y && event_in(&l->body, e))
		order = draw_heading_at(m, &l->body, e->x - l->body.x);
	if (order < 0)
		return 0;
	model_act(m, order == BOB_BY_SELF ? ACT_SELF : ACT_TOTAL);
	return 1;
}

static void
click_mini(struct model *m, const struct layout *l, const struct event *e)
{
	uint32_t key = mini_find(model_mini(m, l->mini.w, l->mini.h),
	    e->x - l->mini.x, e->y - l->mini.y);

	if (key != 0 && model_is_frames(m))
		model_go(m, MODE_SANDWICH, m->look, key);
}

static void
on_press(struct mouse *s, struct model *m, const struct layout *l,
    const struct event *e, uint64_t now_ms)
{
	int is_double = e->x == s->x && e->y == s->y &&
	    now_ms - s->t_press <= MOUSE_DOUBLE_MS;

	s->x = e->x;
	s->y = e->y;
	s->t_press = is_double ? 0 : now_ms; /* a third click is single */
	if (e->button != 0)
		return;
	if (event_in(&l->wheel, e))
		cycle_delta(m);
	else if (event_in(&l->mini, e))
		click_mini(m, l, e);
	else if (event_in(&l->time, e))
		drag_time(s, m, l, e);
	else if (!click_heading(m, l, e) && select_at(m, l, e) && is_double)
		model_act(m, ACT_ENTER);
}

void
mouse_event(struct mouse *s, struct model *m, const struct event *e,
    uint64_t now_ms)
{
	struct layout l;

	layout_make(m, &l);
	if (l.is_too_small)
		return;
	m->status[0] = '\0';
	switch (e->mouse) {
	case MOUSE_WHEEL_UP:
	case MOUSE_WHEEL_DOWN:
		on_wheel(m, &l, e);
		break;
	case MOUSE_PRESS:
		on_press(s, m, &l, e, now_ms);
		break;
	default:
		if (s->is_dragging)
			drag_time(s, m, &l, e);
		break;
	}
}
