/*
 * Files without a name; see the header. Without O_TMPFILE, mkostemp(3) creates
 * a file that only its owner may read, and its name is removed at once.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include "core/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *
temp_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir == NULL || dir[0] == '\0' ? "/tmp" : dir;
}

static int
temp_with_name(struct bob_ctx *ctx, const char *dir)
{
	static const char tail[] = "/bobbin-XXXXXX";
	char name[4096];
	int fd, n = snprintf(name, sizeof(name), "%s%s", dir, tail);

	if (n < 0 || (size_t)n >= sizeof(name)) {
		(void)err_sys(ctx, BOB_FATAL, ENAMETOOLONG,
		    "cannot create a temporary file in $TMPDIR");
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0) {
		(void)err_sys(ctx, BOB_FATAL, errno,
		    "cannot create a temporary file in %s", dir);
		return -1;
	}
	(void)unlink(name);
	return fd;
}

int
temp_open(struct tempfile *t, struct bob_ctx *ctx)
{
	const char *dir = temp_folder();

	*t = (struct tempfile){ .ctx = ctx, .fd = -1 };
#ifdef O_TMPFILE
	t->fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
#endif
	if (t->fd < 0)
		t->fd = temp_with_name(ctx, dir);
	return t->fd < 0 ? BOB_FATAL : BOB_OK;
}

int
temp_over_budget(struct bob_ctx *ctx)
{
	return err_budget(ctx, BOB_LIMIT_TEMP, BOB_NO_OFFSET,
	    "more than %llu bytes are needed in temporary files, the limit "
	    "(max_temp)", (unsigned long long)ctx->budget->limits.max_temp);
}

int
temp_write(struct tempfile *t, const char *what, const void *p, size_t n)
{
	const char *from = p;

	if (!budget_take_temp(t->ctx->budget, n))
		return temp_over_budget(t->ctx);
	while (n > 0) {
		ssize_t k = pwrite(t->fd, from, n, (off_t)t->size);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			int sys = k < 0 ? errno : EIO;

			budget_give_temp(t->ctx->budget, n);
			return err_sys(t->ctx, BOB_FATAL, sys,
			    "%s: cannot write a temporary file in %s", what,
			    temp_folder());
		}
		from += k;
		n -= (size_t)k;
		t->size += (uint64_t)k;
	}
	return BOB_OK;
}

int
temp_read(const struct tempfile *t, const char *what, void *p, size_t n,
    uint64_t at)
{
	char *to = p;

	while (n > 0) {
		ssize_t k = pread(t->fd, to, n, (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return err_sys(t->ctx, BOB_FATAL, k < 0 ? errno : EIO,
			    "%s: cannot read the temporary file", what);
		to += k;
		n -= (size_t)k;
		at += (uint64_t)k;
	}
	return BOB_OK;
}

int
temp_empty(struct tempfile *t)
{
	if (ftruncate(t->fd, 0) < 0)
		return err_sys(t->ctx, BOB_FATAL, errno,
		    "cannot empty a temporary file in %s", temp_folder());
	budget_give_temp(t->ctx->budget, t->size);
	t->size = 0;
	return BOB_OK;
}

void
temp_close(struct tempfile *t)
{
	if (t->ctx == NULL || t->fd < 0)
		return;
	(void)close(t->fd);
	budget_give_temp(t->ctx->budget, t->size);
	*t = (struct tempfile){ .fd = -1 };
}
