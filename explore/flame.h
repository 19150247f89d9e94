/*
 * Flames on a screen of characters. The large one is made of boxes: the focus
 * in the middle, callers above, callees below. The small one shows the whole
 * call tree in dots.
 */
#ifndef EXPLORE_FLAME_H
#define EXPLORE_FLAME_H

#include <stddef.h>
#include <stdint.h>

#include "tree.h"

struct box {
	uint32_t key, node;
	int32_t level; /* 0 the focus, below it positive, above negative */
	int32_t x, w;
	uint32_t parent; /* a box; its own number for the focus */
	uint64_t weight[2];
};

struct flame {
	struct box *box; /* 0 is the focus; parents before children */
	size_t n, cap;
	int up, down; /* levels above and below */
	size_t at;    /* the selected box */
	int top;      /* the first visible row, counted from -up */
	int width;    /* columns that it was made for; 0: not made */
};

/* Makes the boxes for a width. Returns 0; -1 without memory. */
int flame_make(struct flame *f, const struct tree *callers,
    const struct tree *callees, const uint64_t total[2], int width);
void flame_done(struct flame *f);

/* Moves the selection: along a row, or to the parent or the widest child,
 * whichever is up or down there. */
void flame_move(struct flame *f, int dx, int dy);

/* The box at a column and level; -1 when there is none. */
long flame_find(const struct flame *f, int x, int level);

/* The call tree in dots: width x height cells of 2 x 4 dots. If the tree is
 * deeper than that, several levels share a row of dots. */
struct mini {
	uint8_t *dots;  /* by cell, for glyph_dots */
	uint32_t *key;  /* by level and half column; 0: nothing */
	int width, height; /* cells it was made for; 0: not made */
	int levels;
	int is_stale;      /* the views have changed since */
};

int mini_make(struct mini *m, const struct bob_tree *t, int by_time,
    int width, int height);
void mini_done(struct mini *m);

/* The innermost key at a cell; 0 when it is empty. */
uint32_t mini_find(const struct mini *m, int x, int y);

/* True when a key is somewhere in a cell. */
int mini_has(const struct mini *m, int x, int y, uint32_t key);

#endif
