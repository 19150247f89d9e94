/*
 * A path below a folder that is not trusted: the folder is the root of the
 * path. No link, no ".." and no link of /proc leads out of it.
 */
#ifndef CORE_BENEATH_H
#define CORE_BENEATH_H

struct who;

/* Longest path, with its NUL; as the kernel has it. */
#define BENEATH_MAX_PATH 4096

/*
 * Finds what a path names below a folder (root, a descriptor). Nothing is
 * opened but the place itself (O_PATH): no device acts, no FIFO blocks. flags:
 * 0, or O_NOFOLLOW for a link at its end to be found itself. The descriptor,
 * or -errno.
 */
int beneath_find(int root, const char *path, int flags);

/* The same without openat2(2), which Linux has since 5.6: every step and every
 * link is taken here. beneath_find calls it where the kernel has none. */
int beneath_walk(int root, const char *path, int flags);

/* The same for somebody else (core/who.h): -EACCES where he may not search a
 * directory of the way, the root included. */
int beneath_walk_as(int root, const char *path, const struct who *who);

#endif
