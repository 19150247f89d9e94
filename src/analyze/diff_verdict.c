/*
 * The verdict: did anything change, and what most? One sentence, which every
 * output says in the same words.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff.h"

/* A change of total is named instead of one of self if it is larger by this
 * factor: then no single function explains it. */
#define TOTAL_FACTOR 1.5

/* Changes that differ by less are equal. */
#define ALIKE 0.999

/* How often a change of `findable` is missed. */
#define MISSED 0.1

/* Bytes of a name in the sentence, and room for the sentence. */
#define NAME_BYTES 200
#define TEXT_BYTES 768

/* "34 functions": what keys of a grouping are called. */
static const char *
noun_of(const struct bob_diff *d, int is_one)
{
	static const char *const noun[][2] = {
		[BOB_GROUP_FUNCTION] = { "function", "functions" },
		[BOB_GROUP_NAME] = { "function", "functions" },
		[BOB_GROUP_LINE] = { "line", "lines" },
		[BOB_GROUP_FILE] = { "file", "files" },
		[BOB_GROUP_CLASS] = { "class", "classes" },
		[BOB_GROUP_MODULE] = { "module", "modules" },
		[BOB_GROUP_PID] = { "process", "processes" },
		[BOB_GROUP_THREAD] = { "thread", "threads" },
	};
	size_t group = (size_t)d->view[1]->keys->group;

	if (group < sizeof(noun) / sizeof(noun[0]) && noun[group][0] != NULL)
		return noun[group][!is_one];
	return is_one ? "group" : "groups";
}

static const struct bob_change *
change_of(const struct bob_diff_row *row, int order)
{
	return order == BOB_BY_SELF ? &row->self : &row->total;
}

/* The most changed row of an order; NULL: none changed. Rows are sorted. What
 * one function gains, others lose: of equal changes, growth is named. */
static const struct bob_diff_row *
most_changed(const struct bob_diff *d, int order)
{
	const struct bob_diff_row *row = d->row[order];
	double least;
	size_t i;

	if (d->n_row[order] == 0 || !change_of(row, order)->is_significant)
		return NULL;
	least = ALIKE * fabs(change_of(row, order)->delta);
	for (i = 0; i < d->n_row[order]; i++) {
		const struct bob_change *c = change_of(&row[i], order);

		if (!c->is_significant || fabs(c->delta) < least)
			break;
		if (c->delta > 0)
			return &row[i];
	}
	return row;
}

/* True if the change of a key with all it calls says more than that of a key
 * by itself. */
static int
is_total_first(const struct bob_change *self, const struct bob_change *total)
{
	double least = self->delta < 0 && total->delta > 0 ? ALIKE
	                                                   : TOTAL_FACTOR;

	return fabs(total->delta) >= least * fabs(self->delta);
}

static const struct bob_diff_row *
pick_row(const struct bob_diff *d, int *order)
{
	const struct bob_diff_row *self = most_changed(d, BOB_BY_SELF);
	const struct bob_diff_row *total = most_changed(d, BOB_BY_TOTAL);

	*order = BOB_BY_SELF;
	if (total == NULL ||
	    (self != NULL && !is_total_first(&self->self, &total->total)))
		return self;
	*order = BOB_BY_TOTAL;
	return total;
}

/* The largest change that is missed more often than MISSED, in the largest
 * key. */
static double
findable(const struct bob_diff *d, const struct diff_clumps *c)
{
	const struct bob_diff_row *row = d->row[BOB_BY_SELF], *most = row;
	size_t n = d->n_row[BOB_BY_SELF], i;
	double tests = (double)(d->info.n_tested_self +
	    d->info.n_tested_total);
	double a = (double)d->info.total[0].samples;
	double b = (double)d->info.total[1].samples, share, error;
	const struct stat_clump *clump;

	if (n == 0 || tests < 1 || !(a > 0) || !(b > 0))
		return 1;
	for (i = 1; i < n; i++)
		if (row[i].self.share_before + row[i].self.share_after >
		    most->self.share_before + most->self.share_after)
			most = &row[i];
	clump = &c->self[most->key];
	share = (most->self.share_before + most->self.share_after) / 2;
	/* With one function alone there is nothing that it could grow at the
	 * cost of. */
	share = fmin(share, 0.5);
	error = sqrt(share * (1 - share) * clump->clump * (1 / a + 1 / b));
	return fmin(1, error * (stat_t_quantile(BOB_SIGNIFICANT / 2 / tests,
	    clump->df) + stat_t_quantile(MISSED, clump->df)));
}

static size_t
count_changed(const struct bob_diff *d)
{
	const struct bob_diff_row *row = d->row[BOB_BY_TOTAL];
	size_t i, n = 0;

	for (i = 0; i < d->n_row[BOB_BY_TOTAL]; i++)
		n += row[i].self.is_significant || row[i].total.is_significant;
	return n;
}

/* The beginning of a name, in whole characters. */
static size_t
name_bytes(struct bob_bytes s)
{
	size_t n = s.n;

	if (n <= NAME_BYTES)
		return n;
	n = NAME_BYTES;
	while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void
say_nothing(const struct bob_diff *d)
{
	const struct bob_verdict *v = &d->verdict;
	int n = snprintf(d->text, TEXT_BYTES, "Nothing changed beyond noise: "
	    "0 of %zu %s. ", v->n_keys, noun_of(d, v->n_keys == 1));

	if (v->findable < 1)
		(void)snprintf(d->text + n, TEXT_BYTES - (size_t)n,
		    "A change of %.1f points in the largest would have been "
		    "found.", 100 * v->findable);
	else
		(void)snprintf(d->text + n, TEXT_BYTES - (size_t)n,
		    "There are too few samples to find a change.");
}

static void
say_change(const struct bob_diff *d, const struct bob_change *c)
{
	const struct bob_verdict *v = &d->verdict;
	struct bob_key key = bob_diff_key(d, v->key);
	struct bob_bytes name = key.name.n > 0 ? key.name : key.text;
	size_t n = name_bytes(name);

	(void)snprintf(d->text, TEXT_BYTES, "%.*s%s %s: %s%+.1f points "
	    "[%+.1f, %+.1f], from %.1f %% to %.1f %% of all %s. %zu of %zu %s "
	    "changed beyond noise.", (int)n, name.p,
	    n < name.n ? "..." : "",
	    c->mark == BOB_CHANGE_NEW ? "is new" :
	    c->mark == BOB_CHANGE_GONE ? "is gone" :
	    c->delta < 0 ? "shrank" : "grew",
	    !keys_are_frames(d->view[1]->keys) ? "" :
	    v->order == BOB_BY_SELF ? "self " : "total ", 100 * c->delta,
	    100 * c->low, 100 * c->high, 100 * c->share_before,
	    100 * c->share_after, d->normalize == BOB_NORMALIZE_TIME
	    ? "time" : "samples", v->n_changed, v->n_keys,
	    noun_of(d, v->n_keys == 1));
}

int
diff_verdict_find(struct bob_diff *d, const struct diff_clumps *c)
{
	struct bob_verdict *v = &d->verdict;
	const struct bob_diff_row *row = pick_row(d, &v->order);

	d->text = malloc(TEXT_BYTES);
	if (d->text == NULL)
		return err_nomem(d->ctx);
	v->n_keys = d->n_row[BOB_BY_TOTAL];
	v->n_changed = count_changed(d);
	v->key = row != NULL ? row->key : 0;
	v->findable = findable(d, c);
	v->text = d->text;
	if (row != NULL)
		say_change(d, change_of(row, v->order));
	else
		say_nothing(d);
	return BOB_OK;
}
