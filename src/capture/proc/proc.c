/* Reads small files of /proc; see proc.h. Files of processes are in open.c. */
#include "capture/proc/proc.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/hand.h"

int
proc_is_end(int r)
{
	return r == -ENOENT || r == -ESRCH;
}

int
proc_is_hidden(int pid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d", pid);
	/* The kernel answers getpgid for processes of all users. */
	return access(path, F_OK) < 0 && getpgid(pid) >= 0;
}

int
proc_may_hold(int fd)
{
	struct rlimit limit;

	return fd >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    (rlim_t)fd < limit.rlim_cur / 2;
}

static long
read_small(const char *path, char *buf, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t k = 1;
	long r;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	while (n + 1 < cap) {
		k = read(fd, buf + n, cap - 1 - n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		n += (size_t)k;
	}
	r = k < 0 ? -errno : (long)n;
	buf[n] = '\0';
	(void)close(fd);
	return r;
}

long
proc_read_small(const char *path, char *buf, size_t cap)
{
	long r;

	hand_away();
	r = read_small(path, buf, cap);
	hand_back();
	return r;
}

uint64_t
proc_number(const char *s)
{
	uint64_t v = 0;

	while (*s >= '0' && *s <= '9' && v < UINT64_MAX / 10 - 1)
		v = v * 10 + (uint64_t)(*s++ - '0');
	return v;
}

/* PF_KTHREAD in the flags of proc_pid_stat(5). */
#define KERNEL_THREAD 0x00200000

/* Parses /proc/PID/stat. Returns 0, or -EINVAL. */
static int
parse_stat(const char *text, struct proc_stat *ret)
{
	const char *open_paren = strchr(text, '('), *p = strrchr(text, ')');
	size_t n;
	int field;

	/* The name may contain any byte, also parentheses. */
	if (open_paren == NULL || p == NULL || p < open_paren)
		return -EINVAL;
	memset(ret, 0, sizeof(*ret));
	ret->cpu = -1;
	n = (size_t)(p - open_paren - 1);
	if (n >= sizeof(ret->name))
		n = sizeof(ret->name) - 1;
	memcpy(ret->name, open_paren + 1, n);
	/* The third field follows the name. */
	for (field = 3; (p = strchr(p, ' ')) != NULL; field++) {
		p++;
		if (field == 3)
			ret->state = *p;
		else if (field == 4)
			ret->ppid = proc_number(p);
		else if (field == 9)
			ret->is_kernel = (proc_number(p) & KERNEL_THREAD) != 0;
		else if (field == 22)
			ret->start = proc_number(p);
		else if (field == 28)
			ret->stack = proc_number(p);
		else if (field == 39)
			ret->cpu = (int)proc_number(p);
	}
	return 0;
}

static void
stat_path(int pid, int tid, char *path, size_t cap)
{
	if (tid == 0)
		(void)snprintf(path, cap, "/proc/%d/stat", pid);
	else
		(void)snprintf(path, cap, "/proc/%d/task/%d/stat", pid, tid);
}

int
proc_stat(int pid, int tid, struct proc_stat *ret)
{
	char path[64], text[1024];
	long n;

	stat_path(pid, tid, path, sizeof(path));
	n = proc_read_small(path, text, sizeof(text));
	return n < 0 ? (int)n : parse_stat(text, ret);
}

int
proc_stat_open(int pid, int tid)
{
	char path[64];
	int fd;

	stat_path(pid, tid, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int
proc_stat_read(int fd, struct proc_stat *ret)
{
	char text[1024];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return parse_stat(text, ret);
}

int
proc_command(int pid, char *buf, size_t cap)
{
	char path[64];
	long n, i;

	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	n = proc_read_small(path, buf, cap);
	if (n < 0) {
		buf[0] = '\0';
		return (int)n;
	}
	while (n > 0 && (buf[n - 1] == '\0' || buf[n - 1] == ' '))
		n--;
	for (i = 0; i < n; i++)
		if (buf[i] == '\0')
			buf[i] = ' ';
	buf[n] = '\0';
	return 0;
}

int
proc_uid(int pid, uint64_t *ret)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &st) < 0)
		return -errno;
	*ret = st.st_uid;
	return 0;
}

uint64_t
proc_start_us(uint64_t start)
{
	struct timespec now, up;
	long hz = sysconf(_SC_CLK_TCK);
	int64_t boot_us;

	if (hz <= 0 || clock_gettime(CLOCK_REALTIME, &now) < 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &up) < 0 ||
	    start > UINT64_MAX / 1000000)
		return 0;
	boot_us = (int64_t)(now.tv_sec - up.tv_sec) * 1000000 +
	    (now.tv_nsec - up.tv_nsec) / 1000;
	return (uint64_t)boot_us + start * 1000000 / (uint64_t)hz;
}

static int
compare_ints(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

long
proc_threads(int pid, int *tids, size_t cap)
{
	char path[64];
	struct dirent *e;
	size_t n = 0;
	DIR *d;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (d == NULL)
		return -errno;
	errno = 0;
	while (n < cap && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			tids[n++] = (int)proc_number(e->d_name);
	r = n < cap ? errno : 0;
	(void)closedir(d);
	if (r != 0)
		return -r;
	qsort(tids, n, sizeof(*tids), compare_ints);
	return (long)n;
}

/* The directory has two links, and one more for each thread. */
size_t
proc_thread_count(int pid)
{
	struct stat st;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return stat(path, &st) == 0 && st.st_nlink > 2
	    ? (size_t)st.st_nlink - 2 : 0;
}
