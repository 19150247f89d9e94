/* Reads an input that is still being written, without waiting for long; see the
 * header. */
#include "pipeline/coming.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "pipeline/reader.h"

/* bobbin/convert.h promises that what has come reaches the output within a
 * second. */
#define WAIT_MS 500

static int
is_stopped(const struct coming *c)
{
	return c->stop != NULL && __atomic_load_n(c->stop, __ATOMIC_RELAXED);
}

/* A bob_read_fn. */
static long
coming_read(void *user, void *buf, size_t cap)
{
	struct coming *c = user;
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	int is_ready = !is_stopped(c) && poll(&p, 1, WAIT_MS) > 0;
	ssize_t n;

	if (is_stopped(c))
		return 0;
	if (!is_ready)
		return -2;
	n = read(c->fd, buf, cap);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return -2;
	return (long)n;
}

int
coming_open(struct coming *c, struct bob_ctx *ctx, const char *path,
    struct in **ret)
{
	int r = reader_open_path(ctx, path, &c->fd);

	return r < 0 ? r : in_open_fn(ctx, coming_read, c, path, ret);
}

void
coming_close(struct coming *c)
{
	if (c->fd >= 0 && c->fd != STDIN_FILENO)
		(void)close(c->fd);
	c->fd = -1;
}
