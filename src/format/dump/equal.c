/*
 * Decides which stacks look alike in the listing. Mostly equal ids decide. But
 * one name can be split into namespace, class and method in several ways, and
 * facts that are not shown may differ.
 */
#include <string.h>

#include "format/dump/dump.h"

/* A name put together on the fly, without memory for it. */
struct cursor {
	struct bob_bytes part[5];
	size_t n_parts, at, used;
};

static void
cursor_init(struct cursor *c, const struct bob_dict *d,
    const struct bob_frame *f)
{
	*c = (struct cursor){ 0 };
	if (f->ns != 0) {
		c->part[c->n_parts++] = d->str[f->ns];
		c->part[c->n_parts++] = (struct bob_bytes){ "\\", 1 };
	}
	if (f->scope != 0) {
		c->part[c->n_parts++] = d->str[f->scope];
		c->part[c->n_parts++] = (struct bob_bytes){ "::", 2 };
	}
	c->part[c->n_parts++] = d->str[f->name];
}

/* The bytes at hand; n = 0 only at the end. */
static struct bob_bytes
cursor_peek(struct cursor *c)
{
	while (c->at < c->n_parts && c->used == c->part[c->at].n) {
		c->at++;
		c->used = 0;
	}
	if (c->at == c->n_parts)
		return (struct bob_bytes){ "", 0 };
	return (struct bob_bytes){ c->part[c->at].p + c->used,
		c->part[c->at].n - c->used };
}

static int
names_equal(const struct bob_dict *d, const struct bob_frame *a,
    const struct bob_frame *b)
{
	struct cursor ca, cb;

	if (a->name == b->name && a->scope == b->scope && a->ns == b->ns)
		return 1;
	cursor_init(&ca, d, a);
	cursor_init(&cb, d, b);
	for (;;) {
		struct bob_bytes pa = cursor_peek(&ca), pb = cursor_peek(&cb);
		size_t n = pa.n < pb.n ? pa.n : pb.n;

		if (n == 0)
			return pa.n == pb.n;
		if (memcmp(pa.p, pb.p, n) != 0)
			return 0;
		ca.used += n;
		cb.used += n;
	}
}

/* Flags that are shown for frames of one kind. */
static unsigned
shown_flags(const struct bob_frame *f)
{
	if (f->lang == BOB_LANG_NATIVE)
		return f->flags & BOB_FRAME_NO_LINE;
	if (f->lang != BOB_LANG_PYTHON)
		return f->flags & BOB_FRAME_NO_LINE;
	if (f->flags & BOB_FRAME_NO_LINE)
		return f->flags & (BOB_FRAME_NO_LINE | BOB_FRAME_OPCODE);
	return f->flags & (BOB_FRAME_COLUMNS | BOB_FRAME_OPCODE);
}

/* An opcode that is called "-" looks as if there were none. */
static int
opnames_equal(const struct bob_dict *d, const struct bob_frame *a,
    const struct bob_frame *b)
{
	static const struct bob_bytes none = { "-", 1 };
	struct bob_bytes oa = a->flags & BOB_FRAME_OPNAME
	    ? d->str[a->opname] : none;
	struct bob_bytes ob = b->flags & BOB_FRAME_OPNAME
	    ? d->str[b->opname] : none;

	return oa.n == ob.n && memcmp(oa.p, ob.p, oa.n) == 0;
}

static int
is_php(const struct bob_frame *f)
{
	return f->lang != BOB_LANG_NATIVE && f->lang != BOB_LANG_PYTHON;
}

static int
are_frames_equal(const struct bob_dict *d, bob_fid ia, bob_fid ib)
{
	const struct bob_frame *a = &d->frame[ia], *b = &d->frame[ib];
	unsigned flags = shown_flags(a);

	if (ia == ib)
		return 1;
	if (a->file != b->file || flags != shown_flags(b) ||
	    (a->lang != b->lang && !(is_php(a) && is_php(b))))
		return 0;
	if (!(flags & BOB_FRAME_NO_LINE) && a->where != b->where)
		return 0;
	if (is_php(a) && !opnames_equal(d, a, b))
		return 0;
	if ((flags & BOB_FRAME_OPCODE) && a->opcode != b->opcode)
		return 0;
	if ((flags & BOB_FRAME_COLUMNS) && (a->end_line != b->end_line ||
	    a->col != b->col || a->end_col != b->end_col))
		return 0;
	return names_equal(d, a, b);
}

int
dump_stacks_equal(const struct bob_dict *d, bob_stack a, bob_stack b)
{
	if (d->node[a].depth != d->node[b].depth)
		return 0;
	while (a != b) {
		if (!are_frames_equal(d, d->node[a].frame, d->node[b].frame))
			return 0;
		a = d->node[a].parent;
		b = d->node[b].parent;
	}
	return 1;
}
