/* RLIMIT_NOFILE; see the header. */
#include "descriptors.h"

#include <stddef.h>

void
descriptors_raise(struct descriptors *d)
{
	struct descriptors was = { .is_raised = 0 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		was.old = limit;
		limit.rlim_cur = limit.rlim_max;
		was.is_raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
	}
	if (d != NULL)
		*d = was;
}

void
descriptors_restore(const struct descriptors *d)
{
	if (d->is_raised)
		(void)setrlimit(RLIMIT_NOFILE, &d->old);
}

uint64_t
descriptors_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0
	    : (uint64_t)limit.rlim_cur;
}
