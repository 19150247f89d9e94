/*
 * The rights of another user: what the owner, group and mode of a file allow
 * him. The kernel decides for ourselves only, and a capture that has given up
 * its rights cannot become somebody else to ask it.
 */
#ifndef CORE_WHO_H
#define CORE_WHO_H

#include <stddef.h>
#include <stdint.h>

struct who {
	uint64_t uid, gid; /* that files are opened with */
	uint64_t *group;   /* and the others */
	size_t n_group;
	int reads_all;     /* it has a capability for that */
};

#define WHO_READ 4u
#define WHO_SEARCH 1u

/* From the text of /proc/PID/status; reads_all is not set. 0, or -errno:
 * -EINVAL when a line is missing or cut. who_done in either case. */
int who_parse(struct who *w, const char *status);
void who_done(struct who *w);

int who_is_same(const struct who *a, const struct who *b);

/*
 * True when he may do that (WHO_READ, WHO_SEARCH) with a file or directory
 * that was found (a descriptor, O_PATH will do). An access control list says
 * no to all but the owner: it may forbid what the mode allows.
 */
int who_may(const struct who *w, int fd, unsigned what);

#endif
