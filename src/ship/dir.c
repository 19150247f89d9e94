/*
 * A plain directory as a target: DIR/HOST/SEGMENT, for rsync, NFS and bobbin
 * itself, which reads it as a store.
 *
 * A segment gets its name when all its bytes are on disk and have the hash that
 * they were sealed with. One that is there by this name with other contents
 * stays; ours then has its number in its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ship/blocks.h"
#include "ship/segfile.h"
#include "ship/targets.h"

struct dir {
	struct bob_ctx *ctx;
	struct ship_url url;
	const volatile int *stop;
};

static int
dir_open(struct bob_ctx *ctx, const struct bob_target_opts *opts, void **ret)
{
	struct dir *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return err_nomem(ctx), BOB_FAILED;
	d->ctx = ctx;
	d->stop = opts->stop;
	if (ship_url_parse(ctx, opts->url, &d->url) < 0) {
		free(d);
		return BOB_FAILED;
	}
	*ret = d;
	return BOB_OK;
}

/* Another attempt may go better: a full disk, a server of NFS. */
static int
fail(struct dir *d, struct send_result *ret, const char *what,
    const char *name)
{
	ret->why = SHIP_BUSY;
	return err_sys(d->ctx, BOB_FAILED, errno, "%s: cannot %s %s",
	    d->url.path, what, name);
}

/* Opens the folder of a host, made if it is not there. -1: errno. */
static int
open_host(struct dir *d, const char *host)
{
	int top = open(d->url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	char name[SEGFILE_NAME];

	if (top < 0)
		return -1;
	segfile_name(name, host);
	fd = mkdirat(top, name, 0700) < 0 && errno != EEXIST ? -1 :
	    openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	        O_CLOEXEC);
	(void)close(top);
	return fd;
}

/* Returns 1 if a file is there and is the segment; 0 if it is another one; -1
 * if it is not there. */
static int
is_there(const struct dir *d, int folder, const char *name, uint64_t seg)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC |
	    O_NONBLOCK);
	uint8_t hash[SHA256_BYTES];
	struct stat st;
	int r;

	if (fd < 0)
		return errno == ENOENT ? -1 : 0;
	r = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    segfile_copy(fd, -1, d->stop, hash) == 0 &&
	    segfile_is(hash, seg);
	(void)close(fd);
	return r;
}

/* Writes the segment as a temporary file and gives it its name. */
static int
put(struct dir *d, int folder, const char *name,
    const struct block_source *src, struct send_result *ret)
{
	char temp[2 * SEGFILE_NAME];
	uint8_t hash[SHA256_BYTES];
	int to, r;

	(void)snprintf(temp, sizeof(temp), ".%.200s.%016" PRIx64, name,
	    src->seg);
	(void)unlinkat(folder, temp, 0);
	to = openat(folder, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (to < 0)
		return fail(d, ret, "create", temp);
	r = segfile_copy(src->fd, to, d->stop, hash);
	if (r == 0)
		r = fsync(to);
	if (close(to) < 0 || r < 0) {
		r = fail(d, ret, "write", temp);
		(void)unlinkat(folder, temp, 0);
		return r;
	}
	if (!segfile_is(hash, src->seg)) {
		(void)unlinkat(folder, temp, 0);
		ret->why = SHIP_LOCAL;
		return segfile_changed(d->ctx, src->name);
	}
	ret->has_sent = 1;
	ret->bytes_sent += src->size;
	if (renameat(folder, temp, folder, name) < 0 || fsync(folder) < 0)
		return fail(d, ret, "write", name);
	return BOB_OK;
}

static int
dir_send(void *state, const struct block_source *src, struct send_result *ret)
{
	char name[SEGFILE_NAME], other[2 * SEGFILE_NAME];
	const char *use = name;
	struct dir *d = state;
	int folder, there, r = BOB_OK;

	memset(ret, 0, sizeof(*ret));
	folder = open_host(d, src->host);
	if (folder < 0)
		return fail(d, ret, "open the folder of", src->host);
	segfile_name(name, src->file);
	there = is_there(d, folder, name, src->seg);
	if (there == 0) {
		/* Before the suffix, which says what it is. */
		(void)snprintf(other, sizeof(other), "%016" PRIx64 "-%.200s",
		    src->seg, name);
		use = other;
		there = is_there(d, folder, use, src->seg);
	}
	if (there != 1)
		r = put(d, folder, use, src, ret);
	(void)close(folder);
	if (r == BOB_OK)
		ret->acknowledged = src->n_samples;
	return r;
}

static void
dir_close(void *state)
{
	free(state);
}

const struct target_ops dir_target = {
	.open = dir_open,
	.send = dir_send,
	.close = dir_close,
};
