/*
 * A tape: one output file of a capture that goes on. It has a dictionary of
 * its own, so that what is remembered of names ends with the file, and a clock
 * that begins with it. It is written in place with barriers, for its owner
 * alone; a format that only adds up is written at the end, and an older file
 * of that name stays until then.
 */
#ifndef CLI_TAPE_H
#define CLI_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/convert.h>
#include <bobbin/write.h>

#include "ledger.h"

struct tape {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct bob_writer *out;
	struct bob_sources *sources; /* where it may show source from */
	char *path;
	uint64_t t_begin; /* of the sampler's clock, where this one is 0 */
	uint64_t n_given;   /* samples that the writer took */
	uint64_t n_passed;  /* of them, those that passed the filter */
	uint64_t n_refused; /* of the call that killed the writer */
	struct bob_capture_counts base; /* when the segment began */
	/* Losses that the metadata of this file tell: all of them, and those
	 * behind the last barrier. */
	uint64_t told_here[LEDGER_N_CAUSES], told_late[LEDGER_N_CAUSES];
	int is_of_one; /* process: its metadata say which */
	struct bob_run *run; /* room for runs on the tape's clock */
	size_t cap_run;
};

struct tape_opts {
	const struct bob_format_info *format;
	const struct bob_option *options;
	size_t n_options;
	uint64_t period_ns;
	uint64_t t_us;  /* now, on the sampler's clock */
	int mode;       /* enum bob_attach_mode, for the metadata */
	/* Whose samples it holds, for the metadata; NULL: of several. */
	const struct bob_proc_facts *facts;
	const struct bob_filter *filter; /* NULL: all are written */
	struct bob_capture_counts counts; /* so far, of those it is for */
};

/* BOB_OK, or FAILED with nothing to be closed. Takes a copy of the path. */
int tape_open(struct tape *t, struct bob_ctx *ctx, const char *path,
    const struct tape_opts *o);

/* Begins a new segment with the period and facts of *o. BOB_OK or FATAL. */
int tape_segment(struct tape *t, const struct tape_opts *o);

/* What is known of a process, on a tape of several: before its samples, and
 * again in each segment. BOB_OK or FATAL. */
int tape_process(struct tape *t, const struct bob_proc_facts *facts);

/* A process whose samples are on it, when they begin and again each second:
 * who may see which source. Nothing on a tape that is not open. */
void tape_see(struct tape *t, const struct bob_proc *p);

/* Samples of a process whose ids come from t->dict. BOB_OK or FATAL. */
int tape_runs(struct tape *t, const struct bob_run *v, size_t n);

/* Everything to the system. BOB_OK or FATAL. */
int tape_barrier(struct tape *t);

/* Puts losses that no file tells yet into the metadata, as
 * profiler.lost_CAUSE. BOB_OK or FATAL. */
int tape_tell(struct tape *t, struct ledger *l);

/* What was counted since the segment began. */
struct bob_capture_counts tape_since(const struct tape *t,
    const struct bob_capture_counts *now);

/* What is known at the end of a segment about how well it went: what was
 * counted in it. BOB_OK or FATAL. */
int tape_counts(struct tape *t, const struct bob_capture_counts *c,
    uint64_t t_us);

/* Adds what an open tape has, and what it has not written yet. */
void tape_add_to(const struct tape *t, struct ledger *sum);

/* Names, frames and stacks that one tape remembers, some 100 MB of memory. A
 * process that makes up names all the time would fill any amount. */
#define TAPE_MAX_THINGS (1u << 20)

/* The same for names of samples that are lost, which nobody will ask for. */
#define TAPE_MAX_SPARE (1u << 16)

/* True when it is time for another tape. */
int tape_is_full(const struct tape *t);

/* True when a dictionary has so many things. */
int tape_has_things(const struct bob_dict *dict, uint64_t n);

/* Gives up a tape that got no samples, and removes its file. */
void tape_discard(struct tape *t, struct ledger *l);

/* Ends the file, which stays in any case, and says in the ledger where its
 * samples are: those that are not in the file are lost by `cause`, unless the
 * file itself is gone. BOB_OK or FATAL; frees the rest. */
int tape_close(struct tape *t, struct ledger *l, enum ledger_cause cause);

#endif
