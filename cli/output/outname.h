/*
 * Patterns for the names of output files. The number of a file stands in place
 * of {}, %d or %0Nd; {} is %04d.
 */
#ifndef CLI_OUTNAME_H
#define CLI_OUTNAME_H

#include <stdint.h>

#include <bobbin/write.h>

int outname_is_pattern(const char *path);

/* Returns the name of file number `index`; a path that is no pattern is
 * returned as it is. The caller frees it; NULL: out of memory. */
char *outname_make(const char *pattern, uint64_t index);

struct outnames {
	const char *pattern;
	char *name; /* of the current file; the caller frees the last one */
};

/* For next_output of struct bob_convert; user is a struct outnames. */
int outname_next(void *user, uint64_t index, struct bob_target *ret);

#endif
