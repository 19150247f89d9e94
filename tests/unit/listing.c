/* Listing the samples of a trace; see the header. */
#include "listing.h"

#include <stdlib.h>

static int
is_like(const struct listed *a, const struct listed *b)
{
	return a->segment == b->segment && a->period == b->period &&
	    a->t == b->t && a->stack == b->stack && a->track == b->track &&
	    a->annot == b->annot && a->is_timed == b->is_timed;
}

static void
add(struct listing *l, const struct listed *x)
{
	l->n_samples += x->count;
	if (l->n > 0 && is_like(&l->v[l->n - 1], x)) {
		l->v[l->n - 1].count += x->count;
		return;
	}
	if (l->n == l->cap) {
		l->cap = l->cap == 0 ? 64 : 2 * l->cap;
		l->v = realloc(l->v, l->cap * sizeof(*l->v));
		if (l->v == NULL)
			abort();
	}
	l->v[l->n++] = *x;
}

static void
add_run(struct listing *l, struct listed x, const struct bob_run *run)
{
	uint64_t i;

	x.stack = run->stack;
	x.track = run->track;
	x.annot = run->annot;
	x.count = run->count;
	x.is_timed = (run->flags & BOB_RUN_TIMED) != 0;
	x.t = x.is_timed ? run->t_first : 0;
	if (run->dt == NULL || !x.is_timed) {
		add(l, &x);
		return;
	}
	x.count = 1;
	add(l, &x);
	for (i = 1; i < run->count; i++) {
		x.t += run->dt[i - 1];
		add(l, &x);
	}
}

static void
add_meta(struct listing *l, const struct bob_dict *d, uint64_t segment,
    const struct bob_mark *m)
{
	struct bob_bytes k = bob_str_get(d, m->key);
	struct bob_bytes v = bob_str_get(d, m->value);
	char number[32];

	(void)snprintf(number, sizeof(number), "%llu ",
	    (unsigned long long)segment);
	put_text(&l->meta, number);
	put_bytes(&l->meta, k.p, k.n);
	put_text(&l->meta, "=");
	put_bytes(&l->meta, v.p, v.n);
	put_text(&l->meta, "\n");
}

int
listing_read(struct listing *l, struct bob_reader *in)
{
	const struct bob_dict *d = bob_reader_dict(in);
	struct listed x = { 0 };
	struct bob_event ev;
	size_t i;
	int r;

	while ((r = bob_next(in, &ev)) == BOB_OK || r == BOB_AGAIN) {
		if (r == BOB_AGAIN)
			continue;
		if (ev.kind == BOB_EVENT_SEGMENT) {
			x.segment = ev.segment->index;
			x.period = ev.segment->period_us;
		} else if (ev.kind == BOB_EVENT_RUNS) {
			for (i = 0; i < ev.n_runs; i++)
				add_run(l, x, &ev.runs[i]);
		} else if (ev.mark->kind == BOB_MARK_META) {
			add_meta(l, d, x.segment, ev.mark);
		}
	}
	bob_close(in);
	return r;
}

void
listing_cut(struct listing *l, uint64_t n)
{
	uint64_t seen = 0;
	size_t i;

	for (i = 0; i < l->n && seen < n; i++) {
		if (l->v[i].count > n - seen)
			l->v[i].count = n - seen;
		seen += l->v[i].count;
	}
	l->n = i;
	l->n_samples = seen;
}

int
listing_begins_with(const struct listing *whole, const struct listing *part)
{
	size_t i;

	if (part->n > whole->n)
		return 0;
	for (i = 0; i < part->n; i++) {
		if (!is_like(&whole->v[i], &part->v[i]))
			return 0;
		if (whole->v[i].count != part->v[i].count &&
		    (i + 1 < part->n ||
		        whole->v[i].count < part->v[i].count))
			return 0;
	}
	return 1;
}

void
assert_listings(const struct listing *got, const struct listing *want)
{
	size_t i;

	for (i = 0; i < got->n && i < want->n; i++)
		if (!is_like(&got->v[i], &want->v[i]) ||
		    got->v[i].count != want->v[i].count)
			fail_msg("run %zu differs: %llu x stack %u, not "
			    "%llu x stack %u", i,
			    (unsigned long long)got->v[i].count,
			    got->v[i].stack,
			    (unsigned long long)want->v[i].count,
			    want->v[i].stack);
	assert_int_equal(got->n, want->n);
	assert_int_equal(got->n_samples, want->n_samples);
	assert_int_equal(got->meta.n, want->meta.n);
	if (want->meta.n > 0)
		assert_memory_equal(got->meta.p, want->meta.p, want->meta.n);
}

void
listing_free(struct listing *l)
{
	free(l->v);
	buf_free(&l->meta);
	memset(l, 0, sizeof(*l));
}
