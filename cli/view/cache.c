/* Views and trees by their selection, the least recently used one makes room;
 * see the header. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

void
cache_init(struct cache *c, struct bob_profile *p)
{
	memset(c, 0, sizeof(*c));
	c->profile = p;
}

static void
forget_tree(struct cached_tree *t)
{
	bob_tree_free(t->tree);
	memset(t, 0, sizeof(*t));
}

static void
forget(struct cache *c, struct cached *at)
{
	size_t i;

	for (i = 0; i < CACHE_TREES; i++)
		if (c->tree[i].of == at)
			forget_tree(&c->tree[i]);
	bob_view_free(at->view);
	free(at->text);
	memset(at, 0, sizeof(*at));
}

static void
forget_diff(struct cached_diff *d)
{
	bob_diff_free(d->diff);
	free(d->text);
	memset(d, 0, sizeof(*d));
}

void
cache_clear(struct cache *c)
{
	size_t i;

	forget_diff(&c->diff);
	for (i = 0; i < CACHE_VIEWS; i++)
		forget(c, &c->at[i]);
}

static struct cached *
oldest_view(struct cache *c)
{
	struct cached *old = &c->at[0];
	size_t i;

	for (i = 1; i < CACHE_VIEWS; i++)
		if (c->at[i].used < old->used)
			old = &c->at[i];
	return old;
}

static int
make_view(struct cache *c, struct cached *at, const struct selection *s)
{
	struct bob_view_opts o = { .size = sizeof(o), .group = s->group,
		.side = selection_side(s), .filter = selection_filter(s),
		.shape = s->shape, .n_shapes = s->n_shapes };

	forget(c, at);
	at->text = malloc(s->n_text);
	if (at->text == NULL || bob_view_new(c->profile, &o, &at->view) < 0) {
		forget(c, at);
		return -1;
	}
	memcpy(at->text, s->text, s->n_text);
	at->n_text = s->n_text;
	at->side = s->side;
	return 0;
}

static int
is_text(const char *text, size_t n, const struct selection *s)
{
	return n == s->n_text && memcmp(text, s->text, n) == 0;
}

struct cached *
cache_view(struct cache *c, const struct selection *s)
{
	struct cached *at = NULL;
	size_t i;

	for (i = 0; i < CACHE_VIEWS && at == NULL; i++)
		if (c->at[i].view != NULL && c->at[i].side == s->side &&
		    is_text(c->at[i].text, c->at[i].n_text, s))
			at = &c->at[i];
	if (at == NULL) {
		at = oldest_view(c);
		if (make_view(c, at, s) < 0)
			return NULL;
	}
	at->used = ++c->clock;
	return at;
}

const struct bob_tree *
cache_tree(struct cache *c, struct cached *view, int direction,
    uint32_t focus)
{
	struct cached_tree *t, *old = &c->tree[0];
	size_t i;

	for (i = 0; i < CACHE_TREES; i++) {
		t = &c->tree[i];
		if (t->of == view && t->direction == direction &&
		    t->focus == focus) {
			t->used = ++c->clock;
			return t->tree;
		}
		if (t->used < old->used)
			old = t;
	}
	forget_tree(old);
	if (bob_view_tree(view->view, direction, focus, 0, 0, &old->tree) < 0)
		return NULL;
	old->of = view;
	old->direction = direction;
	old->focus = focus;
	old->used = ++c->clock;
	return old->tree;
}

struct bob_diff *
cache_diff(struct cache *c, const struct selection *s)
{
	struct bob_diff_opts o = { .size = sizeof(o), .group = s->group,
		.filter = &s->filter, .shape = s->shape,
		.n_shapes = s->n_shapes,
		.before = s->has_base ? &s->base : NULL };
	struct cached_diff *d = &c->diff;

	if (d->diff != NULL && is_text(d->text, d->n_text, s))
		return d->diff;
	forget_diff(d);
	d->text = malloc(s->n_text);
	if (d->text == NULL || bob_diff_new(c->profile, &o, &d->diff) < 0) {
		forget_diff(d);
		return NULL;
	}
	memcpy(d->text, s->text, s->n_text);
	d->n_text = s->n_text;
	return d->diff;
}
