/*
 * What is in a trace, as bits of enum bob_caps. A format can hold more than a
 * trace has: only what the trace has can be lost in a conversion.
 */
#ifndef PIPELINE_CONTENTS_H
#define PIPELINE_CONTENTS_H

#include <bobbin/read.h>

struct contents {
	uint32_t caps;      /* what was seen: enum bob_caps */
	uint64_t n_runs, n_segments;
	uint32_t n_frame;   /* frames of the dictionary that were looked at */
};

/* Adds what an event of this dictionary has. */
void contents_add(struct contents *c, const struct bob_dict *dict,
    const struct bob_event *ev);

/*
 * Looks at the beginning of a file (CONTENTS_PEEK bytes, which takes about a
 * millisecond), until everything in `wanted` was seen. Returns what was seen;
 * `wanted` if the file cannot be opened again, as then nothing is known. Tells
 * nobody about errors.
 */
#define CONTENTS_PEEK ((uint64_t)128 << 10)

uint32_t contents_peek(struct bob_ctx *ctx, const char *path,
    const struct bob_read_opts *opts, uint32_t wanted);

#endif
