/* Numbers in the parameters of a question. */
#ifndef CLI_VIEW_PARAM_H
#define CLI_VIEW_PARAM_H

#include <stddef.h>
#include <stdint.h>

#include "request.h"

/* Returns 1 and sets *ret; 0 if the parameter is not given; -1 with the reason
 * in err (n bytes) if it is no number. */
int param_number(const struct request *rq, const char *name, uint64_t *ret,
    char *err, size_t n);

/* Reads at most n_most numbers with commas between them into v, and sets
 * *ret_n. Returns 0; -1 with the reason in err (n bytes). */
int param_numbers(const struct request *rq, const char *name, uint64_t *v,
    size_t n_most, size_t *ret_n, char *err, size_t n);

/* Reads "FROM-TO". Returns 0; -1 if it is none. */
int param_range(const char *p, uint64_t *from, uint64_t *to);

#endif
