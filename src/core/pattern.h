/*
 * One pattern, as Perl has them. Bytes are bytes: names in traces need not be
 * UTF-8, so `.` is one byte and (*UTF) is refused. A match that takes too
 * long gives up and counts as none.
 */
#ifndef CORE_PATTERN_H
#define CORE_PATTERN_H

#include <stddef.h>

#include "core/error.h"

struct pattern;

/* Compiles `text`; `what` is what messages call the pattern, as
 * "filter: match". BOB_OK and *ret, or FAILED. */
int pattern_new(struct bob_ctx *ctx, const char *what, const char *text,
    struct pattern **ret);

/* 1 when it matches somewhere in s, 0 when not, FATAL without memory. */
int pattern_match(struct pattern *p, const char *s, size_t n);

/* What became of looking for a place. */
enum pattern_found {
	PATTERN_NONE = 0,
	PATTERN_FOUND = 1,
	PATTERN_GAVE_UP = 2 /* it takes too long on this text */
};

/*
 * The first match that begins at `from` or behind it: *ret_begin and *ret_end.
 * `is_cut`: the text goes on behind its n bytes, and what may match with the
 * rest of it counts as a match up to the end. enum pattern_found, or FATAL
 * without memory.
 */
int pattern_find(struct pattern *p, const char *s, size_t n, size_t from,
    int is_cut, size_t *ret_begin, size_t *ret_end);

/* NULL is allowed. */
void pattern_free(struct pattern *p);

#endif
