/*
 * stdout and stderr on top of a write(2) that waits; see the header. O_NONBLOCK
 * stays set: whoever has set it may rely on it. The library waits by itself
 * where it writes.
 */
#define _GNU_SOURCE /* fopencookie */
#include "streams.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* Returns how many bytes were written; fewer than n if it failed. A signal ends
 * it, as it ends a write of stdio, so that ^C does not wait for a reader. */
static ssize_t
write_waiting(void *cookie, const char *p, size_t n)
{
	struct pollfd to = { .fd = (int)(intptr_t)cookie, .events = POLLOUT };
	size_t done = 0;

	while (done < n) {
		ssize_t k = write(to.fd, p + done, n - done);

		if (k > 0)
			done += (size_t)k;
		else if (k == 0 || errno != EAGAIN || poll(&to, 1, -1) < 0)
			break;
	}
	return (ssize_t)done;
}

/* Without memory for another stream the old one stays. */
static void
make_wait(FILE **stream, int fd, int mode)
{
	FILE *f = fopencookie((void *)(intptr_t)fd, "w",
	    (cookie_io_functions_t){ .write = write_waiting });

	if (f != NULL)
		*stream = f;
	(void)setvbuf(*stream, NULL, mode, BUFSIZ);
}

void
streams_set_up(void)
{
	make_wait(&stdout, STDOUT_FILENO,
	    isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
	/* A write(2) per line, not per character. */
	make_wait(&stderr, STDERR_FILENO, _IOLBF);
}
