/*
 * Where things are on the screen: from its size and what is switched on to
 * windows. Pure arithmetic; views and mouse use the same result.
 */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include "canvas.h"
#include "model.h"

#define LAYOUT_MIN_COLS 60
#define LAYOUT_MIN_ROWS 12
#define LAYOUT_MIN_OVERVIEW 100  /* columns from which it is possible */
#define LAYOUT_AUTO_OVERVIEW 120 /* from which it is there by itself */

/* A window of no size is not there. */
struct layout {
	int is_too_small;
	struct rect header;   /* 4 lines */
	struct rect mini;     /* the small flame */
	struct rect time;     /* samples over time */
	struct rect overview; /* at the left */
	struct rect body;     /* the list, the flame, a tree, source, help */
	struct rect callers, banner, callees; /* parts of the body */
	struct rect facets;   /* at the right, or over the body */
	struct rect footer, status;
	struct rect wheel;    /* the [d3] in the header */
};

void layout_make(const struct model *m, struct layout *l);

int rect_has(const struct rect *r, int x, int y);

#endif
