/*
 * Tables of text: cells row by row, then drawn in a box or as Markdown.
 */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "block.h"

#define GRID_COLUMNS 10

struct grid_column {
	const char *title;
	int is_right;    /* numbers stand at the right */
	int is_flexible; /* gives way when there is too little room */
};

struct grid {
	struct grid_column column[GRID_COLUMNS];
	size_t n_columns;
	struct span *cell; /* row after row */
	size_t n, cap;
	int failed;
};

void grid_done(struct grid *g);

/* The next cell, empty; never NULL, valid until the next one. */
struct span *grid_cell(struct grid *g);

struct grid_style {
	size_t width;     /* of the whole table at most; 0: any */
	int keeps_end;    /* which end of a text is cut */
	const char *mark; /* where something was cut */
};

/* Crops the cells that must give way and draws the table into a block. */
void grid_box(struct grid *g, const struct grid_style *s, struct block *b);

/* As a table of Markdown (GitHub's), with flexible cells as code. */
void grid_md(const struct grid *g, struct block *b);

#endif
