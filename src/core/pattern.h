/*
 * A Perl-compatible pattern (PCRE2). Names in traces need not be UTF-8, so `.`
 * matches one byte, and (*UTF) is refused. A match that takes too many steps
 * (BOB_MAX_MATCH_STEPS) gives up.
 */
#ifndef CORE_PATTERN_H
#define CORE_PATTERN_H

#include <stddef.h>

#include "core/error.h"

struct pattern;

/* Compiles `text`. `what` names the pattern in messages, such as "filter:
 * match"; it must outlive the pattern. Returns BOB_OK and sets *ret, or FAILED
 * (BOB_E_USAGE for a bad pattern). */
int pattern_new(struct bob_ctx *ctx, const char *what, const char *text,
    struct pattern **ret);

/* Returns 1 if it matches somewhere in the n bytes at s; 0 if not, or if it
 * gave up, with one warning; FATAL without memory. */
int pattern_match(struct pattern *p, const char *s, size_t n);

enum pattern_found {
	PATTERN_NONE = 0,
	PATTERN_FOUND = 1,
	PATTERN_GAVE_UP = 2 /* it took too long on this text */
};

/*
 * Finds the first match at byte `from` or after it and sets *ret_begin and
 * *ret_end. is_cut: the text continues after its n bytes, and a partial match
 * at the end counts as a match up to the end. Returns an enum pattern_found, or
 * FATAL without memory.
 */
int pattern_find(struct pattern *p, const char *s, size_t n, size_t from,
    int is_cut, size_t *ret_begin, size_t *ret_end);

/* NULL is allowed. */
void pattern_free(struct pattern *p);

#endif
