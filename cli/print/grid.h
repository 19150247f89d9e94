/*
 * Tables: cells are filled row by row; then the table is drawn in a box or as
 * Markdown.
 */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "block.h"

#define GRID_COLUMNS 10

struct grid_column {
	const char *title;
	int is_right;    /* numbers stand at the right */
	int is_flexible; /* is cropped if there is too little room */
	int drop; /* grid_calm: columns with a higher number are left out
	           * first if there is too little room; 0: never */
};

struct grid {
	struct grid_column column[GRID_COLUMNS];
	size_t n_columns;
	struct span *cell; /* row after row */
	size_t n, cap;
	int failed;
	struct span nowhere; /* the cell that there is no memory for */
};

void grid_done(struct grid *g);

/* The next cell, empty; never NULL, valid until the next one. */
struct span *grid_cell(struct grid *g);

struct grid_style {
	size_t width;     /* of the whole table at most; 0: any */
	size_t head;      /* columns at the beginning that a cut leaves */
	int keeps_begin;  /* see grid_calm */
	int keeps_end;    /* cropped text keeps its end, not its beginning */
	const char *mark; /* stands where text was cut */
};

/* Crops flexible cells to fit and draws the table into a block. */
void grid_box(struct grid *g, const struct grid_style *s, struct block *b);

/* Draws the table without lines. If names would be cut, columns of numbers are
 * left out before. Flexible cells are cut in the middle, unless s->keeps_end or
 * s->keeps_begin is set. */
void grid_calm(struct grid *g, const struct grid_style *s, struct block *b);

/* Appends text as code of Markdown; a cell of a table may have no bars. */
void grid_put_code(struct span *l, const struct span *text, int is_cell);

/* As a table of Markdown (GitHub's), with flexible cells as code. */
void grid_md(const struct grid *g, struct block *b);

#endif
