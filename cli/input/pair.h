/* Two sides to compare, and the comparison as a page or picture. */
#ifndef CLI_PAIR_H
#define CLI_PAIR_H

#include <bobbin/diff.h>

#include "job.h"

/* Paths with a smaller share on both sides are not tested, in any output. */
#define PAIR_MIN_SHARE 0.01

/*
 * Reads the inputs of before, and those of after, into the sides of a new
 * profile. EXIT_OK, EXIT_PARTIAL after saying that something was lost, or
 * another code after saying why. The caller frees
 * *ret in every case.
 */
int pair_read(struct job *j, const char *const *before, size_t n_before,
    const char *const *after, size_t n_after, struct bob_profile **ret);

/* EXIT_OK when both sides have samples, or EXIT_FAILED after saying which has
 * none. */
int pair_check(const struct job *j, const char *const name[2],
    const struct bob_diff_info *info);

#endif
