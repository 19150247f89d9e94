/*
 * The definitions journal of a live profile. Reading it never crashes, accepts
 * only complete blocks, and the accepted definitions are consistent. Checksums
 * would reject nearly every input, so they are corrected first; then the bytes
 * are read as they are.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "format/tach/journal.h"
#include "format/tach/journal_block.h"

/* Magic, and the check of each block whose length fits. */
static void
mend(uint8_t *p, size_t n)
{
	size_t at = strlen(TACH_JOURNAL_MAGIC), length, i;
	uint64_t check;

	if (n < at)
		return;
	memcpy(p, TACH_JOURNAL_MAGIC, at);
	while (n - at >= JOURNAL_BLOCK) {
		length = (size_t)journal_le(p + at + 4, 4);
		if (length > n - at - JOURNAL_BLOCK)
			return;
		check = journal_check(p + at, at);
		for (i = 0; i < 8; i++)
			p[at + 8 + i] = (uint8_t)(check >> 8 * i);
		at += JOURNAL_BLOCK + length;
	}
}

static void
expect_inside(struct bob_bytes s, const uint8_t *p, size_t n)
{
	const uint8_t *from = (const uint8_t *)s.p;

	PROMISE(from >= p && from <= p + n);
	PROMISE(s.n <= (size_t)(p + n - from));
}

static void
expect_sense(const struct journal *j, const uint8_t *p)
{
	size_t n = (size_t)j->n_good, i;

	for (i = 0; i < j->n_frame; i++)
		PROMISE(j->frame[i].file < j->n_string &&
		    j->frame[i].func < j->n_string);
	for (i = 0; i < j->n_meta; i++) {
		expect_inside(j->meta[i].key, p, n);
		expect_inside(j->meta[i].value, p, n);
	}
	PROMISE(j->has_head ||
	    (j->n_string == 0 && j->n_meta == 0 && !j->has_barrier));
	PROMISE(!j->has_end || (j->end.bytes >= j->barrier.bytes &&
	    j->end.samples >= j->barrier.samples));
}

static void
read_twice(struct bob_ctx *ctx, const uint8_t *p, size_t n)
{
	struct journal all = { 0 }, good = { 0 };
	size_t i;

	PROMISE(journal_read(ctx, p, n, &all) == BOB_OK);
	PROMISE(all.n_bytes == n && all.n_good <= n);
	expect_sense(&all, p);
	/* A block that makes no sense may have given something too. */
	PROMISE(journal_read(ctx, p, (size_t)all.n_good, &good) == BOB_OK);
	PROMISE(good.n_good == all.n_good);
	PROMISE(good.n_string <= all.n_string);
	PROMISE(good.n_frame <= all.n_frame);
	for (i = 0; i < good.n_string; i++)
		expect_inside(good.string[i], p, (size_t)all.n_good);
	journal_free(&all);
	journal_free(&good);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct bob_ctx *ctx = bob_ctx_new();
	uint8_t *copy = malloc(n + 1);

	if (ctx == NULL || copy == NULL)
		exit(1);
	if (n > 0)
		memcpy(copy, p, n);
	read_twice(ctx, copy, n);
	mend(copy, n);
	read_twice(ctx, copy, n);
	free(copy);
	bob_ctx_free(ctx);
	return 0;
}
