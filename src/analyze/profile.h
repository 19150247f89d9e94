/*
 * The inside of a profile: its inputs and the sums of their samples.
 *
 * A sample goes from its input through the filter to gather.c, which adds it to
 * a row, to the time strip of its side, to the last samples and to its request.
 */
#ifndef ANALYZE_PROFILE_H
#define ANALYZE_PROFILE_H

#include <bobbin/profile.h>
#include <bobbin/read.h>

#include "analyze/history.h"
#include "analyze/hold.h"
#include "analyze/keys.h"
#include "analyze/pulse.h"
#include "analyze/requests.h"
#include "analyze/rows.h"
#include "analyze/strip.h"
#include "analyze/sums.h"
#include "model/dict.h"
#include "model/idle.h"
#include "model/labels.h"
#include "pipeline/filter.h"
#include "pipeline/filter_clock.h"

#define N_SIDES 2

/* What is known about an annotation set. All zeros: nothing yet. */
struct note {
	bob_str id;     /* of a request; 0: none */
	int is_together; /* other requests are served at the same time */
	bob_annot rest; /* the set without that id, for rows */
	int is_task;    /* of an asyncio task */
	int is_known;
};

/* One input that is being read. */
struct input {
	struct input *next;
	char *path;
	const void *bytes; /* what to read instead of the path, or NULL */
	size_t n_bytes;
	int side;
	struct bob_reader *rd; /* NULL: read to its end */
	struct filter *filter; /* NULL: everything passes */
	struct filter_clock clock;
	uint64_t period_us; /* of the current segment; 0 unknown */
	struct pace pace;   /* of the current segment */
	struct hold hold;   /* for segments without a period */
	uint64_t learned_us; /* the last estimated period; 0: none */
	uint32_t epoch;     /* number of the current segment in the profile */
	int has_pid;        /* the current segment's metadata has a pid */
	uint64_t pid;
	struct pulse *pulse; /* by track */
	bob_tid *with_pid;   /* by track: the same track with the segment's
	                      * pid; 0: not known yet */
	size_t cap_pulse, cap_with_pid;
	struct together together;
	struct request_state requests[N_TIMES];
};

/* The rows of a stack in a profile with bare rows: row + 1, or 0. */
struct bare_rows {
	uint32_t row[2]; /* by whether the samples are idle */
};

/* A directory whose files are inputs. */
struct folder {
	struct folder *next;
	char *path;
	int side;
};

struct side {
	struct strip strip;
	struct history history; /* with BOB_PROFILE_RUNS */
	struct filter_clock clock; /* of the input that was opened last */
	uint64_t n_read, n_samples, n_timed;
	uint64_t period_us, clock_us; /* sums, as in struct row */
	uint64_t waited_us[N_TIMES]; /* the part of waiting asyncio tasks */
	uint64_t read_us; /* as period_us, but of all samples read */
	uint64_t n_segments;
	uint64_t min_period, max_period, last_period; /* 0: none seen */
	int has_unknown_period;
	uint64_t learned_us; /* the longest estimated period */
	int has_time;
	uint64_t t_first, t_last;
	int has_read_time; /* of all samples read */
	uint64_t read_first, read_last;
	/* What bob_profile_times cannot learn from rows: idle samples that the
	 * profile's filter has set aside; all samples with BOB_PROFILE_TIMES or
	 * bare rows. */
	struct sums aside;
	uint64_t duration_us; /* that segments say they took, together */
	uint64_t n_durations; /* segments that say it */
	uint32_t last_duration; /* number of the last one of these, from 1 */
	uint64_t last_duration_us;
	uint64_t n_lost_taken, n_missed, n_empty; /* of metadata */
	uint32_t last_picked; /* number of the last segment whose capture took
	                       * threads of some states only, from 1 */
	double lost_percent, missed_percent; /* of metadata; below 0: unknown */
	uint64_t n_gaps, n_lost, n_unkept;
	int is_incomplete;
	uint32_t caps;
	struct fact **fact_of; /* by string: the fact with this key, or NULL */
	size_t cap_fact_of;
};

/* A fact from the metadata. */
struct fact {
	struct fact *next;
	int side;
	char *key, *value;
};

/* A ring of the last samples. */
struct last {
	struct bob_last *v;
	size_t n, cap, at; /* kept, room, where the next one goes */
	struct bob_last *in_order; /* what the caller sees */
};

struct bob_profile {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	int owns_dict;
	int has_bare_rows;   /* see profile_new_on */
	char *format;        /* NULL: by content */
	uint32_t flags;      /* enum bob_profile_flags */
	int split;           /* enum bob_split */
	/* By side; copies of its own (spec.h), which keep idle samples. */
	struct bob_filter filter[N_SIDES];
	int idle_mode; /* of the caller's filter: enum bob_idle */
	struct idle idle;
	struct bob_option *options; /* so are these */
	size_t n_options;
	int (*progress)(void *user, uint64_t done);
	void *user;

	struct input *inputs;
	struct input *fed[N_SIDES]; /* of bob_profile_feed; NULL: not used */
	struct folder *folders;
	struct side side[N_SIDES];
	struct rows rows;
	struct bare_rows *bare; /* by stack: what gather_sums.c has found */
	size_t cap_bare;
	struct fact *facts;
	struct labels labels; /* of all sides: pids are of one machine */
	struct note *note; /* by set of annotations */
	struct bob_pair *rest; /* scratch */
	size_t cap_note, cap_rest;
	struct keys *keys; /* one for each grouping that views have used */
	/* By enum profile_time. Which one is right is known at the end. */
	struct requests requests[N_TIMES];
	struct last last;
	struct bob_cell *cells;
	size_t cap_cells;
};

/* The same as bob_profile_new, with ids of a dictionary that it does not own; a
 * profile adds tracks and annotations. Its rows are by stack alone, and without
 * a time strip. So bob_profile_times takes no filter. */
int profile_new_on(struct bob_ctx *ctx, const struct bob_profile_opts *opts,
    struct bob_dict *dict, struct bob_profile **ret);

/* gather.c: adds an event of an input. Returns BOB_OK or FATAL. */
int gather_event(struct bob_profile *p, struct input *in,
    const struct bob_event *ev);

/* Adds the events that are held until their period is known (hold.h). Returns
 * BOB_OK or FATAL. */
int gather_held(struct bob_profile *p, struct input *in);
void gather_input_done(struct input *in);

/* times.c: takes metadata about the recording as a whole. */
void times_mark(struct side *side, uint32_t epoch, struct bob_bytes key,
    struct bob_bytes value);

/* Returns the basis of times of a side: enum bob_time_basis. */
int profile_basis(const struct side *s);

/* Returns the time of a row on that basis. */
static inline uint64_t
row_time(const struct row *r, int basis)
{
	return basis == BOB_TIME_CLOCK ? r->clock_us : r->period_us;
}

#endif
