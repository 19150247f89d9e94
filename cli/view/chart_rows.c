/* States and annotations of a flame chart; see the header. */
#include "chart_rows.h"

#include <string.h>

/* ---- States ------------------------------------------------------------ */

static int
is_gc(struct bob_profile *p, bob_stack stack)
{
	const struct bob_dict *dict = bob_profile_dict(p);
	const struct bob_frame *leaf =
	    bob_frame_get(dict, bob_stack_get(dict, stack).frame);
	struct bob_bytes name = bob_str_get(dict, leaf->name);

	return leaf->lang == BOB_LANG_PYTHON && name.n == 4 &&
	    memcmp(name.p, "<GC>", 4) == 0;
}

enum chart_state
chart_state_of(struct bob_profile *p, const struct bob_stretch *s)
{
	if (s->is_idle)
		return CHART_IDLE;
	if (is_gc(p, s->stack))
		return CHART_GC;
	if (!(s->flags & BOB_RUN_STATUS) ||
	    (s->status & BOB_STATUS_UNKNOWN) != 0)
		return CHART_UNKNOWN;
	if ((s->status & BOB_STATUS_WANTS_GIL) != 0 &&
	    (s->status & BOB_STATUS_HAS_GIL) == 0)
		return CHART_WAITS;
	return s->status & BOB_STATUS_ON_CPU ? CHART_ON_CPU : CHART_OFF_CPU;
}

const char *
chart_state_name(enum chart_state state)
{
	static const char *const name[CHART_STATES] = {
		[CHART_IDLE] = "idle",
		[CHART_GC] = "garbage collection",
		[CHART_WAITS] = "waits for the GIL",
		[CHART_ON_CPU] = "on CPU",
		[CHART_OFF_CPU] = "off CPU",
		[CHART_UNKNOWN] = "unknown",
	};

	return name[state];
}

static int
put_band(struct chart_rows *r, struct chart *to, size_t limit)
{
	if (!r->has_band)
		return 0;
	if (to->n_band == limit)
		return 1;
	to->band[to->n_band++] = r->band;
	r->has_band = 0;
	return 0;
}

/* True if the band has samples of this state only. */
static int
is_pure(const struct chart_band *b, enum chart_state state)
{
	int i;

	for (i = 0; i < CHART_STATES; i++)
		if (i != (int)state && b->samples[i] > 0)
			return 0;
	return 1;
}

/* The time between two parts, whichever comes first; 0 if they overlap. */
static uint64_t
between(uint64_t start, uint64_t end, const struct bob_stretch *s)
{
	return s->t_first > end ? s->t_first - end
	    : s->t_end < start ? start - s->t_end : 0;
}

/* Two wide parts of different states stay apart. */
static int
takes(const struct chart_band *b, enum chart_state state,
    const struct bob_stretch *s, uint64_t grain)
{
	if (between(b->start, b->end, s) > grain)
		return 0;
	return is_pure(b, state) || (b->end - b->start < grain &&
	    s->t_end - s->t_first < grain);
}

static int
add_band(struct chart_rows *r, enum chart_state state,
    const struct bob_stretch *s, struct chart *to, size_t limit)
{
	int is_full = 0;

	if (r->has_band && !takes(&r->band, state, s, to->grain))
		is_full = put_band(r, to, limit);
	if (!r->has_band) {
		r->band = (struct chart_band){ .start = s->t_first,
			.end = s->t_end };
		r->has_band = 1;
	}
	if (s->t_first < r->band.start)
		r->band.start = s->t_first;
	if (s->t_end > r->band.end)
		r->band.end = s->t_end;
	r->band.samples[state] += s->inside;
	return is_full;
}

/* ---- Annotations ------------------------------------------------------- */

static int
put_mark(struct chart_mark *m, struct chart *to, size_t limit)
{
	if (m->annot == 0)
		return 0;
	if (to->n_mark == limit)
		return 1;
	to->mark[to->n_mark++] = *m;
	m->annot = 0;
	return 0;
}

/* Adds the mark that has ended to those that are too narrow. */
static int
merge_mark(struct chart_rows *r, struct chart *to, size_t limit)
{
	struct chart_mark *all = &r->narrow, *m = &r->mark;
	struct bob_stretch s = { .t_first = m->start, .t_end = m->end };
	int is_full = 0;

	if (all->annot != 0 && between(all->start, all->end, &s) > to->grain)
		is_full = put_mark(all, to, limit);
	if (all->annot == 0)
		*all = (struct chart_mark){ .start = m->start, .end = m->end,
			.annot = m->annot };
	if (m->start < all->start)
		all->start = m->start;
	if (m->end > all->end)
		all->end = m->end;
	all->samples += m->samples;
	all->n++;
	m->annot = 0;
	if (all->end - all->start >= to->grain)
		is_full |= put_mark(all, to, limit);
	return is_full;
}

static int
end_mark(struct chart_rows *r, struct chart *to, size_t limit)
{
	int is_full;

	if (r->mark.annot == 0)
		return 0;
	if (r->mark.end - r->mark.start < to->grain)
		return merge_mark(r, to, limit);
	is_full = put_mark(&r->narrow, to, limit);
	return put_mark(&r->mark, to, limit) | is_full;
}

static int
is_named(struct bob_bytes key, const char *name)
{
	return key.n == strlen(name) && memcmp(key.p, name, key.n) == 0;
}

size_t
chart_name_of(const struct bob_dict *dict, bob_annot annot)
{
	static const char *const name[] = { "request.uri", "http.url", "uri",
		"url", "request.route", "http.route", "route", "task.name",
		"request.id", "request_id" };
	const struct bob_pair *pair;
	size_t i, k, n;

	pair = bob_annot_get(dict, annot, &n);
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		for (k = 0; k < n; k++)
			if (is_named(bob_str_get(dict, pair[k].key), name[i]))
				return k;
	return 0;
}

/* What a stretch belongs to; most have that of the stretch before them. */
static struct chart_name
name_of(struct chart_rows *r, struct bob_profile *p,
    const struct bob_stretch *s)
{
	const struct bob_dict *dict = bob_profile_dict(p);
	const struct bob_pair *pair;
	size_t n;

	if (r->name.annot != s->annot) {
		r->name = (struct chart_name){ .annot = s->annot };
		pair = bob_annot_get(dict, s->annot, &n);
		if (n > 0)
			r->name.pair = pair[chart_name_of(dict, s->annot)];
		r->name.is_any = n > 0;
	}
	return r->name;
}

static int
is_same(const struct chart_name *a, const struct chart_name *b)
{
	return a->is_any == b->is_any && a->pair.key == b->pair.key &&
	    a->pair.value == b->pair.value;
}

/* A request lasts through pauses, but not backwards. */
static int
add_mark(struct chart_rows *r, const struct chart_name *name,
    const struct bob_stretch *s, struct chart *to, size_t limit)
{
	int is_full = 0;

	if (!is_same(name, &r->marked) || s->begins ||
	    s->t_first < r->mark.end)
		is_full = end_mark(r, to, limit);
	r->marked = *name;
	if (!name->is_any)
		return is_full;
	if (r->mark.annot == 0)
		r->mark = (struct chart_mark){ .start = s->t_first,
			.annot = s->annot };
	r->mark.end = s->t_end;
	r->mark.samples += s->inside;
	return is_full;
}

/* ---- Both -------------------------------------------------------------- */

int
chart_rows_add(struct chart_rows *r, struct bob_profile *p,
    const struct bob_stretch *s, struct chart *to, size_t limit)
{
	struct chart_name name = name_of(r, p, s);

	return add_band(r, chart_state_of(p, s), s, to, limit) |
	    add_mark(r, &name, s, to, limit);
}

int
chart_rows_end(struct chart_rows *r, struct chart *to, size_t limit)
{
	return put_band(r, to, limit) | end_mark(r, to, limit) |
	    put_mark(&r->narrow, to, limit);
}
