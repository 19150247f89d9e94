/* Outwards, frame by frame; see the header. */
#include "capture/native/merge.h"

#include <string.h>

static int
put(struct merge *m, bob_fid frame)
{
	if (MEM_GROW(m->ctx, m, out, m->n_out + 1) < 0)
		return BOB_FATAL;
	m->out[m->n_out++] = frame;
	return BOB_OK;
}

static int
put_frames(struct merge *m, const struct bob_dict *dict, bob_stack from,
    bob_stack to)
{
	int r = BOB_OK;

	while (r == BOB_OK && to != from && to != 0) {
		struct bob_node node = bob_stack_get(dict, to);

		r = put(m, node.frame);
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

/* Where the merging is, on its way outwards. */
struct state {
	size_t left;      /* pieces that are not placed yet */
	int awaits_call;  /* the last one was entered by a call */
	int has_marks;
};

/* A frame of C. 1: it fits; 0; FATAL. */
static int
step(struct merge *m, const struct bob_dict *dict, struct state *s,
    const struct merge_native *f, const struct merge_piece *piece)
{
	const struct merge_piece *p = s->left > 0 ? &piece[s->left - 1] : NULL;

	if (p != NULL && !(p->flags & (MERGE_NO_LOOP | MERGE_APART)) &&
	    is_loop_of(f, p)) {
		if (s->awaits_call)
			return 0;
		s->awaits_call = (p->flags & MERGE_BY_CALL) != 0;
		s->left--;
		return put_frames(m, dict, p->from, p->to) < 0 ? BOB_FATAL : 1;
	}
	if (f->kind == MERGE_LOOP && !s->has_marks)
		return 0;
	if (f->kind == MERGE_CALL && s->awaits_call) {
		s->awaits_call = 0;
	} else if (f->kind == MERGE_CALL && p != NULL &&
	    (p->flags & (MERGE_NO_LOOP | MERGE_APART)) == MERGE_NO_LOOP) {
		s->left--;
		if (put_frames(m, dict, p->from, p->to) < 0)
			return BOB_FATAL;
	}
	return put(m, f->frame) < 0 ? BOB_FATAL : 1;
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
		r = step(m, dict, &s, &v[i], piece);
	if (r <= 0)
		return r;
	if (s.left == 0)
		return is_whole ? !s.awaits_call : s.has_marks;
	if (!s.has_marks || s.left == n_piece ||
	    (is_whole && !(piece[s.left - 1].flags & MERGE_APART)))
		return 0;
	r = put_frames(m, dict, 0, piece[s.left - 1].to);
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
	/* No loop up to where the thread began: then nobody knows which it
	 * was. */
	if (n_leaf == n && is_whole)
		n_leaf = 0;
	m->n_out = 0;
	for (i = 0; r == BOB_OK && i < n_leaf; i++)
		r = put(m, v[i].frame);
	if (r == BOB_OK && n_piece > 0)
		r = put_frames(m, dict, 0, piece[n_piece - 1].to);
	return r;
}
