/*
 * Files of a process that is not trusted: the only place where one is opened.
 *
 * A file is found first (O_PATH), which does nothing to it, and opened when it
 * is a regular one: by its descriptor, so that it cannot change in between.
 *
 * /proc/PID/map_files leads to the very file that is mapped, whatever its name
 * is now, but needs a capability; /proc/PID/exe leads to the program itself;
 * everything else is found by its name, below /proc/PID/root or, for a process
 * that has only changed its root (chroot), below our own. Names can be given
 * to other files meanwhile: what is opened must be the file that is mapped.
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

/* A descriptor that was opened while the thread was away. */
static int
come_back(int fd)
{
	if (hand_is_left()) {
		if (fd >= 0)
			(void)close(fd);
		hand_leave();
	}
	return fd;
}

/* By a link of /proc, which leads to a file and not to a name. */
static int
open_link(const char *link)
{
	int place;

	hand_away();
	place = open(link, O_PATH | O_CLOEXEC);
	return come_back(place < 0 ? -errno : regular_open_place(place));
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
	return come_back(fd);
}

int
proc_open_program(int pid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return open_link(path);
}

/* A mapping of our own, to be found in our own list. */
struct own_map {
	uint64_t at, dev, inode;
	int is_found;
};

static int
take_own(void *user, const struct map_line *l)
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
 * What the kernel lists for a file when it is mapped. Where file systems lie on
 * each other (overlayfs) or have parts (btrfs), fstat(2) names another device
 * than the list of mappings does. Not a byte of the mapping is touched: the
 * file may get shorter.
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
		(void)maps_each(ctx, (int)getpid(), take_own, &m);
	bob_ctx_free(ctx);
	(void)munmap(p, n);
	return m.is_found && m.dev == f->dev && m.inode == f->inode;
}

/* The descriptor when it is that of the mapped file, else closes it. */
static int
only_same(int fd, const struct map_file *f)
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
	fd = only_same(open_link(path), f);
	if (fd >= 0)
		return fd;
	fd = only_same(proc_open_program(pid), f);
	if (fd >= 0 || f->is_deleted)
		return fd;
	(void)snprintf(path, sizeof(path), "/proc/%d/root", pid);
	fd = only_same(proc_open_below(path, f->path, O_NOFOLLOW), f);
	if (fd >= 0)
		return fd;
	return only_same(proc_open_below("/", f->path, O_NOFOLLOW), f);
}
