/*
 * The directory of a daemon, which may be removed or replaced while it runs.
 *
 * It is held open, and compared each second with what is at its path. If it is
 * gone, it is made again. If another directory is there, it is used if it
 * belongs to the same user and nobody else can write to it. Anything else ends
 * the daemon, as samples must not go to a stranger.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon.h"
#include "print/msg.h"

/* Makes a directory and its parents, with access for the owner only. */
static int
place_make(char *path)
{
	char *slash = path;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

/* Opens the directory, with more `flags` of open(2). Returns 0, or -1 and
 * errno. */
static int
place_hold(struct daemon *d, int flags)
{
	struct stat st;
	int fd = open(d->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);

	if (fd < 0 || fstat(fd, &st) < 0) {
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	if (d->place.fd >= 0)
		(void)close(d->place.fd);
	d->place = (struct place){ .fd = fd, .device = st.st_dev,
		.inode = st.st_ino, .owner = st.st_uid,
		.mode = st.st_mode & 0777 };
	return 0;
}

static int
place_failed(const struct daemon *d)
{
	msg_error("%s: %s", d->dir, strerror(errno));
	return EXIT_FAILED;
}

static int
place_refuse(const struct daemon *d, const char *why)
{
	msg_error("%s: %s", d->dir, why);
	msg_hint("files of a daemon may contain secrets of other processes: "
	    "give it a directory of its own with -o");
	return EXIT_FAILED;
}

int
place_open(struct daemon *d)
{
	struct stat st;

	if (place_make(d->dir) < 0 || place_hold(d, 0) < 0)
		return place_failed(d);
	if (lstat(d->dir, &st) < 0)
		return place_failed(d);
	if (d->place.owner != geteuid() ||
	    (S_ISLNK(st.st_mode) && st.st_uid != 0 && st.st_uid != geteuid()))
		return place_refuse(d, "it belongs to another user");
	if (d->place.mode & 0022)
		return place_refuse(d, "others may write to it");
	return EXIT_OK;
}

void
place_close(struct daemon *d)
{
	if (d->place.fd >= 0)
		(void)close(d->place.fd);
	d->place.fd = -1;
}

static int
is_same(const struct daemon *d, const struct stat *st)
{
	return st->st_dev == d->place.device && st->st_ino == d->place.inode;
}

/* True if nobody can write to it who could not write to the old one. */
static int
is_trusted(const struct daemon *d, const struct stat *st)
{
	return S_ISDIR(st->st_mode) && st->st_uid == d->place.owner &&
	    (st->st_mode & 0022 & ~d->place.mode) == 0;
}

/* Goes on in the directory that is at the path now. */
static int
place_move(struct daemon *d)
{
	if (place_make(d->dir) < 0 || place_hold(d, O_NOFOLLOW) < 0)
		return place_failed(d);
	(void)bob_recorder_move(d->recorder);
	status_unlisten(d);
	return status_listen(d);
}

int
place_look(struct daemon *d)
{
	struct stat st;
	int r = stat(d->dir, &st);

	if (r == 0 && is_same(d, &st))
		return EXIT_OK;
	if (r == 0 && lstat(d->dir, &st) == 0 && !is_trusted(d, &st)) {
		msg_error("%s: replaced by something that is not a directory "
		    "of this user; the daemon ends", d->dir);
		return EXIT_FAILED;
	}
	if (r < 0 && errno != ENOENT && errno != ENOTDIR)
		return EXIT_OK; /* it cannot be looked at, now */
	msg_error("%s: it was %s while the daemon wrote to it; new files "
	    "begin", d->dir, r == 0 ? "replaced" : "removed or renamed");
	return place_move(d);
}
