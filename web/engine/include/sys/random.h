/* getrandom(2) for a module in a page, by what the page gives for WASI. */
#ifndef STANDIN_SYS_RANDOM_H
#define STANDIN_SYS_RANDOM_H

#include <sys/types.h>
#include <unistd.h>

#define GRND_NONBLOCK 1

static inline ssize_t
getrandom(void *to, size_t n, unsigned flags)
{
	(void)flags;
	return getentropy(to, n) == 0 ? (ssize_t)n : -1;
}

#endif
