/* One conversion under way, shared by the serial and the parallel driver. */
#ifndef PIPELINE_CONVERT_H
#define PIPELINE_CONVERT_H

#include <time.h>

#include <bobbin/convert.h>

#include "pipeline/contents.h"
#include "pipeline/reader.h"
#include "pipeline/sink.h"

struct conversion {
	struct bob_ctx *ctx;
	const struct bob_convert *spec;
	const struct format *to;
	const struct bob_filter *filter; /* of the inputs that are read now */
	struct bob_dict *dict;
	struct sink *sink;
	int sink_is_dead;   /* it has failed and can only be discarded */
	struct bob_converted done;
	uint64_t total;     /* bytes of all inputs; 0 unknown */
	uint64_t n_skipped; /* of the context, before */
	uint64_t told;      /* bytes done when progress was last told */
	int gaps_are_told;  /* an earlier pass has counted and reported them */
	time_t barrier;     /* when the last barrier was, in seconds */
	int is_dirty;       /* something has come since */
	int has_plan;       /* check_plan was done for the current input */
	int looks;          /* what comes is looked at, as the plan of a pipe
	                     * is told behind it */
	struct contents contents;
};

/* Options for reading one input of the conversion. */
struct bob_read_opts conversion_read_opts(const struct conversion *c);

/* Counts a gap and reports it to the caller. */
void conversion_note_gap(struct conversion *c, const struct bob_gap *gap,
    const char *name);

/* Hands everything that `rd` gives to the sink. BOB_OK at the end. */
int conversion_pump(struct conversion *c, struct bob_reader *rd,
    const char *name);

/*
 * Decodes a regular file on several threads. BOB_EOF, with nothing done, when
 * that is not possible (it cannot be cut, is too small, ...).
 */
int conversion_parallel(struct conversion *c, const struct format *from,
    int fd, uint64_t size, const char *name);

/* Copies a damaged file to `out` in its own format: intact segments byte for
 * byte, the others written anew. */
int conversion_exact(struct conversion *c, const char *path, struct out *out);

#endif
