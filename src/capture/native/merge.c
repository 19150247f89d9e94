/*
 * Merges from the innermost C frame outwards; see merge.h. m->out is filled
 * innermost first.
 */
#include "capture/native/merge.h"

#include <string.h>

static int
merge_put(struct merge *m, bob_fid frame)
{
	if (MEM_GROW(m->ctx, m, out, m->n_out + 1) < 0)
		return BOB_FATAL;
	m->out[m->n_out++] = frame;
	return BOB_OK;
}

static int
merge_put_frames(struct merge *m, const struct bob_dict *dict, bob_stack from,
    bob_stack to)
{
	int r = BOB_OK;

	while (r == BOB_OK && to != from && to != 0) {
		struct bob_node node = bob_stack_get(dict, to);

		r = merge_put(m, node.frame);
		to = node.parent;
	}
	return r;
}

static int
is_loop_of(const struct merge_native *f, const struct merge_piece *p)
{
	if (p->mark != 0)
		return p->mark >= f->sp && p->mark < f->cfa;
	return f->kind == MERGE_LOOP;
}

struct state {
	size_t left;      /* pieces that are not placed yet */
	int awaits_call;  /* the last piece was entered by a MERGE_CALL, which
	                   * was not met yet */
	int has_marks;
};

/* Places one C frame, or the piece of its loop. Returns 1; 0 if it does not
 * fit; FATAL. */
static int
merge_step(struct merge *m, const struct bob_dict *dict, struct state *s,
    const struct merge_native *f, const struct merge_piece *piece)
{
	const struct merge_piece *p = s->left > 0 ? &piece[s->left - 1] : NULL;

	if (p != NULL && !(p->flags & (MERGE_NO_LOOP | MERGE_APART)) &&
	    is_loop_of(f, p)) {
		if (s->awaits_call)
			return 0;
		s->awaits_call = (p->flags & MERGE_BY_CALL) != 0;
		s->left--;
		return merge_put_frames(m, dict, p->from, p->to) < 0
		    ? BOB_FATAL : 1;
	}
	if (f->kind == MERGE_LOOP && !s->has_marks)
		return 0;
	if (f->kind == MERGE_CALL && s->awaits_call) {
		s->awaits_call = 0;
	} else if (f->kind == MERGE_CALL && p != NULL &&
	    (p->flags & (MERGE_NO_LOOP | MERGE_APART)) == MERGE_NO_LOOP) {
		s->left--;
		if (merge_put_frames(m, dict, p->from, p->to) < 0)
			return BOB_FATAL;
	}
	return merge_put(m, f->frame) < 0 ? BOB_FATAL : 1;
}

static int
have_marks(const struct merge_piece *piece, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (piece[i].mark == 0 &&
		    (piece[i].flags & (MERGE_NO_LOOP | MERGE_APART)) == 0)
			return 0;
	return n > 0;
}

int
merge_stacks(struct merge *m, const struct bob_dict *dict,
    const struct merge_native *v, size_t n, const struct merge_piece *piece,
    size_t n_piece, int is_whole)
{
	struct state s = { n_piece, 0, have_marks(piece, n_piece) };
	size_t i;
	int r = 1;

	m->n_out = 0;
	for (i = 0; i < n && r > 0; i++)
		r = merge_step(m, dict, &s, &v[i], piece);
	if (r <= 0)
		return r;
	if (s.left == 0)
		return is_whole ? !s.awaits_call : s.has_marks;
	if (!s.has_marks || s.left == n_piece ||
	    (is_whole && !(piece[s.left - 1].flags & MERGE_APART)))
		return 0;
	r = merge_put_frames(m, dict, 0, piece[s.left - 1].to);
	return r < 0 ? BOB_FATAL : 1;
}

int
merge_leaf(struct merge *m, const struct bob_dict *dict,
    const struct merge_native *v, size_t n, const struct merge_piece *piece,
    size_t n_piece, int is_whole)
{
	size_t i, k, n_leaf = n;
	int r = BOB_OK;

	for (i = 0; i < n_leaf; i++) {
		int is_loop = v[i].kind == MERGE_LOOP;

		for (k = 0; k < n_piece; k++)
			is_loop |= piece[k].mark != 0 &&
			    is_loop_of(&v[i], &piece[k]);
		if (is_loop)
			n_leaf = i;
	}
	/* A complete C stack without a loop: which frames are above the
	 * interpreter's is not known. */
	if (n_leaf == n && is_whole)
		n_leaf = 0;
	m->n_out = 0;
	for (i = 0; r == BOB_OK && i < n_leaf; i++)
		r = merge_put(m, v[i].frame);
	if (r == BOB_OK && n_piece > 0)
		r = merge_put_frames(m, dict, 0, piece[n_piece - 1].to);
	return r;
}
