/*
 * The index of a segment. Decoding never crashes, allocates no more than the
 * input accounts for, and what it accepts is consistent: all texts are inside
 * the head, pids and routes are sorted. The checksum would reject nearly every
 * input, so it is corrected first; then the bytes are read as they are.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "digest.h"
#include "store/index.h"
#include "work.h"

static void
put_le(uint8_t *p, uint64_t v, size_t n)
{
	for (; n > 0; n--, v >>= 8)
		*p++ = (uint8_t)v;
}

/* Magic, length and checksum of a head that takes all that is left. */
static void
mend(uint8_t *p, size_t n)
{
	if (n <= INDEX_PREFIX)
		return;
	memcpy(p, INDEX_MAGIC, 8);
	put_le(p + 8, n - INDEX_PREFIX, 4);
	put_le(p + 12, 0, 4);
	put_le(p + 16, XXH3_64bits(p + INDEX_PREFIX, n - INDEX_PREFIX), 8);
}

static void
expect_inside(const struct index *x, const char *s, size_t n)
{
	const char *head = (const char *)x->head;

	PROMISE(s >= head && s < head + n);
	PROMISE(memchr(s, '\0', (size_t)(head + n - s)) != NULL);
}

static void
expect_sense(const struct index *x, size_t n)
{
	const struct bob_segment_info *g = &x->info;
	size_t i;

	PROMISE(g->t_first <= g->t_last && g->n_undated <= g->n_samples);
	expect_inside(x, g->format, n);
	expect_inside(x, g->service, n);
	expect_inside(x, g->host, n);
	for (i = 0; i < g->n_processes; i++) {
		expect_inside(x, g->processes[i].runtime, n);
		expect_inside(x, g->processes[i].command, n);
		PROMISE(i == 0 ||
		    g->processes[i - 1].pid < g->processes[i].pid);
	}
	for (i = 0; i < g->n_routes; i++) {
		expect_inside(x, g->routes[i].route, n);
		PROMISE(i == 0 || strcmp(g->routes[i - 1].route,
		        g->routes[i].route) < 0);
	}
}

static void
decode(struct bob_ctx *ctx, const uint8_t *p, size_t n)
{
	struct index x;
	int r;

	work_begin();
	r = index_decode(ctx, p, n, &x);
	work_check(n, WORK_READ, 4096);
	if (r < 0) {
		PROMISE(bob_ctx_error(ctx)->text[0] != '\0');
		return;
	}
	expect_sense(&x, n);
	index_done(&x);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct bob_ctx *ctx = bob_ctx_new();
	uint8_t *copy = malloc(n + 1);

	if (ctx == NULL || copy == NULL)
		exit(1);
	memcpy(copy, p, n);
	mend(copy, n);
	decode(ctx, copy, n);
	decode(ctx, p, n);
	free(copy);
	bob_ctx_free(ctx);
	return 0;
}
