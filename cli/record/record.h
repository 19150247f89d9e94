/*
 * bobbin record: from arguments to samplers, and from samples to files.
 *
 *     procs.c   which processes, and their children
 *     output.c  where samples go; new files and segments
 *     show.c    what is said meanwhile and at the end
 */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>

#include "args.h"
#include "convert/conv.h"
#include "filters.h"
#include "live/tape.h"
#include "live/targets.h"

/* What was counted at some time. */
struct record_mark {
	uint64_t t_us, n_samples, cpu_us;
};

struct record {
	const struct args *args;
	struct bob_ctx *ctx;
	struct bob_attach_opts attach;
	const char *vars[BOB_MAX_LIVE_VARS]; /* of attach */
	struct bob_sampler *sampler;
	uint64_t period_ns;
	uint64_t duration_us;
	uint64_t t_us;          /* of the run so far */

	/* procs.c */
	struct targets targets;
	struct family *family;
	int child;              /* that was started, or 0 */
	const volatile int *signal; /* that it is to have, if not 0 */
	int names_pids;         /* there may be several processes */
	size_t n_added;
	int is_given_up;        /* a process that did not answer, as was said */

	/* output.c */
	struct conv target;     /* format, options and path of the output */
	struct filters filters;
	char *name;             /* a path that was made up, or NULL */
	struct tape tape;
	struct bob_dict *spare; /* for ids when there is no tape */
	uint64_t rotate_us, rotate_bytes; /* 0: never */
	uint64_t t_rotated, t_barrier;
	uint64_t bytes_rotated; /* of the tape, where its segment began */
	uint64_t n_files;
	uint64_t number;        /* of the next file, in a pattern */
	struct ledger ledger;   /* of the tapes before this one */
	uint64_t n_bytes;       /* the same */
	int is_said;            /* why it ends, before record_failed */

	/* show.c */
	struct record_mark mark;   /* about a second ago */
	double per_s, cpu_percent; /* since then */
};

/* --- procs.c: exit codes, after saying what is wrong ---------------------- */

/* What the arguments name: attaches to those that run, or starts one. */
int record_attach(struct record *r);

/* Waits for the command that was started, to which the signal is passed on. */
void record_wait(struct record *r);

/* Looks for children and for what became of processes that are other programs
 * now. EXIT_OK unless the capture has to end. */
int record_look(struct record *r);

/* True when nothing is sampled and nothing is expected to be. */
int record_is_over(const struct record *r);

/* A process is sampled no more. */
void record_gone(struct record *r, const struct bob_proc *p);
void record_free_procs(struct record *r);

/* --- output.c ------------------------------------------------------------- */

/* The options. Exit codes. */
int record_set_output(struct record *r);

/* Begins the first file, once the processes are known. Exit code. */
int record_begin(struct record *r);

/* A process that is sampled from here on. BOB_OK or FATAL. */
int record_use(struct record *r, struct bob_proc *p);

/* Between samples: a new file or segment when it is due or `now`; barriers.
 * BOB_OK or FATAL. */
int record_tend(struct record *r, int now);

/* Ends the last file. Exit code. */
int record_end(struct record *r);

/* The same after a failure, which was told: what is there stays. */
void record_give_up(struct record *r);
void record_free_output(struct record *r);

/* Where all samples are, now. */
struct ledger record_ledger(const struct record *r);

/* Of all files so far. */
uint64_t record_samples(const struct record *r);
uint64_t record_bytes(const struct record *r);

/* --- show.c --------------------------------------------------------------- */

void record_show_progress(struct record *r);
void record_show_summary(const struct record *r);

/* Where samples are, when some of them are in no file. */
void record_show_losses(const struct record *r);

/* Says what the library's last error was; the exit code for it. */
int record_failed(const struct record *r);

#endif
