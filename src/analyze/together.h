/*
 * Requests that a process serves at the same time, as asyncio tasks do. Their
 * samples alternate on one thread, or come from waiting tasks, each on a track
 * of its own. So only the id identifies them, and it is unique in the process:
 * a request.id of more than one character (together_is). Ids of one digit are
 * reused soon: such requests follow each other on a track.
 *
 * The time of such a request is the time from its first sample to its last,
 * plus one period: it was being served, whichever task had the thread.
 *
 * Each request has a place, a small number. It keeps the place until
 * TOGETHER_MOST other requests were seen since its last sample, or it had no
 * sample for TOGETHER_SILENT_US. If its id comes again after that, it is
 * another request.
 */
#ifndef ANALYZE_TOGETHER_H
#define ANALYZE_TOGETHER_H

#include <bobbin/model.h>

#include "analyze/pulse.h"
#include "core/error.h"

#define TOGETHER_MOST 4096u
#define TOGETHER_SILENT_US UINT64_C(60000000)
#define TOGETHER_NONE UINT32_MAX

struct together_one {
	uint64_t pid;
	uint64_t first, last; /* times of samples */
	bob_str id;
	uint32_t number;      /* counts requests; 0: the place is free */
	uint32_t n_holes;     /* as in struct pace */
	uint32_t next;        /* place with the same hash, or free place */
	uint32_t newer, older; /* places, in order of their last samples */
};

/* All zeros: empty. */
struct together {
	struct together_one *v; /* NULL: none so far */
	size_t n, cap_v;
	uint32_t *bucket;
	uint32_t newest, oldest, free; /* places, or TOGETHER_NONE */
	uint32_t n_request;
};

/* True if requests with this id are served together. */
int together_is(struct bob_bytes id);

void together_done(struct together *t);

/*
 * Takes a run of a request. Returns BOB_OK and sets *place to the place of the
 * request and *time_us to how much longer the request is now (0 if the run has
 * no times); or FATAL. There must be room: call together_old before.
 */
int together_take(struct bob_ctx *ctx, struct together *t,
    const struct pace *pace, const struct bob_run *run, uint64_t pid,
    bob_str id, uint32_t *place, uint64_t *time_us);

/* Makes room for a run of the request (pid, id): frees the place of a request
 * that has ended before it. Returns that place; TOGETHER_NONE if there is none.
 * Call it until there is none. */
uint32_t together_old(struct together *t, const struct bob_run *run,
    uint64_t pid, bob_str id);

#endif
