/*
 * A library that stands between bobbin and the system (LD_PRELOAD): the date is
 * shifted, writes to files fail, syncs do not end, and a command line never
 * comes, as the shared file $SHIM_CONTROL says.
 * See shim.py.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct control {
	int64_t shift_s;    /* of the date */
	int32_t write_errno; /* 0: writes succeed */
	int32_t is_partial; /* a write that fails has written half before */
	int32_t holds_syncs; /* they do not end */
	int32_t n_failed;   /* how many calls failed or did not end, so far */
	int32_t silent_pid; /* whose command line never comes */
};

static struct control *control;

__attribute__((constructor)) static void
begin(void)
{
	const char *path = getenv("SHIM_CONTROL");
	int fd = path != NULL ? open(path, O_RDWR) : -1;
	void *p;

	if (fd < 0)
		return;
	p = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (p != MAP_FAILED)
		control = p;
	(void)close(fd);
}

static int
is_file(int fd)
{
	struct stat st;

	return fd > 2 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static int
fail(int sys)
{
	control->n_failed++;
	errno = sys;
	return -1;
}

ssize_t
write(int fd, const void *p, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);
	static int has_written_half;

	if (real == NULL)
		real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT,
		    "write");
	if (control == NULL || control->write_errno == 0 || !is_file(fd))
		return real(fd, p, n);
	if (control->is_partial && n > 1 && !has_written_half) {
		has_written_half = 1;
		return real(fd, p, n / 2);
	}
	has_written_half = 0;
	return fail(control->write_errno);
}

static void
hold_sync(void)
{
	const struct timespec nap = { 0, 1000 * 1000 };

	if (control == NULL || control->holds_syncs == 0)
		return;
	control->n_failed++;
	while (control->holds_syncs != 0)
		(void)nanosleep(&nap, NULL);
}

int
fdatasync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");

	hold_sync();
	return real(fd);
}

int
fsync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

	hold_sync();
	return real(fd);
}

int
clock_gettime(clockid_t clock, struct timespec *ret)
{
	static int (*real)(clockid_t, struct timespec *);
	int r;

	if (real == NULL)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT,
		    "clock_gettime");
	r = real(clock, ret);
	if (r == 0 && control != NULL && clock == CLOCK_REALTIME)
		ret->tv_sec += control->shift_s;
	return r;
}

time_t
time(time_t *ret)
{
	struct timespec t = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &t);
	if (ret != NULL)
		*ret = t.tv_sec;
	return t.tv_sec;
}

int
open64(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	char silent[64];
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "open64");
	if (control != NULL && control->silent_pid != 0) {
		(void)snprintf(silent, sizeof(silent), "/proc/%d/cmdline",
		    (int)control->silent_pid);
		while (strcmp(path, silent) == 0)
			(void)pause();
	}
	return real(path, flags, mode);
}
