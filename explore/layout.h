/*
 * Where the parts of the screen are, by its size and by what is switched on.
 * Views and mouse use the same windows.
 */
#ifndef EXPLORE_LAYOUT_H
#define EXPLORE_LAYOUT_H

#include "model.h"
#include "tui/canvas.h"

#define LAYOUT_MIN_COLS 40
#define LAYOUT_MIN_ROWS 10
#define LAYOUT_MIN_OVERVIEW 100  /* columns that the overview needs */
#define LAYOUT_AUTO_OVERVIEW 120 /* columns from which it is on by default */

/* A window of size 0 is not shown. */
struct layout {
	int is_too_small;
	struct rect header;   /* a line */
	struct rect labels;   /* of the strips, at their left */
	struct rect mini;     /* the small flame */
	struct rect time;     /* samples over time */
	struct rect clock;    /* at the right of the time: what it covers */
	struct rect overview; /* at the left */
	struct rect verdict;  /* of a difference: what changed */
	struct rect body;     /* the list, the flame, a tree, source, help;
	                       * its first row is a heading */
	struct rect callers, banner, callees; /* parts of the body; the first
	                                       * row of callers and callees is
	                                       * a heading */
	struct rect facets;   /* at the right, or over the body */
	struct rect footer;   /* a line: keys, a message, or a prompt */
	struct rect wheel;    /* the [d3] in the header */
};

void layout_make(const struct model *m, struct layout *l);

#endif
