/*
 * What all commands that read have in common: their inputs, the filter, and
 * what becomes of warnings and errors of the library.
 */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/filter.h>
#include <bobbin/option.h>
#include <bobbin/read.h>
#include <bobbin/status.h>

#include "args.h"
#include "filters.h"

struct job {
	const struct args *args;
	struct bob_ctx *ctx;
	const char **inputs; /* "-" is standard input */
	size_t n_inputs;
	const char *from;    /* NULL: by content */
	struct bob_option dialect; /* for the input; its key is NULL when it
	                            * is to be found by content */
	int by_time;         /* the samples of all threads in one order */
	const struct bob_filter *filter; /* NULL: everything */
	struct filters filters;
	const char *current; /* the input that warnings are about, or NULL */
	int tells_cuts;      /* an early end is reported in another way */
	uint64_t n_warnings; /* shown and not shown */
	uint64_t size;       /* bytes of the current input; 0 unknown */
};

/* EXIT_OK, or another code after saying what is wrong; job_done in either
 * case. Warnings and notes of the library become messages. */
int job_init(struct job *j, const struct args *args);
void job_done(struct job *j);

/* How many options for the input there are: `dialect` is the only one. */
size_t job_n_options(const struct job *j);

/* Opens one input for bob_next: enum bob_read_flags, enum bob_want. As
 * bob_open. */
int job_open(struct job *j, const char *input, uint32_t flags, uint32_t want,
    struct bob_reader **ret);

/* bob_next that waits when the input has nothing yet, and shows progress. */
int job_next(struct job *j, struct bob_reader *in, struct bob_event *ret);

/* What the library and people call an input. */
const char *job_name(const char *input);

/* True when an error must be told together with the name of its input: a
 * format knows its bytes, not their name. All other errors name the file. */
int job_needs_name(const char *input, const struct bob_error *e);

/* Says what the library's last error was, on which input (NULL: none of
 * them), and what can be done; returns the exit code. */
int job_error(const struct job *j, const char *input);

#endif
