/*
 * Opening outputs: descriptors, functions, memory, files by path, side files.
 *
 * A file by path is written under a temporary name in the same folder, so that
 * rename(2) can replace the old file in one step. A symbolic link is followed
 * first, so that it stays a link. A device or FIFO is written directly. A file
 * with BOB_TARGET_LIVE is written in place, or as a part file. All of it
 * happens in a folder that is held open: bobbin/outdir.h says why.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/filelock.h"
#include "core/mem.h"
#include "core/output.h"
#include "core/tempfile.h"

#define TEMP_TRIES 100

static struct out *
out_new(struct bob_ctx *ctx)
{
	struct out *o = calloc(1, sizeof(*o));

	if (o == NULL) {
		(void)err_nomem(ctx);
		return NULL;
	}
	o->ctx = ctx;
	o->fd = o->dir.fd = -1;
	o->chunk = OUT_CHUNK;
	o->max = ctx->budget->limits.max_output;
	o->next_note = OUT_NOTE_STEP;
	/* Small at first: a daemon has hundreds that never grow. */
	if (mem_take(ctx, &o->buf, &o->cap_buf, OUT_FIRST, 1) < 0) {
		free(o);
		return NULL;
	}
	return o;
}

static char *
name_join(struct bob_ctx *ctx, const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	char *s = malloc(n + m + 1);

	if (s == NULL) {
		(void)err_nomem(ctx);
		return NULL;
	}
	memcpy(s, a, n);
	memcpy(s + n, b, m + 1);
	return s;
}

/* The mode of a new file, before the umask. */
static mode_t
mode_of(const struct out *o)
{
	return o->is_private ? 0600 : 0666;
}

/* The new file gets the mode of the file that it replaces, if that belongs to
 * the caller; a private one no more than 0600. */
static void
take_mode(struct out *o)
{
	if (o->dir.mode != 0 && o->dir.is_ours)
		(void)fchmod(o->fd, o->dir.mode & (o->is_private ? 0600
		                                                 : 0777));
}

static uint32_t
random_bits(void)
{
	struct timespec t;
	uint32_t v;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) == sizeof(v))
		return v;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint32_t)t.tv_nsec ^ (uint32_t)getpid();
}

static int
cannot_create(struct out *o, const char *path, int sys)
{
	if (sys == ENOMEM)
		return err_nomem(o->ctx), BOB_FAILED;
	(void)err_set(o->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
	    "cannot create %s: %s", path, bob_outdir_why(sys));
	(void)err_set_sys(o->ctx, sys);
	return err_of_output(o->ctx);
}

/* An old file that the caller may not write is not replaced. */
static int
check_old_output(struct out *o)
{
	if (o->dir.mode == 0 || access(o->path, W_OK) == 0)
		return BOB_OK;
	return cannot_create(o, o->path, errno);
}

/* Creates a file beside o->path under an unused name. Its mode comes from the
 * umask, or from the file that will be replaced. */
static int
open_temp(struct out *o)
{
	char *temp = NULL;
	char tail[16];
	int tries;

	if (check_old_output(o) < 0)
		return BOB_FAILED;
	for (tries = 0; tries < TEMP_TRIES; tries++) {
		(void)snprintf(tail, sizeof(tail), ".tmp-%06x",
		    (unsigned)(random_bits() & 0xffffff));
		free(temp);
		temp = name_join(o->ctx, o->path, tail);
		if (temp == NULL)
			return BOB_FAILED;
		out_tell(o, out_base_name(temp));
		o->fd = bob_outdir_create(&o->dir, out_base_name(temp),
		    mode_of(o));
		if (o->fd >= 0)
			break;
		/* The file with that name is not ours. */
		out_tell(o, NULL);
		if (o->fd != -EEXIST)
			break;
	}
	if (o->fd < 0) {
		free(temp);
		return cannot_create(o, o->path, -o->fd);
	}
	o->temp = temp;
	take_mode(o);
	return BOB_OK;
}

size_t
bob_part_stem(const char *path)
{
	size_t n = strlen(path), n_suffix = strlen(BOB_PART_SUFFIX);

	return n > n_suffix && strcmp(path + n - n_suffix,
	    BOB_PART_SUFFIX) == 0 ? n - n_suffix : 0;
}

/* Creates PATH.part, which gets its final name when it is complete. */
static int
open_part(struct out *o)
{
	if (check_old_output(o) < 0)
		return BOB_FAILED;
	o->final = o->path;
	o->path = name_join(o->ctx, o->final, BOB_PART_SUFFIX);
	if (o->path == NULL)
		goto failed;
	o->fd = bob_outdir_create(&o->dir, out_base_name(o->path), mode_of(o));
	if (o->fd == -EEXIST) {
		(void)err_set(o->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "%s exists: another writer is at work, or one died; "
		    "`bobbin recover` gives what is in it, or remove it",
		    o->path);
		(void)err_set_sys(o->ctx, EEXIST);
		(void)err_of_output(o->ctx);
		goto failed;
	}
	if (o->fd < 0) {
		(void)cannot_create(o, o->path, -o->fd);
		goto failed;
	}
	take_mode(o);
	return BOB_OK;
failed:
	/* The file is not ours, and must not be removed. */
	free(o->final);
	o->final = NULL;
	return BOB_FAILED;
}

/* Opens a file of the caller, or a device or pipe, to write in place. */
static int
open_in_place(struct out *o)
{
	if (!o->is_file) {
		o->fd = bob_outdir_other(&o->dir);
	} else {
		o->fd = bob_outdir_reuse(&o->dir, o->dir.name, mode_of(o));
		if (o->fd >= 0 && o->is_private)
			take_mode(o);
		/* So that others can tell when it is no longer written. */
		if (o->fd >= 0)
			(void)filelock_take(o->fd);
	}
	return o->fd >= 0 ? BOB_OK : cannot_create(o, o->path, -o->fd);
}

static int
open_path(struct out *o, const char *path, int live, int part)
{
	int sys = bob_outdir_open(&o->dir, path, o->is_private), r;

	if (sys != 0)
		return cannot_create(o, path, sys);
	o->path = name_join(o->ctx, o->dir.path, "");
	if (o->path == NULL)
		return BOB_FAILED;
	o->is_file = o->dir.mode == 0 || S_ISREG(o->dir.mode);
	if (!o->is_file || (live && !part)) {
		r = open_in_place(o);
		/* The folder is not needed: a daemon has hundreds of files. */
		bob_outdir_close(&o->dir);
	} else {
		r = live ? open_part(o) : open_temp(o);
	}
	o->owns_fd = r == BOB_OK;
	return r;
}

/* Finds out whether bytes written to a descriptor can be overwritten. With
 * O_APPEND they cannot: pwrite(2) appends too. */
static void
look_at_fd(struct out *o)
{
	struct stat st;
	off_t at = lseek(o->fd, 0, SEEK_CUR);
	int flags = fcntl(o->fd, F_GETFL);

	o->can_seek = at >= 0 && flags >= 0 && (flags & O_APPEND) == 0 &&
	    fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
	o->base = o->can_seek ? (uint64_t)at : 0;
}

static int
open_target(struct bob_ctx *ctx, const struct bob_target *to, int part,
    struct out **ret)
{
	struct out *o = out_new(ctx);
	int r = BOB_OK;

	if (o == NULL)
		return BOB_FAILED;
	o->is_private = (to->flags & BOB_TARGET_PRIVATE) != 0;
	o->is_lazy = (to->flags & BOB_TARGET_LAZY) != 0;
	o->unfinished = to->unfinished;
	o->unfinished_user = to->user;
	if ((to->flags & BOB_TARGET_LIVE) != 0 && !ctx->budget->has_max_output)
		o->max = BOB_UNLIMITED;
	if (to->path != NULL && strcmp(to->path, "-") == 0) {
		o->fd = STDOUT_FILENO;
	} else if (to->path != NULL) {
		r = open_path(o, to->path,
		    (to->flags & BOB_TARGET_LIVE) != 0, part);
	} else if (to->write != NULL) {
		o->fn = to->write;
		o->patch = to->patch;
		o->user = to->user;
	} else {
		o->fd = to->fd;
		o->owns_fd = (to->flags & BOB_TARGET_CLOSE) != 0;
	}
	if (r < 0) {
		out_discard(o);
		return r;
	}
	if (o->is_file)
		o->can_seek = 1;
	else if (o->fd >= 0)
		look_at_fd(o);
	*ret = o;
	return BOB_OK;
}

int
out_open(struct bob_ctx *ctx, const struct bob_target *to, struct out **ret)
{
	return open_target(ctx, to, 0, ret);
}

int
out_open_part(struct bob_ctx *ctx, const struct bob_target *to,
    struct out **ret)
{
	return open_target(ctx, to, 1, ret);
}

int
out_open_temp(struct bob_ctx *ctx, struct out **ret)
{
	struct out *o = out_new(ctx);
	struct tempfile t;

	if (o == NULL)
		return BOB_FAILED;
	if (temp_open(&t, ctx) < 0) {
		out_discard(o);
		return BOB_FAILED;
	}
	o->fd = t.fd; /* the output counts its bytes itself (taken) */
	o->owns_fd = o->is_temp = o->can_seek = 1;
	*ret = o;
	return BOB_OK;
}

int
out_open_memory(struct bob_ctx *ctx, struct out **ret)
{
	struct out *o = out_new(ctx);

	if (o == NULL)
		return BOB_FAILED;
	o->chunk = SIZE_MAX;
	*ret = o;
	return BOB_OK;
}

int
out_open_side(const struct out *main, const char *suffix, struct out **ret)
{
	struct out *o = out_new(main->ctx);
	int sys;

	if (o == NULL)
		return BOB_FAILED;
	o->is_private = main->is_private;
	o->is_lazy = main->is_lazy;
	o->max = main->max;
	o->path = name_join(main->ctx, main->path, suffix);
	if (o->path == NULL)
		goto failed;
	sys = bob_outdir_open(&o->dir, o->path, 1);
	if (sys != 0) {
		(void)cannot_create(o, o->path, sys);
		goto failed;
	}
	o->fd = bob_outdir_reuse(&o->dir, o->dir.name, mode_of(o));
	if (o->fd < 0) {
		(void)cannot_create(o, o->path, -o->fd);
		goto failed;
	}
	o->owns_fd = o->is_file = o->can_seek = 1;
	*ret = o;
	return BOB_OK;
failed:
	out_discard(o);
	return BOB_FAILED;
}

static int
cannot_read_back(struct out *o, uint64_t at, int sys)
{
	const char *name = o->path != NULL ? o->path : "a temporary file";

	if (sys != 0)
		(void)err_sys(o->ctx, BOB_FATAL, sys, "cannot read back %s",
		    name);
	else
		(void)err_set(o->ctx, BOB_FATAL, BOB_E_IO, at,
		    "%s was cut by someone else", name);
	return o->is_temp ? BOB_FATAL : err_of_output(o->ctx);
}

int
out_read_back(struct out *o, uint64_t at, void *p, size_t n)
{
	uint8_t *to = p;

	while (n > 0) {
		ssize_t k = pread(o->fd, to, n, (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return cannot_read_back(o, at, k < 0 ? errno : 0);
		to += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return BOB_OK;
}

int
out_restart(struct out *o)
{
	if (ftruncate(o->fd, 0) < 0 || lseek(o->fd, 0, SEEK_SET) < 0) {
		(void)err_sys(o->ctx, BOB_FATAL, errno, "cannot empty %s",
		    o->path);
		return err_of_output(o->ctx);
	}
	o->written = o->mark_at = o->safe_at = 0;
	return BOB_OK;
}

int
out_copy_to(struct out *temp, struct out *to)
{
	uint64_t at, n = out_total(temp);
	int r = out_barrier(temp, 0);

	for (at = 0; r == BOB_OK && at < n;) {
		size_t k = n - at < OUT_CHUNK ? (size_t)(n - at) : OUT_CHUNK;
		uint8_t *p = out_reserve(to, k);

		if (p == NULL)
			return BOB_FATAL;
		r = out_read_back(temp, at, p, k);
		if (r == BOB_OK)
			r = out_commit(to, k);
		at += k;
	}
	return r;
}
