/* Wrappers of allocations that fail on demand; see the header. */
#include "fault.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support.h"

/* The linker's names (--wrap) for ours and for the real ones. */
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
void *__wrap_mmap64(void *p, size_t n, int prot, int flags, int fd,
    off_t at);
void *__wrap_mremap(void *p, size_t old, size_t n, int flags, ...);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg);
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__real_mmap64(void *p, size_t n, int prot, int flags, int fd,
    off_t at);
void *__real_mremap(void *p, size_t old, size_t n, int flags, ...);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg);

static atomic_ulong fail_at, n_seen;

static int
fails(void)
{
	return ++n_seen == fail_at;
}

void *
__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

char *
__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

void *
__wrap_mmap64(void *p, size_t n, int prot, int flags, int fd, off_t at)
{
	return fails() ? MAP_FAILED :
	    __real_mmap64(p, n, prot, flags, fd, at);
}

/* Always with a place to go to: see core/bigmem.c. */
void *
__wrap_mremap(void *p, size_t old, size_t n, int flags, ...)
{
	va_list ap;
	void *to;

	va_start(ap, flags);
	to = va_arg(ap, void *);
	va_end(ap);
	return fails() ? MAP_FAILED : __real_mremap(p, old, n, flags, to);
}

int
__wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg)
{
	return fails() ? EAGAIN : __real_pthread_create(t, attr, fn, arg);
}

void
fault_arm(unsigned long n)
{
	fail_at = n;
	n_seen = 0;
}

int
fault_happened(void)
{
	return fail_at != 0 && n_seen >= fail_at;
}

unsigned long
fault_count(void)
{
	return n_seen;
}

void
fault_each(int (*step)(void *user), void *user)
{
	unsigned long n;
	int r;

	for (n = 1;; n++) {
		fault_arm(n);
		r = step(user);
		if (!fault_happened())
			break;
	}
	fault_arm(0);
	assert_true(n > 1);
	assert_true(r >= 0);
}
