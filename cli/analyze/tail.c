/* The last samples, with their frames and annotations. */
#include <inttypes.h>
#include <string.h>

#include "analyze.h"

void
put_frame(const struct analyze *a, bob_fid frame, struct span *l)
{
	uint32_t key = bob_view_key_of(a->r.frames, frame);

	if (key != 0)
		put_key(a, a->r.frames, key, l);
}

static size_t
n_pairs(const struct analyze *a, const struct bob_last *x)
{
	size_t n;

	(void)bob_annot_get(bob_profile_dict(a->profile), x->annot, &n);
	return n;
}

static size_t
n_frames(const struct analyze *a, const struct bob_last *x)
{
	return bob_stack_get(bob_profile_dict(a->profile), x->stack).depth;
}

/* How many of its frames are shown. */
static size_t
depth_of(const struct analyze *a, const struct bob_last *x)
{
	size_t n = n_frames(a, x);

	return a->o.last_depth > 0 && n > a->o.last_depth ? a->o.last_depth
	                                                  : n;
}

static size_t
lines_of(const struct analyze *a, const struct bob_last *x)
{
	return 1 + depth_of(a, x) + n_pairs(a, x);
}

size_t
tail_lines(const struct analyze *a)
{
	size_t n = 0, i;

	for (i = 0; i < a->r.section[SECTION_TAIL].n; i++)
		n += lines_of(a, &a->r.last[i]);
	return n == 0 ? 1 : n;
}

static void
put_label(const struct analyze *a, size_t ago, struct block *b)
{
	const char *dash = a->o.is_ascii ? "--" : "\xe2\x94\x80\xe2\x94\x80";
	struct span *l = block_line(b);

	span_printf(l, "  %s sample ", dash);
	if (ago == 0)
		span_put(l, "(now)");
	else
		span_printf(l, "(%zu ago)", ago);
	span_printf(l, " %s", dash);
}

static void
put_frames(const struct analyze *a, const struct bob_last *x, size_t depth,
    size_t width, struct block *b)
{
	struct bob_dict *d = bob_profile_dict(a->profile);
	const char *mark = a->o.is_ascii ? "..." : "\xe2\x80\xa6";
	bob_stack s = x->stack;
	size_t i;

	for (i = 0; i < depth; i++) {
		struct bob_node node = bob_stack_get(d, s);
		struct span *l = block_line(b), text = { 0 };

		put_frame(a, node.frame, &text);
		if (width > 0)
			span_crop(&text, width > 8 ? width - 7 : 1,
			    a->o.keeps_end, mark);
		span_printf(l, "  [%2zu] ", i);
		span_add(l, &text);
		span_done(&text);
		s = node.parent;
	}
}

static void
put_pairs(const struct analyze *a, const struct bob_last *x, struct block *b)
{
	struct bob_dict *d = bob_profile_dict(a->profile);
	void (*put)(struct span *, const char *, size_t) =
	    a->o.style == STYLE_RELI ? span_safe_tabs : span_safe;
	const struct bob_pair *v;
	size_t n, i;

	v = bob_annot_get(d, x->annot, &n);
	for (i = 0; i < n; i++) {
		struct bob_bytes key = bob_str_get(d, v[i].key);
		struct bob_bytes value = bob_str_get(d, v[i].value);
		struct span *l = block_line(b);

		span_put(l, "  # ");
		put(l, key.p, key.n);
		span_put(l, " = ");
		put(l, value.p, value.n);
	}
}

/* If there is too little room: as much of the last sample as fits. */
static void
put_part(const struct analyze *a, const struct bob_last *x, size_t room,
    size_t width, struct block *b)
{
	size_t depth = depth_of(a, x), n = room > 2 ? room - 2 : 0;

	put_label(a, 0, b);
	put_frames(a, x, depth < n ? depth : n, width, b);
	if (room > 1)
		span_put(block_line(b), a->o.is_ascii ? "  ..."
		                                      : "  \xe2\x80\xa6");
}

void
tail_text(struct analyze *a, size_t width, struct block *b)
{
	const struct section *s = &a->r.section[SECTION_TAIL];
	const struct bob_last *x = a->r.last;
	size_t first = 0, need = tail_lines(a), begin = b->n, i;

	if (s->n == 0)
		span_put(block_line(b), "  (no samples)");
	while (first < s->n && a->r.is_cut && need > s->n_shown)
		need -= lines_of(a, &x[first++]);
	for (i = first; i < s->n; i++) {
		put_label(a, s->n - 1 - i, b);
		put_frames(a, &x[i], depth_of(a, &x[i]), width, b);
		put_pairs(a, &x[i], b);
	}
	if (s->n > 0 && first == s->n)
		put_part(a, &x[s->n - 1], s->n_shown, width, b);
	for (i = begin; i < b->n; i++)
		span_crop(&b->v[i], width, 0, a->o.is_ascii ? "..."
		    : "\xe2\x80\xa6");
}
