/*
 * The inputs at the bottom: descriptors, ranges of files and functions, which
 * read into a window; and memory, which needs none. mmap is not used: a file
 * that shrinks under a mapping would raise SIGBUS in the host program.
 */
#include "core/input.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

/* Large enough that a read(2) costs nothing per event, small enough to stay
 * in the second-level cache while it is decoded. A page of it costs as much
 * the first time as reading another 16 KiB. */
#define WINDOW ((size_t)64 << 10)

struct window {
	struct in in;
	uint8_t *buf;
	size_t cap_buf;
	/* Fetches up to cap bytes: > 0, 0 end, -1 errno, -2 nothing yet, -3
	 * the file became shorter. */
	bob_read_fn *fetch;
	void *user;
	int fd;
	int owns_fd;
	int follow; /* the file may grow: its end is AGAIN */
	int polls;  /* a followed pipe: empty is AGAIN, closed is EOF */
	int at_end;
	int is_exact;       /* range: it must not end early */
	uint64_t next, end; /* range: what is still to be read */
	int then_fd;        /* chain: read when the range is done */
};

/* A file that is followed has nothing more yet, unless it is shorter than what
 * was read of it. What is written there later would not continue that. */
static long
at_end_for_now(const struct window *w)
{
	off_t at = lseek(w->fd, 0, SEEK_CUR);
	struct stat st;

	return at >= 0 && fstat(w->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size < at ? -3 : -2;
}

static long
fetch_fd(void *user, void *buf, size_t cap)
{
	struct window *w = user;
	ssize_t n;

	if (w->polls && poll(&(struct pollfd){ .fd = w->fd,
	        .events = POLLIN }, 1, 0) == 0)
		return -2;
	for (;;) {
		n = read(w->fd, buf, cap);
		if (n > 0 || (n == 0 && !w->follow))
			return (long)n;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			return -1;
		if (w->follow)
			return at_end_for_now(w);
		if (w->polls)
			return -2;
		/* Somebody made it non-blocking; we have nothing else to do. */
		(void)poll(&(struct pollfd){ .fd = w->fd, .events = POLLIN },
		    1, -1);
	}
}

static long
fetch_range(void *user, void *buf, size_t cap)
{
	struct window *w = user;
	ssize_t n;

	assert(w->next <= w->end);
	if (cap > w->end - w->next)
		cap = (size_t)(w->end - w->next);
	if (cap == 0)
		return 0;
	do {
		n = pread(w->fd, buf, cap, (off_t)w->next);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		w->next += (uint64_t)n;
	return (long)n;
}

static long
fetch_chain(void *user, void *buf, size_t cap)
{
	struct window *w = user;
	long n = fetch_range(user, buf, cap);

	if (n != 0 || w->then_fd < 0)
		return n;
	(void)close(w->fd);
	w->fd = w->then_fd;
	w->then_fd = -1;
	w->fetch = fetch_fd;
	return fetch_fd(user, buf, cap);
}

int
in_make_room(struct in *in, uint8_t **buf, size_t *cap, size_t min)
{
	size_t start = (size_t)(in->p - *buf);

	assert(start <= *cap && in->n <= *cap - start);
	if (*cap - start >= min && *cap - start > in->n)
		return BOB_OK;
	if (in->n > 0 && start > 0)
		memmove(*buf, in->p, in->n);
	in->p = *buf;
	if (min > *cap && mem_take(in->ctx, buf, cap, min, 1) < 0)
		return BOB_FATAL;
	in->p = *buf;
	return BOB_OK;
}

static int
got_shorter(const struct in *in, uint64_t at)
{
	return err_set(in->ctx, BOB_FATAL, BOB_E_TRUNCATED, at,
	    "byte %llu: the file became shorter while it was read",
	    (unsigned long long)at);
}

static int
window_fill(struct in *in, size_t min)
{
	struct window *w = (struct window *)in;

	if (w->at_end)
		return BOB_EOF;
	if (in_make_room(in, &w->buf, &w->cap_buf, min) < 0)
		return BOB_FATAL;
	while (in->n < min) {
		uint8_t *end = w->buf + (in->p - w->buf) + in->n;
		size_t room = (size_t)(w->buf + w->cap_buf - end);
		long n = w->fetch(w->user, end, room);

		if (n == -2)
			return BOB_AGAIN;
		if (n == -3)
			return got_shorter(in, in->pos + in->n);
		if (n < 0)
			return err_sys(in->ctx, BOB_FATAL, errno, "%s: read",
			    in->name);
		if (n == 0 && w->is_exact && w->next < w->end)
			return got_shorter(in, w->next);
		if (n == 0) {
			w->at_end = 1;
			return BOB_EOF;
		}
		in->n += (size_t)n <= room ? (size_t)n : room;
	}
	return BOB_OK;
}

/* If the file offset is the stream's offset, the file was read from its
 * beginning. Files of /proc have a size of 0 and do not qualify. */
static int
window_whole(const struct in *in, struct in_whole *ret)
{
	const struct window *w = (const struct window *)in;
	struct stat st;
	off_t at;

	if (w->fetch != fetch_fd || w->follow || fstat(w->fd, &st) < 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	at = lseek(w->fd, 0, SEEK_CUR);
	if (at < 0 || (uint64_t)at != in->pos + in->n || st.st_size < at)
		return 0;
	*ret = (struct in_whole){ .fd = w->fd, .size = (uint64_t)st.st_size };
	return 1;
}

static void
window_close(struct in *in)
{
	struct window *w = (struct window *)in;

	if (w->owns_fd)
		(void)close(w->fd);
	if (w->then_fd >= 0)
		(void)close(w->then_fd);
	MEM_DROP(in->ctx, w, buf);
	free(w);
}

static const struct in_ops window_ops = {
	.fill = window_fill,
	.whole = window_whole,
	.close = window_close,
};

static int
window_new(struct bob_ctx *ctx, bob_read_fn *fetch, void *user,
    const char *name, struct window **ret)
{
	struct window *w = calloc(1, sizeof(*w));

	if (w == NULL || MEM_TAKE(ctx, w, buf, WINDOW) < 0) {
		free(w);
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	w->in.ops = &window_ops;
	w->in.ctx = ctx;
	w->in.name = name;
	w->in.p = w->buf;
	w->fetch = fetch;
	w->user = user == NULL ? w : user;
	w->fd = w->then_fd = -1;
	*ret = w;
	return BOB_OK;
}

int
in_open_fd(struct bob_ctx *ctx, int fd, int owned, int follow,
    const char *name, struct in **ret)
{
	struct window *w;
	struct stat st;
	int r = window_new(ctx, fetch_fd, NULL, name, &w);

	if (r < 0)
		return r;
	w->fd = fd;
	w->owns_fd = owned;
	w->polls = follow && fstat(fd, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
	w->follow = follow && !w->polls;
	*ret = &w->in;
	return BOB_OK;
}

int
in_open_range(struct bob_ctx *ctx, int fd, uint64_t start, uint64_t end,
    const char *name, struct in **ret)
{
	struct window *w;
	int r = window_new(ctx, fetch_range, NULL, name, &w);

	if (r < 0)
		return r;
	w->fd = fd;
	w->next = w->in.pos = start;
	w->end = end;
	*ret = &w->in;
	return BOB_OK;
}

int
in_open_exact_range(struct bob_ctx *ctx, int fd, uint64_t start, uint64_t end,
    const char *name, struct in **ret)
{
	int r = in_open_range(ctx, fd, start, end, name, ret);

	if (r == BOB_OK)
		((struct window *)*ret)->is_exact = 1;
	return r;
}

int
in_open_chain(struct bob_ctx *ctx, int fd, uint64_t end, int then_fd,
    const char *name, struct in **ret)
{
	struct window *w;
	int r = window_new(ctx, fetch_chain, NULL, name, &w);

	if (r < 0) {
		(void)close(fd);
		(void)close(then_fd);
		return r;
	}
	w->fd = fd;
	w->owns_fd = 1;
	w->end = end;
	w->then_fd = then_fd;
	*ret = &w->in;
	return BOB_OK;
}

int
in_open_fn(struct bob_ctx *ctx, bob_read_fn *fn, void *user,
    const char *name, struct in **ret)
{
	struct window *w;
	int r = window_new(ctx, fn, user, name, &w);

	if (r < 0)
		return r;
	w->user = user;
	*ret = &w->in;
	return BOB_OK;
}

static int
memory_fill(struct in *in, size_t min)
{
	(void)in;
	(void)min;
	return BOB_EOF;
}

static int
memory_whole(const struct in *in, struct in_whole *ret)
{
	static const uint8_t nothing[1];

	*ret = (struct in_whole){ .fd = -1, .size = in->pos + in->n };
	ret->p = in->p == NULL ? nothing : in->p - in->pos;
	return 1;
}

static void
memory_close(struct in *in)
{
	free(in);
}

static const struct in_ops memory_ops = {
	.fill = memory_fill,
	.whole = memory_whole,
	.close = memory_close,
};

int
in_open_memory(struct bob_ctx *ctx, const void *p, size_t n,
    const char *name, struct in **ret)
{
	struct in *in = calloc(1, sizeof(*in));

	if (in == NULL) {
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	in->ops = &memory_ops;
	in->ctx = ctx;
	in->name = name;
	in->p = p;
	in->n = n;
	*ret = in;
	return BOB_OK;
}

int
in_open_memory_range(struct bob_ctx *ctx, const uint8_t *p, uint64_t start,
    uint64_t end, const char *name, struct in **ret)
{
	int r = in_open_memory(ctx, p + start, (size_t)(end - start), name,
	    ret);

	if (r == BOB_OK)
		(*ret)->pos = start;
	return r;
}
