/*
 * Profiles and views of any trace, read with recovery. For any bytes: no row
 * has more than the whole, trees and time lines add up to the whole, and all
 * groupings have the same whole.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bobbin/bobbin.h>

#include "digest.h"

/* A file without a name that holds the bytes; its path is written to buf. */
static int
file_of(const uint8_t *p, size_t n, char *buf, size_t cap)
{
	FILE *f = tmpfile();
	int fd;

	if (f == NULL)
		return -1;
	fd = dup(fileno(f));
	(void)fclose(f);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n) {
		(void)close(fd);
		return -1;
	}
	(void)snprintf(buf, cap, "/proc/self/fd/%d", fd);
	return fd;
}

static void
check_rows(struct bob_view *v, int order)
{
	uint64_t whole = bob_view_total(v).samples;
	const struct bob_row *row;
	size_t n, i;

	row = bob_view_rows(v, order, &n);
	PROMISE(row != NULL);
	for (i = 0; i < n; i++) {
		PROMISE(row[i].self.samples <= row[i].total.samples);
		PROMISE(row[i].total.samples <= whole);
		PROMISE(row[i].key > 0 && row[i].key < bob_view_n_keys(v));
	}
}

static void
check_tree(struct bob_view *v, int direction, uint32_t focus)
{
	const struct bob_tree_node *node;
	struct bob_tree *t;
	uint64_t want = focus == 0 ? bob_view_total(v).samples :
	    bob_view_row(v, focus).total.samples;
	uint32_t n, i;

	if (bob_view_tree(v, direction, focus, 0, 8, &t) < 0)
		return;
	node = bob_tree_nodes(t, &n);
	PROMISE(node[0].total.samples == want);
	for (i = 1; i < n; i++) {
		PROMISE(node[i].parent < i);
		PROMISE(node[i].depth == node[node[i].parent].depth + 1);
		PROMISE(node[i].total.samples <=
		    node[node[i].parent].total.samples);
	}
	bob_tree_free(t);
}

static void
check_timeline(struct bob_view *v)
{
	uint64_t sum = 0;
	struct bob_timeline line;
	uint32_t i;

	PROMISE(bob_view_timeline(v, 0, &line) == BOB_OK);
	for (i = 0; i < line.n; i++)
		if (__builtin_add_overflow(sum, line.samples[i], &sum) ||
		    sum > BOB_MAX_COUNT)
			sum = BOB_MAX_COUNT;
	PROMISE(sum == bob_view_total(v).samples);
}

static void
check_view(struct bob_profile *p, const struct bob_view_opts *o,
    uint64_t whole)
{
	struct bob_view *v;
	uint32_t key = 1;
	double self, total;
	int order;

	if (bob_view_new(p, o, &v) < 0)
		return;
	PROMISE(bob_view_total(v).samples == whole);
	for (order = BOB_BY_SELF; order <= BOB_BY_TOTAL_TIME; order++)
		check_rows(v, order);
	check_tree(v, BOB_CALLEES, 0);
	check_tree(v, BOB_CALLERS, 0);
	if (bob_view_n_keys(v) > 1) {
		check_tree(v, BOB_CALLEES, 1);
		check_tree(v, BOB_CALLERS, 1);
		PROMISE(bob_view_clumping(v, &key, 1, &self, &total) ==
		    BOB_OK);
		PROMISE(self >= 1 && total >= 1);
	}
	check_timeline(v);
	bob_view_free(v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct bob_profile_opts po = { .size = sizeof(po), .n_last = 3,
		.flags = BOB_PROFILE_RECOVER | BOB_PROFILE_REQUESTS };
	struct bob_view_opts o = { .size = sizeof(o), .annotation = "k" };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_profile *profile;
	char path[64];
	size_t k;
	int fd = file_of(p, n, path, sizeof(path));

	if (ctx == NULL || fd < 0)
		abort();
	po.split = n % 3 == 2 ? BOB_SPLIT_MINUTE : BOB_SPLIT_SEGMENT;
	PROMISE(bob_profile_new(ctx, &po, &profile) == BOB_OK);
	(void)bob_profile_add(profile, path, 0);
	for (o.group = BOB_GROUP_LINE; o.group <= BOB_GROUP_MINUTE; o.group++)
		check_view(profile, &o, bob_profile_info(profile, 0).n_samples);
	(void)bob_profile_last(profile, &k);
	PROMISE(k <= 3);
	(void)bob_profile_requests(profile, &k);
	(void)bob_profile_routes(profile, &k);
	bob_profile_free(profile);
	bob_ctx_free(ctx);
	(void)close(fd);
	return 0;
}
