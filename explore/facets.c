/*
 * Lists of facets. The facets of all cells are gathered, sorted, equal ones are
 * added up, and the heaviest of each kind are listed.
 */
#include "facets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *label;
	uint8_t bit;
	int is_clear;
} states[] = {
	{ "holds the GIL", BOB_STATUS_HAS_GIL, 0 },
	{ "waits for the GIL", BOB_STATUS_WANTS_GIL, 0 },
	{ "on CPU", BOB_STATUS_ON_CPU, 0 },
	{ "idle", BOB_STATUS_ON_CPU, 1 },
	{ "handles an exception", BOB_STATUS_EXCEPTION, 0 },
	{ "main thread", BOB_STATUS_MAIN_THREAD, 0 },
};

#define N_STATES (sizeof(states) / sizeof(states[0]))

/* A growing list of facets; equal ones are not added up yet. */
struct tally {
	struct facet *facet;
	size_t n, cap;
};

static int
facet_append(struct facet **list, size_t *n, size_t *cap, const struct facet *f)
{
	if (*n == *cap) {
		size_t more = *cap > 0 ? 2 * *cap : 64;
		struct facet *p = realloc(*list, more * sizeof(*p));

		if (p == NULL)
			return -1;
		*list = p;
		*cap = more;
	}
	(*list)[(*n)++] = *f;
	return 0;
}

static int
by_identity(const void *a, const void *b)
{
	const struct facet *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->is_clear - y->is_clear;
}

/* By kind and annotation key, the heaviest of each first. */
static int
by_weight(const void *a, const void *b)
{
	const struct facet *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return by_identity(a, b);
}

static void
tally_sum(struct tally *h)
{
	size_t to = 0, i;

	if (h->n == 0)
		return;
	qsort(h->facet, h->n, sizeof(*h->facet), by_identity);
	for (i = 1; i < h->n; i++) {
		struct facet *f = &h->facet[to];

		if (by_identity(f, &h->facet[i]) == 0)
			f->samples += h->facet[i].samples;
		else
			h->facet[++to] = h->facet[i];
	}
	h->n = to + 1;
	qsort(h->facet, h->n, sizeof(*h->facet), by_weight);
}

static int
tally_add(struct tally *h, const struct facet *f)
{
	return facet_append(&h->facet, &h->n, &h->cap, f);
}

static int
gather_track(struct tally *h, const struct bob_dict *d,
    const struct bob_cell *c)
{
	const struct bob_track *t = bob_track_get(d, c->track);
	struct facet f = { .kind = FACET_PID, .number = t->pid,
		.samples = c->samples };

	if ((t->flags & BOB_TRACK_PID) && tally_add(h, &f) < 0)
		return -1;
	f = (struct facet){ .kind = FACET_THREAD, .number = t->tid,
		.pid = t->pid, .name = t->name, .samples = c->samples };
	return (t->flags & BOB_TRACK_TID) ? tally_add(h, &f) : 0;
}

static int
gather_status(struct tally *h, const struct bob_cell *c)
{
	size_t i;

	if (!(c->flags & BOB_RUN_STATUS))
		return 0;
	for (i = 0; i < N_STATES; i++) {
		struct facet f = { .kind = FACET_STATUS,
			.number = states[i].bit,
			.is_clear = states[i].is_clear,
			.label = states[i].label, .samples = c->samples };

		/* With UNKNOWN, ON_CPU says nothing. */
		if (states[i].bit == BOB_STATUS_ON_CPU &&
		    (c->status & BOB_STATUS_UNKNOWN))
			continue;
		if (((c->status & states[i].bit) == 0) ==
		        (states[i].is_clear != 0) && tally_add(h, &f) < 0)
			return -1;
	}
	return 0;
}

static int
gather_annotations(struct tally *h, const struct bob_dict *d,
    const struct bob_cell *c)
{
	size_t n, i;
	const struct bob_pair *pair = bob_annot_get(d, c->annot, &n);

	for (i = 0; i < n; i++) {
		struct facet f = { .kind = FACET_ANNOTATION,
			.key = pair[i].key, .value = pair[i].value,
			.samples = c->samples };

		if (tally_add(h, &f) < 0)
			return -1;
	}
	return 0;
}

/* Gathers the facets of all cells. Adds up equal ones now and then, so that the
 * list does not grow with the number of cells. */
static int
gather_cells(struct tally *h, struct bob_profile *p, int idle)
{
	const struct bob_dict *d = bob_profile_dict(p);
	size_t n, i, limit = 1 << 16;
	const struct bob_cell *c = bob_profile_cells(p, &n);

	for (i = 0; i < n; i++) {
		if (idle != BOB_IDLE_KEEP &&
		    c[i].is_idle != (idle == BOB_IDLE_ONLY))
			continue;
		if (gather_track(h, d, &c[i]) < 0 ||
		    gather_status(h, &c[i]) < 0 ||
		    gather_annotations(h, d, &c[i]) < 0)
			return -1;
		if (h->n >= limit) {
			tally_sum(h);
			limit = 2 * h->n > limit ? 2 * h->n : limit;
		}
	}
	tally_sum(h);
	return 0;
}

static int
is_same_list(const struct facet *a, const struct facet *b)
{
	return a->kind == b->kind && a->key == b->key;
}

static const char *
kind_heading(int kind)
{
	switch (kind) {
	case FACET_PID:
		return "Processes";
	case FACET_THREAD:
		return "Threads";
	case FACET_STATUS:
		return "Status";
	default:
		return NULL; /* the key of the annotation */
	}
}

/* Lists the facets under headings, at most FACETS_MAX of each kind. */
static int
list_all(struct facets *f, const struct tally *h)
{
	size_t i, at = 0, in_list = 0;

	f->n = 0;
	for (i = 0; i < h->n; i++) {
		if (i == 0 || !is_same_list(&h->facet[i - 1], &h->facet[i])) {
			struct facet head = { .kind = FACET_HEADING,
				.key = h->facet[i].key,
				.label = kind_heading(h->facet[i].kind) };

			in_list = 0;
			at = f->n;
			if (facet_append(&f->facet, &f->n, &f->cap, &head) < 0)
				return -1;
		}
		f->facet[at].number = ++in_list;
		if (in_list <= FACETS_MAX &&
		    facet_append(&f->facet, &f->n, &f->cap, &h->facet[i]) < 0)
			return -1;
	}
	return 0;
}

static int
has_number(const uint64_t *v, size_t n, uint64_t x)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i] == x)
			return 1;
	return 0;
}

/* "key=value" on the heap. */
static char *
make_pair(struct bob_profile *p, const struct facet *f)
{
	const struct bob_dict *d = bob_profile_dict(p);
	struct bob_bytes k = bob_str_get(d, f->key);
	struct bob_bytes v = bob_str_get(d, f->value);
	size_t len = k.n + v.n + 2;
	char *s = malloc(len);

	if (s != NULL)
		(void)snprintf(s, len, "%.*s=%.*s", (int)k.n, k.p, (int)v.n,
		    v.p);
	return s;
}

static size_t
find_pair(const struct facets *f, const char *pair)
{
	size_t i;

	for (i = 0; i < f->n_pairs && strcmp(f->pairs[i], pair) != 0; i++)
		;
	return i;
}

static int
is_chosen(const struct facets *f, struct bob_profile *p,
    const struct facet *x)
{
	char *pair;
	int r;

	switch (x->kind) {
	case FACET_PID:
		return has_number(f->pids, f->n_pids, x->number);
	case FACET_THREAD:
		return has_number(f->tids, f->n_tids, x->number);
	case FACET_STATUS:
		return ((x->is_clear ? f->status_clear : f->status_set) &
		    x->number) != 0;
	case FACET_ANNOTATION:
		if (f->n_pairs == 0)
			return 0;
		pair = make_pair(p, x);
		r = pair != NULL && find_pair(f, pair) < f->n_pairs;
		free(pair);
		return r;
	default:
		return 0;
	}
}

static void
mark_all(struct facets *f, struct bob_profile *p)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		f->facet[i].is_on = is_chosen(f, p, &f->facet[i]);
}

int
facets_make(struct facets *f, struct bob_profile *p, int idle)
{
	struct tally h = { NULL, 0, 0 };
	int r = gather_cells(&h, p, idle);

	if (r == 0)
		r = list_all(f, &h);
	free(h.facet);
	f->is_made = r == 0;
	if (r == 0)
		mark_all(f, p);
	if (f->c.at == 0 && f->n > 1)
		f->c.at = 1; /* the first line is a heading */
	return r;
}

void
facets_clear(struct facets *f)
{
	size_t i;

	for (i = 0; i < f->n_pairs; i++)
		free((void *)(uintptr_t)f->pairs[i]);
	f->n_pids = f->n_tids = f->n_pairs = 0;
	f->status_set = f->status_clear = 0;
	for (i = 0; i < f->n; i++)
		f->facet[i].is_on = 0;
}

void
facets_done(struct facets *f)
{
	facets_clear(f);
	free(f->facet);
	free(f->pids);
	free(f->tids);
	free(f->pairs);
	memset(f, 0, sizeof(*f));
}

static int
toggle_number(uint64_t **v, size_t *n, uint64_t x)
{
	uint64_t *p;
	size_t i;

	for (i = 0; i < *n; i++) {
		if ((*v)[i] == x) {
			(*v)[i] = (*v)[--*n];
			return 1;
		}
	}
	p = realloc(*v, (*n + 1) * sizeof(*p));
	if (p == NULL)
		return -1;
	p[(*n)++] = x;
	*v = p;
	return 1;
}

/* Chooses a pair instead of any other with its key; a chosen one no longer.
 * Owns `pair`. */
static int
toggle_pair(struct facets *f, char *pair)
{
	const char **list = realloc(f->pairs, (f->n_pairs + 1) *
	    sizeof(*list));
	size_t i, key = pair != NULL ? strcspn(pair, "=") + 1 : 0;
	int was_on;

	if (list != NULL)
		f->pairs = list;
	if (pair == NULL || list == NULL) {
		free(pair);
		return -1;
	}
	was_on = find_pair(f, pair) < f->n_pairs;
	for (i = f->n_pairs; i > 0; i--) {
		const char *old = f->pairs[i - 1];

		if (strncmp(old, pair, key) != 0)
			continue;
		free((void *)(uintptr_t)old);
		f->pairs[i - 1] = f->pairs[--f->n_pairs];
	}
	if (was_on)
		free(pair);
	else
		f->pairs[f->n_pairs++] = pair;
	return 1;
}

static int
toggle_status(struct facets *f, const struct facet *x)
{
	uint8_t bit = (uint8_t)x->number;
	uint8_t *mine = x->is_clear ? &f->status_clear : &f->status_set;
	uint8_t *other = x->is_clear ? &f->status_set : &f->status_clear;

	*mine ^= bit;
	*other &= (uint8_t)~bit; /* no sample can pass both */
	return 1;
}

int
facets_choose(struct facets *f, struct bob_profile *p, const struct facet *x)
{
	int r;

	switch (x->kind) {
	case FACET_PID:
		r = toggle_number(&f->pids, &f->n_pids, x->number);
		break;
	case FACET_THREAD:
		r = toggle_number(&f->tids, &f->n_tids, x->number);
		break;
	case FACET_STATUS:
		r = toggle_status(f, x);
		break;
	case FACET_ANNOTATION:
		r = toggle_pair(f, make_pair(p, x));
		break;
	default:
		r = 0;
		break;
	}
	mark_all(f, p);
	return r;
}

int
facets_choose_pair(struct facets *f, struct bob_profile *p, const char *key,
    const char *value, size_t value_len)
{
	size_t len = strlen(key) + value_len + 2;
	char *pair = malloc(len);
	int r;

	if (pair != NULL)
		(void)snprintf(pair, len, "%s=%.*s", key, (int)value_len,
		    value);
	r = toggle_pair(f, pair);
	mark_all(f, p);
	return r;
}

int
facets_toggle(struct facets *f, struct bob_profile *p, size_t at)
{
	return at < f->n ? facets_choose(f, p, &f->facet[at]) : 0;
}

size_t
facets_count(const struct facets *f)
{
	unsigned bits = (unsigned)f->status_set | (unsigned)f->status_clear
	    << 8;
	size_t n = f->n_pids + f->n_tids + f->n_pairs;

	for (; bits != 0; bits &= bits - 1)
		n++;
	return n;
}

void
facets_filter(const struct facets *f, struct bob_filter *filter)
{
	filter->pids = f->n_pids > 0 ? f->pids : NULL;
	filter->n_pids = f->n_pids;
	filter->tids = f->n_tids > 0 ? f->tids : NULL;
	filter->n_tids = f->n_tids;
	filter->annotations = f->n_pairs > 0 ? f->pairs : NULL;
	filter->n_annotations = f->n_pairs;
	filter->status_set = f->status_set;
	filter->status_clear = f->status_clear;
}
