/* A table of keys with their weights, and a cursor. */
#ifndef EXPLORE_TABLE_H
#define EXPLORE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "tui/cursor.h"

struct item {
	uint32_t key;
	uint64_t w[2]; /* before, after; what rows are sorted by */
	uint64_t self, total; /* after; 0 in tables of calls */
};

struct table {
	struct item *item;
	size_t n, cap;
	struct cursor c;
};

void table_clear(struct table *t);
void table_done(struct table *t);

/* Returns 0; -1 without memory. */
int table_add(struct table *t, const struct item *item);

/* Sorts: the heaviest first; with by_delta, the largest change of share first.
 * Equal rows stay in the order in which they were added. `total` is the total
 * of each side. */
void table_sort(struct table *t, int by_delta, const uint64_t total[2]);

/* The largest weight, which bars are scaled to. */
uint64_t table_most(const struct table *t);

/* Moves the cursor to a key. Returns 1; 0 if the table does not have it. */
int table_find(struct table *t, uint32_t key);

/* The key under the cursor; 0 if there is none. */
uint32_t table_key(const struct table *t);

#endif
