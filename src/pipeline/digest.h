/*
 * Digests: what sinks show that add up (takes_digest), made of the events of a
 * conversion. Samples, times and idle ones are those of a profile, so a picture
 * says the same as a report of the same trace.
 *
 * The functions are in src/analyze/digest.c, because profiles are above the
 * pipeline.
 *
 *     digest_new(ctx, dict, filter, &d);
 *     digest_event(d, &event);          for each event, in order
 *     digest_next_input(d);             between two inputs
 *     digest_end(d, &ret);              sink->digest
 *     digest_free(d);
 */
#ifndef PIPELINE_DIGEST_H
#define PIPELINE_DIGEST_H

#include "format/format.h"

struct digest;

/* filter: only samples that pass are shown; the times of samples do not depend
 * on it. NULL: all. Borrowed; the dictionary too. BOB_OK, or FAILED for a bad
 * pattern. */
int digest_new(struct bob_ctx *ctx, struct bob_dict *dict,
    const struct bob_filter *filter, struct digest **ret);

/* These return BOB_OK or FATAL. */
int digest_event(struct digest *d, const struct bob_event *event);
int digest_next_input(struct digest *d);

/* Sets *ret, which is valid as long as the digest. */
int digest_end(struct digest *d, struct format_digest *ret);

/* NULL is allowed. */
void digest_free(struct digest *d);

#endif
