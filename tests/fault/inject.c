/*
 * Wrappers of calls that fail on demand; see the header. Each fails with an
 * errno that the call may really return. A descriptor is closed even if its
 * close(2) fails, as on Linux.
 */
#include "inject.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int armed_kind = N_INJECT;
static atomic_ulong n_seen, fail_at;
static atomic_int is_lasting, is_deadly, has_failed;
static const char *_Atomic where;

void
inject_arm(enum inject kind, unsigned long n, int lasting)
{
	n_seen = 0;
	fail_at = n;
	is_lasting = lasting;
	has_failed = 0;
	where = NULL;
	armed_kind = (int)kind;
}

void
inject_kill(unsigned long n)
{
	inject_arm(INJECT_SYSTEM, n, 0);
	is_deadly = 1;
}

int
inject_disarm(void)
{
	armed_kind = N_INJECT;
	return has_failed;
}

const char *
inject_where(void)
{
	const char *name = where;

	return name != NULL ? name : "nothing";
}

int
inject_fails(enum inject kind, const char *name, int sys)
{
	unsigned long n;

	if (armed_kind != (int)kind)
		return 0;
	n = ++n_seen;
	if (n < fail_at || (n > fail_at && !is_lasting))
		return 0;
	if (is_deadly)
		(void)raise(SIGKILL);
	if (!has_failed)
		where = name;
	has_failed = 1;
	errno = sys;
	return 1;
}

#define MEMORY(name) inject_fails(INJECT_MEMORY, name, ENOMEM)
#define SYSTEM(name, sys) inject_fails(INJECT_SYSTEM, name, sys)

/* A wrapper that returns -1; ARGS and PASS are its parameters, declared and
 * by name. */
#define WRAP(type, name, sys, ARGS, PASS)                                    \
	type __real_##name ARGS;                                             \
	type __wrap_##name ARGS;                                             \
	type __wrap_##name ARGS                                              \
	{                                                                    \
		return SYSTEM(#name, sys) ? -1 : __real_##name PASS;         \
	}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

void *
__wrap_malloc(size_t n)
{
	return MEMORY("malloc") ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return MEMORY("calloc") ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return MEMORY("realloc") ? NULL : __real_realloc(p, n);
}

char *
__wrap_strdup(const char *s)
{
	return MEMORY("strdup") ? NULL : __real_strdup(s);
}

/* What is read, or half of it: there is always at least one byte. */
static size_t
cut(const char *name, size_t n)
{
	return inject_fails(INJECT_SHORT, name, 0) ? (n + 1) / 2 : n;
}

WRAP(ssize_t, read, EIO, (int fd, void *p, size_t n),
    (fd, p, cut("read", n)))
WRAP(ssize_t, pread64, EIO, (int fd, void *p, size_t n, off_t at),
    (fd, p, cut("pread", n), at))
WRAP(ssize_t, write, ENOSPC, (int fd, const void *p, size_t n), (fd, p, n))
WRAP(ssize_t, pwrite64, ENOSPC, (int fd, const void *p, size_t n, off_t at),
    (fd, p, n, at))
WRAP(int, mkstemp64, EACCES, (char *name), (name))
WRAP(int, fsync, EIO, (int fd), (fd))
WRAP(int, fdatasync, EIO, (int fd), (fd))
WRAP(int, ftruncate64, EIO, (int fd, off_t n), (fd, n))
WRAP(off_t, lseek64, EIO, (int fd, off_t at, int how), (fd, at, how))
WRAP(int, renameat, EIO, (int dir, const char *from, int to_dir,
    const char *to), (dir, from, to_dir, to))
WRAP(int, unlinkat, EACCES, (int dir, const char *path, int flags),
    (dir, path, flags))
WRAP(int, fstatat64, EIO, (int dir, const char *path, struct stat *st,
    int flags), (dir, path, st, flags))
WRAP(int, stat64, EIO, (const char *path, struct stat *st), (path, st))
WRAP(int, lstat64, EIO, (const char *path, struct stat *st), (path, st))
WRAP(int, fstat64, EIO, (int fd, struct stat *st), (fd, st))
WRAP(int, access, EIO, (const char *path, int how), (path, how))
WRAP(int, fchmod, EPERM, (int fd, mode_t mode), (fd, mode))

int __real_fcntl64(int fd, int what, ...);
int __wrap_fcntl64(int fd, int what, ...);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __real_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg);

int
__wrap_open64(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	return SYSTEM("open", EMFILE) ? -1
	                              : __real_open64(path, flags, mode);
}

int
__wrap_openat64(int dir, const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	return SYSTEM("openat", EMFILE) ? -1 : __real_openat64(dir, path,
	    flags, mode);
}

int
__wrap_fcntl64(int fd, int what, ...)
{
	va_list ap;
	long arg;

	va_start(ap, what);
	arg = va_arg(ap, long);
	va_end(ap);
	return SYSTEM("fcntl", EINVAL) ? -1 : __real_fcntl64(fd, what, arg);
}

int
__wrap_close(int fd)
{
	int r = __real_close(fd);

	return SYSTEM("close", EIO) ? -1 : r;
}

int
__wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg)
{
	return SYSTEM("pthread_create", EAGAIN)
	    ? EAGAIN
	    : __real_pthread_create(t, attr, fn, arg);
}
