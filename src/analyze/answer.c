/*
 * The answer of a view: facts; see the header. Callers are found along the
 * heaviest path of the tree of callers, which is cut at a fixed depth.
 */
#include <bobbin/answer.h>

#include <string.h>

#include "analyze/view.h"
#include "model/waits.h"

/* Callers are looked at up to this depth. */
#define MAX_DEPTH 24

/* A caller is responsible if it has at least this part of the function. */
#define MOST 0.5

/* No longer path of a file is looked at. */
#define MAX_PATH 4096

static int
contains(struct bob_bytes s, const char *part)
{
	size_t n = strlen(part), i;

	for (i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, part, n) == 0)
			return 1;
	return 0;
}

/* True if a function is of the program itself, not of a library. Long paths
 * count as its own. */
static int
is_own(const struct bob_key *k)
{
	static const char *const library[] = { "/vendor/", "-packages/",
		"/lib/python", "<frozen", "<internal>" };
	size_t i;

	/* All of a script is in its outermost frame: that says nothing. */
	if (k->lang == BOB_LANG_NATIVE || k->file.n == 0 ||
	    (k->name.n > 0 && k->name.p[0] == '<'))
		return 0;
	for (i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		if (k->file.n <= MAX_PATH && contains(k->file, library[i]))
			return 0;
	return 1;
}

/* True if a key is one function, so that its frames do the same. */
static int
is_function(const struct bob_view *v)
{
	return v->keys->group == BOB_GROUP_LINE ||
	    v->keys->group == BOB_GROUP_FUNCTION ||
	    v->keys->group == BOB_GROUP_NAME;
}

/* Goes from the function outwards, as long as most of its samples come that way
 * and no caller is the program's own. */
static void
follow_callers(struct bob_view *v, const struct bob_tree_node *node,
    const struct wait *wait, struct bob_answer *ret)
{
	const struct wait *by;
	uint32_t i;

	for (i = node[0].first_child; i != 0; i = node[i].first_child) {
		struct bob_key k = bob_view_key(v, node[i].key);
		double share = (double)node[i].total.samples /
		    (double)node[0].total.samples;

		if (share < MOST)
			return;
		if (wait != NULL && wait->is_general &&
		    (by = wait_of_caller(v->p->dict, k.frame)) != NULL) {
			wait = by;
			ret->waits_for = wait->what;
		}
		if (is_own(&k) && node[i].key != ret->first.key) {
			ret->caller = node[i].key;
			ret->caller_samples = node[i].total.samples;
			ret->caller_share = share;
			return;
		}
	}
}

static int
find_cause(struct bob_view *v, struct bob_answer *ret)
{
	const struct wait *wait = NULL;
	struct bob_tree *tree;
	uint32_t n;

	if (is_function(v))
		wait = wait_of(v->p->dict, bob_view_key(v,
		    ret->first.key).frame);
	if (wait != NULL)
		ret->waits_for = wait->what;
	if (bob_view_tree(v, BOB_CALLERS, ret->first.key, 0, MAX_DEPTH,
	    &tree) < 0)
		return BOB_FATAL;
	follow_callers(v, bob_tree_nodes(tree, &n), wait, ret);
	bob_tree_free(tree);
	return BOB_OK;
}

static void
set_row(struct bob_answer_row *to, const struct bob_row *row,
    const struct bob_sum *whole, int by_time, double clumping)
{
	double n = (double)whole->samples, k = (double)row->self.samples;

	if (by_time)
		k = whole->time_us == 0 ? 0
		    : n * ((double)row->self.time_us / (double)whole->time_us);
	to->key = row->key;
	to->sum = row->self;
	to->share = bob_share_of(k < n ? k : n, n, clumping);
}

static int
find_first_rows(struct bob_view *v, struct bob_answer *ret)
{
	struct bob_answer_row *to[] = { &ret->first, &ret->next };
	double self[2] = { 1, 1 }, total[2];
	struct bob_sum whole = { 0, 0 };
	const struct bob_row *row;
	uint32_t key[2];
	size_t i, n = 0, n_key;

	row = bob_view_rows(v, ret->by_time ? BOB_BY_SELF_TIME : BOB_BY_SELF,
	    &n);
	if (row == NULL)
		return n > 0 ? BOB_FATAL : BOB_OK;
	for (i = 0; i < n; i++)
		sum_add(&whole, row[i].self);
	n_key = n < 2 ? n : 2;
	for (i = 0; i < n_key; i++)
		key[i] = row[i].key;
	if (n_key > 0 && bob_view_clumping(v, key, n_key, self, total) < 0)
		return BOB_FATAL;
	for (i = 0; i < n_key; i++)
		set_row(to[i], &row[i], &whole, ret->by_time, self[i]);
	ret->is_clear = n < 2 || ret->first.share.low > ret->next.share.high;
	return BOB_OK;
}

/* A moment at which nothing ran counts as a sample that waited for work. */
static double
idle_share(const struct bob_times *t)
{
	double idle = (double)t->idle_samples + (double)t->n_empty;
	double all = (double)t->samples + (double)t->n_empty;

	return all > 0 ? idle / all : 0;
}

int
bob_view_answer(struct bob_view *v, const struct bob_times *times,
    struct bob_answer *ret)
{
	struct bob_answer a = { .size = ret->size };
	int r;

	a.by_time = bob_profile_info(v->p, v->side).has_several_periods;
	if (times != NULL && times->is_idle_hidden)
		a.idle_share = idle_share(times);
	r = keys_are_frames(v->keys) ? find_first_rows(v, &a) : BOB_OK;
	if (r == BOB_OK && a.first.key != 0)
		r = find_cause(v, &a);
	memcpy(ret, &a, a.size < sizeof(a) ? a.size : sizeof(a));
	return r;
}
