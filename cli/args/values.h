/* Values of options that several commands take. Each returns EXIT_OK and sets
 * *ret, or EXIT_USAGE after saying what is wrong; then *ret is unchanged. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stddef.h>
#include <stdint.h>

/* A whole number from `least` to `most`. `hint`, or NULL, says what it stands
 * for. */
int value_count(const char *option, const char *value, uint64_t least,
    uint64_t most, const char *hint, uint64_t *ret);

/* The same as a size_t, without a hint. */
int value_size(const char *option, const char *value, size_t least,
    size_t most, size_t *ret);

/* --min-percent: a percentage of at most 100, as a share. */
int value_min_percent(const char *value, double *ret);

#endif
