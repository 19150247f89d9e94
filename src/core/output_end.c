/*
 * The end of outputs: the file gets its name, or goes. A part file stays when
 * its writer failed: what is in it may be all that is left of a long run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/output.h"

/* The folder, on disk: a new name in it lasts. */
static int
sync_folder(const struct out *o)
{
	int r = fsync(o->dir.fd);

	/* Some file systems have no such thing for folders. */
	if (r < 0 && (errno == EINVAL || errno == ENOTSUP || errno == EROFS))
		r = 0;
	return r;
}

/* The last part of a name, which is in the output's folder. */
static const char *
base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static int
name_part(struct out *o)
{
	int sys = bob_outdir_rename(&o->dir, base(o->path), base(o->final));

	if (sys != 0)
		return out_fail(o, sys, "rename");
	free(o->path);
	o->path = o->final;
	o->final = NULL;
	if (sync_folder(o) < 0)
		return out_fail(o, errno, "sync the folder of");
	return BOB_OK;
}

static int
name_temp(struct out *o)
{
	int sys = bob_outdir_rename(&o->dir, base(o->temp), base(o->path));

	if (sys != 0)
		return out_fail(o, sys, "create");
	free(o->temp);
	o->temp = NULL;
	return BOB_OK;
}

int
out_finish(struct out *o)
{
	int r = out_barrier(o, o->is_file);

	if (o->owns_fd) {
		o->owns_fd = 0;
		if (close(o->fd) < 0 && errno != EINTR && r == BOB_OK)
			r = out_fail(o, errno, "close");
	}
	if (r == BOB_OK && o->temp != NULL)
		r = name_temp(o);
	if (r == BOB_OK && o->final != NULL)
		r = name_part(o);
	out_discard(o);
	return r;
}

void
out_discard(struct out *o)
{
	if (o == NULL)
		return;
	if (o->final != NULL && o->owns_fd && o->failed == 0)
		(void)out_write(o);
	if (o->owns_fd)
		(void)close(o->fd);
	budget_give_temp(o->ctx->budget, o->taken);
	if (o->temp != NULL)
		(void)bob_outdir_remove(&o->dir, base(o->temp));
	if (o->final != NULL && o->written == 0)
		(void)bob_outdir_remove(&o->dir, base(o->path));
	bob_outdir_close(&o->dir);
	free(o->temp);
	free(o->final);
	free(o->path);
	MEM_DROP(o->ctx, o, buf);
	free(o->note);
	free(o);
}

/* A file that is written in place does not hold its folder: the name may be
 * another's by now. */
void
out_unlink(const struct out *o)
{
	struct bob_outdir dir;
	struct stat a, b;

	if (!out_is_live(o) || fstat(o->fd, &a) < 0 ||
	    bob_outdir_open(&dir, o->path, 1) != 0)
		return;
	if (fstatat(dir.fd, dir.name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		(void)bob_outdir_remove(&dir, dir.name);
	bob_outdir_close(&dir);
}

void
out_remove(struct out *o)
{
	if (o != NULL)
		(void)bob_outdir_remove(&o->dir, base(o->path));
	out_discard(o);
}
