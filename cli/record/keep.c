/*
 * An older file with the name of the output is kept as NAME.old, so that no
 * recording is lost by a second run of a command.
 *
 * Only a regular file of the caller is renamed, and nothing but one is replaced
 * by that. What else has the name (a pipe, a device, another user's file) is
 * left to the library, which writes to it or refuses it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/outdir.h>

#include "output/outname.h"
#include "print/msg.h"
#include "record.h"

#define OLD_SUFFIX ".old"

static char *
old_name(const char *name)
{
	size_t n = strlen(name) + sizeof(OLD_SUFFIX);
	char *s = malloc(n);

	if (s != NULL)
		(void)snprintf(s, n, "%s%s", name, OLD_SUFFIX);
	return s;
}

/* A regular file of ours without a second name, or nothing (if may_be_none). */
static int
is_replaceable(const struct bob_outdir *d, const char *name, int may_be_none)
{
	struct stat st;

	if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return may_be_none && errno == ENOENT;
	return S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_nlink == 1;
}

/* Files with numbers take free numbers; a name that was made up is free. */
static int
is_of_concern(const struct record *r)
{
	return !output_is_stdout(&r->output) &&
	    r->output.path != r->name &&
	    !outname_is_pattern(r->output.path) &&
	    !args_has(r->args, OPT_FORCE);
}

static int
keep(struct record *r, const struct bob_outdir *d)
{
	char *old = old_name(d->name);
	int sys = 0;

	if (old == NULL)
		return msg_no_memory();
	if (!is_replaceable(d, old, 1))
		sys = EEXIST;
	else
		sys = bob_outdir_rename(d, d->name, old);
	free(old);
	r->has_old = sys == 0;
	if (sys == 0)
		return EXIT_OK;
	msg_error("%s exists, and cannot be kept as %s%s: %s", r->output.path,
	    r->output.path, OLD_SUFFIX, sys == EEXIST
	        ? "that is not a file of yours" : bob_outdir_why(sys));
	msg_hint("--force overwrites it; -o names another file");
	return EXIT_FAILED;
}

int
record_keep_old(struct record *r)
{
	struct bob_outdir d;
	int code = EXIT_OK;

	if (!is_of_concern(r) || bob_outdir_open(&d, r->output.path, 1) != 0)
		return EXIT_OK;
	if (S_ISREG(d.mode) && !d.is_empty && is_replaceable(&d, d.name, 0))
		code = keep(r, &d);
	bob_outdir_close(&d);
	return code;
}

void
record_restore_old(const struct record *r)
{
	struct bob_outdir d;
	struct stat st;
	char *old;

	if (!r->has_old || bob_outdir_open(&d, r->output.path, 1) != 0)
		return;
	old = old_name(d.name);
	if (old != NULL && fstatat(d.fd, d.name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		(void)bob_outdir_rename(&d, old, d.name);
	free(old);
	bob_outdir_close(&d);
}
