/*
 * A tape: one output file of a recording.
 *
 * It has a dictionary of its own, so that memory for names is freed with the
 * file, and its clock begins with the file. The file is private, and written in
 * place with barriers. A format that only adds up is written at the end, and an
 * older file of that name stays until then.
 */
#ifndef RECORD_TAPE_H
#define RECORD_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/convert.h>
#include <bobbin/write.h>

#include "record/ledger.h"

struct tape {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct bob_writer *out;
	struct bob_sources *sources; /* source files that it may show */
	char *path;
	uint64_t t_begin; /* of the sampler's clock: 0 of the tape's clock */
	uint64_t n_given;   /* samples that the writer took */
	uint64_t n_passed;  /* of these, samples that passed the filter */
	uint64_t n_refused; /* samples of the call that failed */
	struct bob_capture_counts base; /* counts when the segment began */
	/* Lost samples in the metadata of this file: all of them, and those
	 * since the last barrier. */
	uint64_t told_here[BOB_N_UNKEPT], told_late[BOB_N_UNKEPT];
	int is_of_one; /* it has samples of one process, named in metadata */
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
	/* The process whose samples it has; NULL: of several. */
	const struct bob_proc_facts *facts;
	const char *service; /* for the metadata; NULL: none */
	const struct bob_filter *filter; /* NULL: all samples are written */
	struct bob_capture_counts counts; /* of its processes, so far */
};

/* Opens a file; copies the path. Returns BOB_OK, or FAILED with nothing to
 * close. */
int tape_open(struct tape *t, struct bob_ctx *ctx, const char *path,
    const struct tape_opts *o);

/* Begins a new segment with the period and facts of *o. As all below without
 * another word, returns BOB_OK or FATAL. */
int tape_segment(struct tape *t, const struct tape_opts *o);

/* Writes the facts of a process on a tape of several: before its samples, and
 * again in each segment. */
int tape_process(struct tape *t, const struct bob_proc_facts *facts);

/* Shows source files as this process sees them; to be called when it comes and
 * then every second. Does nothing if the tape is not open. Returns as
 * process_sources_see(). */
int tape_see(struct tape *t, const struct bob_proc *p);

/* Writes samples, whose ids are those of t->dict. */
int tape_runs(struct tape *t, const struct bob_run *v, size_t n);

/* Hands everything to the system. */
int tape_barrier(struct tape *t);

/* Writes lost samples that are in no file's metadata yet, as
 * profiler.lost_CAUSE. */
int tape_tell(struct tape *t, struct ledger *l);

/* Writes what was counted since the segment began. */
int tape_put_counts(struct tape *t, struct bob_capture_counts now,
    uint64_t t_us);

/* Writes the build id of a file that samples had native frames of, as
 * native.buildid.PATH. */
int tape_module(struct tape *t, const struct bob_module *m);

/* Adds the samples of an open tape to a ledger. */
void tape_add_to(const struct tape *t, struct ledger *sum);

/* Limit of names, frames and stacks of one tape, some 100 MB of memory. A
 * process that makes up names all the time would fill any memory. */
#define TAPE_MAX_THINGS (1u << 20)

/* The same for names of lost samples, which nobody will read. */
#define TAPE_MAX_SPARE (1u << 16)

/* True if it has TAPE_MAX_THINGS, so that a new tape should begin. */
int tape_is_full(const struct tape *t);

/* True if a dictionary has n things or more. */
int tape_has_things(const struct bob_dict *dict, uint64_t n);

/* Closes a tape that got no samples, and removes its file. */
void tape_discard(struct tape *t, struct ledger *l);

/* Ends the file, which is kept in any case, and adds its samples to the ledger.
 * Samples that are not in the file are lost by `cause`, or by
 * BOB_UNKEPT_REMOVED if the file was removed. Returns BOB_OK or FATAL; frees
 * the tape in either case. */
int tape_close(struct tape *t, struct ledger *l, int cause);

#endif
