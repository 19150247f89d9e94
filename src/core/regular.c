/* Opening regular files only; see the header. _GNU_SOURCE is for O_PATH. */
#define _GNU_SOURCE
#include "core/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Checks the kind before opening, because opening a device may have effects,
 * and after it, because the file may be replaced in between. */
static int
open_kind(const char *path, int flags)
{
	struct stat st;
	int fd;

	if ((flags & O_NOFOLLOW ? lstat(path, &st) : stat(path, &st)) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENOENT;
		return -1;
	}
	fd = open(path, FLAGS | flags);
	if (fd < 0 && errno == ELOOP)
		errno = ENOENT;
	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	(void)close(fd);
	errno = ENOENT;
	return -1;
}

int
regular_open(const char *path)
{
	return open_kind(path, 0);
}

int
regular_open_side(const char *path)
{
	return open_kind(path, O_NOFOLLOW);
}

int
regular_open_place(int place)
{
	char path[64];
	struct stat st;
	int fd;

	if (place < 0)
		return place;
	if (fstat(place, &st) < 0 || !S_ISREG(st.st_mode)) {
		(void)close(place);
		return -EINVAL;
	}
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, FLAGS);
	if (fd < 0)
		fd = -errno;
	(void)close(place);
	return fd;
}

int
regular_open_named(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC);

	return place < 0 ? -errno : regular_open_place(place);
}
