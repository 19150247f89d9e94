/*
 * bobbin record: a sampler takes samples, a watch attaches processes, a
 * recorder writes files.
 *
 *     procs.c   which processes, and their children
 *     output.c  options, names and recorder of the output
 *     keep.c    an older file of the same name
 *     guide.c   what is sampled, and what to do with the result
 *     show.c    messages while it runs and at the end
 */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/recorder.h>
#include <bobbin/watch.h>

#include "args/args.h"
#include "capture/notes.h"
#include "capture/processes.h"
#include "host.h"
#include "input/filters.h"
#include "output/output.h"
#include "system/descriptors.h"

/* Counters at some time. */
struct record_mark {
	uint64_t t_us, n_samples, cpu_us;
};

struct record {
	const struct args *args;
	const struct record_host *host; /* NULL: none */
	struct bob_ctx *ctx;
	struct bob_attach_opts attach;
	const char *vars[BOB_MAX_CAPTURE_VARS]; /* of attach */
	struct bob_sampler *sampler;
	uint64_t period_ns;
	uint64_t duration_us;
	uint64_t t_us;          /* of the run so far */
	struct descriptors descriptors;

	/* procs.c */
	struct processes processes;
	struct bob_watch *watch;
	int takes_children;
	int is_wrapped;         /* the command starts what is sampled */
	char refusal[BOB_MAX_TEXT]; /* why what it started may not be read */
	int status;             /* of the command, as a shell's $? */
	int is_begun;           /* the first sample can be taken */
	size_t n_refused;       /* that were found and cannot be read */
	int failure;            /* exit code of the last of them */
	int has_no_runtime;     /* one of them is neither PHP nor Python */
	int child;              /* that was started, or 0 */
	int names_pids;         /* there may be several processes */
	size_t n_added;
	int is_given_up;        /* a process that did not answer; it was said */

	/* output.c */
	struct output output;
	struct filters filters;
	char *name;             /* a path that was made up, or NULL */
	struct bob_recorder *recorder;
	uint64_t rotate_us, rotate_bytes; /* 0: never */
	uint64_t number;        /* of the next file, in a pattern */
	int was_removed;        /* the file, by somebody else */
	int is_said;            /* why it ends, before record_failed */
	int has_old;            /* an older file is NAME.old now */
	struct notes notes;

	/* show.c */
	struct record_mark mark;   /* about a second ago */
	double per_s, cpu_percent; /* since then */
};

/* --- procs.c: exit codes, after saying what is wrong ---------------------- */

/* What the arguments name. */
int record_set_processes(struct record *r);

/* Attaches to those that run, or starts one. */
int record_attach(struct record *r);

/* Waits for the command that was started, to which the signal is passed on, and
 * sets `status`. */
void record_wait(struct record *r);

/* Polls the watch: children, and processes after exec(2). Never waits for a
 * process. BOB_OK or FATAL. */
int record_look(struct record *r);

/* True if nothing is sampled and nothing can be expected. */
int record_is_over(const struct record *r);

/* Says that a process has ended. */
void record_gone(struct record *r, const struct bob_proc *p);
void record_free_procs(struct record *r);

/* --- output.c ------------------------------------------------------------- */

/* The options. Exit codes. */
int record_set_output(struct record *r);

/* With them, once the processes are named and the sampler is there. */
int record_new_recorder(struct record *r);

/* Begins the first file, once the processes are known. Exit code. */
int record_begin(struct record *r);

/* Ends the files. Exit code. */
int record_end(struct record *r);

/* Between samples: a new file or segment when it is due or `now`. BOB_OK or
 * FATAL. */
int record_tend(struct record *r, int now);

/* How messages call the output. */
const char *record_output_name(const struct record *r);

void record_free_output(struct record *r);

/* --- keep.c --------------------------------------------------------------- */

/* Renames an older file of the output to NAME.old, unless --force is given.
 * Sets has_old if there was one. Exit code. */
int record_keep_old(struct record *r);

/* Undoes it, as nothing was written. */
void record_restore_old(const struct record *r);

/* --- guide.c -------------------------------------------------------------- */

/* At the start: what is sampled, how, where to, and how to stop. */
void record_show_start(const struct record *r);

/* That an older file was kept. */
void record_show_old(const struct record *r);

/* A process that came later. */
void record_show_process(const struct bob_proc *p);

/* At the end: the command that shows the file. */
void record_show_next(const struct record *r);

/* --- show.c --------------------------------------------------------------- */

void record_show_progress(struct record *r);
void record_show_summary(const struct record *r);

/* Says where samples are if some of them are in no file. */
void record_show_losses(const struct record *r);

/* True if a report of the file follows the recording. */
int record_ends_with_report(const struct record *r);

/* Prints the last error of the library; returns the exit code. */
int record_failed(const struct record *r);

#endif
