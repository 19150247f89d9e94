/*
 * What a segment contains: the facts of its index, gathered from its events.
 *
 * Dates of samples are those of their segment: the date of its time 0 plus the
 * time of the sample, in microseconds since 1970. Memory is bounded by
 * CONTENTS_MAX_PIDS and CONTENTS_MAX_ROUTES, however hostile the trace.
 */
#ifndef STORE_CONTENTS_H
#define STORE_CONTENTS_H

#include <bobbin/read.h>
#include <bobbin/store.h>

#include "model/intern.h"
#include "model/labels.h"

/* A daemon with a file for all processes names each that it ever saw in that
 * hour; a hostile trace could name billions. */
#define CONTENTS_MAX_PIDS 65536u
/* As many as a profile has. Further ones are not named. */
#define CONTENTS_MAX_ROUTES 9999u
/* A longer route is not named. */
#define CONTENTS_MAX_TEXT 1024u

struct contents_pid {
	uint64_t pid, n_samples;
};

struct contents_route {
	bob_str route;
	uint64_t n_samples;
};

/* A short text from metadata, without its NULs. */
struct contents_text {
	char p[CONTENTS_MAX_TEXT + 1];
};

struct contents {
	struct bob_ctx *ctx;
	const struct bob_dict *dict;
	uint64_t t_first, t_last;
	uint64_t n_samples, n_undated, n_gaps, n_lost, n_unkept;
	uint32_t facts; /* enum bob_segment_fact */
	struct contents_text service, host;
	struct labels labels;

	/* Processes with samples. pid[0] stands for samples without a pid, and
	 * for those of pids that are not named. */
	struct contents_pid *pid;
	size_t cap_pid;
	uint32_t n_pid;
	struct intern by_pid;
	uint32_t *of_track; /* entry of a track's pid, plus 1 */
	size_t cap_of_track;

	/* route[0] stands for samples without a route, and for routes that are
	 * not named. */
	struct contents_route *route;
	size_t cap_route;
	uint32_t n_route;
	uint32_t *of_str;   /* entry of a route, plus 1 */
	size_t cap_of_str;
	uint32_t *of_annot; /* entry of an annotation set's route, plus 1 */
	size_t cap_of_annot;

	/* The current segment. */
	uint64_t start;     /* date of its time 0; 0: unknown */
	uint64_t period_us;
	int has_sample;
	uint32_t own_pid;   /* of samples without a pid: entry of pid[] */
};

/* What a run is, as entries of the tables above. */
struct contents_run {
	const struct bob_run *run;
	uint32_t pid, route;
	uint64_t start; /* date of the segment's time 0; 0: the run has no
	                 * dates */
};

/* `dict` is that of the reader. Call contents_done in any case. */
int contents_init(struct contents *c, struct bob_ctx *ctx,
    const struct bob_dict *dict);
void contents_done(struct contents *c);

/* Takes a segment or a mark. Returns BOB_OK or FATAL. */
int contents_event(struct contents *c, const struct bob_event *ev);

/* Takes a run and sets *ret. Returns BOB_OK or FATAL. */
int contents_run(struct contents *c, const struct bob_run *run,
    struct contents_run *ret);

#endif
