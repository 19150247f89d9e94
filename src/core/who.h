/*
 * The rights of another user: whether the owner, group and mode of a file allow
 * that user to read it. The kernel only answers for the caller, and a confined
 * capture cannot become another user to ask it.
 */
#ifndef CORE_WHO_H
#define CORE_WHO_H

#include <stddef.h>
#include <stdint.h>

struct who {
	uint64_t uid, gid; /* for access to files (fsuid, fsgid) */
	uint64_t *group;   /* supplementary groups */
	size_t n_group;
	int reads_all;     /* a capability allows to read everything */
};

#define WHO_READ 4u
#define WHO_SEARCH 1u

/* Parses the text of /proc/PID/status; reads_all stays 0. Returns 0 or -errno:
 * -EINVAL if a line is missing or cut. Call who_done in either case. */
int who_parse(struct who *w, const char *status);
void who_done(struct who *w);

int who_is_same(const struct who *a, const struct who *b);

/*
 * True if the user may read (WHO_READ) or search (WHO_SEARCH) a file or
 * directory; fd may be opened with O_PATH. If it has an access control list,
 * only the owner may: the list may forbid what the mode allows.
 */
int who_may(const struct who *w, int fd, unsigned what);

#endif
