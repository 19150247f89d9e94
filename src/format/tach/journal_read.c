/*
 * Reads the definitions journal. Checksums find what a crash has torn. They do
 * not stop anyone from making up a journal, so each number in it is checked
 * before use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/regular.h"
#include "format/tach/journal.h"
#include "format/tach/journal_block.h"
#include "format/tach/number.h"

/* Where in the journal we are. Functions that read a block return 1, 0 when
 * it makes no sense, or FATAL. */
struct scan {
	struct bob_ctx *ctx;
	struct journal *j;
	const uint8_t *p, *end; /* of a block */
};

static int
read_head(struct scan *s)
{
	struct journal_head *h = &s->j->head;

	if (s->end - s->p != JOURNAL_HEAD || s->p[0] >= TACH_N_DIALECTS ||
	    s->p[1] > 1 || s->p[2] > TACH_ZSTD || s->j->has_head)
		return 0;
	h->dialect = (enum tach_dialect)s->p[0];
	h->is_big = s->p[1];
	h->compression = (enum tach_compression)s->p[2];
	h->start_us = journal_le(s->p + 8, 8);
	h->interval_us = journal_le(s->p + 16, 8);
	s->j->has_head = 1;
	return 1;
}

static int
take_string(struct scan *s, struct bob_bytes *ret)
{
	uint32_t n;

	if (tach_number32(&s->p, s->end, &n) != TACH_NUMBER_OK ||
	    n > (size_t)(s->end - s->p))
		return 0;
	*ret = (struct bob_bytes){ (const char *)s->p, n };
	s->p += n;
	return 1;
}

static int
read_strings(struct scan *s)
{
	struct journal *j = s->j;

	while (s->p < s->end) {
		if (j->n_string >= BOB_MAX_IDS)
			return 0;
		if (MEM_TAKE(s->ctx, j, string, (size_t)j->n_string + 1) < 0)
			return BOB_FATAL;
		if (!take_string(s, &j->string[j->n_string]))
			return 0;
		j->n_string++;
	}
	return 1;
}

static int
take_signed(struct scan *s, int32_t *ret)
{
	uint32_t v;

	if (tach_number32(&s->p, s->end, &v) != TACH_NUMBER_OK)
		return 0;
	*ret = (int32_t)(v >> 1 ^ (0u - (v & 1)));
	return 1;
}

static int32_t
wrapping_sum(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int
take_frame(struct scan *s, int n_fields, struct tach_frame *f)
{
	int32_t lines, cols;

	*f = (struct tach_frame){ .end_line = -1, .col = -1, .end_col = -1,
		.opcode = TACH_NO_OPCODE };
	if (tach_number32(&s->p, s->end, &f->file) != TACH_NUMBER_OK ||
	    tach_number32(&s->p, s->end, &f->func) != TACH_NUMBER_OK ||
	    f->file >= s->j->n_string || f->func >= s->j->n_string ||
	    !take_signed(s, &f->line))
		return 0;
	if (n_fields == 3)
		return 1;
	if (!take_signed(s, &lines) || !take_signed(s, &f->col) ||
	    !take_signed(s, &cols) || s->p == s->end)
		return 0;
	f->opcode = *s->p++;
	if (f->line != -1)
		f->end_line = wrapping_sum(f->line, lines);
	if (f->col != -1)
		f->end_col = wrapping_sum(f->col, cols);
	return 1;
}

static int
read_frames(struct scan *s)
{
	struct journal *j = s->j;
	int n_fields = tach_layouts[j->head.dialect].frame_fields;

	while (s->p < s->end) {
		if (j->n_frame >= BOB_MAX_IDS)
			return 0;
		if (MEM_TAKE(s->ctx, j, frame, (size_t)j->n_frame + 1) < 0)
			return BOB_FATAL;
		if (!take_frame(s, n_fields, &j->frame[j->n_frame]))
			return 0;
		j->n_frame++;
	}
	return 1;
}

static int
read_meta(struct scan *s)
{
	struct journal *j = s->j;
	struct bob_bytes key;

	if (j->n_meta >= BOB_MAX_IDS || !take_string(s, &key))
		return 0;
	if (MEM_TAKE(s->ctx, j, meta, (size_t)j->n_meta + 1) < 0)
		return BOB_FATAL;
	j->meta[j->n_meta++] = (struct journal_pair){ key,
		{ (const char *)s->p, (size_t)(s->end - s->p) } };
	return 1;
}

/* Places only move forward. */
static int
read_mark(struct scan *s, struct journal_mark *ret, int *has)
{
	struct journal_mark m;

	if (s->end - s->p != JOURNAL_MARK || s->j->has_end)
		return 0;
	m.bytes = journal_le(s->p, 8);
	m.samples = journal_le(s->p + 8, 8);
	if (m.bytes < TACH_HEADER || m.bytes < s->j->barrier.bytes ||
	    m.samples < s->j->barrier.samples)
		return 0;
	*ret = m;
	*has = 1;
	return 1;
}

static int
read_block(struct scan *s, uint32_t kind)
{
	struct journal *j = s->j;

	if (kind == JOURNAL_IS_HEAD)
		return read_head(s);
	if (!j->has_head)
		return 0;
	switch (kind) {
	case JOURNAL_IS_STRINGS:
		return read_strings(s);
	case JOURNAL_IS_FRAMES:
		return read_frames(s);
	case JOURNAL_IS_META:
		return read_meta(s);
	case JOURNAL_IS_BARRIER:
		return read_mark(s, &j->barrier, &j->has_barrier);
	case JOURNAL_IS_END:
		return read_mark(s, &j->end, &j->has_end);
	default:
		return 0;
	}
}

int
journal_take_block(struct bob_ctx *ctx, struct journal *j, const uint8_t *p,
    uint64_t at)
{
	struct scan s = { .ctx = ctx, .j = j, .p = p + JOURNAL_BLOCK };
	size_t length = (size_t)journal_le(p + 4, 4);

	s.end = s.p + length;
	j->ctx = ctx;
	if (journal_check(p, at) != journal_le(p + 8, 8))
		return 0;
	return read_block(&s, (uint32_t)journal_le(p, 4));
}

int
journal_read(struct bob_ctx *ctx, const void *bytes, size_t n,
    struct journal *ret)
{
	const uint8_t *p = bytes;
	size_t n_magic = strlen(TACH_JOURNAL_MAGIC), at = n_magic, length;
	int r;

	ret->n_bytes = n;
	if (n < n_magic || memcmp(p, TACH_JOURNAL_MAGIC, n_magic) != 0)
		return BOB_OK;
	ret->n_good = n_magic;
	while (n - at >= JOURNAL_BLOCK) {
		length = (size_t)journal_le(p + at + 4, 4);
		if (length > n - at - JOURNAL_BLOCK)
			break;
		r = journal_take_block(ctx, ret, p + at, at);
		if (r <= 0)
			return r;
		at += JOURNAL_BLOCK + length;
		ret->n_good = at;
	}
	return BOB_OK;
}

/* The journal while it is loaded, block by block: a claim of many bytes costs
 * memory only when all before it was true. */
struct load {
	struct bob_ctx *ctx;
	const char *name;
	int fd;
	uint64_t size; /* of the file */
	uint8_t *p;
	size_t cap_p, n;
};

/* Reads n more bytes. Returns 1, 0 when the file has fewer, or FAILED. */
static int
load_more(struct load *l, uint64_t n)
{
	size_t want;

	if (n > BOB_MAX_JOURNAL || n > l->size - l->n)
		return 0;
	want = l->n + (size_t)n;
	if (MEM_TAKE(l->ctx, l, p, want) < 0)
		return BOB_FAILED;
	while (l->n < want) {
		ssize_t k = read(l->fd, l->p + l->n, want - l->n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return err_sys(l->ctx, BOB_FAILED, errno,
			    "cannot read %s", l->name);
		if (k == 0)
			return 0;
		l->n += (size_t)k;
	}
	return 1;
}

static int
load_blocks(struct load *l)
{
	size_t at;
	int r = load_more(l, strlen(TACH_JOURNAL_MAGIC));

	while (r > 0) {
		at = l->n;
		r = load_more(l, JOURNAL_BLOCK);
		if (r > 0)
			r = load_more(l, journal_le(l->p + at + 4, 4));
		if (r > 0 && journal_check(l->p + at, at) !=
		    journal_le(l->p + at + 8, 8))
			r = 0;
	}
	return r;
}

static int
load_open(struct load *l)
{
	struct stat st;

	l->fd = regular_open_side(l->name);
	if (l->fd < 0 && errno == ENOENT)
		return BOB_EOF;
	if (l->fd < 0 || fstat(l->fd, &st) < 0)
		return err_sys(l->ctx, BOB_FAILED, errno, "cannot read %s",
		    l->name);
	l->size = st.st_size < 0 ? 0 : (uint64_t)st.st_size;
	return BOB_OK;
}

int
journal_load(struct bob_ctx *ctx, const char *path, struct journal *ret)
{
	struct load l = { .ctx = ctx, .fd = -1 };
	size_t n = strlen(path) + sizeof(TACH_JOURNAL_SUFFIX);
	char *name = malloc(n);
	int r;

	if (name == NULL)
		return err_nomem(ctx), BOB_FAILED;
	(void)snprintf(name, n, "%s%s", path, TACH_JOURNAL_SUFFIX);
	l.name = name;
	r = load_open(&l);
	if (r == BOB_OK)
		r = load_blocks(&l);
	if (l.fd >= 0)
		(void)close(l.fd);
	free(name);
	ret->loaded = l.p;
	ret->cap_loaded = l.cap_p;
	ret->ctx = ctx;
	if (r != BOB_OK)
		return r;
	r = journal_read(ctx, l.p, l.n, ret);
	ret->n_bytes = l.size;
	return r < 0 ? BOB_FAILED : BOB_OK;
}

void
journal_free(struct journal *j)
{
	MEM_DROP(j->ctx, j, string);
	MEM_DROP(j->ctx, j, frame);
	MEM_DROP(j->ctx, j, meta);
	MEM_DROP(j->ctx, j, loaded);
	memset(j, 0, sizeof(*j));
}
