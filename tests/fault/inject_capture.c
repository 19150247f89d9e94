/*
 * Wrappers of calls that only captures make. Reading another process may also
 * give fewer bytes than asked for, as for a page that is not mapped. Resuming a
 * stopped thread never fails, because it cannot while the thread lives.
 */
#define _GNU_SOURCE /* process_vm_readv */
#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *to,
    unsigned long n_to, const struct iovec *from, unsigned long n_from,
    unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to,
    unsigned long n_to, const struct iovec *from, unsigned long n_from,
    unsigned long flags);
long __real_ptrace(enum __ptrace_request what, ...);
long __wrap_ptrace(enum __ptrace_request what, ...);
pid_t __real_waitpid(pid_t pid, int *status, int flags);
pid_t __wrap_waitpid(pid_t pid, int *status, int flags);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);

ssize_t
__wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n_to,
    const struct iovec *from, unsigned long n_from, unsigned long flags)
{
	struct iovec half;

	if (inject_fails(INJECT_SYSTEM, "process_vm_readv", EFAULT))
		return -1;
	if (inject_fails(INJECT_SHORT, "process_vm_readv", 0)) {
		/* All of the first spans, and half of the last. */
		if (n_from > 1)
			return __real_process_vm_readv(pid, to, n_to / 2, from,
			    n_from / 2, flags);
		half = from[0];
		half.iov_len /= 2;
		return __real_process_vm_readv(pid, to, 1, &half, 1, flags);
	}
	return __real_process_vm_readv(pid, to, n_to, from, n_from, flags);
}

long
__wrap_ptrace(enum __ptrace_request what, ...)
{
	va_list ap;
	pid_t pid;
	void *addr, *data;

	va_start(ap, what);
	pid = va_arg(ap, pid_t);
	addr = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	if (what != PTRACE_DETACH && what != PTRACE_INTERRUPT &&
	    inject_fails(INJECT_SYSTEM, "ptrace", EPERM))
		return -1;
	return __real_ptrace(what, pid, addr, data);
}

pid_t
__wrap_waitpid(pid_t pid, int *status, int flags)
{
	return inject_fails(INJECT_SYSTEM, "waitpid", EINTR)
	    ? -1 : __real_waitpid(pid, status, flags);
}

DIR *
__wrap_opendir(const char *path)
{
	return inject_fails(INJECT_SYSTEM, "opendir", EMFILE)
	    ? NULL : __real_opendir(path);
}
