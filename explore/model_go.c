/* Moving from place to place and back, and finding keys. */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "model.h"
#include "model_inside.h"

int
model_has_overview(const struct model *m)
{
	int wanted = m->overview_set >= 0 ? m->overview_set
	                                  : m->cols >= LAYOUT_AUTO_OVERVIEW;

	return m->mode == MODE_SANDWICH && wanted &&
	    m->cols >= LAYOUT_MIN_OVERVIEW;
}

struct table *
model_table(struct model *m)
{
	if (m->mode == MODE_LIST)
		return model_list(m);
	switch (m->pane) {
	case PANE_CALLERS:
		return model_callers(m);
	case PANE_CALLEES:
		return model_callees(m);
	case PANE_OVERVIEW:
		return model_overview(m);
	default:
		return NULL;
	}
}

struct flame *
model_flame_now(struct model *m)
{
	struct layout l;

	layout_make(m, &l);
	return model_flame(m, l.body.w > 0 ? l.body.w : LAYOUT_MIN_COLS);
}

uint32_t
model_cursor_key(struct model *m)
{
	struct table *t;

	if (m->view[1] == NULL)
		return 0;
	t = model_table(m);
	if (t != NULL)
		return table_key(t);
	if (m->pane == PANE_FOCUS)
		return m->focus;
	if (m->look == LOOK_FLAME) {
		struct flame *f = model_flame_now(m);

		return f->at < f->n ? f->box[f->at].key : m->focus;
	}
	if (m->look == LOOK_CALLEES || m->look == LOOK_CALLERS) {
		struct tree *tree = model_tree(m, m->look == LOOK_CALLERS
		    ? BOB_CALLERS : BOB_CALLEES);

		return tree->n > 0 ? tree->node[tree_at(tree)].key : 0;
	}
	return m->focus;
}

/* Selects the first line of a tree that has a key. */
static void
seek_tree(struct tree *t, uint32_t key)
{
	size_t i;

	for (i = 0; i < t->n_lines; i++) {
		if (t->node[t->line[i]].key == key) {
			t->c.at = i;
			return;
		}
	}
}

static void
seek_flame(struct flame *f, uint32_t key)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->box[i].key == key) {
			f->at = i;
			return;
		}
	}
}

void
model_seek(struct model *m, uint32_t key)
{
	struct table *t = model_table(m);

	if (key == 0)
		return;
	if (t != NULL)
		(void)table_find(t, key);
	else if (m->pane != PANE_MAIN)
		return;
	else if (m->look == LOOK_FLAME && m->flame.width == 0)
		m->flame_seeks = key;
	else if (m->look == LOOK_FLAME)
		seek_flame(&m->flame, key);
	else if (m->look == LOOK_CALLEES || m->look == LOOK_CALLERS)
		seek_tree(model_tree(m, m->look == LOOK_CALLERS ? BOB_CALLERS
		                                                : BOB_CALLEES),
		    key);
}

void
model_push(struct model *m)
{
	struct place *p;

	if (m->history == NULL)
		m->history = calloc(MODEL_MAX_HISTORY, sizeof(*m->history));
	if (m->history == NULL)
		return; /* one cannot go back then */
	if (m->n_history == MODEL_MAX_HISTORY)
		memmove(m->history, m->history + 1, --m->n_history *
		    sizeof(*m->history));
	p = &m->history[m->n_history++];
	memset(p, 0, sizeof(*p));
	p->mode = m->mode;
	p->look = m->look;
	p->pane = m->pane;
	p->order = m->order;
	p->group = m->group;
	p->opcodes = m->opcodes;
	p->is_whole = m->is_whole;
	p->focus = m->focus;
	p->cursor_key = model_cursor_key(m);
	p->list = m->list.c;
	p->callers = m->callers.c;
	p->callees = m->callees.c;
	p->overview = m->overview.c;
}

/* Returns to the grouping of a place. Keys have another meaning in another
 * grouping, so focus and pane are reset before the views change. */
static int
regroup_for(struct model *m, const struct place *p)
{
	int group = m->group, opcodes = m->opcodes;

	m->group = p->group;
	m->opcodes = p->opcodes;
	m->mode = MODE_LIST;
	m->pane = PANE_MAIN;
	m->focus = 0;
	m->is_whole = 0;
	if (model_rebuild(m, 0) == 0)
		return 0;
	m->group = group;
	m->opcodes = opcodes;
	return -1;
}

void
model_pop(struct model *m)
{
	struct place p;

	if (m->n_history == 0) {
		model_say(m, 0, "there is nothing to go back to");
		return;
	}
	p = m->history[m->n_history - 1];
	if ((p.group != m->group || p.opcodes != m->opcodes) &&
	    regroup_for(m, &p) < 0)
		return;
	m->n_history--;
	m->mode = p.mode;
	m->look = p.look;
	m->pane = p.pane;
	m->order = p.order;
	m->focus = p.focus;
	m->is_whole = p.is_whole;
	m->has_list = 0;
	model_forget_focus(m);
	m->list.c = p.list;
	m->callers.c = p.callers;
	m->callees.c = p.callees;
	m->overview.c = p.overview;
	model_seek(m, p.cursor_key);
}

static int
pane_of(const struct model *m, int look)
{
	if (m->pane == PANE_OVERVIEW && m->mode == MODE_SANDWICH)
		return PANE_OVERVIEW;
	if (look != LOOK_PANES)
		return PANE_MAIN;
	return m->pane == PANE_MAIN ? PANE_CALLEES : m->pane;
}

void
model_go(struct model *m, int mode, int look, uint32_t focus)
{
	if (mode == m->mode && focus == m->focus && look == m->look)
		return;
	model_push(m);
	m->pane = mode == MODE_LIST ? PANE_MAIN : pane_of(m, look);
	m->mode = mode;
	m->look = look;
	m->is_whole = mode == MODE_SANDWICH && focus == 0;
	if (focus != m->focus) {
		m->focus = focus;
		model_forget_focus(m);
		memset(&m->callers.c, 0, sizeof(m->callers.c));
		memset(&m->callees.c, 0, sizeof(m->callees.c));
		memset(&m->tree[0].c, 0, sizeof(m->tree[0].c));
		memset(&m->tree[1].c, 0, sizeof(m->tree[1].c));
		m->flame.at = 0;
		m->flame.top = 0;
	}
	m->time.is_fresh = 0;
}

void
model_resize(struct model *m, int cols, int rows)
{
	m->cols = cols;
	m->rows = rows;
	if (m->pane == PANE_OVERVIEW && !model_has_overview(m))
		m->pane = m->mode == MODE_SANDWICH && m->look == LOOK_PANES
		    ? PANE_CALLEES
		    : PANE_MAIN;
}

void
model_moved(struct model *m)
{
	uint32_t key;

	if (!m->follows_cursor || m->pane != PANE_OVERVIEW ||
	    m->mode != MODE_SANDWICH)
		return;
	key = table_key(&m->overview);
	if (key == 0 || key == m->focus)
		return;
	m->focus = key;
	m->is_whole = 0;
	model_forget_focus(m);
	memset(&m->callers.c, 0, sizeof(m->callers.c));
	memset(&m->callees.c, 0, sizeof(m->callees.c));
	m->flame.at = 0;
}
