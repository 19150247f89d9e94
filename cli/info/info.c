/* Adds up the events of an input. Sums and orders that follow are in sum.c. */
#include "info.h"

#include <stdlib.h>
#include <string.h>

#include "print/plain.h"

/* Makes room for `need` elements in *p; new ones are zero. */
static int
info_grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap < 64 ? 64 : *cap;
	char *bigger;

	while (n < need)
		n *= 2;
	memcpy(&bigger, p, sizeof(bigger));
	bigger = realloc(bigger, n * size);
	if (bigger == NULL)
		return -1;
	memset(bigger + *cap * size, 0, (n - *cap) * size);
	memcpy(p, &bigger, sizeof(bigger));
	*cap = n;
	return 0;
}

#define GROW(x, name, need)                                                  \
	((need) <= (x)->cap_##name                                           \
	        ? 0                                                          \
	        : info_grow(&(x)->name, &(x)->cap_##name, (need),            \
	              sizeof(*(x)->name)))

int
info_keep_segment(struct info *x)
{
	if (x->n_segments == 0 ||
	    (!x->keeps_all && x->n_kept_segments == INFO_ROWS))
		return 0;
	if (GROW(x, segments, x->n_kept_segments + 1) < 0)
		return -1;
	x->segments[x->n_kept_segments++] = x->current;
	return 0;
}

static int
on_segment(struct info *x, const struct bob_segment *s)
{
	if (info_keep_segment(x) < 0)
		return -1;
	memset(&x->current, 0, sizeof(x->current));
	x->current.head = *s;
	x->n_segments++;
	return 0;
}

/* A number from 0 to `max` in metadata of that name becomes *worst if it is
 * larger, and sets *has. */
static void
take_worst(struct info *x, const struct bob_mark *m, const char *name,
    double max, int *has, double *worst)
{
	struct bob_bytes key = bob_str_get(x->dict, m->key);
	struct bob_bytes value = bob_str_get(x->dict, m->value);
	char text[32];
	double v;

	if (key.n != strlen(name) || memcmp(key.p, name, key.n) != 0 ||
	    value.n == 0 || value.n >= sizeof(text))
		return;
	memcpy(text, value.p, value.n);
	text[value.n] = '\0';
	v = strtod(text, NULL);
	if (!(v >= 0 && v <= max))
		return;
	*has = 1;
	if (v > *worst)
		*worst = v;
}

static int
on_meta(struct info *x, const struct bob_mark *m)
{
	struct info_label label;

	x->n_meta++;
	x->n_unkept = plain_add(x->n_unkept, bob_unkept(bob_str_get(x->dict,
	    m->key), bob_str_get(x->dict, m->value)));
	take_worst(x, m, "profiler.late_us.p99", 1e12, &x->has_late,
	    &x->late_us);
	take_worst(x, m, "profiler.late_percent", 100, &x->has_late,
	    &x->late_percent);
	take_worst(x, m, "profiler.inferred_percent", 100, &x->has_inferred,
	    &x->inferred_percent);
	if (info_label_take(x, m, &label)) {
		if (GROW(x, labels, x->n_labels + 1) < 0)
			return -1;
		x->labels[x->n_labels++] = label;
	}
	if (!x->keeps_all && x->n_kept_metas == INFO_ROWS)
		return 0;
	if (GROW(x, metas, x->n_kept_metas + 1) < 0)
		return -1;
	x->metas[x->n_kept_metas++] = (struct info_meta){
		x->current.head.index, m->key, m->value };
	return 0;
}

static int
on_mark(struct info *x, const struct bob_mark *m)
{
	switch (m->kind) {
	case BOB_MARK_META:
		return on_meta(x, m);
	case BOB_MARK_END:
		x->current.is_ended = 1;
		break;
	case BOB_MARK_UNKNOWN:
		x->n_unknown++;
		break;
	case BOB_MARK_GAP:
		/* An unfinished event at the end is not damage. */
		if (m->gap->code == BOB_E_TRUNCATED)
			break;
		x->n_gaps++;
		x->n_lost = plain_add(x->n_lost, m->gap->lost);
		x->gap_bytes = plain_add(x->gap_bytes, m->gap->length);
		x->lost_is_exact = x->lost_is_exact && m->gap->lost_is_exact;
		break;
	default:
		break;
	}
	return 0;
}

static void
add_times(struct info *x, const struct bob_run *r)
{
	struct info_segment *s = &x->current;

	if (x->n_timed == 0 || r->t_first < x->t_min)
		x->t_min = r->t_first;
	if (x->n_timed == 0 || r->t_last > x->t_max)
		x->t_max = r->t_last;
	if (s->n_timed == 0 || r->t_first < s->t_first)
		s->t_first = r->t_first;
	if (s->n_timed == 0 || r->t_last > s->t_last)
		s->t_last = r->t_last;
	x->n_timed = plain_add(x->n_timed, r->count);
	s->n_timed = plain_add(s->n_timed, r->count);
}

static int
on_run(struct info *x, const struct bob_run *r)
{
	if (GROW(x, has_stack, (size_t)r->stack + 1) < 0 ||
	    GROW(x, of_track, (size_t)r->track + 1) < 0 ||
	    GROW(x, of_annot, (size_t)r->annot + 1) < 0)
		return -1;
	if (!x->has_stack[r->stack]) {
		uint32_t depth = bob_stack_get(x->dict, r->stack).depth;

		x->has_stack[r->stack] = 1;
		x->n_stacks++;
		if (depth > x->max_depth)
			x->max_depth = depth;
	}
	x->of_track[r->track] = plain_add(x->of_track[r->track], r->count);
	x->of_annot[r->annot] = plain_add(x->of_annot[r->annot], r->count);
	if ((r->flags & BOB_RUN_STATUS) != 0)
		x->of_status[r->status] = plain_add(x->of_status[r->status],
		    r->count);
	if (r->annot != 0)
		x->n_annotated = plain_add(x->n_annotated, r->count);
	if ((r->flags & BOB_RUN_TIMED) != 0)
		add_times(x, r);
	x->n_runs++;
	x->n_samples = plain_add(x->n_samples, r->count);
	x->current.n_samples = plain_add(x->current.n_samples, r->count);
	x->sampled_us = plain_add(x->sampled_us,
	    plain_mul(r->count, x->current.head.period_us));
	return 0;
}

int
info_event(struct info *x, const struct bob_event *ev)
{
	size_t i;

	switch (ev->kind) {
	case BOB_EVENT_SEGMENT:
		return on_segment(x, ev->segment);
	case BOB_EVENT_MARK:
		return on_mark(x, ev->mark);
	case BOB_EVENT_RUNS:
		for (i = 0; i < ev->n_runs; i++)
			if (on_run(x, &ev->runs[i]) < 0)
				return -1;
		break;
	}
	return 0;
}

void
info_done(struct info *x)
{
	free(x->segments);
	free(x->metas);
	free(x->labels);
	free(x->has_stack);
	free(x->of_track);
	free(x->of_annot);
	free(x->pids);
	free(x->threads);
	free(x->keys);
}
