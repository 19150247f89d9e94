/*
 * Reading a journal while it grows, block by block. A block is kept when all
 * of it is there and its check is right; before that it may be half written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/regular.h"
#include "format/tach/journal.h"
#include "format/tach/journal_block.h"

int
journal_follow(struct bob_ctx *ctx, const char *path,
    struct journal_tail **ret)
{
	struct journal_tail *t = calloc(1, sizeof(*t));
	size_t n = strlen(path) + sizeof(TACH_JOURNAL_SUFFIX);
	char *name = malloc(n);
	int r = BOB_OK;

	if (t == NULL || name == NULL) {
		free(t);
		free(name);
		return err_nomem(ctx), BOB_FAILED;
	}
	(void)snprintf(name, n, "%s%s", path, TACH_JOURNAL_SUFFIX);
	t->fd = regular_open_side(name);
	if (t->fd < 0)
		r = errno == ENOENT ? BOB_EOF : err_sys(ctx, BOB_FAILED,
		    errno, "cannot read %s", name);
	free(name);
	if (r == BOB_OK)
		*ret = t;
	else
		free(t);
	return r;
}

/* Reads exactly n bytes from offset `at`. Returns 1, 0 when there are fewer, or
 * FATAL. */
static int
read_at(struct bob_ctx *ctx, const struct journal_tail *t, uint64_t at,
    uint8_t *p, size_t n)
{
	ssize_t k;

	while (n > 0) {
		k = pread(t->fd, p, n, (off_t)at);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return err_sys(ctx, BOB_FATAL, errno,
			    "cannot read the journal of definitions");
		if (k == 0)
			return 0;
		p += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return 1;
}

static int
makes_no_sense(struct bob_ctx *ctx, uint64_t at)
{
	return err_set(ctx, BOB_FATAL, BOB_E_CORRUPT, at, "tach: byte %llu of "
	    "the journal of definitions: a block makes no sense",
	    (unsigned long long)at);
}

/* Reads the block behind the known ones into t->block. Returns its size, 0 when
 * it is not there yet, or FATAL. `size` is that of the file. */
static int64_t
read_block(struct bob_ctx *ctx, struct journal_tail *t, uint64_t size)
{
	uint64_t at = t->j.n_good, length;
	int r;

	if (size < at || size - at < JOURNAL_BLOCK)
		return 0;
	if (MEM_GROW(ctx, t, block, JOURNAL_BLOCK) < 0)
		return BOB_FATAL;
	r = read_at(ctx, t, at, t->block, JOURNAL_BLOCK);
	if (r <= 0)
		return r;
	length = journal_le(t->block + 4, 4);
	if (length > BOB_MAX_JOURNAL || length > size - at - JOURNAL_BLOCK)
		return 0;
	if (MEM_GROW(ctx, t, block, JOURNAL_BLOCK + (size_t)length) < 0)
		return BOB_FATAL;
	r = read_at(ctx, t, at, t->block, JOURNAL_BLOCK + (size_t)length);
	if (r > 0 && journal_check(t->block, at) !=
	    journal_le(t->block + 8, 8))
		r = 0;
	return r <= 0 ? r : (int64_t)(JOURNAL_BLOCK + length);
}

static int
read_magic(struct bob_ctx *ctx, struct journal_tail *t)
{
	uint8_t magic[sizeof(TACH_JOURNAL_MAGIC) - 1];
	int r = read_at(ctx, t, 0, magic, sizeof(magic));

	if (r <= 0)
		return r;
	if (memcmp(magic, TACH_JOURNAL_MAGIC, sizeof(magic)) != 0)
		return makes_no_sense(ctx, 0);
	t->j.n_good = sizeof(magic);
	return 1;
}

int
journal_more(struct bob_ctx *ctx, struct journal_tail *t)
{
	struct stat st;
	uint8_t *kept;
	int64_t n;
	int r = t->j.n_good == 0 ? read_magic(ctx, t) : 1;

	if (r <= 0)
		return r;
	if (fstat(t->fd, &st) < 0)
		return err_sys(ctx, BOB_FATAL, errno,
		    "cannot read the journal of definitions");
	for (;;) {
		n = read_block(ctx, t, (uint64_t)st.st_size);
		if (n <= 0)
			return (int)n;
		kept = arena_alloc(ctx, &t->bytes, (size_t)n);
		if (kept == NULL)
			return BOB_FATAL;
		memcpy(kept, t->block, (size_t)n);
		r = journal_take_block(ctx, &t->j, kept, t->j.n_good);
		if (r == 0)
			return makes_no_sense(ctx, t->j.n_good);
		if (r < 0)
			return r;
		t->j.n_good += (uint64_t)n;
	}
}

void
journal_unfollow(struct journal_tail *t)
{
	if (t == NULL)
		return;
	(void)close(t->fd);
	journal_free(&t->j);
	arena_free(&t->bytes);
	free(t->block);
	free(t);
}
