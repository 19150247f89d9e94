/* Rows of keys with their weights, and a cursor among them. */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct cursor {
	size_t at;  /* the selected row */
	size_t top; /* the first visible one */
};

struct item {
	uint32_t key;
	uint64_t w[2]; /* before, after */
};

struct table {
	struct item *item;
	size_t n, cap;
	struct cursor c;
};

void table_clear(struct table *t);
void table_done(struct table *t);

/* 0, or -1 without memory. */
int table_add(struct table *t, const struct item *item);

/* Heaviest first, of equal ones the earlier added; `total` of each side. With
 * by_delta, what changed most first. */
void table_sort(struct table *t, int by_delta, const uint64_t total[2]);

/* The weight that bars are scaled to. */
uint64_t table_most(const struct table *t);

/* Puts the cursor on a key, if it is there. 1 when it is. */
int table_find(struct table *t, uint32_t key);

uint32_t table_key(const struct table *t);

/* Moves a cursor among n rows by a signed number of them. */
void cursor_move(struct cursor *c, size_t n, long by);

/* Scrolls without moving the selection, unless it would leave the screen of
 * `height` rows. */
void cursor_scroll(struct cursor *c, size_t n, int height, long by);

/* Keeps it inside n rows and on a screen of `height` rows. */
void cursor_fit(struct cursor *c, size_t n, int height);

#endif
