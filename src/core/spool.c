/* Keeping an input in memory or in a temporary file; see the header. */
#include "core/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/tempfile.h"

/* Traces of a few minutes stay in memory; what is larger is worth a file. */
#define IN_MEMORY ((uint64_t)1 << 20)

struct spool {
	struct bob_ctx *ctx;
	struct in *in;
	uint64_t size;      /* bytes there so far */
	int is_full;        /* all of them are there */
	int fd;             /* where they are; -1: in memory */
	const uint8_t *mem;
	struct tempfile temp; /* of a pipe */
	uint8_t *buf; /* the beginning of a pipe */
	size_t cap_buf;
};

int
spool_open(struct in *in, struct spool **ret)
{
	static const uint8_t nothing[1];
	struct spool *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		(void)err_nomem(in->ctx);
		return BOB_FAILED;
	}
	s->ctx = in->ctx;
	s->in = in;
	s->mem = nothing;
	s->fd = s->temp.fd = -1;
	*ret = s;
	return BOB_OK;
}

/* The pipe is too long for memory. */
static int
move_to_file(struct spool *s)
{
	int r;

	r = temp_open(&s->temp, s->ctx);
	if (r < 0)
		return r;
	s->fd = s->temp.fd;
	r = temp_write(&s->temp, s->in->name, s->buf, (size_t)s->size);
	free(s->buf);
	s->buf = NULL;
	s->cap_buf = 0;
	return r;
}

static int
spool_keep(struct spool *s, const uint8_t *p, size_t n)
{
	uint64_t limit = s->ctx->budget->limits.max_temp;
	int r = BOB_OK;

	if (s->size > limit || n > limit - s->size)
		return err_budget(s->ctx, BOB_LIMIT_TEMP, s->size,
		    "more than %llu bytes come packed or through a pipe, "
		    "the limit for what must be read from back to front "
		    "(max_temp); unpack it to a file and read that",
		    (unsigned long long)limit);
	if (s->fd < 0 && s->size + n > IN_MEMORY)
		r = move_to_file(s);
	if (r == BOB_OK && s->fd >= 0)
		r = temp_write(&s->temp, s->in->name, p, n);
	else if (r == BOB_OK)
		r = MEM_GROW(s->ctx, s, buf, (size_t)s->size + n);
	if (r == BOB_OK && s->fd < 0)
		memcpy(s->buf + s->size, p, n);
	if (r == BOB_OK)
		s->size += n;
	return r;
}

static void
use_where_it_is(struct spool *s, const struct in_whole *w)
{
	s->size = w->size;
	s->mem = w->p;
	s->fd = w->fd;
	s->is_full = 1;
}

int
spool_fill(struct spool *s)
{
	struct in_whole whole;
	const uint8_t *p;
	size_t n;
	int r;

	while (!s->is_full) {
		r = in_peek(s->in, 1, &p, &n);
		if (r == BOB_FATAL || r == BOB_AGAIN)
			return r;
		if (s->size == 0 && in_whole(s->in, &whole)) {
			use_where_it_is(s, &whole);
			break;
		}
		s->is_full = r == BOB_EOF;
		if (n > 0 && (r = spool_keep(s, p, n)) < 0)
			return r;
		in_consume(s->in, n);
		if (s->size > 0)
			s->mem = s->buf;
	}
	return BOB_OK;
}

uint64_t
spool_size(const struct spool *s)
{
	return s->size;
}

static int
spool_too_short(struct spool *s, uint64_t at)
{
	return err_set(s->ctx, BOB_FATAL, BOB_E_TRUNCATED, at,
	    "byte %llu: the file ends before it", (unsigned long long)at);
}

int
spool_take(struct in *in, struct spool **s)
{
	if (*s == NULL && spool_open(in, s) < 0)
		return BOB_FATAL;
	return spool_fill(*s);
}

uint64_t
spool_bytes_in(const struct spool *s, uint64_t at)
{
	return s->in->pos > 0 ? in_stored(s->in) : at;
}

int
spool_range(struct spool *s, uint64_t from, uint64_t to, struct in **ret)
{
	int r;

	if (from > to || to > s->size)
		return spool_too_short(s, to);
	if (s->fd < 0)
		r = in_open_memory_range(s->ctx, s->mem, from, to,
		    s->in->name, ret);
	else
		r = in_open_exact_range(s->ctx, s->fd, from, to, s->in->name,
		    ret);
	return r < 0 ? BOB_FATAL : BOB_OK;
}

int
spool_read(struct spool *s, uint64_t at, void *p, size_t n)
{
	uint8_t *to = p;

	if (at > s->size || n > s->size - at)
		return spool_too_short(s, s->size);
	if (n > 0 && s->fd < 0) {
		memcpy(to, s->mem + at, n);
		return BOB_OK;
	}
	while (n > 0) {
		ssize_t k = pread(s->fd, to, n, (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return err_sys(s->ctx, BOB_FATAL, errno, "%s: read",
			    s->in->name);
		if (k == 0)
			return spool_too_short(s, at);
		to += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return BOB_OK;
}

void
spool_close(struct spool *s)
{
	if (s == NULL)
		return;
	temp_close(&s->temp);
	free(s->buf);
	free(s);
}
