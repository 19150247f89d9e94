/*
 * Applies what struct bob_filter asks for to batches of runs. What depends on
 * the stack alone is decided once per stack id and remembered, so that a run
 * costs one load.
 */
#ifndef PIPELINE_FILTER_H
#define PIPELINE_FILTER_H

#include <bobbin/filter.h>
#include <bobbin/model.h>

#include "model/dict.h"

struct filter;

/* Copies what it needs of *spec and compiles its patterns. BOB_OK and *ret
 * (NULL when spec filters nothing), or FAILED: a pattern that does not
 * compile is BOB_E_USAGE and names the place. */
int filter_new(struct bob_ctx *ctx, const struct bob_filter *spec,
    struct bob_dict *dict, struct filter **ret);

/* The wants (enum bob_want) that the filter adds to those of its user. */
uint32_t filter_wants(const struct filter *f);

/*
 * To be told of each segment and mark. Samples without a pid have the pid of
 * their segment: its metadata `pid`, from where that stands. Times go on from
 * segment to segment as filter_clock.h says.
 */
void filter_segment(struct filter *f, const struct bob_segment *s);
void filter_mark(struct filter *f, const struct bob_mark *m);

/*
 * Filters the *n runs at v in place; *n may become smaller, never larger. The
 * stacks of what is left may be new ids. BOB_OK or FATAL.
 */
int filter_runs(struct filter *f, struct bob_run *v, size_t *n);

/* NULL is allowed. */
void filter_free(struct filter *f);

#endif
