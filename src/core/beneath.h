/*
 * Looking up an untrusted path below a folder. The folder acts as the root of
 * the path: no symbolic link, no ".." and no magic link of /proc leads out of
 * it.
 */
#ifndef CORE_BENEATH_H
#define CORE_BENEATH_H

struct who;

/* Longest path with its NUL, as in the kernel. */
#define BENEATH_MAX_PATH 4096

/*
 * Looks up a path below a folder; `root` is a descriptor of it. The result is
 * opened with O_PATH: no device acts, no FIFO blocks. flags is 0, or O_NOFOLLOW
 * to find a link at the end itself. Returns a descriptor or -errno.
 */
int beneath_find(int root, const char *path, int flags);

/* The same without openat2(2), which Linux has since 5.6: follows every part
 * and every link itself. beneath_find calls it on older kernels. */
int beneath_walk(int root, const char *path, int flags);

/* The same with the rights of another user (core/who.h). Returns -EACCES if
 * that user may not search a directory on the way, including the root. */
int beneath_walk_as(int root, const char *path, const struct who *who);

#endif
