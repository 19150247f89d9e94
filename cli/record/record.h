/*
 * bobbin record: from arguments to samplers, and from samples to a file.
 */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/write.h>

#include "args.h"
#include "convert/conv.h"

struct record {
	const struct args *args;
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct bob_attach_opts attach;
	struct bob_sampler *sampler;
	struct bob_writer *out;
	struct conv target;  /* format, options and path of the output */
	char *name;          /* a path that was made up, or NULL */
	uint64_t period_ns;
	uint64_t duration_us;
	int child;           /* that was started, or 0 */
	int names_pids;      /* there are several processes */
	uint64_t n_samples;
	uint64_t t_us;       /* of the run so far */
	uint64_t t_barrier;
	struct family *family; /* with --subprocesses, else NULL */
};

/* The numbers of processes that -p names. EXIT_OK, or another code after
 * saying what is wrong. */
int record_attach_pids(struct record *r);

/* Starts the command of the operands and attaches to it as soon as it is what
 * can be read. The same. */
int record_launch(struct record *r);

/* Waits for the command that was started. */
void record_wait(struct record *r);

/* Adds an attached process to the sampler, and says what it is. */
int record_add(struct record *r, struct bob_proc *p);

/* From here on children of what is sampled are sampled too. */
int record_watch_children(struct record *r);

/* Looks for new ones; EXIT_OK unless the capture has to end. */
int record_children(struct record *r);

/* A process is sampled no more. */
void record_child_gone(struct record *r, uint64_t pid);
void record_free_children(struct record *r);

#endif
