/*
 * Files that a process has mapped.
 *
 * /proc/PID/map_files leads to the very file, whatever its name is now, but
 * needs a capability; /proc/PID/exe leads to the program itself; everything
 * else is opened by its name, below /proc/PID/root or, for a process that has
 * only changed its root (chroot), below our own. A link in the middle may lead
 * elsewhere: what is opened must be the file that is mapped.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/proc.h"

#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Only regular files, looked at before and after: opening a device can do
 * something. */
static int
open_regular(const char *path, int flags, uint64_t inode)
{
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, FLAGS | flags);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (inode != 0 && st.st_ino != inode)) {
		(void)close(fd);
		return -ENOENT;
	}
	return fd;
}

int
proc_open_mapped(int pid, const struct map_file *f)
{
	char path[4096 + 64];
	int fd, n;

	(void)snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
	    (unsigned long long)f->start, (unsigned long long)f->first_end);
	fd = open_regular(path, 0, 0);
	if (fd >= 0)
		return fd;
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open_regular(path, 0, f->inode);
	if (fd >= 0 || f->is_deleted)
		return fd;
	n = snprintf(path, sizeof(path), "/proc/%d/root%s", pid, f->path);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open_regular(path, O_NOFOLLOW, f->inode);
	if (fd >= 0)
		return fd;
	return open_regular(f->path, O_NOFOLLOW, f->inode);
}
