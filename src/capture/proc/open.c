/*
 * Opens files of a process, which is not trusted. No other file does.
 *
 * A file is first found with O_PATH, which has no effect on it. If it is a
 * regular file it is opened by that descriptor, so that it cannot be replaced
 * in between.
 *
 * /proc/PID/map_files leads to the mapped file itself, whatever its name is
 * now, but needs a capability; /proc/PID/exe leads to the program; everything
 * else is found by its name below /proc/PID/root or, for a process in a chroot,
 * below our own root. A name may belong to another file by now, so device and
 * inode must be those of the mapping.
 */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/hand.h"
#include "capture/proc/proc.h"
#include "core/beneath.h"
#include "core/regular.h"

/* Ends a call that may block: closes the descriptor if the thread was left
 * behind (hand.h), else returns it. */
static int
return_fd(int fd)
{
	if (hand_is_left()) {
		if (fd >= 0)
			(void)close(fd);
		hand_leave();
	}
	return fd;
}

/* Opens a magic link of /proc, which leads to the file itself. */
static int
open_link(const char *link)
{
	int place;

	hand_away();
	place = open(link, O_PATH | O_CLOEXEC);
	return return_fd(place < 0 ? -errno : regular_open_place(place));
}

int
proc_open_below(const char *root, const char *path, int flags)
{
	int at = open(*root != '\0' ? root : "/", O_PATH | O_DIRECTORY |
	    O_CLOEXEC), fd;

	if (at < 0)
		return -errno;
	hand_away();
	fd = regular_open_place(beneath_find(at, path, flags));
	(void)close(at);
	return return_fd(fd);
}

int
proc_open_program(int pid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return open_link(path);
}

/* A mapping of ours that is searched in our own /proc/PID/maps. */
struct own_map {
	uint64_t at, dev, inode;
	int is_found;
};

static int
find_own_map(void *user, const struct map_line *l)
{
	struct own_map *m = user;

	if (l->start > m->at || m->at >= l->end)
		return BOB_OK;
	m->dev = l->dev;
	m->inode = l->inode;
	m->is_found = 1;
	return BOB_EOF;
}

/*
 * True if the kernel lists the file with this device and inode when it is
 * mapped. On overlayfs and btrfs fstat(2) gives another device than the list of
 * mappings, so the file is mapped here for a moment. The mapping is never
 * accessed: the file may be truncated.
 */
static int
is_mapped_as(int fd, const struct map_file *f)
{
	size_t n = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	struct own_map m = { .at = (uint64_t)(uintptr_t)p };
	struct bob_ctx *ctx;

	if (p == MAP_FAILED)
		return 0;
	ctx = bob_ctx_new();
	if (ctx != NULL)
		(void)maps_each(ctx, (int)getpid(), find_own_map, &m);
	bob_ctx_free(ctx);
	(void)munmap(p, n);
	return m.is_found && m.dev == f->dev && m.inode == f->inode;
}

/* Returns the descriptor if it is that of the mapped file; else closes it and
 * returns -ESTALE. */
static int
check_mapped(int fd, const struct map_file *f)
{
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && st.st_ino == f->inode &&
	    ((uint64_t)major(st.st_dev) << 32 | minor(st.st_dev)) == f->dev)
		return fd;
	if (is_mapped_as(fd, f))
		return fd;
	(void)close(fd);
	return -ESTALE;
}

int
proc_open_mapped(int pid, const struct map_file *f)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
	    (unsigned long long)f->start, (unsigned long long)f->first_end);
	fd = check_mapped(open_link(path), f);
	if (fd >= 0)
		return fd;
	fd = check_mapped(proc_open_program(pid), f);
	if (fd >= 0 || f->is_deleted)
		return fd;
	(void)snprintf(path, sizeof(path), "/proc/%d/root", pid);
	fd = check_mapped(proc_open_below(path, f->path, O_NOFOLLOW), f);
	if (fd >= 0)
		return fd;
	return check_mapped(proc_open_below("/", f->path, O_NOFOLLOW), f);
}
