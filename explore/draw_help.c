/* The help screen: every action with its keys, in as many columns as fit. */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "tui/glyph.h"

#define KEYS 16   /* columns of the keys */
#define COLUMN 66 /* columns of a list */
#define MOUSE 5

static const char *const mouse[MOUSE][2] = {
	{ "wheel", "scroll what is under the pointer" },
	{ "click", "select; on the small flame: focus" },
	{ "double click", "as Enter" },
	{ "drag on time", "choose a range" },
	{ "click [δN]", "how far the wheel scrolls" },
};

/* Line `at` of the help, counted over all groups. Returns 1; 0 behind the
 * last. */
static int
help_line(const struct screen *s, int at, char keys[64], const char **what,
    int *is_title)
{
	int group, i;

	*is_title = 0;
	keys[0] = '\0';
	*what = "";
	for (group = 0; group < N_ACTION_GROUPS; group++) {
		if (at-- == 0) {
			*is_title = 1;
			*what = action_group_title(group);
			return 1;
		}
		for (i = 1; i < N_ACTIONS; i++) {
			if (action_info(i)->group != group || at-- != 0)
				continue;
			(void)keymap_keys(s->keys, i, keys, 64);
			*what = action_info(i)->help;
			return 1;
		}
	}
	if (at == 0) {
		*is_title = 1;
		*what = "Mouse";
	} else if (at <= MOUSE) {
		(void)snprintf(keys, 64, "%s", mouse[at - 1][0]);
		*what = mouse[at - 1][1];
	}
	return at <= MOUSE;
}

static void
draw_entry(struct screen *s, const struct rect *r, int x, int y, int w,
    const char *keys, const char *what, int is_title)
{
	struct rect cell = { r->x + x, r->y + y, w, 1 };

	if (is_title) {
		(void)canvas_str(s->canvas, &cell, 1, 0, what,
		    STYLE_PANE_ACTIVE);
		return;
	}
	(void)canvas_str(s->canvas, &cell, 2, 0, keys, STYLE_KEY);
	canvas_fill(s->canvas, &cell, KEYS + 2, 0, w - KEYS - 2, ' ',
	    STYLE_PLAIN);
	(void)canvas_str(s->canvas, &cell, KEYS + 2, 0, what, STYLE_PLAIN);
}

void
draw_help(struct screen *s, const struct layout *l)
{
	struct model *m = s->model;
	const struct rect *r = &l->body;
	int columns = r->w / COLUMN > 0 ? r->w / COLUMN : 1, n = 0, i;
	int per_column, rows = r->h - 1, width = r->w / columns, is_title;
	const char *what;
	char keys[64];

	while (help_line(s, n, keys, &what, &is_title))
		n++;
	per_column = (n + columns - 1) / columns;
	if (m->help_top > per_column - rows)
		m->help_top = per_column > rows ? per_column - rows : 0;
	draw_heading(s, r, 0, per_column > rows + m->help_top
	        ? "keys · more below, ? closes"
	        : "keys · ? closes", 1);
	for (i = 0; help_line(s, i, keys, &what, &is_title); i++) {
		int y = i % per_column - m->help_top;

		if (y >= 0 && y < rows)
			draw_entry(s, r, i / per_column * width, y + 1, width,
			    keys, what, is_title);
	}
}
