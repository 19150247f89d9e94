/*
 * Ending an output: the file gets its final name, or is removed. A part file
 * stays if its writer failed, because it may be all that is left of a long
 * recording.
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

/* Syncs the folder to disk, so that a new name in it survives a crash. */
static int
sync_folder(const struct out *o)
{
	int r = fsync(o->dir.fd);

	/* Some file systems cannot sync folders. */
	if (r < 0 && (errno == EINVAL || errno == ENOTSUP || errno == EROFS))
		r = 0;
	return r;
}

static int
name_part(struct out *o, int durable)
{
	int sys = bob_outdir_rename(&o->dir, out_base_name(o->path),
	    out_base_name(o->final));

	if (sys != 0)
		return out_fail(o, sys, "rename");
	free(o->path);
	o->path = o->final;
	o->final = NULL;
	if (durable && sync_folder(o) < 0)
		return out_fail(o, errno, "sync the folder of");
	return BOB_OK;
}

static int
name_temp(struct out *o)
{
	int sys = bob_outdir_rename(&o->dir, out_base_name(o->temp),
	    out_base_name(o->path));

	if (sys != 0)
		return out_fail(o, sys, "create");
	out_tell(o, NULL);
	free(o->temp);
	o->temp = NULL;
	return BOB_OK;
}

/* True if the content must be on disk before the file gets its name: else a
 * crash could lose the file that has it now, too. A lazy file that is new, or
 * has had its name from the start, is not waited for. */
static int
must_be_durable(const struct out *o)
{
	int gets_name = o->temp != NULL || o->final != NULL;
	int replaces = gets_name && o->dir.mode != 0 && !o->dir.is_empty;

	return o->is_file && (!o->is_lazy || replaces);
}

int
out_finish(struct out *o)
{
	int durable = must_be_durable(o), r = out_barrier(o, durable);

	if (o->owns_fd) {
		o->owns_fd = 0;
		if (close(o->fd) < 0 && errno != EINTR && r == BOB_OK)
			r = out_fail(o, errno, "close");
	}
	if (r == BOB_OK && o->temp != NULL)
		r = name_temp(o);
	if (r == BOB_OK && o->final != NULL)
		r = name_part(o, durable);
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
	if (o->temp != NULL) {
		(void)bob_outdir_remove(&o->dir, out_base_name(o->temp));
		out_tell(o, NULL);
	}
	if (o->final != NULL && o->written == 0)
		(void)bob_outdir_remove(&o->dir, out_base_name(o->path));
	bob_outdir_close(&o->dir);
	free(o->temp);
	free(o->final);
	free(o->path);
	MEM_DROP(o->ctx, o, buf);
	free(o->note);
	free(o);
}

/* A file that is written in place does not hold its folder open. Another file
 * may have its name by now. */
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
		(void)bob_outdir_remove(&o->dir, out_base_name(o->path));
	out_discard(o);
}
