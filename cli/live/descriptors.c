/* RLIMIT_NOFILE; see the header. */
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Most that are asked for at once. */
#define MAX_ASKED 64

static struct rlimit given;
static int is_raised;

void
descriptors_raise(void)
{
	struct rlimit limit;

	if (is_raised || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	given = limit;
	limit.rlim_cur = limit.rlim_max;
	is_raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

void
descriptors_restore(void)
{
	if (is_raised)
		(void)setrlimit(RLIMIT_NOFILE, &given);
}

uint64_t
descriptors_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0
	    : (uint64_t)limit.rlim_cur;
}

/* Only the kernel knows which are free: they are taken and given back. */
int
descriptors_are_left(size_t n)
{
	int fd[MAX_ASKED];
	size_t i, k;

	for (i = 0; i < n && i < MAX_ASKED; i++) {
		fd[i] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
		if (fd[i] < 0)
			break;
	}
	k = i;
	while (i > 0)
		(void)close(fd[--i]);
	return k == n || k == MAX_ASKED;
}
