/* Gathering: what each event adds, and what follows from it at the end. */
#include "info.h"

#include <stdlib.h>
#include <string.h>

#include "plain.h"

/* Room for `need` elements in *p; new ones are zero. */
static int
grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap < 64 ? 64 : *cap;
	char *bigger;

	if (need <= *cap)
		return 0;
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
	grow(&(x)->name, &(x)->cap_##name, (need), sizeof(*(x)->name))

/* The segment that was being read is complete. */
static int
keep_segment(struct info *x)
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
	if (keep_segment(x) < 0)
		return -1;
	memset(&x->current, 0, sizeof(x->current));
	x->current.head = *s;
	x->n_segments++;
	return 0;
}

static int
on_mark(struct info *x, const struct bob_mark *m)
{
	switch (m->kind) {
	case BOB_MARK_META:
		x->n_meta++;
		if (!x->keeps_all && x->n_kept_metas == INFO_ROWS)
			return 0;
		if (GROW(x, metas, x->n_kept_metas + 1) < 0)
			return -1;
		x->metas[x->n_kept_metas++] = (struct info_meta){
			x->current.head.index, m->key, m->value };
		break;
	case BOB_MARK_END:
		x->current.is_ended = 1;
		break;
	case BOB_MARK_UNKNOWN:
		x->n_unknown++;
		break;
	case BOB_MARK_GAP:
		/* The unfinished event at the end is no damage. */
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

static int
by_pid(const void *a, const void *b)
{
	const struct info_pid *p = a, *q = b;

	if (p->is_known != q->is_known)
		return p->is_known - q->is_known;
	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

static int
by_pid_samples(const void *a, const void *b)
{
	const struct info_pid *p = a, *q = b;

	if (p->n_samples != q->n_samples)
		return p->n_samples > q->n_samples ? -1 : 1;
	return by_pid(a, b);
}

/* Tracks that share a pid become one row. */
static int
sum_pids(struct info *x)
{
	size_t i, n = 0;

	x->pids = calloc(x->cap_of_track + 1, sizeof(*x->pids));
	if (x->pids == NULL)
		return -1;
	for (i = 0; i < x->cap_of_track; i++) {
		const struct bob_track *t = bob_track_get(x->dict,
		    (bob_tid)i);

		if (x->of_track[i] == 0)
			continue;
		x->pids[n++] = (struct info_pid){ t->pid, x->of_track[i],
			(t->flags & BOB_TRACK_PID) != 0 };
	}
	qsort(x->pids, n, sizeof(*x->pids), by_pid);
	for (i = 0; i < n; i++) {
		struct info_pid *last = &x->pids[x->n_pids];

		if (x->n_pids > 0 && by_pid(&x->pids[i], last - 1) == 0)
			last[-1].n_samples = plain_add(last[-1].n_samples,
			    x->pids[i].n_samples);
		else
			x->pids[x->n_pids++] = x->pids[i];
	}
	/* A trace without any pid has no list of them. */
	if (x->n_pids == 1 && !x->pids[0].is_known)
		x->n_pids = 0;
	qsort(x->pids, x->n_pids, sizeof(*x->pids), by_pid_samples);
	return 0;
}

struct pair_count {
	struct bob_pair pair;
	uint64_t n_samples;
};

static int
by_pair(const void *a, const void *b)
{
	const struct bob_pair *p = &((const struct pair_count *)a)->pair;
	const struct bob_pair *q = &((const struct pair_count *)b)->pair;

	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	return p->value < q->value ? -1 : p->value > q->value;
}

static int
by_key_samples(const void *a, const void *b)
{
	const struct info_key *p = a, *q = b;

	if (p->n_samples != q->n_samples)
		return p->n_samples > q->n_samples ? -1 : 1;
	return p->key < q->key ? -1 : p->key > q->key;
}

/* How many pairs the sampled sets hold, together. */
static size_t
count_pairs(const struct info *x)
{
	size_t total = 0, n, i;

	for (i = 1; i < x->cap_of_annot; i++) {
		if (x->of_annot[i] == 0)
			continue;
		(void)bob_annot_get(x->dict, (bob_annot)i, &n);
		total += n;
	}
	return total;
}

static void
fill_pairs(const struct info *x, struct pair_count *to)
{
	size_t n, i, k;

	for (i = 1; i < x->cap_of_annot; i++) {
		const struct bob_pair *v;

		if (x->of_annot[i] == 0)
			continue;
		v = bob_annot_get(x->dict, (bob_annot)i, &n);
		for (k = 0; k < n; k++)
			*to++ = (struct pair_count){ v[k], x->of_annot[i] };
	}
}

static int
sum_keys(struct info *x)
{
	size_t n = count_pairs(x), i;
	struct pair_count *all = calloc(n + 1, sizeof(*all));

	x->keys = calloc(n + 1, sizeof(*x->keys));
	if (all == NULL || x->keys == NULL) {
		free(all);
		return -1;
	}
	fill_pairs(x, all);
	qsort(all, n, sizeof(*all), by_pair);
	for (i = 0; i < n; i++) {
		struct info_key *k;

		if (i == 0 || all[i].pair.key != all[i - 1].pair.key)
			x->keys[x->n_keys++].key = all[i].pair.key;
		k = &x->keys[x->n_keys - 1];
		k->n_samples = plain_add(k->n_samples, all[i].n_samples);
		k->n_values += k->n_values == 0 ||
		    by_pair(&all[i], &all[i - 1]) != 0;
	}
	free(all);
	qsort(x->keys, x->n_keys, sizeof(*x->keys), by_key_samples);
	return 0;
}

int
info_sum(struct info *x, const struct bob_reader *in)
{
	if (keep_segment(x) < 0 || sum_pids(x) < 0 || sum_keys(x) < 0)
		return -1;
	x->format = bob_reader_format(in);
	x->bytes_in = bob_reader_bytes_in(in);
	x->bytes_unpacked = bob_reader_bytes_unpacked(in);
	x->is_incomplete = bob_reader_is_incomplete(in);
	x->n_stats = bob_reader_stats(in, x->stats, INFO_MAX_STATS);
	if (x->n_stats > INFO_MAX_STATS)
		x->n_stats = INFO_MAX_STATS;
	return 0;
}

void
info_done(struct info *x)
{
	free(x->segments);
	free(x->metas);
	free(x->has_stack);
	free(x->of_track);
	free(x->of_annot);
	free(x->pids);
	free(x->keys);
}
