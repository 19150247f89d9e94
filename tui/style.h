/*
 * Styles of cells, named by meaning. tty_color.c decides how a terminal shows
 * them, with millions of colours or none.
 */
#ifndef TUI_STYLE_H
#define TUI_STYLE_H

#define N_HEAT 6
#define N_FLAME 8

enum style {
	STYLE_PLAIN = 0,
	STYLE_DIM,
	STYLE_BOLD,
	STYLE_TITLE,  /* the first line of the screen */
	STYLE_LABEL,  /* names of settings in the header */
	STYLE_ON,     /* a setting that narrows what is shown */
	STYLE_RULE,
	STYLE_KEY,    /* a key in the footer */
	STYLE_ERROR,
	STYLE_PANE,   /* heading of a pane */
	STYLE_PANE_ACTIVE,
	STYLE_CURSOR, /* the selected row where the keyboard is */
	STYLE_PICKED, /* a selected row elsewhere */
	STYLE_FILE,   /* where a function is */
	STYLE_MATCH,
	STYLE_GREW,
	STYLE_SHRANK,
	STYLE_SELECTED_TIME,
	STYLE_HEAT,   /* cold .. hot, N_HEAT of them */
	STYLE_FLAME = STYLE_HEAT + N_HEAT, /* boxes, N_FLAME of them */
	STYLE_FLAME_GREW = STYLE_FLAME + N_FLAME, /* a little, and much */
	STYLE_FLAME_SHRANK = STYLE_FLAME_GREW + 2,
	STYLE_FLAME_SAME = STYLE_FLAME_SHRANK + 2,
	STYLE_FLAME_FOCUS,
	N_STYLES
};

/* The style for a share from 0 to 1: STYLE_HEAT .. STYLE_HEAT + N_HEAT - 1. */
int style_heat(double share);

/* The style of a box in a difference, by the change of its share. */
int style_delta(double delta);

#endif
