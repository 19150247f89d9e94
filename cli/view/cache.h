/*
 * Views and trees of the selections that a page has asked for last. A page asks
 * for the table, the flame graph and the time line of one selection; they share
 * a view.
 */
#ifndef CLI_VIEW_CACHE_H
#define CLI_VIEW_CACHE_H

#include <stdint.h>

#include <bobbin/diff.h>
#include <bobbin/profile.h>

#include "selection.h"

/* Selections that are kept. */
#define CACHE_VIEWS 4

/* Trees that are kept, of all selections: they take most of the memory. Both
 * directions of one, without a focus or with it, are shown at a time. */
#define CACHE_TREES 2

struct cached {
	struct bob_view *view; /* NULL: this place is free */
	char *text;
	size_t n_text;
	int side;
	uint64_t used;
};

struct cached_tree {
	struct bob_tree *tree; /* NULL: this place is free */
	const struct cached *of;
	int direction;
	uint32_t focus;
	uint64_t used;
};

/* The comparison of the last selection. */
struct cached_diff {
	struct bob_diff *diff; /* NULL: none */
	char *text;
	size_t n_text;
};

struct cache {
	struct bob_profile *profile;
	struct cached_diff diff;
	struct cached at[CACHE_VIEWS];
	struct cached_tree tree[CACHE_TREES];
	uint64_t clock;
};

void cache_init(struct cache *c, struct bob_profile *p);

/* Forgets all: the profile has grown, or ends. */
void cache_clear(struct cache *c);

/* Returns the view of a selection; NULL if it cannot be made: the context has
 * the error. Valid until the next call. */
struct cached *cache_view(struct cache *c, const struct selection *s);

/* Returns a tree of all nodes of a view; NULL likewise. Valid as long. */
const struct bob_tree *cache_tree(struct cache *c, struct cached *view,
    int direction, uint32_t focus);

/* Returns the comparison of both sides of a selection; NULL likewise. Valid
 * until the next call. */
struct bob_diff *cache_diff(struct cache *c, const struct selection *s);

#endif
