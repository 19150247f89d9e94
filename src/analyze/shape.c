/* Shaping stacks; see the header. */
#include "analyze/shape.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/keys.h"
#include "analyze/keytext.h"
#include "core/mem.h"
#include "core/memo.h"

/* ---- The rules --------------------------------------------------------- */

const char *
shape_wrong(const struct bob_shape *rule, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (rule[i].kind < BOB_SHAPE_FOCUS ||
		    rule[i].kind > BOB_SHAPE_RECURSION)
			return "there is no such shape of stacks";
		if (rule[i].kind != BOB_SHAPE_RECURSION &&
		    (rule[i].group < 0 || rule[i].group > BOB_GROUP_MODULE))
			return "stacks are shaped by properties of frames";
	}
	return NULL;
}

int
shape_copy(struct bob_ctx *ctx, struct shape *to, const struct bob_shape *rule,
    size_t n)
{
	char *text;

	memset(to, 0, sizeof(*to));
	if (n == 0)
		return BOB_OK;
	to->rule = calloc(n, sizeof(*to->rule));
	if (to->rule == NULL)
		return err_nomem(ctx);
	for (; to->n < n; to->n++) {
		const struct bob_shape *from = &rule[to->n];

		text = malloc(from->text.n + 1);
		if (text == NULL)
			return err_nomem(ctx);
		if (from->text.n > 0)
			memcpy(text, from->text.p, from->text.n);
		to->rule[to->n] = *from;
		to->rule[to->n].text.p = text;
		to->has_focus |= from->kind == BOB_SHAPE_FOCUS;
		to->folds |= from->kind == BOB_SHAPE_RECURSION;
	}
	return BOB_OK;
}

void
shape_done(struct shape *s)
{
	char *text;
	size_t i;

	for (i = 0; i < s->n; i++) {
		memcpy(&text, &s->rule[i].text.p, sizeof(text));
		free(text);
	}
	free(s->rule);
	memset(s, 0, sizeof(*s));
}

static int
bytes_same(struct bob_bytes a, struct bob_bytes b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

int
shape_is(const struct shape *s, const struct bob_shape *rule, size_t n)
{
	size_t i;

	if (s->n != n)
		return 0;
	for (i = 0; i < n; i++)
		if (s->rule[i].kind != rule[i].kind ||
		    s->rule[i].group != rule[i].group ||
		    !bytes_same(s->rule[i].text, rule[i].text))
			return 0;
	return 1;
}

/* ---- Frames ------------------------------------------------------------ */

static int
role_of(int kind)
{
	return kind == BOB_SHAPE_FOCUS ? SHAPE_BEGINS
	    : kind == BOB_SHAPE_HIDE   ? SHAPE_HIDES
	                               : SHAPE_COLLAPSES;
}

int
shape_frame(struct keys *k, bob_fid id)
{
	const struct shape *s = &k->shape;
	struct key_parts parts, own = { 0 };
	int role = 0;
	size_t i;

	k->of_frame[id] = 0;
	for (i = 0; i < s->n; i++) {
		if (s->rule[i].kind == BOB_SHAPE_RECURSION)
			continue;
		if (keytext_frame(k, id, s->rule[i].group, &parts) < 0)
			return BOB_FATAL;
		if (!bytes_same((struct bob_bytes){ k->text, k->len },
		    s->rule[i].text))
			continue;
		role |= role_of(s->rule[i].kind);
		if (s->rule[i].kind != BOB_SHAPE_COLLAPSE)
			continue;
		/* The text alone: a place in a file says nothing of it. */
		own = (struct key_parts){ .name_len = (uint32_t)k->len,
			.lang = parts.lang, .frame = id,
			.module = parts.module };
		k->of_frame[id] = keys_put(k, &own);
		if (k->of_frame[id] == 0)
			return BOB_FATAL;
	}
	k->role[id] = (uint8_t)role;
	return BOB_OK;
}

/* ---- Stacks ------------------------------------------------------------ */

/* What a stack becomes when a frame is called from `from`. Returns BOB_NO_ID
 * without memory. */
static bob_stack
call_frame(struct keys *k, bob_stack from, bob_fid frame)
{
	uint32_t key = k->of_frame[frame];
	int role = k->role[frame];

	if (role & SHAPE_HIDES)
		return from;
	if (from == KEYS_OUT && !(role & SHAPE_BEGINS))
		return KEYS_OUT;
	if (from == KEYS_OUT)
		from = 0;
	if ((role & SHAPE_COLLAPSES) && from != 0 &&
	    k->own->node[from].frame == key)
		return from;
	return bob_stack_push(k->own, from, key);
}

static bob_stack
first_stack(const struct keys *k)
{
	return k->shape.has_focus ? KEYS_OUT : 0;
}

static int
shape_each(struct keys *k)
{
	const struct bob_dict *d = k->from;
	bob_stack to;

	if (k->n_stack == 0)
		k->of_stack[k->n_stack++] = first_stack(k);
	for (; k->n_stack < d->n.n_stack; k->n_stack++) {
		to = call_frame(k, k->of_stack[d->node[k->n_stack].parent],
		    d->node[k->n_stack].frame);
		if (to == BOB_NO_ID)
			return BOB_FATAL;
		k->of_stack[k->n_stack] = to;
	}
	return BOB_OK;
}

/*
 * Recursion. A walk through the tree of stacks, in which the way to the current
 * shaped stack is at hand: at[depth] is the stack of that depth on it, pos[key]
 * the last one that was made for a key. A key is on the way if both agree. Each
 * stack writes one entry of either, and puts the old ones back when it is left,
 * so the walk is linear whatever the shape of the tree.
 */
struct undo {
	bob_stack at, pos;
	uint8_t wrote;
};

struct walk {
	struct keys *k;
	bob_stack *first, *next; /* by stack: its children */
	bob_stack *at;           /* by depth */
	bob_stack *pos;          /* by key */
	struct undo *undo;       /* by stack */
};

static uint32_t
depth_of(const struct walk *w, bob_stack own)
{
	return own == KEYS_OUT ? 0 : w->k->own->node[own].depth;
}

static int
enter(struct walk *w, bob_stack s)
{
	struct keys *k = w->k;
	const struct dict_node *node = &k->from->node[s];
	uint32_t key = k->of_frame[node->frame];
	bob_stack from = k->of_stack[node->parent], to, old;

	w->undo[s].wrote = 0;
	old = from == KEYS_OUT ? 0 : w->pos[key];
	if (old != 0 && !(k->role[node->frame] & SHAPE_HIDES) &&
	    depth_of(w, old) <= depth_of(w, from) &&
	    w->at[depth_of(w, old)] == old) {
		k->of_stack[s] = old;
		return BOB_OK;
	}
	to = call_frame(k, from, node->frame);
	if (to == BOB_NO_ID)
		return BOB_FATAL;
	k->of_stack[s] = to;
	if (to == from)
		return BOB_OK;
	assert(depth_of(w, to) == depth_of(w, from) + 1);
	w->undo[s] = (struct undo){ w->at[depth_of(w, to)], w->pos[key], 1 };
	w->at[depth_of(w, to)] = w->pos[key] = to;
	return BOB_OK;
}

static void
leave(struct walk *w, bob_stack s)
{
	bob_stack to = w->k->of_stack[s];

	if (!w->undo[s].wrote)
		return;
	w->at[depth_of(w, to)] = w->undo[s].at;
	w->pos[w->k->own->node[to].frame] = w->undo[s].pos;
}

static int
walk_stacks(struct walk *w)
{
	bob_stack s = 0;

	for (;;) {
		if (w->first[s] != 0) {
			s = w->first[s];
		} else {
			while (s != 0 && w->next[s] == 0) {
				leave(w, s);
				s = w->k->from->node[s].parent;
			}
			if (s == 0)
				return BOB_OK;
			leave(w, s);
			s = w->next[s];
		}
		if (enter(w, s) < 0)
			return BOB_FATAL;
	}
}

static void
walk_done(struct walk *w)
{
	free(w->first);
	free(w->next);
	free(w->at);
	free(w->pos);
	free(w->undo);
}

/* All stacks anew: a new one may be anywhere in the tree. */
static int
shape_folded(struct keys *k)
{
	const struct bob_dict *d = k->from;
	const uint32_t n = d->n.n_stack;
	struct walk w = { .k = k };
	uint32_t depth = 0;
	bob_stack s;
	int r;

	for (s = 0; s < n; s++)
		if (d->node[s].depth > depth)
			depth = d->node[s].depth;
	w.first = calloc(n, sizeof(*w.first));
	w.next = calloc(n, sizeof(*w.next));
	w.at = calloc((size_t)depth + 1, sizeof(*w.at));
	/* A key is made for a frame or a rule. */
	w.pos = calloc((size_t)d->n.n_frame + k->shape.n + 1, sizeof(*w.pos));
	w.undo = calloc(n, sizeof(*w.undo));
	if (w.first == NULL || w.next == NULL || w.at == NULL ||
	    w.pos == NULL || w.undo == NULL) {
		walk_done(&w);
		return err_nomem(k->ctx);
	}
	for (s = n - 1; s > 0; s--) {
		w.next[s] = w.first[d->node[s].parent];
		w.first[d->node[s].parent] = s;
	}
	k->of_stack[0] = first_stack(k);
	r = walk_stacks(&w);
	walk_done(&w);
	if (r == BOB_OK)
		k->n_stack = n;
	return r;
}

int
shape_stacks(struct keys *k)
{
	if (k->n_stack == k->from->n.n_stack)
		return BOB_OK;
	return k->shape.folds ? shape_folded(k) : shape_each(k);
}
