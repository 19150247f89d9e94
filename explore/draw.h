/* Drawing the model on a canvas; one file per kind of view. */
#ifndef EXPLORE_DRAW_H
#define EXPLORE_DRAW_H

#include "keymap.h"
#include "layout.h"
#include "model.h"
#include "text/number.h"
#include "tui/canvas.h"

struct prompt;

struct screen {
	struct canvas *canvas;
	struct model *model;
	const struct keymap *keys;
	const char *title;     /* the files */
	const char *quit;      /* what quitting does; NULL: it quits */
	const struct prompt *prompt; /* NULL: none */
	const char *prompt_error; /* why its text is no pattern, or NULL */
	int cursor_x, cursor_y; /* out: where the cursor is, or -1 */
};

/* Draws the whole screen. */
void draw(struct screen *s);

void draw_list(struct screen *s, const struct layout *l);
void draw_overview(struct screen *s, const struct layout *l);
void draw_panes(struct screen *s, const struct layout *l);
void draw_tree(struct screen *s, const struct layout *l, int direction);
void draw_flame(struct screen *s, const struct layout *l);
void draw_mini(struct screen *s, const struct layout *l);
void draw_time(struct screen *s, const struct layout *l);
void draw_verdict(struct screen *s, const struct layout *l);
void draw_facets(struct screen *s, const struct layout *l);
void draw_source(struct screen *s, const struct layout *l);
void draw_help(struct screen *s, const struct layout *l);

/* ---- Shared by the views ------------------------------------------------- */

/* How the rows of a table are drawn. */
struct rows_look {
	int is_active;      /* it has the keyboard */
	const char *zero;   /* the label of key 0 */
	uint64_t whole[2];  /* 100 % of each side */
	int is_calls;       /* rows have one weight, not self and total */
	int order;          /* enum bob_order: what the rows are sorted by */
	const char *title;  /* the heading of the names */
};

/* Draws a heading in the first row of a window, and rows below it. */
void draw_rows(struct screen *s, const struct rect *r, struct table *t,
    const struct rows_look *look);

/* Which column heading of draw_rows is at column x of its window: enum
 * bob_order, or -1. */
int draw_heading_at(const struct model *m, const struct rect *r, int x);

/* Draws the label of a key in w columns; the file and line are dimmed. Returns
 * the columns used. */
int draw_label(struct screen *s, const struct rect *r, int x, int y, int w,
    uint32_t key, int style);

/* Draws a heading: a rule with a title in it. */
void draw_heading(struct screen *s, const struct rect *r, int y,
    const char *title, int is_active);

/* A weight as a count with commas or as a time, in at most 12 columns. */
const char *draw_weight(const struct model *m, char buf[NUMBER_TEXT],
    uint64_t w);

/* The style of a change: grey if it is not significant. */
int draw_change_style(struct model *m, uint32_t key, int by_self,
    double delta);

/* The change of a share as "+1.2" points. */
const char *draw_delta(char buf[NUMBER_TEXT], double delta);

/* The text of a key; `zero` for key 0. */
struct bob_bytes draw_key_text(const struct model *m, uint32_t key,
    const char *zero);

#endif
